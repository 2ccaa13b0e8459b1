package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/report"
	"ravel/internal/short"
	"ravel/internal/states"
)

// TestSuggestStates has fences suggested for the thesis' litmus tests, whose accesses are plain, and compares with all combinations of fences: with what is
// suggested the test is right, and with nothing weaker.
func TestSuggestStates(t *testing.T) {
	const file = "../../testdata/c/states/litmus.c"
	modes := []event.Mode{event.Rlx, event.Acq, event.Rel, event.SC}
	for _, name := range short.Every(4, []string{"SB", "LB", "MP", "IRIW"}) {
		fenced, err := Load([]string{file}, "", []string{"-D" + name, "-DF0=seq_cst", "-DF1=seq_cst"})
		if err != nil {
			t.Fatal(err)
		}
		fences := fencesOf(fenced)
		if len(fences) != 2 {
			t.Fatalf("%s has %d fences", name, len(fences))
		}
		for _, m := range []states.Model{states.TSO, states.PSO, states.LMO} {
			c := Config{
				Files: []string{file}, CompilerFlags: []string{"-D" + name, "-DF0=relaxed", "-DF1=relaxed"}, Suggest: true,
				States: &States{Options: states.Options{Model: m, POR: true, Options: engine.Options{MemoryCheck: true, Workers: 1}}},
			}
			right := func(pair [2]event.Mode) bool {
				*fences[0], *fences[1] = pair[0], pair[1]
				found, _, err := c.States.explore(t.Context(), fenced)
				if err != nil {
					t.Fatal(err)
				}
				return len(found.Errors) == 0 && found.GaveUp+found.Cut == ""
			}
			res, err := Run(c)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := !right([2]event.Mode{event.Rlx, event.Rlx}); wrong != (res.Verdict == report.Wrong) {
				t.Errorf("%s under %v: %s", name, m, res.Verdict)
			}
			got, text := suggestedPair(t, res)
			if !right(got) {
				t.Errorf("%s under %v: it goes wrong with what is suggested: %s", name, m, text)
			}
			for _, f := range modes {
				for _, g := range modes {
					if weaker := [2]event.Mode{f, g}; weaker != got && atLeast(got[0], f) && atLeast(got[1], g) && right(weaker) {
						t.Errorf("%s under %v: %v is enough, and suggested is: %s", name, m, weaker, text)
					}
				}
			}
			t.Logf("%s under %v: %s", name, m, text)
		}
	}
}

// fencesOf returns the orders of the fences of the user's source.
func fencesOf(p *ir.Program) (list []*event.Mode) {
	for _, f := range p.Funcs {
		if f.Runtime {
			continue
		}
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if b.Instrs[i].Op == ir.Fence {
					list = append(list, &b.Instrs[i].Mode)
				}
			}
		}
	}
	return list
}

// suggestedPair returns which fences are suggested for the two threads. They are in lines of their own.
func suggestedPair(t *testing.T, res *report.Result) (pair [2]event.Mode, text string) {
	t.Helper()
	pair = [2]event.Mode{event.Rlx, event.Rlx}
	var words []string
	if res.Suggestion != nil {
		for _, c := range res.Suggestion.Changes {
			words = append(words, fmt.Sprintf("%s: %v", c.Location.Function, c))
			i := slices.IndexFunc([]string{"t0", "t1"}, func(f string) bool { return f == c.Location.Function })
			m := slices.IndexFunc([]event.Mode{event.NA, event.Rlx, event.Acq, event.Rel, event.AcqRel, event.SC}, func(m event.Mode) bool { return m != event.NA && m.Order() == c.To })
			if i < 0 || m < 0 || c.From != report.NoFence || pair[i] != event.Rlx {
				t.Errorf("%v", c)
				continue
			}
			pair[i] = []event.Mode{event.NA, event.Rlx, event.Acq, event.Rel, event.AcqRel, event.SC}[m]
		}
	}
	return pair, strings.Join(words, ", ")
}
