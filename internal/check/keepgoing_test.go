package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	rt "ravel/internal/runtime"
)

var keepGoing = flag.Int("keep-going-programs", 20, "random programs for TestKeepGoing")

// TestKeepGoing compares the assertions that --keep-going reports in random programs with those that fail if all others are assumptions.
func TestKeepGoing(t *testing.T) {
	needClang(t)
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	failed, held := 0, 0
	for i := range *keepGoing {
		s := 5_000_000 + uint64(i)
		src, asserts := randomAsserts(rand.New(rand.NewPCG(s, 3)))
		file := filepath.Join(t.TempDir(), "asserts.c")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		programs := map[int]*ir.Program{}
		for only := -1; only < asserts; only++ {
			p, err := llvm.Load([]string{file}, llvm.Options{Flags: []string{fmt.Sprintf("-DONLY=%d", only)}, IncludeDir: include, Runtime: rt.Library()})
			if err != nil {
				t.Fatal(err)
			}
			programs[only] = p
		}
		for _, name := range []string{"sc", "tso", "rc11", "imm", "armv8", "power", "lkmm", "jam21", "xmm"} {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			run := func(only int) []int {
				opts := explore.Options{Model: m, Options: engine.Options{Workers: 1 + i%2, KeepGoing: only < 0, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
				xmm.Use(&opts, nil)
				res, err := explore.Explore(t.Context(), programs[only], opts)
				if err != nil {
					t.Fatalf("seed %d under %s: %v\n%s", s, name, err, src)
				}
				var lines []int
				for _, e := range res.Errors {
					lines = append(lines, e.Location.Line)
				}
				slices.Sort(lines)
				return lines
			}
			var want []int
			for only := range asserts {
				if lines := run(only); len(lines) > 0 {
					want = append(want, lines...)
					failed++
				} else {
					held++
				}
			}
			slices.Sort(want)
			if got := run(-1); !slices.Equal(got, want) {
				t.Errorf("seed %d under %s: errors at lines %v, want %v\n%s", s, name, got, want, src)
			}
		}
	}
	if failed == 0 || held == 0 {
		t.Errorf("%d assertions failed, %d held: the programs test nothing", failed, held)
	}
}

// TestKeepGoingCycles asks for all errors of load buffering whose outcomes all fail an assertion: an execution that fails is one that others re-execute to, and is part of others.
func TestKeepGoingCycles(t *testing.T) {
	needClang(t)
	file := filepath.Join(t.TempDir(), "lb.c")
	if err := os.WriteFile(file, []byte(`#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifdef PLAIN
#define LOAD(x) x
#define STORE(x) x = 1
static int x, y;
#else
#define LOAD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define STORE(x) atomic_store_explicit(&x, 1, memory_order_relaxed)
static atomic_int x, y;
#endif
static int r, s;
static void *t1(void *p) { r = LOAD(x); STORE(y); return 0; }
static void *t2(void *p) { s = LOAD(y); STORE(x); return 0; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, t1, 0);
	pthread_create(&b, 0, t2, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(r || s);
	assert(r || !s);
	assert(!r || s);
	assert(!r || !s);
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"rc11": 3, "xmm": 4, "imm": 4, "armv8": 4, "power": 4, "jam21": 4, "jam19": 4} {
		var flags []string
		if strings.HasPrefix(name, "jam") {
			flags = []string{"-DPLAIN"}
		}
		m, err := model.Get(name, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(Config{Files: []string{file}, CompilerFlags: flags, Explore: explore.Options{Model: m, Options: engine.Options{KeepGoing: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Errors) != want {
			t.Errorf("%s: %d errors, want %d", name, len(res.Errors), want)
		}
	}
}

// randomAsserts returns a program with assertions after its reads, and their number. If ONLY is not negative, all but that one are assumptions.
func randomAsserts(r *rand.Rand) (src string, asserts int) {
	var b strings.Builder
	b.WriteString(`#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
#define CHECK(n, c) do { if (ONLY < 0 || ONLY == n) assert(c); else __VERIFIER_assume(c); } while (0)
static atomic_int x, y;
`)
	threads := 2 + r.IntN(2)
	for t := range threads {
		fmt.Fprintf(&b, "static void *t%d(void *p)\n{\n\tint r = 0;\n", t)
		for range 5 - threads {
			v := "xy"[r.IntN(2)]
			switch r.IntN(5) {
			case 0:
				fmt.Fprintf(&b, "\tatomic_store_explicit(&%c, %d, %s);\n", v, 1+r.IntN(2), oneOf(r, "relaxed", "release", "seq_cst"))
				continue
			case 1:
				fmt.Fprintf(&b, "\tatomic_store_explicit(&%c, r + 1, memory_order_relaxed);\n", v)
				continue
			case 2:
				fmt.Fprintf(&b, "\tr = atomic_fetch_add_explicit(&%c, 1, %s);\n", v, oneOf(r, "relaxed", "acq_rel", "seq_cst"))
			default:
				fmt.Fprintf(&b, "\tr = atomic_load_explicit(&%c, %s);\n", v, oneOf(r, "relaxed", "acquire", "seq_cst"))
			}
			if r.IntN(3) > 0 {
				fmt.Fprintf(&b, "\tCHECK(%d, r != %d);\n", asserts, r.IntN(3))
				asserts++
			}
		}
		b.WriteString("\treturn 0;\n}\n")
	}
	fmt.Fprintf(&b, "int main(void)\n{\n\tpthread_t t[%d];\n", threads)
	for t := range threads {
		fmt.Fprintf(&b, "\tpthread_create(&t[%d], 0, t%d, 0);\n", t, t)
	}
	for t := range threads {
		fmt.Fprintf(&b, "\tpthread_join(t[%d], 0);\n", t)
	}
	fmt.Fprintf(&b, "\tCHECK(%d, !(x == %d && y == %d));\n}\n", asserts, r.IntN(3), r.IntN(3))
	return b.String(), asserts + 1
}

func oneOf(r *rand.Rand, orders ...string) string {
	return "memory_order_" + orders[r.IntN(len(orders))]
}
