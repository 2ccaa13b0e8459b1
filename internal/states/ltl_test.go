package states

import (
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
)

func TestLTL(t *testing.T) {
	for _, test := range []struct {
		prog, formula string
		model         Model
		holds         bool
	}{
		{"x=1 || y=1", "F x==1 && F y==1", SC, true},
		{"x=1 || y=1", "G(x==1 -> F y==1)", SC, true},
		{"x=1 || y=1", "F(x==1 && y==0)", SC, false},
		{"x=1 || y=1", "x==0 U x==1", SC, true},
		{"x=1 || y=1", "G x==0", SC, false},
		{"x=1 || y=1", "[]<> x", SC, true},
		{"x=1 || y=1", "F G !x", SC, false},
		{"x=1 || y=1", "X x || X y", SC, true},
		{"x=1 || y=1", "X x", SC, false},
		{"x=1 || y=1", "X X (x && y)", SC, true},
		{"x=1 || y=1", "(x == 0 W y == 1) || F (x && !y)", SC, true},
		{"x=1; x=2 || y=1", "G(x==2 -> G x==2)", SC, true},
		{"x=1; x=2 || y=1", "G(x==1 -> X x==1)", SC, false},
		{"x=1; x=2 || y=1", "x!=2 U (x==1 && x!=2)", SC, true},
		{"x=1; x=2 || y=1", "!(x==2) R (x <= 2)", SC, true},
		{"x=1; y=1 || r=y", "G(y -> x)", TSO, true},
		{"x=1; y=1 || r=y", "G(y -> x)", PSO, false},
		{"x=1; y=1 || r=y", "F x && F y", PSO, true}, // a buffer does not keep a write for ever
		{"x=1 || y=1", "F T1@end && F T2@end", SC, true},
		{"x=1 || y=1", "T1@end -> x", SC, true},
	} {
		for _, por := range []bool{false, true} {
			if por && strings.Contains(test.formula, "X") {
				continue
			}
			p := procsOf(brute.MustParse(test.prog))
			res := mustExplore(t, p, Options{Model: test.model, LTL: test.formula, POR: por, Raw: true})
			if got := len(res.Errors) == 0; got != test.holds || !got && res.Errors[0].StrongestModel != test.model.String() {
				t.Errorf("%s under %v (por %v): %s: %v", test.prog, test.model, por, test.formula, got)
			}
		}
	}
	// What is wrong, and where.
	for _, test := range []struct{ bad, message, caret string }{
		{" ", "it ends too early", "^"},
		{"G(", "it ends too early", "  ^"},
		{"x ==", "x == what? A number is needed", "    ^"},
		{"x == y", "x == what? A number is needed", "     ^"},
		{"x && ", "it ends too early", "    ^"},
		{"x & 1", `what is '&'?`, "  ^"},
		{"x == 1 == 2", `what is "==" here?`, "       ^"},
		{"G 1", "1 is a number", "  ^"},
		{"U x", "U has nothing on its left", "^"},
		{"x U", "it ends too early", "   ^"},
		{"()", `what is ")" here?`, " ^"},
		{"F (x", "( without )", "  ^"},
		{"(x y)", "The ( is not closed", "   ^"},
		{"x)", `what is ")" here?`, " ^"},
		{"x ==1 1", `what is "1" here?`, "      ^"},
		{"$", "what is '$'?", "^"},
		{"é x", "what is 'é'?", "^"},
		{"a[1", "[ without ]", " ^"},
		{"G  nowhere == 1", "no variable nowhere", "  ^"},
		{"x && T1@", "is no line", "     ^"},
		{"T1@-1", "is no line", "^"},
		{"T1@0", "is no line", "^"},
		{"T1@5x", "is no line", "^"},
		{"Tx@5", "is no thread", "^"},
		{"X T1@nowhere", "no function nowhere", "  ^"},
	} {
		_, err := Explore(t.Context(), procsOf(brute.MustParse("x=1 || y=1")), Options{LTL: test.bad})
		if err == nil {
			t.Errorf("%q is taken for a formula", test.bad)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], test.message) || lines[2] != "    "+test.caret {
			t.Errorf("%q: %v", test.bad, err)
		}
	}
	// What binds more tightly: unary operators, U R W (to the right), &&, ||, -> (to the right), <->.
	for _, test := range [][2]string{
		{"G x && y", "(G x) && y"},
		{"!x U y", "(!x) U y"},
		{"x U y U x", "x U (y U x)"},
		{"x W y R x", "x W (y R x)"},
		{"x && y U x", "x && (y U x)"},
		{"x || y && x", "x || (y && x)"},
		{"x -> y -> x", "x -> (y -> x)"},
		{"x -> y || x", "x -> (y || x)"},
		{"x <-> y -> x", "x <-> (y -> x)"},
		{"F G x == 1 -> y", "(F (G (x == 1))) -> y"},
		{"[] <> x", "G F x"},
	} {
		a, err := parseLTL(test[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := parseLTL(test[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.list, b.list) || a.root != b.root {
			t.Errorf("%s is not %s", test[0], test[1])
		}
	}
}
