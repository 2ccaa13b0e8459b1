package states

import (
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
	for _, bad := range []string{"", "G(", "x ==", "x == y", "x &&", "T1@", "(x", "x)", "x ==1 1", "$", "nowhere == 1", "T1@-1", "T1@0", "T1@5x", "T1@nowhere"} {
		if _, err := Explore(procsOf(brute.MustParse("x=1 || y=1")), Options{LTL: bad + " "}); err == nil {
			t.Errorf("%q is taken for a formula", bad)
		} else if !strings.Contains(err.Error(), "formula") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
