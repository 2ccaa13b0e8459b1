package brute

import "testing"

// TestDeque counts the graphs with cycles of small work-stealing deques: those that are consistent in C11, and those that the rules of re-execution allow. With three
// items, rules 5 and 6 matter. With five, as in chase-lev, all that are consistent are executions, so that no rule can be the reason why there are not more.
func TestDeque(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct {
		items  int
		rules  xmmRules
		cycles int
		others int // consistent graphs with cycles that are not allowed
	}{
		{3, xmmRules{causal: true, closed: true}, 40, 28},
		{3, xmmRules{closed: true}, 66, 2},
		{3, xmmRules{causal: true}, 68, 0},
		{5, xmmRules{causal: true, closed: true}, 54, 0},
	} {
		cycles, others := 0, 0
		for _, x := range reexecute(Deque(test.items, 3, 0, 2), test.rules) {
			switch {
			case irreflexive(x.porf):
			case x.reached:
				cycles++
			default:
				others++
			}
		}
		if cycles != test.cycles || others != test.others {
			t.Errorf("%d items, %+v: %d graphs with cycles and %d others, want %d and %d", test.items, test.rules, cycles, others, test.cycles, test.others)
		}
	}
}
