package cat

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// The mistakes of the golden file testdata/errors.golden, which has the messages.
var mistakes = []string{
	// Words.
	"let x = po $ rf",
	"let x = (* no end",
	"include \"stdlib.cat",
	"enum T = ' a",
	"let é = po",
	"let x = 12",
	// Structure.
	"let = po",
	"let x po",
	"let x = ",
	"let x = po |",
	"let x = (po | rf",
	"let x = {R, W",
	"let x = po\nacyclic x as",
	"po | rf",
	"model \"a title\" po",
	"acyclic po as x as y",
	"flag po",
	"let x = po ^ 1",
	"let x = ~po*",
	"let x = ~po & ~rf+",
	"let x = W * R*",
	"let x = W * R * W",
	"let x = match R with || {} -> R end",
	"let x = match R with || {} -> R || {} -> W end",
	"enum T = a || b",
	"show po | rf",
	"procedure p(x) = acyclic x",
	"call p",
	"forall x in R",
	"with x in R",
	"if po acyclic rf end",
	"let x = if R then W else W",
	"\tlet x = (po,\n\t\trf",
	"let x = " + strings.Repeat("(", 1000),
	// Meaning.
	"acyclic pp",
	"acyclic fencrel(W)",
	"let x = x-not-here\nacyclic po | x",
	"acyclic R | po",
	"acyclic po; R",
	"acyclic [po]",
	"acyclic domain(R)",
	"acyclic R * po",
	"let f(x, y) = x | y\nacyclic f(po)",
	"let f x = x; x\nacyclic f R",
	"acyclic po rf",
	"empty 'nothing",
	"enum T = 'a || 'b\nempty match 'b with || 'a -> R end",
	"let x = fail R\nacyclic x",
	"include \"nowhere.cat\"",
	"call nobody(po)",
	"let p = po\ncall p(rf)",
	"procedure p(x, y) = acyclic x end\ncall p(po)",
	"procedure rec p x = call p(x) end\ncall p(po)",
	"let rec f x = f x\nacyclic f po",
	"forall x in po do acyclic x end",
	"with x from po",
	"match R with || 'a -> acyclic po end",
	"let a, b = po\nacyclic a",
	"instructions F[{R}]",
	"empty {_}",
	// When an execution is run.
	"let rec f s = match s with || {} -> {} || e ++ r -> f s end\nempty f R",
	"empty match R with || {} -> {} || e ++ r -> e; e end",
	"empty {R, po}",
	"assert empty po as nothing-to-do",
	"empty same-oa(po)",
	"empty linearisations(M | R, {R})",
}

// TestErrors compares the messages for mistakes with the golden file.
func TestErrors(t *testing.T) {
	var got strings.Builder
	for _, text := range mistakes {
		shown := text
		if len(shown) > 100 {
			shown = shown[:40] + " …"
		}
		_, err := debug(t, text, Options{MaxSteps: 100_000})
		if err == nil {
			t.Errorf("%s: no error", shown)
			continue
		}
		if _, ok := err.(*Error); !ok {
			t.Errorf("%s: the error is a %T", shown, err)
		}
		msg := err.Error()
		if len(text) > 100 {
			msg = strings.SplitN(msg, "\n", 2)[0]
		}
		fmt.Fprintf(&got, "==== %s\n%s\n", strings.ReplaceAll(shown, "\n", "\n==== "), msg)
	}
	golden := filepath.Join("testdata", "errors.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("messages differ from %s (run with -update to see them there):\n%s", golden, firstDifference(got.String(), string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d: %q", i+1, g[i])
		}
	}
	return "the golden file has more"
}

// forms are texts that have every form of the language.
var forms = []string{
	`Name "a title" catdep let x = po`,
	`Name Other let x = po`,
	`"title" withoutco let x = po`,
	"(* a (* nested *) comment *) let x = po // rest\n# rest\nlet y = po",
	"let _x = x' let x.y-z_1' = R",
	"let a = b and c = d let rec e = f and g = h when ~acyclic e as i let j = k in let (a, b) = c let a, _ = b let () = c let _ = d",
	"let f x = y let f(x) = y let f(x, y) = z let f() = z let f _ = z let f x (y, z) = x",
	"let x = fun y -> fun (a, b) -> fun _ -> fun () -> let z = y in let rec z = z and w = z in z",
	"let x = ((a | b) ++ c ++ (d; e; (f; g)) \\ h \\ (i \\ j) & k & (l & m))",
	"let x = (a | b) | c let y = a | b | c let x = ~~a let x = ~((~a)*) let x = (~a)* let x = a*+? let x = (a*b)+ let x = a*(b+) let x = a * (b * c)",
	"let x = ~a^-1 let x = (~a)^-1 let x = a+^-1 let x = (a | b)^-1 let x = a * b^-1 let x = (a * b)^-1 let x = a * ~b let x = a^-1^-1",
	"let x = f a b (c, d) [e] {g} {} _ 0 'h () let x = f (g h) let x = (f g; h)",
	"let x = r* ~empty y let x = r* acyclic x",
	"let x = (a, b) let x = a, b let x = ((a, b), c) let x = [a, b] let x = {a, (b, c)}",
	"let x = try a with b let x = (try a with b) | c let x = if a = b then c else d let x = if a subset b then c else d let x = if a in b then c else d",
	`let x = if "a" then b else c let x = if not variant "a" && ("b" || "c") || "d" then e else f`,
	"let x = match a with || 'b -> c || 'd -> e end let x = match a with 'b -> c || _ -> d end let x = match a with _ -> d end",
	"let x = match a with || {} -> b || c ++ d -> e end let x = match a with c | d ++ e -> f || {} -> b end let x = match a with || {} -> b || _ ++ _ -> c end",
	"let x = begin a | b end",
	"acyclic a | b as c irreflexive a ~empty b ~acyclic a as d flag ~empty e as f undefined_unless empty g as h assert irreflexive i",
	"show a, b, c show (a | b) as c show a as b, c unshow a, b",
	`include "a.cat" procedure p(a, b) = acyclic a call q(b) as c end procedure rec r x = end procedure s() = end call p(a, b) call q a call q [a] as b`,
	"enum T = 'a || 'b enum U = || 'c forall x in a | b do acyclic x end with x from a",
	"match a with || 'b -> acyclic c || 'd -> || _ -> empty e end match a with 'b -> acyclic c end",
	`if "a" acyclic b end if not "a" acyclic b else acyclic c if "d" end end`,
	"debug a | b instructions R[{'a, 'b}, 'c] default F[{'a}]",
}

// TestRoundTrip checks that printing and parsing again gives the same tree, for all forms and all our models.
func TestRoundTrip(t *testing.T) {
	texts := append([]string(nil), forms...)
	for _, dir := range []string{"lib", "models"} {
		files, err := embedded.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := embedded.ReadFile(dir + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	for _, text := range texts {
		f, err := Parse(&Source{"a", text})
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		roundTrip(t, f)
	}
}

func roundTrip(t *testing.T, f *File) {
	t.Helper()
	printed := f.String()
	g, err := Parse(&Source{"b", printed})
	if err != nil {
		t.Errorf("%s\nis printed as\n%s\n%v", f.Src.Text, printed, err)
		return
	}
	forget(reflect.ValueOf(f))
	forget(reflect.ValueOf(g))
	f.Src, g.Src = nil, nil
	if !reflect.DeepEqual(f, g) {
		t.Errorf("is printed as\n%s\nand then as\n%s", printed, g)
	}
}

// forget removes all positions from a tree.
func forget(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			forget(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			forget(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			forget(v.Field(i))
		}
	}
}

// TestPrecedence checks how operators without parentheses are grouped (herd.md, section 2).
func TestPrecedence(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a | b | c", "(a | (b | c))"},
		{"a ; b ; c", "(a ; (b ; c))"},
		{"a \\ b \\ c", "((a \\ b) \\ c)"},
		{"a & b & c", "(a & (b & c))"},
		{"a ++ b ++ c", "(a ++ (b ++ c))"},
		{"a ; b \\ c", "(a ; (b \\ c))"},
		{"a \\ b & c", "(a \\ (b & c))"},
		{"a & b \\ c", "((a & b) \\ c)"},
		{"a | b ++ c ; d \\ e & f", "(a | (b ++ (c ; (d \\ (e & f)))))"},
		{"a & b \\ c ; d ++ e | f", "(((((a & b) \\ c) ; d) ++ e) | f)"},
		{"W * R & loc", "((W * R) & loc)"},
		{"a ; b*", "(a ; (b*))"},
		{"a & b+ | c?", "((a & (b+)) | (c?))"},
		{"~r^-1", "(~(r^-1))"},
		{"~r & s", "((~r) & s)"},
		{"~f x", "(~(f x))"},
		{"f x^-1", "((f x)^-1)"},
		{"f x y", "((f x) y)"},
		{"f x*", "((f x)*)"},
		{"W * f x", "(W * (f x))"},
		{"r+?", "((r+)?)"},
		{"r* * s", "((r*) * s)"},
		{"~r*", "error"},
		{"r*+", "((r*)+)"},
	} {
		f, err := Parse(&Source{"a", "let x = " + test.text})
		got := "error"
		if err == nil {
			got = grouped(f.Body[0].(*Let).Binds[0].Expr)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func grouped(e Expr) string {
	switch e := e.(type) {
	case *Binary:
		return fmt.Sprintf("(%s %v %s)", grouped(e.X), e.Op, grouped(e.Y))
	case *Unary:
		switch e.Op {
		case Not:
			return "(~" + grouped(e.X) + ")"
		case Inverse:
			return "(" + grouped(e.X) + "^-1)"
		case ToID:
			return "[" + grouped(e.X) + "]"
		}
		return "(" + grouped(e.X) + [...]string{"*", "+", "?"}[e.Op] + ")"
	case *App:
		return "(" + grouped(e.F) + " " + grouped(e.X) + ")"
	}
	return ExprString(e)
}

func FuzzParse(f *testing.F) {
	for _, text := range append(forms, mistakes...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(&Source{"fuzz", text})
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("the error is a %T", err)
			}
			_ = err.Error()
			return
		}
		if len(text) < 2000 {
			roundTrip(t, file)
		}
	})
}

func FuzzEval(f *testing.F) {
	for _, text := range append(forms, mistakes...) {
		f.Add(text)
	}
	f.Add(`include "cos.cat" acyclic po | rf | co | fr`)
	f.Add("let rec f s = match s with || {} -> {} || e ++ r -> (f r) ++ (f r) end with x from f M empty x")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := debug(t, text, Options{MaxSteps: 20_000, MaxForks: 200})
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("the error is a %T: %v", err, err)
			}
			_ = err.Error()
		}
	})
}
