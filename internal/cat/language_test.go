package cat

import (
	"fmt"
	"strings"
	"testing"

	"ravel/internal/relation"
)

// The execution of the language tests: W x=1 (2) → W y=1 (3) in one thread, R y=1 (4) → R x=0 (5) in another,
// after the initial writes 0 of x and 1 of y.
var mpVoc = NewVocabulary(
	[]string{"R", "W", "F", "IW", "FW", "Once", "Rcu-lock"},
	[]string{"po", "rf", "co", "loc", "int", "addr", "ctrl", "cta"})

func mp() *Exec {
	x := NewExec(mpVoc, 6)
	set := func(name string, events ...int) { *x.Set(name) = *relation.NewSet(6, events...) }
	rel := func(name string, pairs ...[2]int) { *x.Rel(name) = *relation.NewRel(6, pairs...) }
	set("R", 4, 5)
	set("W", 0, 1, 2, 3)
	set("IW", 0, 1)
	set("FW", 2, 3)
	set("Once", 2, 3, 4, 5)
	rel("po", [2]int{2, 3}, [2]int{4, 5})
	rel("rf", [2]int{3, 4}, [2]int{0, 5})
	rel("co", [2]int{0, 2}, [2]int{1, 3})
	rel("ctrl", [2]int{4, 5})
	rel("cta", [2]int{2, 4})
	for i, l := range []int{0, 1, 0, 1, 1, 0} {
		for j, k := range []int{0, 1, 0, 1, 1, 0} {
			if l == k {
				x.Rel("loc").Add(i, j)
			}
			if i > 1 && j > 1 && i/2 == j/2 {
				x.Rel("int").Add(i, j)
			}
		}
	}
	x.SameValue = func(a, b int) bool { return []int{0, 0, 1, 1, 1, 0}[a] == []int{0, 0, 1, 1, 1, 0}[b] }
	x.AtLoc = func(name string) relation.Set {
		if name == "x" {
			return *relation.NewSet(6, 0, 2, 5)
		}
		return *relation.NewSet(6, 1, 3, 4)
	}
	return x
}

// debug compiles and runs a text and returns what its debug instructions print.
func debug(t testing.TB, text string, opts Options) (string, error) {
	t.Helper()
	m, err := LoadText("test.cat", text)
	if err != nil {
		return "", err
	}
	p, err := Compile(m, mpVoc, opts)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	machine := p.NewMachine()
	machine.Debug = &out
	err = machine.Run(mp(), func(*Result) bool { return true })
	var vals []string
	for line := range strings.Lines(out.String()) {
		vals = append(vals, strings.TrimSpace(line[strings.Index(line, ": ")+2:]))
	}
	return strings.Join(vals, " "), err
}

// TestValues evaluates expressions: after the definitions before the last line, its value.
func TestValues(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		// Sets and relations.
		{"R", "{4,5}"},
		{"po", "{2->3,4->5}"},
		{"0", "{}"},
		{"_", "_"},
		{"{}", "{}"},
		{"_ \\ W", "{4,5}"},
		{"~(R | W)", "{}"},
		{"~~R", "{4,5}"},
		{"po & _", "{2->3,4->5}"},
		{"R & {}", "{}"},
		{"R | _", "_"},
		{"po | rf", "{0->5,2->3,3->4,4->5}"},
		{"po; rf", "{2->4}"},
		{"rf; po", "{3->5}"},
		{"(po | rf)+", "{0->5,2->3,2->4,2->5,3->4,3->5,4->5}"},
		{"0+", "{}"},
		{"[R]*", "{0->0,1->1,2->2,3->3,4->4,5->5}"},
		{"{}?", "{0->0,1->1,2->2,3->3,4->4,5->5}"},
		{"rf^-1", "{4->3,5->0}"},
		{"rf^-1; co", "{5->2}"},
		{"[R]", "{4->4,5->5}"},
		{"[_] & (W * W)", "{0->0,1->1,2->2,3->3}"},
		{"R * IW", "{4->0,4->1,5->0,5->1}"},
		{"po & (_ * R)", "{4->5}"},
		{"po; [R]", "{4->5}"},
		{"[W]; po", "{2->3}"},
		{"[IW]; [W]", "{0->0,1->1}"},
		{"po \\ loc", "{2->3,4->5}"},
		{"id & loc & (R * R)", "{4->4,5->5}"},
		{"M", "{0,1,2,3,4,5}"},
		{"rf & ext", "{0->5,3->4}"},
		// Precedences: ; is looser than \, which is looser than &, and so on (herd.md, section 2).
		{"po ; rf \\ rf", "{}"},
		{"po | rf ; po", "{2->3,3->5,4->5}"},
		{"W * R & rf", "{0->5,3->4}"},
		{"W \\ IW & FW", "{0,1,2,3}"},
		{"W \\ IW \\ FW", "{}"},
		{"W \\ (IW \\ FW)", "{2,3}"},
		{"R | W & IW", "{0,1,4,5}"},
		{"~rf^-1 & rf^-1", "{}"},
		{"R * W^-1", "error: expected a relation"},
		{"domain rf^-1", "error: expected a relation"}, // (domain rf)^-1
		{"domain(rf^-1)", "{4,5}"},
		{"po?;rf+", "{0->5,2->4,3->4}"},
		{"rf+^-1?", "{0->0,1->1,2->2,3->3,4->3,4->4,5->0,5->5}"},
		// Functions, tuples, let.
		{"domain(rf)", "{0,3}"},
		{"range rf", "{4,5}"},
		{"domain {}", "{}"},
		{"let f r = r; r in f (po | rf)", "{2->4,3->5}"},
		{"let f(r, s) = r; s in f(po, rf)", "{2->4}"},
		{"let p = (po, rf) in let f(r, s) = r; s in f p", "{2->4}"},
		{"let f x y = x | y in f R IW", "{0,1,4,5}"},
		{"let f = fun x -> fun (y, z) -> x & y | z in f R (R, IW)", "{0,1,4,5}"},
		{"let a, b = (R, W) in b", "{0,1,2,3}"},
		{"let (a, _) = (R, W) in a", "{4,5}"},
		{"let x = R and y = W in x | y", "{0,1,2,3,4,5}"},
		{"let x = R in let x = x | W in x", "{0,1,2,3,4,5}"},
		{"let unused = not-bound in R", "{4,5}"},
		{"let twice f = fun x -> f (f x) in let step r = r; (po | rf) in twice step (po | rf)", "{2->5}"},
		{"fencerel(R)", "{}"},
		{"po-loc | rfe", "{0->5,3->4}"},
		{"nodetour((po | rf)+, po | rf, po | rf)", "{0->5,2->3,2->5,3->4,4->5}"},
		{"singlestep((po | rf)+)", "{0->5,2->3,3->4,4->5}"},
		{"co0", "{0->2,1->3}"},
		// Recursion.
		{"let rec r = po | rf | r; r in r", "{0->5,2->3,2->4,2->5,3->4,3->5,4->5}"},
		{"let rec s = IW | range([s]; (co | rf)) in s", "{0,1,2,3,4,5}"},
		{"let rec a = po | b; po and b = rf | a; rf in b", "{0->5,2->4,3->4}"},
		{"let rec s = IW | range(r) and r = [s]; (co | rf) in (s, r)", "({0,1,2,3,4,5}, {0->2,0->5,1->3,3->4})"},
		{"let rec r = f(po) and f(x) = x | r; rf in r", "{2->3,2->4,4->5}"},
		{"let rec f s = match s with || {} -> {} || e ++ es -> e ++ f es end in f R", "{4,5}"},
		{"let rec even s = match s with || {} -> {} || e ++ r -> odd r end and odd s = match s with || {} -> {} || e ++ r -> e ++ even r end in even M", "{1,3,5}"},
		// Sets of sets, orders, classes.
		{"{R, W}", "{{0,1,2,3}, {4,5}}"},
		{"{R, W, R}", "{{0,1,2,3}, {4,5}}"},
		{"{R} ++ {}", "{{{4,5}}}"},
		{"R ++ {W}", "{{0,1,2,3}, {4,5}}"},
		{"{R} | {W}", "{{0,1,2,3}, {4,5}}"},
		{"{R, W} & {W}", "{{0,1,2,3}}"},
		{"{R, W} \\ {W}", "{{4,5}}"},
		{"linearisations(R, 0)", "{{4->5}, {5->4}}"},
		{"linearisations(R, po)", "{{4->5}}"},
		{"linearisations(R, po | po^-1)", "{}"},
		{"linearisations(R | {}, po | (rf;rf^-1))", "{{4->5}}"},
		{"classes-loc(M)", "{{0,2,5}, {1,3,4}}"},
		{"partition(W)", "{{0,2}, {1,3}}"},
		{"classes(loc & (R * R))", "{{4}, {5}}"},
		{"lift(classes-loc(M), po)", "{{0,2,5}->{1,3,4},{1,3,4}->{0,2,5}}"},
		{"delift(lift(classes-loc(M), po)) & po", "{2->3,4->5}"},
		{"deliftinter(rf, lift(classes-loc(M), rf))", "{0->5,3->4}"},
		{"delift(lift(classes-loc(W), co)^-1) & (R * R)", "{}"},
		{"linearisations(classes-loc(R), lift(classes-loc(R), po))", "{{{4}->{5}}}"},
		{"map (fun e -> e ++ {}) R", "{{4}, {5}}"},
		{"map (fun p -> p ++ 0) rf", "{{0->5}, {3->4}}"},
		{"match R with || {} -> {} || e ++ es -> (e, es) end", "(4, {5})"},
		{"match W with || {} -> {} || a | e ++ b -> (a, e, b) end", "({0,1}, 2, {3})"},
		{"match rf with || p ++ ps -> p^-1 || {} -> {} end", "5->0"},
		{"match {} with || {} -> R || x ++ xs -> W end", "{4,5}"},
		{"match rf \\ rf with || {} -> R || x ++ xs -> W end", "{4,5}"},
		{"match R with || {} -> {} || e ++ es -> {e} | es end", "{4,5}"},
		{"match R with || {} -> {} || e ++ es -> W * {e} & rf end", "{3->4}"},
		{"bisimulation(po, id)", "{0->0,1->1,2->2,3->3,4->4,5->5}"},
		{"bisimulation(po, M * M) & (R * R)", "{4->4,5->5}"},
		{"fromto(R)", "{}"},
		{"different-values(loc & (IW * FW))", "{0->2,1->3}"},
		{"as_transitive(po | rf) & (W * R)", "{0->5,2->4,2->5,3->4,3->5}"},
		{"inter_transitive(po | rf, loc)", "{0->5,2->5,3->4}"},
		// Conditions.
		{"if R subset M then R else W", "{4,5}"},
		{"if M subset R then R else W", "{0,1,2,3}"},
		{"if R = R then po else rf", "{2->3,4->5}"},
		{"if rf = {} then po else rf", "{0->5,3->4}"},
		{"match R with || {} -> 0 || e ++ es -> if e in es then po else rf end", "{0->5,3->4}"},
		{"match po with || {} -> 0 || p ++ ps -> if p in rf then po else rf end", "{0->5,3->4}"},
		{"if R in {R, W} then R else W", "{4,5}"},
		{`if "mixed" then R else W`, "{0,1,2,3}"},
		{`if variant "on" then R else W`, "{4,5}"},
		{`if not "on" || ("on" && "mixed") then R else W`, "{0,1,2,3}"},
		// Try.
		{"try nothing with R", "{4,5}"},
		{"try R | po with W", "{0,1,2,3}"},
		{"try fail R with W", "{0,1,2,3}"},
		{"try match R with || {} -> {} || e ++ es -> e ; e end with W", "{0,1,2,3}"},
		{"try R with W", "{4,5}"},
		{"begin R | W end & IW", "{0,1}"},
	} {
		got, err := debug(t, "debug ("+test.text+")", Options{Variants: []string{"on"}})
		if err != nil {
			got = "error: " + strings.SplitN(err.(*Error).Msg, ",", 2)[0]
		}
		if got != test.want {
			t.Errorf("%s\n= %s, want %s", test.text, got, test.want)
		}
	}
}

// TestInstructions runs instructions and compares what debug prints.
func TestInstructions(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"let r = po let f(x) = x; r debug f rf", "{3->5}"},
		{"let r = po let s = r let r = rf debug s debug r", "{2->3,4->5} {0->5,3->4}"},
		{"let x = R in debug x", "{4,5}"},
		{"enum T = 'a || 'b || 'c debug T debug ~{'b} debug {'a, 'c} & T \\ 'c debug 'a | 'b", "{'a, 'b, 'c} {'a, 'c} {'a} {'a, 'b}"},
		{"enum T = || 'a || 'b let f x = match x with || 'a -> R || _ -> W end debug f 'a debug f 'b", "{4,5} {0,1,2,3}"},
		{"enum T = 'once || 'rcu-lock debug tag2events('once) debug tag2events 'rcu-lock debug map tag2events T", "{2,3,4,5} {} {{}, {2,3,4,5}}"},
		{"enum S = 'cta debug tag2scope('cta) debug tag2fenced('cta2)", "error: tag 'cta2 is not in any enum"},
		{"enum S = 'cta debug tag2scope 'cta", "{2->4}"},
		{"enum S = 'x || 'y debug loc2events('x)", "{0,2,5}"},
		{"enum S = 'x || 'y forall l in S do debug l end debug R", "'x 'y {4,5}"},
		{"forall s in {R, W} do debug s end", "{0,1,2,3} {4,5}"},
		{"forall s in {R, W} do let t = s & FW debug t end debug try t with 0", "{2,3} {} {}"},
		{"forall s in {} do debug s end debug R", "{4,5}"},
		{"with o from linearisations(R, 0) debug o", "{4->5} {5->4}"},
		{"with s from {R, W} debug s debug s & FW", "{0,1,2,3} {2,3} {4,5} {}"},
		{"enum T = 'a || 'b with s from T debug match s with || 'a -> R || 'b -> W end", "{4,5} {0,1,2,3}"},
		{"with s from {linearisations(R, 0)} with o from s debug o", "{4->5} {5->4}"},
		{"with o from {} debug R", ""},
		{"with s from map (fun e -> {e}) R debug s", "{4} {5}"},         // found out by the run
		{"with s from map (fun e -> {e}) R debug [s]", "{4->4} {5->5}"}, // found out by the compiler
		{"with s from map (fun e -> {{e}, R}) R debug s", "{{4}, {4,5}} {{4,5}, {5}}"},
		{"with t from map (fun e -> (e, e)) R debug t", "(4, 4) (5, 5)"},
		{"with a from {R, W} forall b in {R, W} do with c from {a} debug c end", "{0,1,2,3} {0,1,2,3} {4,5} {4,5}"},
		{"procedure p(a, b) = debug a let c = b debug c end call p(R, W) debug try c with po", "{4,5} {0,1,2,3} {2->3,4->5}"},
		{"procedure p x = debug x end procedure p x = call p(x) debug IW end call p R", "{4,5} {0,1}"},
		{"enum T = 'a || 'b procedure rec p t = match t with || 'a -> debug R call p 'b || _ -> debug W end end call p 'a", "{4,5} {0,1,2,3}"},
		{"enum T = 'a || 'b match 'b with || 'a -> let x = R || 'b -> let x = W end debug x", "{0,1,2,3}"},
		{"enum T = 'a || 'b with t from T match t with || 'a -> debug R || 'b -> debug W end debug IW", "{4,5} {0,1} {0,1,2,3} {0,1}"},
		{`if "on" debug R else debug W end if not "on" debug R end`, "{4,5}"},
		{"let rec r = po | r; rf when irreflexive r debug r", "{2->3,2->4,4->5}"},
		{"let rec r = co | r; rf; (rf^-1; co)? when ~acyclic r as n debug r", ""},
		{`include "cross.cat" debug cross({{po, rf}, {co}})`, "{{0->2,0->5,1->3,3->4}, {0->2,1->3,2->3,4->5}}"},
		{`include "cos.cat" debug co debug fr`, "{0->2,1->3} {5->2}"},
		{`include "basic.cat" debug fre debug fencerel(R)`, "{5->2} {}"},
		{"(* comments (* nest *) *) debug R", "{4,5}"},
		{"(* but for (*those) of Dartagnan *) debug R (* others *) debug W", "{4,5} {0,1,2,3}"},
		{"debug crit", "{}"},
		{`include "cross.cat" debug generate_orders(M, 0)`, "36"},
	} {
		got, err := debug(t, test.text, Options{Variants: []string{"on"}})
		if err != nil {
			got = "error: " + err.(*Error).Msg
		}
		if test.want == "36" {
			got = fmt.Sprint(strings.Count(got, "}, {") + 1)
		}
		if got != test.want {
			t.Errorf("%s\nprints %s, want %s", test.text, got, test.want)
		}
	}
}

// TestResults checks what is reported of checks.
func TestResults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"acyclic po | rf", "ok"},
		{"acyclic po | rf | co | rf^-1; co as sc", "sc [2 3 4 5] [po rf po rf^-1 ; co]"},
		{`include "cos.cat" let fre = fr & ext acyclic po | rf | co | fre as sc`, "sc [2 3 4 5] [po rf po fre]"},
		{"irreflexive po; rf; po; rf^-1; co as mp", "mp [2 3 4 5 0] [po rf po rf^-1 co]"},
		{"empty rf; po as e", "e [3 5] [rf ; po]"},
		{"empty R", "empty R [4] []"},
		{"empty 0", "ok"},
		{"~empty po as n", "ok"},
		{"~acyclic po as n", "n -"},
		{"flag ~empty rf as reads flag empty rf as none flag ~empty co as writes", "ok reads writes"},
		{"undefined_unless empty po as u", "ok undefined"},
		{"procedure p(r) = acyclic r end call p(rf | rf^-1) as named", "named [0 5] [rf rf^-1]"},
		{"call total(co, IW)", "inclusion [0 0] [a \\ b]"},
		{"with o from linearisations(R, 0) acyclic o | po as o flag ~empty o as f", "ok f; o [4 5] [po o]"},
		{"with o from {} empty po", ""},
		{"let rec r = po | r; (rf | po) when empty r; co as stop", "ok"},
		{"let rec r = po | r; (rf | po) when empty r & (W * R) as stop", "stop [2 4] [r]"},
		{"show rf, po as order show po; rf as c unshow rf", "ok order={2->3,4->5} c={2->4}"},
		{"show nothing, R", "ok R={4,5}"},
	} {
		m, err := LoadText("test.cat", test.text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(m, mpVoc, Options{Given: []string{"co"}})
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		var got []string
		machine := p.NewMachine()
		machine.Show = true
		if err := machine.Run(mp(), func(r *Result) bool {
			s := "ok"
			if !r.OK() {
				s = r.Failed.Title() + " -"
				if w := r.Witness(); w != nil {
					s = r.Failed.Title() + " " + fmt.Sprint(w.Events) + " " + fmt.Sprint(w.Edges)
				}
			}
			for _, f := range r.Flags {
				s += " " + f
			}
			if r.Undefined {
				s += " undefined"
			}
			for _, sh := range r.Shown {
				if sh.Rel != nil {
					s += " " + sh.Name + "=" + sh.Rel.String()
				} else {
					s += " " + sh.Name + "=" + sh.Set.String()
				}
			}
			got = append(got, s)
			return true
		}); err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
		if s := strings.Join(got, "; "); s != test.want {
			t.Errorf("%s\ngives %s, want %s", test.text, s, test.want)
		}
	}
}
