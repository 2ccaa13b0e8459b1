package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFromGenMC has command lines of the artefacts of GenMC and HMC, and what they are here.
func TestFromGenMC(t *testing.T) {
	for _, test := range []struct{ genmc, want, note, err string }{
		{"queue.c", "check queue.c", "", ""},
		{"-imm -unroll=3 -- -DN=2 -I. queue.c", "check --model=imm --unroll=3 queue.c -- -DN=2 -I.", "", ""},
		{"--rc11 --unroll 3 queue.c", "check --model=rc11 --unroll=3 queue.c", "", ""},
		{"-wb -print-error-trace -- x.c", "check --coherence=observed x.c", "-print-error-trace", ""},
		{"-disable-race-detection -nthreads=4 -dump-error-graph=e.dot x.c", "check --no-race-check --workers=4 --dot=e.dot x.c", "", ""},
		{"-check-liveness=true -disable-sr=false x.c", "check --liveness x.c", "", ""},
		{"-extra-input=b.c a.c", "check a.c b.c", "", ""},
		{"-bound=2 x.c", "", "", "context switches"},
		{"-disable-spin-asume x.c", "", "", "did you mean -disable-spin-assume?"},
		{"-unroll", "", "", "needs a value"},
		{"-imm", "", "", "which file?"},
	} {
		got, notes, err := fromGenMC(strings.Fields(test.genmc))
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("genmc %s: %v, want an error with %q", test.genmc, err, test.err)
			}
		case err != nil:
			t.Errorf("genmc %s: %v", test.genmc, err)
		case strings.Join(got, " ") != test.want:
			t.Errorf("genmc %s: %s, want %s", test.genmc, strings.Join(got, " "), test.want)
		case test.note != "" && !strings.Contains(strings.Join(notes, "\n"), test.note):
			t.Errorf("genmc %s: no note about %s in %q", test.genmc, test.note, notes)
		}
	}
}

// TestGenMCFlags checks that each option is answered, and that the answers are flags of ravel check.
func TestGenMCFlags(t *testing.T) {
	check := newCheck().Flags()
	var names []string
	for _, f := range genmcFlags {
		if slices.Contains(names, f.name) {
			t.Errorf("-%s twice", f.name)
		}
		names = append(names, f.name)
		if len(f.flags) == 0 && f.note == "" && f.name != "extra-input" {
			t.Errorf("-%s has no answer", f.name)
		}
		for _, flag := range f.flags {
			name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			switch ours := check.Lookup(name); {
			case ours == nil:
				t.Errorf("-%s: ravel check has no --%s", f.name, name)
			case value != "" && ours.Value.Set(value) != nil:
				t.Errorf("-%s: %s is not valid", f.name, flag)
			}
		}
	}
}
