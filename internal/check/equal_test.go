package check

import (
	"path/filepath"
	"slices"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/short"
)

// TestEqualThreads has programs with threads of one function. fewer is what equal threads leave of the executions, 0 if they are not equal: the number of those that differ by more
// than a permutation, or what rule S of the package explore leaves.
func TestEqualThreads(t *testing.T) {
	needClang(t)
	for _, test := range short.Every(5, []struct {
		file, flags string
		kind        string // of the error
		fewer       int64
		why         string
	}{
		{"c/states/twins.c", "-DNONE", "", 6, "one order of the first increments, all of the second"},
		{"c/states/twins.c", "-DINDEX", "", 6, "nobody reads the argument"},
		{"c/states/twins.c", "-DBETWEEN", "", 6, "what main stores in between nobody reads"},
		{"c/states/twins.c", "-DNUMBER", "assertion", 0, "the argument tells threads apart"},
		{"c/states/twins.c", "-DALLOC", "", 0, "addresses tell threads apart"},
		{"c/states/twins.c", "-DSELF", "assertion", 0, "they look at their ids"},
		{"c/states/twins.c", "-DRESULT", "assertion", 0, "main looks at their results"},
		{"c/states/twins.c", "-DEARLY", "assertion", 0, "main does something when one has ended"},
		{"c/states/twins.c", "-DWAITS=1", "assertion", 0, "the same, which one waits for"},
		{"c/states/twins.c", "-DWAITS=2", "assertion", 0, "the same"},
		{"c/ok/equal-threads.c", "-DTICKET", "", 1, "tickets are in the order of threads"},
		{"c/ok/equal-threads.c", "-DMUTEX", "", 1, "who holds a mutex is compared with the own id only"},
		{"c/ok/equal-threads.c", "-DMUTEX -DPEEK", "", 0, "the program reads who holds it"},
		{"c/ok/equal-threads.c", "-DMUTEX -DCOND", "", 0, "who waits is a set of ids"},
		{"c/ok/equal-threads.c", "-DRWLOCK", "", 1, "as with a mutex"},
		{"c/ok/equal-threads.c", "-DTLS", "", 0, "thread-local variables have addresses"},
		{"c/ok/equal-threads.c", "-DMUTEX -DLOCAL", "", 0, "stack objects have addresses"},
		{"c/ok/equal-threads.c", "-DMUTEX -DHANDLES", "", 1, "main stores the handles where nobody else looks"},
		{"c/ok/equal-threads.c", "-DMUTEX -DHANDLES -DLOOK", "race", 0, "another thread looks at the handles"},
		{"c/ok/equal-threads.c", "-DMUTEX -DDATA", "", 0, "main stores what they read between their creations"},
		{"c/errors/joined-by-other.c", "", "assertion", 0, "another thread waits for the first, before the second is created"},
		{"c/errors/between-joins.c", "-DBEYOND", "memory", 0, "main accesses what is not there between their joins"},
		{"c/errors/between-joins.c", "-DFREE", "memory", 0, "main accesses what another thread frees between their joins"},
		{"c/errors/between-joins.c", "-DFREED", "memory", 0, "main accesses what it has freed between their joins"},
		{"c/errors/between-joins.c", "-DRACE", "race", 0, "main accesses what another thread accesses between their joins"},
		{"c/errors/free-by-second.c", "", "memory", 0, "main accesses what they free between their creations"},
	}) {
		run := func(name string, twins bool) (kind string, n int64, upTo bool) {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			opts := explore.Options{Model: m, Twins: twins, Options: engine.Options{
				Workers: 1, RaceCheck: true, MemoryCheck: true, KeepGoing: true, Machine: machine.Options{SpinAssume: true},
			}}
			flags, err := parseFlags(test.flags, &opts)
			if err != nil {
				t.Fatal(err)
			}
			res, err := Run(Config{Files: []string{filepath.Join(corpus, test.file)}, CompilerFlags: flags, Explore: opts})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Errors) > 0 {
				kind = res.Errors[0].Kind
			}
			return kind, res.Executions.Complete, slices.Contains(res.Executions.UpTo, "symmetry")
		}
		for _, name := range []string{"rc11", "imm", "armv8"} {
			kind, all, _ := run(name, false)
			if name == "rc11" && kind != test.kind {
				t.Errorf("%s %s: %q, want %q", test.file, test.flags, kind, test.kind)
			}
			got, n, upTo := run(name, true)
			if got != kind {
				t.Errorf("%s %s under %s with equal threads: %q, want %q", test.file, test.flags, name, got, kind)
			}
			want := test.fewer
			if want == 0 {
				want = all
			}
			if n != want || upTo != (test.fewer > 0) || test.fewer > 0 && test.fewer >= all {
				t.Errorf("%s %s under %s: %d executions, up to symmetry %v, want %d of %d (%s)", test.file, test.flags, name, n, upTo, want, all, test.why)
			}
		}
	}
}
