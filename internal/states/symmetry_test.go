package states

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/short"
)

// Symmetry changes no outcome, and no value that the globals have together in between.
func TestSymmetry(t *testing.T) {
	var with, without int64
	for i := range *programs {
		s := *seed + uint64(i)
		for _, m := range []Model{SC, TSO, PSO, LMO} {
			prog, _ := brute.RandomEqual(rand.New(rand.NewPCG(s, 5)))
			finals := func(o Options) (map[string]bool, int64) {
				all := map[string]bool{}
				var last *run
				o.Model, o.Raw, o.Buffer, o.Workers, o.MemoryCheck = m, true, 12, 1+i%2, true
				note := func(w *worker, what string) {
					out := []any{what}
					for _, g := range prog.Globals {
						out = append(out, uint32(w.value(w.pageLeaf(g.Addr), g.Addr, 4).Lo))
					}
					w.mu.Lock()
					if w.run != last {
						last = w.run
						clear(all)
					}
					all[fmt.Sprint(out...)] = true
					w.mu.Unlock()
				}
				o.onFinal = func(w *worker) { note(w, "in the end") }
				if !o.POR { // otherwise it depends on what is merged
					o.onVisit = func(w *worker) { note(w, "") }
				}
				res := mustExplore(t, prog, o)
				if len(res.Errors) > 0 || res.GaveUp+res.Cut != "" {
					t.Fatalf("seed %d: %+v", s, res)
				}
				return all, res.Stored
			}
			por := i%4 > 1
			want, n := finals(Options{POR: por})
			got, k := finals(Options{Options: engine.Options{Symmetry: true}, POR: por})
			if !maps.Equal(got, want) || k > n && !por { // with it, an access of one symmetric thread is never taken for its own
				t.Fatalf("seed %d, model %v:\ngot  %v\nwant %v\n%d states, %d without symmetry", s, m, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), k, n)
			}
			with, without = with+k, without+n
		}
	}
	t.Logf("%d states with symmetry, %d without", with, without)
	if !testing.Short() && with*5 > without*4 {
		t.Errorf("symmetry leaves %d of %d states", with, without)
	}
}

// Threads that can be told from each other are not symmetric.
func TestSymmetricThreads(t *testing.T) {
	for _, test := range short.Every(4, []struct {
		flag    string
		kind    string
		smaller bool
	}{
		{"-DNONE", "", true},
		{"-DBETWEEN", "", true},
		{"-DINDEX", "", true},
		{"-DNUMBER", "assertion", false},
		{"-DWRONG", "assertion", true},
		{"-DALLOC", "", false},
		{"-DSELF", "assertion", false},
		{"-DRESULT", "assertion", false},
		{"-DEARLY", "assertion", false},
		{"-DWAITS=1", "assertion", false},
		{"-DWAITS=2", "assertion", false},
	}) {
		p := loadC(t, "twins.c", test.flag)
		for i, m := range []Model{SC, LMO, SC, LMO} {
			por := i < 2
			full := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, RaceCheck: true, KeepGoing: true}, POR: por})
			res := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, RaceCheck: true, KeepGoing: true, Symmetry: true}, POR: por})
			for _, r := range []*Result{full, res} {
				kind := ""
				if len(r.Errors) > 0 {
					kind = r.Errors[0].Kind
				}
				if kind != test.kind || len(r.Errors) > 0 && r.Errors[0].Execution == nil {
					t.Errorf("%s under %v (por %v): %q, want %q\n%+v", test.flag, m, por, kind, test.kind, r)
				}
			}
			if !por {
				continue // main stores results between its joins, which nothing says that no other thread sees
			}
			if smaller := res.Stored < full.Stored; smaller != test.smaller {
				t.Errorf("%s under %v: %d states with symmetry, %d without", test.flag, m, res.Stored, full.Stored)
			}
		}
	}
}
