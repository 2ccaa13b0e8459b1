package states

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/frontend/llvm"
	"ravel/internal/machine"
	"ravel/internal/model"
	rt "ravel/internal/runtime"
)

// TestReuse compares the engines on random programs that allocate, free and compare addresses. All of it is under one lock, so that every
// deallocation happens before the allocations that follow it: then both try the same blocks. An assertion fails iff a thread takes a new object for the
// one it has seen, and never if blocks are not allocated again.
func TestReuse(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range *cPrograms / 2 {
		s := *seed + uint64(i)
		src := reusingC(rand.New(rand.NewPCG(s, 11)))
		file := filepath.Join(t.TempDir(), "reuse.c")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := llvm.Load([]string{file}, llvm.Options{Flags: []string{"-w"}, IncludeDir: include, Runtime: rt.Library()})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Model{SC, TSO, PSO} {
			o := Options{Model: m, Options: engine.Options{RaceCheck: true, MemoryCheck: true, Symmetry: i%3 > 0, Workers: 1, Timeout: 20 * time.Second}, POR: i%4 > 0, Buffer: 12}
			g := explore.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, Machine: machine.Options{SpinAssume: true}, Timeout: 20 * time.Second}}
			g.Model, _ = model.Get(m.String(), model.Options{})
			want, err := explore.Explore(t.Context(), p, g)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", s, err, src)
			}
			got := mustExplore(t, p, o)
			if want.GaveUp+got.GaveUp != "" {
				continue
			}
			if len(want.Errors) > 0 {
				found++
			}
			if len(want.Errors) != len(got.Errors) {
				t.Errorf("seed %d under %v: graphs have %d errors, states %d (por %v)\n%s", s, m, len(want.Errors), len(got.Errors), o.POR, src)
			}
			g.NoReuse, o.NoReuse = true, true
			if res, err := explore.Explore(t.Context(), p, g); err != nil || len(res.Errors) > 0 {
				t.Errorf("seed %d under %v: without reuse, graphs have errors (%v)\n%s", s, m, err, src)
			}
			if res := mustExplore(t, p, o); len(res.Errors) > 0 {
				t.Errorf("seed %d under %v: without reuse, states have errors\n%s", s, m, src)
			}
		}
	}
	t.Logf("errors in %d of %d explorations", found, 3*(*cPrograms/2))
}

// reusingC returns a program whose threads put objects into places, take them out, and look whether an object is still the one they have seen.
func reusingC(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static int *place[2], stamp[2], count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void put(int i) { if (!place[i]) { place[i] = malloc(sizeof(int)); *place[i] = 1; stamp[i] = ++count; } }
static void take(int i) { free(place[i]); place[i] = 0; }
`)
	for t := range 2 {
		fmt.Fprintf(&b, "static void *t%d(void *p)\n{\n\tuintptr_t seen = 0;\n\tint at = 0;\n", t)
		for range 3 {
			i := r.IntN(4) / 3
			b.WriteString("\tpthread_mutex_lock(&m);\n")
			for range 1 + r.IntN(2) {
				switch r.IntN(4) {
				case 0:
					fmt.Fprintf(&b, "\tput(%d);\n", i)
				case 1:
					fmt.Fprintf(&b, "\ttake(%d);\n", i)
				case 2:
					fmt.Fprintf(&b, "\tseen = (uintptr_t)place[%d], at = stamp[%d];\n", i, i)
				default:
					fmt.Fprintf(&b, "\tassert(!place[%d] || (uintptr_t)place[%d] != seen || stamp[%d] == at);\n", i, i, i)
				}
			}
			b.WriteString("\tpthread_mutex_unlock(&m);\n")
		}
		b.WriteString("\treturn 0;\n}\n")
	}
	b.WriteString(`int main(void)
{
	pthread_t t[2];
	put(0);
	pthread_create(&t[0], 0, t0, 0);
	pthread_create(&t[1], 0, t1, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
`)
	return b.String()
}
