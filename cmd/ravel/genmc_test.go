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
		{"-mode=verify -cache-instructions x.c", "check x.c", "-mode=verify", ""},
		{"-mode estimate x.c", "check --estimate x.c", "", ""},
		{"-mode=random x.c", "", "", "--hunt"},
		{"-unroll=-1 -bound=-1 x.c", "check x.c", "-unroll=-1", ""},
		{"-sr -disable-bam=0 x.c", "check --symmetry x.c", "", ""},
		{"-disable-bam -disable-sr=1 x.c", "check --symmetry=false x.c", "", ""},
		{"-sc -tso x.c", "", "", "-sc and -tso"},
		{"x.c -- -DN=2", "", "", "-DN=2 is no file"},
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

// TestGenMCKnown has the options of lli/main.cpp of GenMC 0.17, and those of older versions and of RCMC that it no longer has.
func TestGenMCKnown(t *testing.T) {
	const now = `sc tso ra rc11 disable-estimation mode random-budget nthreads bound bound-type bounds-histogram lapor disable-sr disable-helper
		confirmation disable-final-write print-error-trace dump-error-graph check-liveness cache-instructions disable-race-detection disable-bam
		disable-ipr disable-stop-on-system-error disable-warn-on-unfreed-memory collect-lin-spec check-lin-spec dot-print-only-client-events
		max-hint-size unroll no-unroll disable-loop-jump-threading disable-cast-elimination disable-function-inliner disable-spin-assume
		disable-code-condenser disable-load-annotation disable-assume-propagation disable-mm-detector estimation-max estimation-min
		estimation-threshold program-entry-function output-llvm-before output-llvm-after skip-genmc-std-build extra-input warn-on-graph-size
		schedule-policy print-schedule-seed schedule-seed print-exec-graphs print-blocked-execs v0 v1 v2 v3 v4 v5 v6 color-accesses
		validate-exec-graphs count-duplicate-execs count-moot-execs print-estimation-stats relinche-debug`
	const before = `imm lkmm mo wb sr helper disable-instruction-caching disable-confirmation-annotation input-from-bitcode-file transform-output
		check-consistency-type check-consistency-point library-specs persevere check-persistency-point block-size max-file-size journal-data
		disable-delalloc random-schedule-seed print-random-schedule-seed randomize-schedule randomize-schedule-seed
		print-randomize-schedule-seed pretty-print-exec-graphs check-psc-acyclicity check-wb-acyclicity weakra wrc11 print-stamps`
	for _, name := range strings.Fields(now + " " + before) {
		if _, err := findGenMC(name); err != nil {
			t.Error(err)
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
