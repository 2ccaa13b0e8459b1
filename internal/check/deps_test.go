package check

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// depModels track dependencies.
var depModels = []string{"imm", "armv8", "riscv", "armv7", "power", "lkmm"}

// TestErrorsUnderDependencies checks that programs which are wrong under rc11 are wrong in the same way under models that track
// dependencies: these are not stronger, and the errors do not depend on weak behaviours. Data races are errors under lkmm only.
func TestErrorsUnderDependencies(t *testing.T) {
	needClang(t)
	for _, sub := range []string{"c/errors", "c/ok"} {
		dir := filepath.Join(corpus, sub)
		for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
			if r["model"] != "rc11" && r["model"] != "" || strings.Contains(r["flags"], "--timeout") {
				continue
			}
			t.Run(strings.TrimSpace(sub+"/"+r["file"]+" "+r["flags"]), func(t *testing.T) {
				t.Parallel()
				opts := explore.Options{Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
				flags, err := parseFlags(r["flags"], &opts)
				if err != nil {
					t.Fatal(err)
				}
				if opts.Observed {
					t.Skip("coherence is total under these models")
				}
				p, err := Load([]string{filepath.Join(dir, r["file"])}, "", flags)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range depModels {
					if opts.Model, err = model.Get(name, model.Options{}); err != nil {
						t.Fatal(err)
					}
					found, err := explore.Explore(t.Context(), p, opts)
					if err != nil {
						if r["verdict"] != "unsupported" {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					res := &report.Result{Verdict: report.Verified, Errors: found.Errors}
					settle(res, outcomeOf(found), false)
					expectUnderDependencies(t, name, r, res)
				}
			})
		}
	}
}

func expectUnderDependencies(t *testing.T, name string, r row, res *report.Result) {
	t.Helper()
	verdict := r["verdict"]
	kinds := strings.Split(r["kind"], "|")
	if verdict == "" {
		verdict = "error"
	}
	if verdict == "error" && slices.Contains(kinds, "race") && name != "lkmm" {
		verdict = "verified"
	}
	if verdict == "verified" && strings.Contains(res.Reason, "--max-events") {
		t.Skipf("%s: %s", name, res.Reason) // long executions take too long under these models
	}
	if verdict == "verified" && name == "lkmm" && strings.Contains(res.Reason, "arms have ended") {
		return // load buffering past a compare-and-swap, such as that of a trylock, is not explored
	}
	if string(res.Verdict) != verdict {
		t.Errorf("%s: verdict %s %v, want %s (%s)", name, res.Verdict, res.Errors, verdict, r["note"])
	} else if verdict == "error" {
		expectError(t, res.Errors[0], r)
	}
}
