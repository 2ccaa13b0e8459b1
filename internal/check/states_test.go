package check

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/states"
)

// TestEngines compares the verdicts of the two engines. What takes one of them longer than a moment is left
// out: the test of package states with -corpus takes minutes for the whole corpus.
func TestEngines(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two engines on many programs")
	}
	needClang(t)
	const moment = 300 * time.Millisecond
	var compared, left atomic.Int64
	t.Run("programs", func(t *testing.T) {
		seen := map[string]bool{}
		for _, sub := range []string{"c/errors", "c/ok", "c/suites", "c/structures"} {
			dir := filepath.Join(corpus, sub)
			for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
				name := strings.TrimSpace(sub + "/" + r["file"] + " " + r["flags"])
				if seen[name] || sub == "c/structures" && seen[sub+"/"+r["file"]] { // the first row is a small one
					continue
				}
				seen[name], seen[sub+"/"+r["file"]] = true, true
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					g := explore.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, Machine: machine.Options{SpinAssume: true}}}
					flags, err := parseFlags(r["flags"], &g)
					if err != nil {
						t.Fatal(err)
					}
					p, err := Load([]string{filepath.Join(dir, r["file"])}, "", flags)
					if err != nil {
						t.Skip(err) // TestErrors looks at it
					}
					for _, m := range []states.Model{states.SC, states.TSO, states.PSO} {
						g.Timeout = moment
						g.Model, err = model.Get(m.String(), model.Options{})
						if err != nil {
							t.Fatal(err)
						}
						want, wantErr := explore.Explore(t.Context(), p, g)
						s := States{Options: states.Options{Options: g.Options, Model: m, POR: true, Buffer: 8}}
						s.Options.Symmetry, s.Options.KeepGoing, s.Options.MaxMemory = true, false, 1<<30
						got, _, gotErr := s.explore(t.Context(), p)
						switch {
						case (wantErr != nil) != (gotErr != nil):
							t.Errorf("%v: graphs: %v; states: %v", m, wantErr, gotErr)
						case wantErr != nil:
						case want.GaveUp != "" && len(want.Errors) == 0 || got.GaveUp != "" && len(got.Errors) == 0:
							left.Add(1)
						case len(want.Errors) == 0 != (len(got.Errors) == 0):
							t.Errorf("%v: graphs: %v; states: %v", m, want.Errors, got.Errors)
						default:
							compared.Add(1)
							if len(got.Errors) == 0 && (want.Complete > 0) != got.Completes {
								t.Errorf("%v: graphs: %d executions complete; states: %v, %v", m, want.Complete, got.Completes, got.Waits)
							}
							if len(got.Errors) == 0 && (len(want.Spins) > 0) != (len(got.Spins) > 0) {
								t.Errorf("%v: graphs: %v; states: %v", m, want.Spins, got.Spins)
							}
							if len(got.Errors) > 0 && got.Errors[0].Kind != want.Errors[0].Kind {
								t.Errorf("%v: graphs: %s; states: %s", m, want.Errors[0].Message, got.Errors[0].Message)
							}
						}
					}
				})
			}
		}
	})
	t.Logf("%d verdicts compared, %d not, for want of time", compared.Load(), left.Load())
	if compared.Load() == 0 { // how many there are depends on the machine
		t.Errorf("only %d verdicts were compared", compared.Load())
	}
}
