package litmus

import (
	"strings"
	"testing"

	"ravel/internal/litmus"
)

// dependencies returns which kinds of dependency a thread has, reading its operations from first to last.
func dependencies(th *litmus.Thread) map[string]bool {
	from := map[litmus.Reg]map[int]bool{} // loads that a register depends on, by their instruction
	found := map[string]bool{}
	loads := func(e litmus.Expr) map[int]bool {
		all := map[int]bool{}
		for _, r := range litmus.Uses(e) {
			for l := range from[r] {
				all[l] = true
			}
		}
		return all
	}
	other := func(set map[int]bool, ins int) bool {
		for l := range set {
			if l != ins {
				return true
			}
		}
		return false
	}
	branched := -2 // Join of the last branch that depends on a load, -2 for none
	for i := range th.Ops {
		op := &th.Ops[i]
		if branched == i {
			branched = -2
		}
		access := op.Kind == litmus.Load || op.Kind == litmus.Store
		if access && branched != -2 {
			found["ctrl"] = true
		}
		if access && other(loads(op.Addr), op.Ins) {
			found["addr"] = true
		}
		if op.Kind == litmus.Store && other(loads(op.X), op.Ins) {
			found["data"] = true
		}
		switch op.Kind {
		case litmus.Branch:
			if op.X != nil && len(loads(op.X)) > 0 {
				branched = op.Join
			}
		case litmus.Load:
			from[op.Dst] = map[int]bool{op.Ins: true}
		case litmus.Set:
			from[op.Dst] = loads(op.X)
		}
	}
	return found
}

// TestDependencies checks that tests named after a dependency have it in their micro code.
func TestDependencies(t *testing.T) {
	count := map[string]int{}
	for _, row := range corpusRows(t) {
		test, err := Parse(row.file, readCorpus(t, row))
		if err != nil || test.Arch == litmus.LISA {
			continue
		}
		found := map[string]bool{}
		for _, th := range test.Threads {
			for d := range dependencies(th) {
				found[d] = true
			}
		}
		for _, d := range []string{"addr", "data", "ctrl"} {
			// Some tests of the kernel are named ctrl and have no if; one depends on the status of a store-exclusive.
			if !strings.Contains(test.Name, d) || d == "ctrl" && (test.Arch == litmus.C && !strings.Contains(test.String(), " goto ") || test.Name == "STXR-ctrl") {
				continue
			}
			if count[d]++; !found[d] {
				t.Errorf("%s: no %s dependency in\n%s", row.file, d, test)
			}
		}
	}
	t.Log(count)
}
