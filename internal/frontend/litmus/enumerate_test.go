package litmus_test

import (
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
)

// otherwise are tests that interleaving whole instructions gets wrong, or cannot run.
var otherwise = map[string]string{
	"MP+ldp.litmus": "LDP is two accesses, not one",
	"L032.litmus":   "LDP is two accesses; the reservation of LDXP is kept for its second half only",
	"L031.litmus":   "the reservation of LDXP is kept for its second half only",
	"inc2.litmus":   "INC without LOCK is not atomic",
}

// TestInterleavings compares two ways to run a test under sequential consistency: by interleaving the
// instructions of the threads, and by enumerating executions that sc.cat allows. They share nothing but the
// front end, and must have the same final states. The tests are those of our corpus and of the field's.
func TestInterleavings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all litmus tests")
	}
	model, err := enumerate.Load("sc")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, dir := range []string{"../../../testdata/litmus", "../../../../shared/litmus"} {
		files, err := frontend.Files(dir)
		if err != nil {
			t.Logf("%v: its tests are skipped", err)
			continue
		}
		for i, file := range files {
			if i%3 != 0 && !*all || otherwise[filepath.Base(file)] != "" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			test, err := frontend.Parse(file, text)
			if err != nil {
				continue
			}
			states, positive, negative, ok := frontend.Interleave(test)
			if !ok {
				continue
			}
			res, err := enumerate.Run(test, model, enumerate.Options{})
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if res.Bounded || res.Faults > 0 {
				continue
			}
			ran++
			if len(states) != len(res.States) || (positive > 0) != (res.Positive > 0) || (negative > 0) != (res.Negative > 0) {
				t.Errorf("%s: interleavings have %d states, %d positive, %d negative; executions %d, %d, %d\n%q\n%v", file,
					len(states), positive, negative, len(res.States), res.Positive, res.Negative, states, res.States)
			}
		}
	}
	t.Logf("%d tests compared", ran)
}
