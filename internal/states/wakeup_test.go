package states

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
	rt "ravel/internal/runtime"
)

// TestWakeups compares the engines on random programs with condition variables, whose waits may end spuriously. Graphs leave out rounds that lead back to the same
// wait (explore/wakeup.go). States leave out nothing: such a round is a cycle of states.
func TestWakeups(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]int{}
	for i := range *cPrograms {
		s := *seed + uint64(i)
		src := randomWaits(rand.New(rand.NewPCG(s, 11)))
		file := filepath.Join(t.TempDir(), "random.c")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := llvm.Load([]string{file}, llvm.Options{Flags: []string{"-w"}, IncludeDir: include, Runtime: rt.Library()})
		if err != nil {
			t.Fatal(err)
		}
		common := engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, KeepGoing: true, Timeout: 20 * time.Second, MaxMemory: 1 << 30}
		got := mustExplore(t, p, Options{Options: common, Model: SC, POR: i%2 > 0, Buffer: 5})
		if got.GaveUp != "" {
			verdicts["states gave up"]++
			continue
		}
		want := kindsOf(got.Errors)
		verdicts[fmt.Sprint(want)]++
		for _, name := range []string{"sc", "rc11", "armv8", "jam21", "xmm"} {
			g := explore.Options{Options: common}
			g.Machine = machine.Options{SpinAssume: true}
			g.Symmetry = i%4 > 0
			g.Model, _ = model.Get(name, model.Options{})
			xmm.Use(&g, nil)
			res, err := explore.Explore(t.Context(), p, g)
			if err != nil {
				t.Fatalf("seed %d under %s: %v\n%s", s, name, err, src)
			}
			if res.GaveUp != "" {
				verdicts[name+" gave up"]++
				continue
			}
			if res.Cut != "" {
				verdicts[name+" bounded"]++
			}
			found := kindsOf(res.Errors)
			for kind := range want {
				if !found[kind] && res.Cut == "" && !hides(found) && !(kind == "race" && name != "sc") {
					t.Errorf("seed %d: states under sc have %v, %s has %v\n%s", s, want, name, found, src)
				}
			}
			for kind := range found {
				if name == "sc" && !want[kind] && !hides(want) {
					t.Errorf("seed %d: sc has %v, states only %v\n%s", s, found, want, src)
				}
			}
		}
	}
	t.Logf("verdicts: %v", verdicts)
}

// TestVainWaits compares what graphs find in these programs, errors and last values of variables, with what they find if waits are not left out (rule V of explore/vain.go).
func TestVainWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	left, gaveUp := 0, 0
	for i := range *cPrograms {
		s := *seed + uint64(i)
		src := randomWaits(rand.New(rand.NewPCG(s, 12)))
		p := compile(t, src, include)
		for _, name := range []string{"sc", "pso", "rc11", "imm", "armv8", "power"} {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			opts := explore.Options{Model: m, Options: engine.Options{RaceCheck: i%2 > 0, MemoryCheck: true, Workers: 1 + i%3/2, KeepGoing: true, Symmetry: true, Timeout: time.Second, Machine: machine.Options{SpinAssume: true}}}
			got, fewer := foundWith(t, p, opts)
			opts.Symmetry = false
			want, all := foundWith(t, p, opts)
			switch {
			case fewer.GaveUp+all.GaveUp+fewer.Cut+all.Cut != "":
				gaveUp++
			case slices.Contains(all.UpTo, "waits"):
				t.Fatalf("seed %d under %s: waits are left out though they should not be", s, name)
			case !maps.Equal(got, want):
				t.Errorf("seed %d under %s: %v, should be %v\n%s", s, name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), src)
			case slices.Contains(fewer.UpTo, "waits"):
				left++
			}
		}
	}
	t.Logf("waits were left out %d times, gave up %d times", left, gaveUp)
}

// foundWith returns the kinds of errors of p, and the last values of its global variables in complete executions.
func foundWith(t *testing.T, p *ir.Program, opts explore.Options) (map[string]bool, *explore.Result) {
	t.Helper()
	set := map[string]bool{}
	opts.OnExecution = func(x *explore.Execution) {
		if x.Blocked {
			return
		}
		var b strings.Builder
		for i := range x.Graph.Locs {
			l := &x.Graph.Locs[i]
			k := slices.IndexFunc(p.Globals, func(g *ir.Global) bool {
				return g.Addr == l.Addr && len(g.Name) <= len("waiting") && g.Name != "m" && g.Name != "c"
			})
			if k >= 0 && len(l.Co) > 1 {
				fmt.Fprintf(&b, "%s=%d ", p.Globals[k].Name, x.Graph.Events[l.Co[len(l.Co)-1]].Val.Lo)
			}
		}
		set[sorted(b.String())] = true
	}
	res, err := explore.Explore(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range res.Errors {
		set[e.Kind] = true
	}
	return set, res
}

// sorted returns the words of a text in their order.
func sorted(text string) string {
	words := strings.Fields(text)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// randomWaits returns a program of two or three threads that wait for conditions, set them, and look at locks.
func randomWaits(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int flag, v, waiting, rounds;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
`)
	statements := []string{
		"while (!flag) pthread_cond_wait(&c, &m); v++;",
		"while (!flag) pthread_cond_wait(&c, &m); flag = 0;",
		"if (!flag) pthread_cond_wait(&c, &m); if (!flag) x = 1;",
		"waiting++; while (!flag) pthread_cond_wait(&c, &m); waiting--;",
		"while (!flag) { waiting++; pthread_cond_wait(&c, &m); waiting--; }",
		"while (!flag && rounds < 2) { rounds++; pthread_cond_wait(&c, &m); }",
		"while (!atomic_load(&y)) pthread_cond_wait(&c, &m);",
		"flag = 1; pthread_cond_signal(&c);",
		"flag = 1; pthread_cond_broadcast(&c);",
		"if (waiting) pthread_cond_signal(&c);",
		"flag++; v = flag;",
		"y = 1; pthread_cond_signal(&c);",
		"",
	}
	outside := []string{
		"pthread_cond_signal(&c);",
		"pthread_cond_broadcast(&c);",
		"y = 1; pthread_cond_signal(&c);",
		"if (pthread_mutex_trylock(&m)) x = 2; else pthread_mutex_unlock(&m);",
		"if (atomic_load(&y)) x = 1;",
		"{ int k = 0; if (pthread_mutex_trylock(&m)) { k = 1; pthread_mutex_lock(&m); } v = k; flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); }",
		"{ int k = 0; while (k < 2 && pthread_mutex_trylock(&m)) k++; if (k == 2) pthread_mutex_lock(&m); x = k; flag = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); }",
	}
	threads := 2 + r.IntN(2)
	for t := range threads {
		fmt.Fprintf(&b, "static void *t%d(void *p)\n{\n", t)
		for range 1 + r.IntN(4-threads) {
			stmt := fmt.Sprintf("pthread_mutex_lock(&m); %s pthread_mutex_unlock(&m);", statements[r.IntN(len(statements))])
			if r.IntN(3) == 0 {
				stmt += " " + outside[r.IntN(len(outside))]
			}
			b.WriteString("\t" + stmt + "\n")
		}
		b.WriteString("\treturn 0;\n}\n")
	}
	b.WriteString("int main(void)\n{\n\tpthread_t t[3];\n")
	for t := range threads {
		fmt.Fprintf(&b, "\tpthread_create(&t[%d], 0, t%d, 0);\n", t, t)
	}
	for t := range threads {
		fmt.Fprintf(&b, "\tpthread_join(t[%d], 0);\n", t)
	}
	fmt.Fprintf(&b, "\tassert(!(x == %d && v == %d && flag == %d));\n}\n", r.IntN(3), r.IntN(2), r.IntN(2))
	return b.String()
}

func kindsOf(errors []report.Error) map[string]bool {
	kinds := map[string]bool{}
	for _, e := range errors {
		kinds[e.Kind] = true
	}
	return kinds
}
