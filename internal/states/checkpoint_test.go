package states

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/short"
)

// kept are programs for checkpoints.
var kept = []struct {
	file, flags string
	model       Model
	change      func(*Options)
}{
	{"counting.c", "-DNONE -DINCS=2", SC, nil},
	{"counting.c", "-DSTART -DINCS=2", LMO, nil},
	{"twins.c", "-DALLOC", PSO, nil},
	{"philosophers.c", "", PSO, nil},
	{"philosophers.c", "", TSO, func(o *Options) { o.Liveness = true }},
	{"election.c", "", SC, func(o *Options) { o.LTL = "F leader == 3 && G (leader == 0 || leader == 3)" }},
	{"election.c", "", TSO, func(o *Options) { o.LTL = "F leader == 2" }},
	{"boxes.c", "", LMO, nil},
	{"boxes.c", "-DWRONG -DROUNDS=3", SC, nil},
	{"deferred.c", "-DALIAS", RMO, nil},
	{"deferred.c", "-DRMW", RMO, nil},
	{"peterson.c", "-DFENCE", PSO, nil},
	{"peterson.c", "-DFENCE", models, func(o *Options) { o.KeepGoing = true }}, // all
	{"peterson.c", "", LMO, func(o *Options) { o.KeepGoing = true }},
}

// keptOptions returns the options of a row, with all that is checked by default.
func keptOptions(m Model, change func(*Options)) Options {
	o := Options{Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Symmetry: true}, Model: m, POR: true}
	if change != nil {
		change(&o)
	}
	return o
}

// exploreKept explores a program, under all models if o.Model is none.
func exploreKept(t *testing.T, ctx context.Context, data []byte, o Options) *Result {
	t.Helper()
	p, err := ir.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	explore := Explore
	if o.Model == models {
		explore = ExploreAll
	}
	res, err := explore(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// whatIsFound returns what has to be the same after interruptions.
func whatIsFound(r *Result) string {
	s := fmt.Sprintf("%d states, %d transitions, %s%s completes %v", r.Stored, r.Transitions, r.Cut, r.GaveUp, r.Completes)
	for i, e := range r.Errors {
		s += fmt.Sprintf("\n%s %s %v %s %d steps", e.Kind, e.Message, e.Location, e.StrongestModel, len(r.Traces[i]))
	}
	return s
}

// TestCheckpoints interrupts explorations at random states, and goes on with them in other runs, with programs that were decoded anew. Some go on
// from a copy of the folder that was made after a save, with what a torn write leaves: as after kill -9. All ends as it does without.
func TestCheckpoints(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for _, test := range short.Every(7, kept) {
		for _, workers := range []int{1, 2} {
			o := keptOptions(test.model, test.change)
			o.Workers, o.POR = workers, workers == 1 // with POR and several workers, counts vary
			data, err := loadC(t, test.file, strings.Fields(test.flags)...).Encode()
			if err != nil {
				t.Fatal(err)
			}
			visits := 0
			o.onVisit = func(*worker) { visits++ }
			if workers > 1 {
				o.onVisit = nil
			}
			want := exploreKept(t, t.Context(), data, o)
			name := fmt.Sprintf("%s %s %d, %d workers", test.file, test.flags, test.model, workers)
			got, parts, copies := interrupted(t, data, o, max(visits/4, 20), rnd)
			if whatIsFound(got) != whatIsFound(want) {
				t.Errorf("%s: after %d interruptions and %d losses\n%s\nwant\n%s", name, parts, copies, whatIsFound(got), whatIsFound(want))
			}
			t.Logf("%s: %d interruptions, %d losses\n%s", name, parts, copies, whatIsFound(got))
		}
	}
}

// interrupted explores a program with interruptions after at most so many states each.
func interrupted(t *testing.T, data []byte, o Options, most int, rnd *rand.Rand) (res *Result, parts, copies int) {
	dir := t.TempDir()
	for {
		c := &Checkpoint{Dir: dir, every: 1, OnError: func(err error) { t.Error(err) }}
		if err := c.Load(); err != nil {
			t.Fatal(err)
		}
		loses := rnd.IntN(2) == 0
		copied := ""
		c.OnSave = func(Saved) {
			if loses && (copied == "" || rnd.IntN(2) == 0) {
				copied = t.TempDir()
				copyTorn(t, dir, copied)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + rnd.IntN(most)
		o.Checkpoint = c
		o.onVisit = func(w *worker) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if left--; left == 0 && parts < 6 {
				cancel()
				for w.ending.Load() == nil {
					runtime.Gosched()
				}
			}
		}
		res = exploreKept(t, ctx, data, o)
		cancel()
		c.Close()
		if !c.Paused() {
			return res, parts, copies
		}
		parts++
		if copied != "" {
			dir = copied
			copies++
		}
	}
}

// copyTorn copies a checkpoint, and adds what a save leaves that comes to no end.
func copyTorn(t *testing.T, from, to string) {
	t.Helper()
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(f.Name()) {
		case ".log":
			data = append(data, "a part of what comes next"...)
		case ".head":
			if err := os.WriteFile(filepath.Join(to, f.Name()+".new"), data[:len(data)/2], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedCheckpoint goes on with files of which a byte has changed, or the end is missing.
func TestDamagedCheckpoint(t *testing.T) {
	data, err := loadC(t, "counting.c", "-DNONE", "-DINCS=2").Encode()
	if err != nil {
		t.Fatal(err)
	}
	o := keptOptions(SC, func(o *Options) { o.POR = false })
	for _, name := range []string{headFile, "states-1.log"} {
		for _, damage := range []func([]byte) []byte{
			func(d []byte) []byte { d[len(d)/2] ^= 4; return d },
			func(d []byte) []byte { return d[:len(d)/2] },
			func(d []byte) []byte { return nil },
		} {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			left := 300
			o.Checkpoint = &Checkpoint{Dir: dir, every: 1}
			o.onVisit = func(w *worker) {
				if left--; left == 0 {
					cancel()
					for w.ending.Load() == nil {
						runtime.Gosched()
					}
				}
			}
			exploreKept(t, ctx, slices.Clone(data), o)
			o.Checkpoint.Close()
			cancel()
			file := filepath.Join(dir, name)
			old, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, damage(old), 0o644); err != nil {
				t.Fatal(err)
			}
			o.Checkpoint, o.onVisit = &Checkpoint{Dir: dir}, nil
			err = o.Checkpoint.Load()
			if err == nil {
				p, _ := ir.Decode(data)
				_, err = Explore(t.Context(), p, o)
			}
			if err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
