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
	"ravel/internal/explore/xmm"
	"ravel/internal/frontend/llvm"
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
