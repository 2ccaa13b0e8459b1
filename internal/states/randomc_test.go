package states

import (
	"flag"
	"fmt"
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
	rt "ravel/internal/runtime"
)

var cPrograms = flag.Int("c-programs", 12, "random programs in C")

// TestRandomC compares the verdicts of the two engines on random programs with what the enumerator does not know: locks, condition
// variables, semaphores, barriers, loops that wait, plain accesses. The engines share the front end and the library, but nothing of how
// they explore.
func TestRandomC(t *testing.T) {
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
		src := randomC(rand.New(rand.NewPCG(s, 7)), 0)
		p := compile(t, src, include)
		o := Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Symmetry: i%3 > 0, Workers: 1 + i%2, KeepGoing: true, Timeout: 10 * time.Second, MaxMemory: 1 << 30}, POR: i%4 > 0, Buffer: 12}
		g := explore.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, KeepGoing: true, Symmetry: i%4 > 0, Machine: machine.Options{SpinAssume: true}, Timeout: 10 * time.Second}}
		var strongest map[string]bool
		for _, m := range []Model{SC, TSO, PSO} {
			o.Model = m
			g.Model, _ = model.Get(m.String(), model.Options{})
			want, err := explore.Explore(t.Context(), p, g)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", s, err, src)
			}
			got := mustExplore(t, p, o)
			if want.GaveUp+got.GaveUp != "" {
				verdicts["gave up"]++
				continue
			}
			a, b := map[string]bool{}, map[string]bool{}
			for _, e := range want.Errors {
				a[e.Kind] = true
			}
			for _, e := range got.Errors {
				b[e.Kind] = true
			}
			verdicts[fmt.Sprint(a)]++
			if m == SC {
				strongest = a
			}
			if hides(a) && hides(b) {
				continue // what comes after that is not explored by graphs
			}
			if fmt.Sprint(a) != fmt.Sprint(b) || got.Cut != "" {
				t.Errorf("seed %d under %v: graphs say %v, states %v %s (por %v, symmetry %v)\n%s", s, m, a, b, got.Cut, o.POR, o.Symmetry, src)
			}
		}
		// What goes wrong under sc does so under all other models, too.
		for _, name := range []string{"ra", "rc11", "rc11-2017", "imm", "armv8", "riscv", "power", "armv7", "lkmm", "jam21", "xmm"} {
			g.Model, _ = model.Get(name, model.Options{})
			opts := g
			xmm.Use(&opts, nil)
			res, err := explore.Explore(t.Context(), p, opts)
			if err != nil {
				t.Fatalf("seed %d under %s: %v\n%s", s, name, err, src)
			}
			found := map[string]bool{}
			for _, e := range res.Errors {
				found[e.Kind] = true
			}
			for kind := range strongest {
				if res.GaveUp == "" && kind != "race" && !found[kind] && (len(found) == 0 || !hides(strongest) && !hides(found)) {
					t.Errorf("seed %d: sc has %v, %s %v\n%s", s, strongest, name, found, src)
				}
			}
			if res.GaveUp != "" {
				verdicts[name+" gave up"]++
			}
		}
	}
	t.Logf("verdicts: %v", verdicts)
}

// TestEqualC compares the errors that the engine of graphs finds in random programs with equal threads with those that it finds if it explores all permutations of them.
func TestEqualC(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	equal, verdicts := 0, map[string]int{}
	for i := range *cPrograms {
		s := *seed + uint64(i)
		r := rand.New(rand.NewPCG(s, 8))
		src := randomC(r, 2+r.IntN(2))
		p := compile(t, src, include)
		for _, name := range []string{"sc", "tso", "pso", "ra", "rc11", "rc11-2017", "imm", "armv8", "power"} {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			explore := func(twins bool) (string, *explore.Result) {
				res, err := explore.Explore(t.Context(), p, explore.Options{Model: m, Twins: twins, Options: engine.Options{
					RaceCheck: true, MemoryCheck: true, Liveness: true, LeakCheck: true, Symmetry: i%2 == 0, Workers: 1 + i%2, KeepGoing: true, Machine: machine.Options{SpinAssume: true}, Timeout: 10 * time.Second,
				}})
				if err != nil {
					t.Fatalf("seed %d under %s: %v\n%s", s, name, err, src)
				}
				kinds := map[string]bool{}
				for _, e := range res.Errors {
					kinds[e.Kind] = true
				}
				return fmt.Sprint(kinds), res
			}
			want, all := explore(false)
			got, fewer := explore(true)
			if all.GaveUp+fewer.GaveUp != "" {
				verdicts["gave up"]++
				continue
			}
			verdicts[want]++
			if slices.Contains(fewer.UpTo, "symmetry") {
				equal++
			}
			if got != want || fewer.Complete > all.Complete || (fewer.Complete == 0) != (all.Complete == 0) || fewer.Cut != all.Cut {
				t.Errorf("seed %d under %s: %s in %d executions %q, want %s in %d %q\n%s", s, name, got, fewer.Complete, fewer.Cut, want, all.Complete, all.Cut, src)
			}
		}
	}
	t.Logf("%d with equal threads, verdicts: %v", equal, verdicts)
}

// compile returns the program of a source in C.
func compile(t *testing.T, src, include string) *ir.Program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "random.c")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := llvm.Load([]string{file}, llvm.Options{Flags: []string{"-w"}, IncludeDir: include, Runtime: rt.Library()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hides reports whether there are errors, of accesses, with which an execution graph ends though other threads could go on.
func hides(kinds map[string]bool) bool {
	return kinds["race"] || kinds["memory"] || kinds["uninitialised"]
}

// randomC returns a program of two or three threads, the first of which are equal.
func randomC(r *rand.Rand, equal int) string {
	var b strings.Builder
	b.WriteString(`#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y, z;
static int v, w, flag, data[4];
static _Atomic(int *) box;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static sem_t sem;
`)
	threads := 2 + r.IntN(2)
	message := r.IntN(3) // 1: some threads send plain data to others, 2: allocated data
	pairs := equal == 2 && r.IntN(4) == 0
	if pairs {
		threads = 4
	}
	if equal > 0 {
		b.WriteString("#include <errno.h>\nint __VERIFIER_nondet_int(void);\nstatic pthread_t t[4];\nstatic int own[3], *heap;\nstatic pthread_once_t o = PTHREAD_ONCE_INIT;\nstatic void init(void) { z = 1; }\n")
	}
	for t := range threads {
		fmt.Fprintf(&b, "static void *t%d(void *p)\n{\n\tint r = 0;\n", t)
		for range 1 + r.IntN(max(5-threads, 2)) {
			stmt := randomStmt(r, 0)
			switch {
			case equal > 0 && r.IntN(5) == 0:
				stmt = randomTelling(r)
			case r.IntN(3) == 0:
			case message == 1:
				stmt = randomMessage(r, t)
			case message == 2:
				stmt = randomBox(r)
			}
			b.WriteString("\t" + stmt + "\n")
		}
		b.WriteString("\treturn 0;\n}\n")
	}
	b.WriteString("int main(void)\n{\n\tint r = 0;\n")
	if equal == 0 {
		b.WriteString("\tpthread_t t[3];\n")
	} else {
		b.WriteString("\theap = malloc(sizeof *heap);\n\t*heap = 1;\n")
	}
	b.WriteString("\tsem_init(&sem, 0, 1);\n\tpthread_barrier_init(&both, 0, 2);\n")
	for t := range threads {
		if t > 0 && equal > 0 && r.IntN(4) == 0 {
			b.WriteString("\t" + randomBetween(r) + "\n")
		}
		fn := t
		switch {
		case pairs:
			fn = t % 2
		case t < equal:
			fn = 0
		}
		fmt.Fprintf(&b, "\tpthread_create(&t[%d], 0, t%d, 0);\n", t, fn)
	}
	if r.IntN(4) == 0 {
		b.WriteString("\t" + randomAtomic(r) + "\n")
	}
	for t := range threads {
		if equal > 0 && r.IntN(12) == 0 {
			continue
		}
		if equal > 0 && t > 0 && r.IntN(3) == 0 {
			b.WriteString("\t" + randomBetween(r) + "\n")
		}
		fmt.Fprintf(&b, "\tpthread_join(t[%d], 0);\n", t)
	}
	fmt.Fprintf(&b, "\tassert(!(x == %d && y == %d && v == %d));\n}\n", r.IntN(3), r.IntN(2), r.IntN(3))
	return b.String()
}

// randomStmt returns a statement; depth is how many locks are held.
func randomStmt(r *rand.Rand, depth int) string {
	lock := "mn"[depth]
	if depth == 0 && r.IntN(4) == 0 {
		lock = 'n'
	}
	inner := func() string {
		if depth == 0 && r.IntN(3) == 0 {
			return randomStmt(r, 1)
		}
		return []string{"v++;", "v = r;", "r = v;", "w = v + 1;", "if (v) x = 1;"}[r.IntN(5)]
	}
	if depth > 0 && r.IntN(2) == 0 {
		return inner()
	}
	switch r.IntN(14 - 6*depth) {
	case 0:
		return fmt.Sprintf("pthread_mutex_lock(&%c); %s pthread_mutex_unlock(&%c);", lock, inner(), lock)
	case 1:
		return fmt.Sprintf("if (!pthread_mutex_trylock(&%c)) { %s pthread_mutex_unlock(&%c); }", lock, inner(), lock)
	case 2, 3, 4:
		return randomAtomic(r)
	case 5:
		return fmt.Sprintf("while (atomic_load_explicit(&%c, %s) %s %d) ;", "xyz"[r.IntN(3)], order(r, "relaxed", "acquire", "seq_cst"), []string{"==", "!=", ">"}[r.IntN(3)], r.IntN(2))
	case 6:
		return fmt.Sprintf("if (r == %d) { %s }", r.IntN(2), randomAtomic(r))
	case 7:
		return "atomic_thread_fence(" + order(r, "acquire", "release", "acq_rel", "seq_cst") + ");"
	case 8:
		return []string{"sem_wait(&sem); v++; sem_post(&sem);", "sem_post(&sem);", "sem_wait(&sem);", "if (!sem_trywait(&sem)) v++;"}[r.IntN(4)]
	case 9:
		return []string{
			"pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); v++; pthread_mutex_unlock(&m);",
			"pthread_mutex_lock(&m); if (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
			"pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
			"pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m); pthread_cond_broadcast(&c);",
		}[r.IntN(4)]
	case 10:
		return []string{"pthread_barrier_wait(&both);", "pthread_rwlock_rdlock(&l); r = w; pthread_rwlock_unlock(&l);", "pthread_rwlock_wrlock(&l); w++; pthread_rwlock_unlock(&l);"}[r.IntN(3)]
	case 11:
		return fmt.Sprintf("{ volatile int a; for (a = 0; a < 2 && !atomic_load_explicit(&%c, %s); a++) ; r = a; }", "xyz"[r.IntN(3)], order(r, "relaxed", "acquire"))
	}
	return []string{"v++;", "w = r;", "r = w;", "if (r == 2) exit(0);"}[r.IntN(4)]
}

// randomMessage returns a statement of the first thread that writes data and says so, or of another one that looks at it if it was told.
func randomMessage(r *rand.Rand, thread int) string {
	a := "xy"[r.IntN(2)]
	one, two := r.IntN(4), r.IntN(4)
	switch {
	case thread > 0:
		return fmt.Sprintf("if (atomic_load_explicit(&%c, %s) == 1) { r = data[%d]; assert(!(r == %d && data[%d] == %d)); }", a, order(r, "relaxed", "acquire", "seq_cst"), one, r.IntN(3), two, r.IntN(3))
	case r.IntN(3) == 0:
		return fmt.Sprintf("data[%d] = 1; atomic_thread_fence(memory_order_release); atomic_store_explicit(&%c, 1, memory_order_relaxed);", one, a)
	}
	return fmt.Sprintf("data[%d] = 1; data[%d] = 2; atomic_store_explicit(&%c, 1, %s);", one, two, a, order(r, "relaxed", "release", "seq_cst"))
}

// randomBox returns a statement that puts an object into the box, takes one out of it, or looks at the one that is there, which somebody may free.
func randomBox(r *rand.Rand) string {
	how := order(r, "relaxed", "release", "acq_rel", "seq_cst")
	switch r.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprintf("{ int *b = malloc(sizeof *b); *b = %d; b = atomic_exchange_explicit(&box, b, %s); if (b) free(b); }", 1+r.IntN(2), how)
	case 3, 4, 5:
		return fmt.Sprintf("{ int *b = atomic_exchange_explicit(&box, 0, %s); if (b) { r = *b; free(b); } }", how)
	case 6:
		return "{ int *b = atomic_load_explicit(&box, memory_order_acquire); if (b) r = *b; }"
	}
	return fmt.Sprintf("{ int *b = malloc(sizeof *b); *b = 1; atomic_store_explicit(&box, b, %s); }", order(r, "relaxed", "release", "seq_cst"))
}

// randomTelling returns a statement that may tell equal threads apart, or that others may tell them apart by.
func randomTelling(r *rand.Rand) string {
	return []string{
		"r = *heap;", "*heap = 2;", "free(heap);", "own[1] = 3;", "r = own[0];", "if (r) return &x;", "r = pthread_self() == t[0];", "errno = r; r = errno;", "pthread_once(&o, init);",
		"if (r == 1) while (!z) ;", "if (atomic_fetch_add(&x, 1) == 0) while (!z) ;", "if (atomic_fetch_add(&x, 1) == 1) while (!z) ;", "r = __VERIFIER_nondet_int() == 3;", "if (r) pthread_exit(0);", "if (x) pthread_join(t[0], 0);", "if (r) exit(0);", "assert(r != 2);",
	}[r.IntN(17)]
}

// randomBetween returns a statement of main between the creations, or the joins, of equal threads.
func randomBetween(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return randomAtomic(r)
	}
	return []string{"own[0] = 1;", "r = own[1];", "r = own[2]; own[2] = r + 1;", "r = *heap;", "*heap = 3;", "free(heap);", "r = v;", "assert(own[1] == 0);", "r = heap[1];", "{ int *p = malloc(4); r = *p == 1; }", "r = data[0];"}[r.IntN(11)]
}

func randomAtomic(r *rand.Rand) string {
	a := "xyz"[r.IntN(3)]
	switch r.IntN(5) {
	case 0, 1:
		return fmt.Sprintf("atomic_store_explicit(&%c, %d, %s);", a, 1+r.IntN(2), order(r, "relaxed", "release", "seq_cst"))
	case 2:
		return fmt.Sprintf("r = atomic_load_explicit(&%c, %s);", a, order(r, "relaxed", "acquire", "seq_cst"))
	case 3:
		return fmt.Sprintf("r = atomic_fetch_add_explicit(&%c, 1, %s);", a, order(r, "relaxed", "acq_rel", "seq_cst"))
	}
	return fmt.Sprintf("r = %d; atomic_compare_exchange_strong(&%c, &r, %d);", r.IntN(2), a, 1+r.IntN(2))
}

func order(r *rand.Rand, names ...string) string { return "memory_order_" + names[r.IntN(len(names))] }

// TestChoosingC looks for threads that wait for ever in random programs whose threads choose what they wait for. Graphs report one iff there is a state from which the program can't come to its end.
func TestChoosingC(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	results := map[string]int{}
	for i := range *cPrograms {
		s := *seed + uint64(i)
		src := randomChoosingC(rand.New(rand.NewPCG(s, 9)))
		p := compile(t, src, include)
		both := engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1 + i%2, Timeout: 10 * time.Second}
		for _, m := range []Model{SC, TSO, PSO} {
			g := explore.Options{Options: both, Twins: i%2 == 0}
			g.Liveness, g.Machine.SpinAssume = true, true
			g.Model, _ = model.Get(m.String(), model.Options{})
			res, err := explore.Explore(t.Context(), p, g)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", s, err, src)
			}
			space, all, err := Space(t.Context(), p, Options{Options: both, Model: m, Buffer: 12})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", s, err, src)
			}
			if res.GaveUp+res.Cut+all.GaveUp+all.Cut != "" {
				results["gave up, or bounded"]++
				continue
			}
			stuck := space.maybeStuck()
			results[fmt.Sprintf("waits for ever: %v", stuck)]++
			if got := len(res.Errors) > 0; got != stuck {
				t.Errorf("seed %d under %v: a thread waits for ever: graphs say %v, states %v\n%s", s, m, got, stuck, src)
			}
		}
	}
	t.Log(results)
}

// maybeStuck reports whether there is a state from which the program does not come to its end any more.
func (l *LTS) maybeStuck() bool {
	before := make([][]int, l.States)
	for _, e := range l.Edges {
		before[e.To] = append(before[e.To], e.From)
	}
	ends := make([]bool, l.States)
	work := slices.Clone(l.Ended)
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if !ends[s] {
			ends[s] = true
			work = append(work, before[s]...)
		}
	}
	return slices.Contains(ends, false)
}

// randomChoosingC returns a program of two or three threads, some of which choose a lock to take, a flag to look at, or whether to look at something else first.
func randomChoosingC(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("#include <pthread.h>\n#include <stdatomic.h>\nint __VERIFIER_nondet_int(void);\n#define ANY (__VERIFIER_nondet_int() == 3)\n" +
		"static atomic_int l[2], x, y;\nstatic pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n")
	threads := 2 + r.IntN(2)
	for t := range threads {
		fmt.Fprintf(&b, "static void *t%d(void *p)\n{\n\tint r = 0, i = 0;\n", t)
		for range 1 + r.IntN(2) {
			stmts := []string{
				"do i = ANY; while (atomic_exchange(&l[i], 1)); x++; l[i] = 0;",
				"do i = ANY; while (atomic_exchange(&l[i], 1)); r = x;",
				"while (!atomic_load(ANY ? &x : &y)) ;",
				"while (!x) if (ANY) r = y;",
				"while (!x) if (ANY && y) break;",
				"for (;;) { i = ANY; if (!pthread_mutex_trylock(&m[i])) break; } x++; pthread_mutex_unlock(&m[i]);",
				"for (;;) { pthread_mutex_lock(&m[0]); r = x; pthread_mutex_unlock(&m[0]); if (r) break; if (ANY) r = y; }",
				"while (ANY) if (x) y = 1;",
				"do i = ANY; while (l[i] == 0 && !y);",
				"x = 1;", "y = 1;", "l[1] = 1;", "l[0] = 1;", "atomic_fetch_add(&x, 1);", "pthread_mutex_lock(&m[1]); while (!y) ; pthread_mutex_unlock(&m[1]);",
			}
			b.WriteString("\t" + stmts[r.IntN(len(stmts))] + "\n")
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
	return b.String() + "}\n"
}
