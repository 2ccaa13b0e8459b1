package explore

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var javaPrograms = flag.Int("java-programs", 100, "random programs for each of Java's models")

// javaName returns what the model that brute calls m is called elsewhere.
func javaName(m brute.Model) (name string, variants []string) {
	if v, ok := strings.CutPrefix(string(m), "jam21-"); ok && v != "thesis" {
		return "jam21", strings.Split(v, "-")
	}
	return string(m), nil
}

// javaModel returns the model that brute calls m, with a checker.
func javaModel(t *testing.T, m brute.Model, checker string) model.Model {
	t.Helper()
	name, variants := javaName(m)
	mod, err := model.Get(name, model.Options{Checker: checker, Variants: variants})
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// javaExecutions returns the executions that Explore visits, by key, with how often.
func javaExecutions(t *testing.T, p *brute.Prog, m model.Model, inMain bool) map[string]int {
	t.Helper()
	prog, first := brute.Lower(p), 1
	if inMain {
		prog, first = brute.LowerInMain(p), 0
	}
	got := map[string]int{}
	_, err := Explore(t.Context(), prog, Options{
		Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}},
		OnExecution: func(x *Execution) {
			e := exploretest.ExecutionFrom(first, p, prog, x.Graph, false)
			got[e.Key()]++
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// javaVoc is what the twins in cat are told. mo is a coherence order that they know nothing of.
var javaVoc = cat.NewVocabulary(
	[]string{"R", "W", "F", "IW", "FW", "O", "RA", "REL", "ACQ", "V"},
	[]string{"po", "rf", "co", "mo", "loc", "int", "rmw"})

// javaSets are the sets of Java's models by C11's modes.
var javaSets = [...][]string{
	event.NA: nil, event.Rlx: {"O"}, event.Acq: {"RA", "ACQ"}, event.Rel: {"RA", "REL"}, event.AcqRel: {"RA", "ACQ", "REL"}, event.SC: {"V"},
}

// javaTwin returns the model that brute calls m, in cat. Where a model derives a partial order of writes, it is
// asked that the total one extends it, because executions have one.
func javaTwin(t *testing.T, m brute.Model) *cat.Machine {
	t.Helper()
	name, variants := javaName(m)
	text := fmt.Sprintf("include %q\n", name+".cat")
	if m != brute.JAM21Thesis && !slices.Contains(variants, "c11") {
		text += `empty order \ mo as extends`
	}
	file, err := cat.LoadText(string(m), text)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := cat.Compile(file, javaVoc, cat.Options{Variants: variants, Given: []string{"co"}})
	if err != nil {
		t.Fatal(err)
	}
	return prog.NewMachine()
}

// javaCopy returns a model of Java in cat as one of a user's: one that includes it.
func javaCopy(t *testing.T, name string) model.Model {
	t.Helper()
	f, err := cat.LoadText("copy.cat", fmt.Sprintf("include %q\nempty rf & po & id as nothing", name+".cat"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catmodel.New("copy.cat", f, catmodel.Options{})
	if err != nil || c.Missing(true) != "" {
		t.Fatal(err, c.Missing(true))
	}
	return c.Explorer()
}

// fillJava tells x an execution of brute.
func fillJava(x *cat.Exec, e *brute.Execution) {
	n := len(e.Co)
	start := make([]int, len(e.Threads))
	for t, evs := range e.Threads {
		start[t] = n
		n += len(evs)
	}
	id := func(r brute.Ref, loc int) int {
		if r == brute.Init {
			return loc
		}
		return start[r.Thread] + r.Index
	}
	x.Reset(n)
	of := make([][]int, len(e.Co)) // the accesses of each location
	for l, ws := range e.Co {
		x.Set("W").Add(l)
		x.Set("IW").Add(l)
		of[l] = append(of[l], l)
		last := l
		for i, w := range ws {
			last = id(w, l)
			for _, v := range ws[:i] {
				x.Rel("co").Add(id(v, l), last)
			}
			x.Rel("co").Add(l, last)
		}
		x.Set("FW").Add(last)
	}
	x.Rel("mo").Copy(x.Rel("co"))
	for t, evs := range e.Threads {
		for i, ev := range evs {
			k := start[t] + i
			x.Set([]string{"R", "W", "F"}[ev.Kind]).Add(k)
			for _, s := range javaSets[ev.Mode] {
				x.Set(s).Add(k)
			}
			for j := range evs {
				x.Rel("int").Add(k, start[t]+j)
				if i < j {
					x.Rel("po").Add(k, start[t]+j)
				}
			}
			if ev.Kind == brute.R {
				x.Rel("rf").Add(id(ev.Src, ev.Loc), k)
			}
			if ev.Kind == brute.W && ev.Locked {
				x.Rel("rmw").Add(k-1, k)
			}
			if ev.Kind != brute.F {
				of[ev.Loc] = append(of[ev.Loc], k)
			}
		}
	}
	for _, accesses := range of {
		for _, a := range accesses {
			for _, b := range accesses {
				x.Rel("loc").Add(a, b)
			}
		}
	}
}

// A javaComparison compares what is said of the executions of programs, under each of Java's models: the executions that the exploration
// visits with each of the checkers; those of the brute-force enumerator, which tries every pushto; and those that the model in cat
// allows among all coherent ones.
type javaComparison struct {
	twins     []*cat.Machine
	copies    map[brute.Model]model.Model // in cat, as models of a user's
	x         *cat.Exec
	seen      map[string]int // events of coherent executions, by kind
	forbidden []int          // how many of the executions each of the models forbids
	backward  int            // how many executions have reads that go backwards, and jam21 allows them
}

func newJavaComparison(t *testing.T) *javaComparison {
	t.Helper()
	c := &javaComparison{x: cat.NewExec(javaVoc, 0), seen: map[string]int{}, forbidden: make([]int, len(brute.Java))}
	for _, m := range brute.Java {
		c.twins = append(c.twins, javaTwin(t, m))
	}
	c.copies = map[brute.Model]model.Model{brute.JAM21: javaCopy(t, "jam21"), brute.JAM19: javaCopy(t, "jam19")}
	return c
}

// program compares one program.
func (c *javaComparison) program(t *testing.T, seed uint64, p *brute.Prog) {
	t.Helper()
	want := make([]map[string]bool, len(brute.Java))
	for i := range want {
		want[i] = map[string]bool{}
	}
	brute.Compare(p, brute.Coherent, brute.Java, func(e brute.Execution, allows []bool) {
		key := e.Key()
		fillJava(c.x, &e)
		count(c.seen, &e)
		if allows[0] && goesBackward(&e) {
			c.backward++
		}
		for i, twin := range c.twins {
			if allows[i] {
				want[i][key] = true
			} else {
				c.forbidden[i]++
			}
			allowed := false
			if err := twin.Run(c.x, func(r *cat.Result) bool {
				allowed = allowed || r.Failed == nil
				return !allowed
			}); err != nil {
				t.Fatal(err)
			}
			if allowed != allows[i] {
				t.Fatalf("seed %d, %s:\n%v\nallowed in cat: %v, by brute force: %v\n%s", seed, brute.Java[i], p, allowed, allows[i], key)
			}
		}
	})
	for i, m := range brute.Java {
		for _, checker := range append([]string{"copy"}, model.Checkers...) {
			var mod model.Model
			if checker != "copy" {
				mod = javaModel(t, m, checker)
			} else if mod = c.copies[m]; mod == nil || seed%2 == 0 {
				continue
			}
			got := javaExecutions(t, p, mod, seed%3 == 0)
			for k := range want[i] {
				if got[k] != 1 {
					t.Fatalf("seed %d, %s, checker %s:\n%v\nvisited %d times:\n%s", seed, m, checker, p, got[k], k)
				}
				delete(got, k)
			}
			for k := range got {
				t.Fatalf("seed %d, %s, checker %s:\n%v\nextra:\n%s", seed, m, checker, p, k)
			}
		}
	}
}

// TestJavaRandomPrograms compares random programs that mix all modes and fences.
func TestJavaRandomPrograms(t *testing.T) {
	c := newJavaComparison(t)
	for n := range *javaPrograms {
		s := *seed + uint64(n)
		c.program(t, s, brute.Random(rand.New(rand.NewPCG(s, 2)), brute.Config{Total: 8, NA: s%2 == 0}))
		if (n+1)%1000 == 0 {
			t.Logf("%d programs agree", n+1)
		}
	}
	t.Logf("events of coherent executions: %v; executions that models forbid: %v %v", c.seen, brute.Java, c.forbidden)
	if testing.Short() {
		return // too few programs for all of these
	}
	for _, kind := range []string{
		"R na", "R rlx", "R acq", "R sc", "W na", "W rlx", "W rel", "W sc", "F acq", "F rel", "F acqrel", "F sc",
		"R of RMW rlx", "R of RMW acq", "R of RMW rel", "R of RMW acqrel", "R of RMW sc", "R of failed CAS rlx", "R of failed CAS acq", "R of failed CAS sc",
	} {
		if c.seen[kind] == 0 {
			t.Errorf("no program has %s", kind)
		}
	}
	for i, m := range brute.Java {
		if c.forbidden[i] == 0 {
			t.Errorf("%s forbids nothing", m)
		}
	}
}

// TestBackward compares random programs most of whose accesses are plain, so that reads of a location may go backwards, also with compare-and-swaps that may fail spuriously.
func TestBackward(t *testing.T) {
	c := newJavaComparison(t)
	for n := range *javaPrograms {
		s := *seed + uint64(n)
		cfg := brute.Config{Plain: true, Threads: 3, Total: 7, Locs: 1 + int(s%2), NoFences: s%3 > 0, NoBranches: s%4 > 0}
		p := brute.Random(rand.New(rand.NewPCG(s, 11)), cfg)
		if s%5 == 0 {
			p = brute.MustParse(strings.ReplaceAll(p.String(), "CAS(", "WCAS("))
		}
		c.program(t, s, p)
	}
	t.Logf("%d executions with reads that go backwards", c.backward)
	if c.backward == 0 {
		t.Error("no reads go backwards")
	}
}

// goesBackward reports whether two reads of a thread go backwards in co.
func goesBackward(x *brute.Execution) bool {
	for _, evs := range x.Threads {
		for i, r := range evs {
			for _, q := range evs[:i] {
				if r.Kind == brute.R && q.Kind == brute.R && q.Loc == r.Loc && slices.Index(x.Co[r.Loc], r.Src) < slices.Index(x.Co[r.Loc], q.Src) {
					return true
				}
			}
		}
	}
	return false
}

// TestJavaCycles compares the brute-force enumerator with the models in cat on executions with cycles in po ∪ rf, thin air included: that of package xmm relies on it.
func TestJavaCycles(t *testing.T) {
	models := map[brute.Model]brute.Model{brute.JAM21Cycles: brute.JAM21, brute.JAM21DirectCycles: brute.JAM21Direct, brute.JAM19Cycles: brute.JAM19}
	var ms []brute.Model
	var twins []*cat.Machine
	for m, twin := range models {
		ms = append(ms, m)
		twins = append(twins, javaTwin(t, twin))
	}
	x := cat.NewExec(javaVoc, 0)
	cycles := 0
	for n := range *javaPrograms {
		s := *seed + uint64(n)
		p := brute.Random(rand.New(rand.NewPCG(s, 10)), brute.Config{Plain: true, Deps: true, Threads: 3, PerThread: 3, Total: 6})
		acyclic := len(brute.Enumerate(p, brute.JAM21))
		brute.Compare(p, brute.PerLocation, ms, func(e brute.Execution, allows []bool) {
			fillJava(x, &e)
			for i, twin := range twins {
				if ms[i] == brute.JAM21Cycles && allows[i] {
					acyclic--
				}
				allowed := false
				if err := twin.Run(x, func(r *cat.Result) bool {
					allowed = allowed || r.Failed == nil
					return !allowed
				}); err != nil {
					t.Fatal(err)
				}
				if allowed != allows[i] {
					t.Fatalf("seed %d, %s:\n%v\nallowed in cat: %v, by brute force: %v\n%s", s, ms[i], p, allowed, allows[i], e.Key())
				}
			}
		})
		if acyclic < 0 {
			cycles++
		}
	}
	if cycles == 0 && !testing.Short() {
		t.Error("no program has cycles")
	}
	t.Logf("%d programs have cycles", cycles)
}

// TestJavaPrivate compares random programs in which threads have fences and accesses to variables of their own here and there: the
// checkers leave some of them out.
func TestJavaPrivate(t *testing.T) {
	c := newJavaComparison(t)
	for n := range *javaPrograms {
		s := *seed + uint64(n)
		rnd := rand.New(rand.NewPCG(s, 3))
		p := brute.Random(rnd, brute.Config{Threads: 3, Total: 6, NoBranches: true})
		modes := []event.Mode{event.Rlx, event.SC, event.NA, event.SC}
		for i := range p.Threads {
			th := &p.Threads[i]
			loc := len(p.Locs)
			p.Locs = append(p.Locs, string("uvst"[i]))
			for range rnd.IntN(3) {
				stmt := brute.Stmt{Kind: brute.Fence, Reg: brute.NoReg, Loc: brute.NoLoc, Addr: brute.NoReg, Mode: event.SC}
				switch rnd.IntN(6) {
				case 0, 1:
					stmt.Kind, stmt.Loc, stmt.Mode, stmt.Val = brute.Store, loc, modes[rnd.IntN(4)], brute.Const(1)
				case 2:
					stmt.Kind, stmt.Loc, stmt.Mode, stmt.Reg = brute.Load, loc, modes[rnd.IntN(4)], len(th.Regs)
					th.Regs = append(th.Regs, fmt.Sprintf("q%d", len(th.Regs)))
				case 3:
					stmt.Mode = []event.Mode{event.Acq, event.Rel}[rnd.IntN(2)]
				}
				th.Body = slices.Insert(th.Body, rnd.IntN(len(th.Body)+1), stmt)
			}
		}
		c.program(t, s, p)
	}
}

// count counts the kinds of events of an execution.
func count(seen map[string]int, e *brute.Execution) {
	for _, evs := range e.Threads {
		for i, ev := range evs {
			kind := [...]string{"R", "W", "F"}[ev.Kind]
			if ev.Locked {
				kind += " of RMW"
				if ev.Kind == brute.R && (i+1 == len(evs) || evs[i+1].Kind != brute.W || !evs[i+1].Locked) {
					kind = "R of failed CAS"
				}
			}
			seen[kind+" "+ev.Mode.String()]++
		}
	}
}

// TestJavaFound compares programs that show what is easily lost with the brute-force enumerator.
func TestJavaFound(t *testing.T) {
	for _, test := range []struct {
		prog, why string
	}{
		{"a=1.sc; p=1.sc; w=1 || r=w; s=z.sc; t=b.sc || b=1.sc; u=a.sc", "a volatile access of what no other thread uses has its place in pushto"},
		{"x=1.sc; r=z.sc; y=1.na || s=y.na; F.acq; t=x", "and it orders others"},
		{"x=1; F.rel; z=1; r=z; F.acq; y=1 || s=y.acq; t=x", "so does a write that its own thread reads, between fences"},
		{"x=1; z=1 || r=z; F.sc; s=x || t=y; F.sc; z=2", "what comes before a fence depends on what comes after it"},
		{"r=x.sc; y=1 || XCHG(y,2); x=1.sc; F.sc || s=x.na || y=1.sc; t=y.sc; F.sc; u=x.na", "under jam19, a fence gives the volatile write before it a place in pushto"},
		{"x=1.sc; F.sc || r=x; a=z.sc; b=w.sc; y=1 || s=y.acq; t=x", "under jam21 too"},
		{"x=1.sc; F.sc; v=1 || r=x; a=z.sc; b=w.sc; y=1 || s=y.acq; t=x", "also if something follows that no other thread sees"},
		{"x=1; F.sc; v=1 || r=x; a=z.sc; b=w.sc; y=1 || s=y.acq; t=x", "and an opaque write"},
		{"x=1; x=2.sc || FADD(x,1).sc; y=1.sc || r=y.sc; s=x", "a read-modify-write is one event"},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range brute.Java {
			want := brute.Enumerate(p, m)
			for _, checker := range model.Checkers {
				for _, inMain := range []bool{false, true} {
					got := javaExecutions(t, p, javaModel(t, m, checker), inMain)
					for _, x := range want {
						if got[x.Key()] != 1 {
							t.Errorf("%s, %s, checker %s (%s): visited %d times:\n%s", test.prog, m, checker, test.why, got[x.Key()], x.Key())
						}
					}
					if len(got) != len(want) {
						t.Errorf("%s, %s, checker %s (%s): %d executions, want %d", test.prog, m, checker, test.why, len(got), len(want))
					}
				}
			}
		}
	}
}

// TestJavaTimeout stops the check of one complete graph, in which two fences forbid what is read and millions of orders of other volatile
// accesses would have to be tried to find that out.
func TestJavaTimeout(t *testing.T) {
	own := func(loc string) string { return strings.Repeat(loc+"=1.sc; ", 13) + loc + "=1.sc" }
	p := brute.Lower(brute.MustParse("x=1; F.sc; r=y || y=1; F.sc; s=x || " + own("a") + " || " + own("b")))
	for _, checker := range []string{"relation", "vector"} {
		res, err := Explore(t.Context(), p, Options{Model: javaModel(t, brute.JAM21Thesis, checker), Options: engine.Options{Workers: 1, Timeout: 100 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		if res.GaveUp == "" {
			t.Errorf("checker %s: %d executions, not given up", checker, res.Complete)
		}
	}
}
