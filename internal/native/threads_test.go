package native

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	threadCount = flag.Int("thread-programs", 100, "random programs with threads")
	nativeRuns  = flag.Int("runs", 6, "native runs of each, for each sanitizer")
)

// threadPrelude has what programs with threads share. PAUSE lets native runs take other courses; ravel explores them all.
const threadPrelude = `#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef NATIVE
static void pause_(void) {
  static _Thread_local unsigned s;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  s = s * 1103515245 + now.tv_nsec;
  if (s >> 16 & 1) sched_yield();
  for (volatile int i = 0; i < (int)(s >> 20 & 1023); i++) ;
}
#define PAUSE pause_()
#else
#define PAUSE (void)0
#endif
static int plain[2];
static atomic_int word[2];
static _Atomic(int *) box;
static int *given;
static _Atomic(int *) mine;
static atomic_int done;
static _Thread_local int own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int count;
static sem_t sem;
static atomic_int sink;
#define USE(x) do { if ((x) > 3) atomic_fetch_add_explicit(&sink, 1, memory_order_relaxed); } while (0)
`

// threaded makes a program with threads, but for the prelude.
func threaded(rnd *rand.Rand, seed uint64) string {
	w := &writer{Rand: rnd, risk: 3 + rnd.IntN(6), indent: "  ", n: int(seed) * 100}
	threads := 2
	detached := w.IntN(4) == 0
	for i := range threads {
		fmt.Fprintf(&w.b, "static void *thread_%d_%d(void *arg) {\n", seed, i)
		for range 1 + w.IntN(3) {
			w.line("PAUSE;")
			w.shared()
		}
		if detached {
			w.line("atomic_fetch_add_explicit(&done, 1, memory_order_%s);", pick(w, "release", "release", "relaxed"))
		}
		w.line("%s", pick(w, "return 0;", "return 0;", "return arg;", "pthread_exit(0);"))
		w.b.WriteString("}\n")
	}
	fmt.Fprintf(&w.b, "int main_%d(void) {\n  pthread_t t[%d];\n  int local = %d;\n  sem_init(&sem, 0, %d);\n", seed, threads, w.IntN(9), w.IntN(2))
	attr := detached && w.IntN(2) == 0
	if attr {
		w.line("pthread_attr_t attr; pthread_attr_init(&attr); pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);")
	}
	if w.IntN(2) == 0 {
		w.line("given = malloc(4); if (!given) return 0;")
		w.line("*given = 5;")
	} else {
		w.line("given = &local;")
	}
	for i := range threads {
		w.line("if (pthread_create(&t[%d], %s, thread_%d_%d, &local)) return 0;", i, map[bool]string{true: "&attr", false: "0"}[attr], seed, i)
		if detached && !attr {
			w.line("pthread_detach(t[%d]);", i)
		}
		w.line("PAUSE;")
		if w.IntN(4) == 0 {
			w.shared()
		}
	}
	switch {
	case detached:
		w.line("while (atomic_load_explicit(&done, memory_order_%s) < %d) PAUSE;", pick(w, "acquire", "acquire", "relaxed"), threads)
	default:
		for i := range threads {
			if i > 0 || !w.risky() {
				w.line("pthread_join(t[%d], 0);", i)
			}
		}
	}
	for range 1 + w.IntN(2) {
		w.line(pick(w, "USE(plain[0]);", "plain[1] = 3;", "assert(atomic_load(&word[0]) <= 4);", "assert(atomic_load(&word[1]) != 3);", "USE(local);", "assert(own == 0);", "{ int *p = mine; if (p) USE(*p); }", "USE(count);"))
	}
	w.b.WriteString("  return 0;\n}\n")
	return w.b.String()
}

// shared is a statement about what threads share.
func (w *writer) shared() {
	loads, stores, updates := []string{"relaxed", "acquire", "seq_cst"}, []string{"relaxed", "release", "seq_cst"}, []string{"relaxed", "acquire", "release", "acq_rel", "seq_cst"}
	i := w.IntN(2)
	access := pick(w, "plain[%d]++;", "plain[%d] = 2;", "USE(plain[%d]);", "memset(&plain[%d], 0, 4);")
	access = fmt.Sprintf(access, i)
	switch w.IntN(16) {
	case 11:
		w.line("pthread_rwlock_%slock(&rw); %s pthread_rwlock_unlock(&rw);", pick(w, "wr", "wr", "rd"), access)
	case 12:
		w.line("plain[%d] = 5; sem_post(&sem);", i)
	case 13:
		w.line("if (sem_trywait(&sem) == 0) { %s }", access)
	case 14:
		w.line("pthread_mutex_lock(&lock); count++; pthread_cond_signal(&full); pthread_mutex_unlock(&lock);")
	case 15:
		w.line("atomic_store_explicit(&mine, &own, memory_order_release);")
	case 0:
		if w.risky() {
			w.line("%s", access)
		} else {
			w.line("pthread_mutex_lock(&lock); %s pthread_mutex_unlock(&lock);", access)
		}
	case 1:
		w.line("pthread_mutex_lock(&lock); %s pthread_mutex_unlock(&lock);", access)
	case 2:
		w.line("atomic_store_explicit(&word[%d], %d, memory_order_%s);", i, 1+w.IntN(3), pick(w, stores...))
	case 3:
		w.line("atomic_fetch_add_explicit(&word[%d], 1, memory_order_%s);", i, pick(w, updates...))
	case 4:
		w.line("plain[%d] = 1; atomic_store_explicit(&word[%d], 4, memory_order_%s);", i, i, pick(w, "release", "release", "relaxed"))
	case 5:
		w.line("if (atomic_load_explicit(&word[%d], memory_order_%s) == 4) { %s }", i, pick(w, loads...), access)
	case 6:
		p := w.name("p")
		w.line("int *%s = malloc(4); if (%s) { *%s = 7; %s = atomic_exchange_explicit(&box, %s, memory_order_%s); free(%s); }",
			p, p, p, p, p, pick(w, "acq_rel", "acq_rel", "seq_cst", "release", "relaxed"), p)
	case 7:
		p := w.name("p")
		if w.risky() {
			w.line("int *%s = atomic_load_explicit(&box, memory_order_acquire); if (%s) USE(*%s);", p, p, p)
		} else {
			w.line("int *%s = atomic_exchange_explicit(&box, 0, memory_order_%s); if (%s) { USE(*%s); free(%s); }", p, pick(w, "acq_rel", "seq_cst", "relaxed"), p, p, p)
		}
	case 8:
		w.line("%s", pick(w, "USE(*given);", "USE(*given);", "*given = 4;"))
	case 9:
		x := w.name("x")
		w.line("int %s = 6; atomic_store(&mine, &%s); PAUSE; atomic_store(&mine, 0); %s = 0;", x, x, x)
	case 10:
		p := w.name("p")
		w.line("int *%s = atomic_load(&mine); PAUSE; if (%s) USE(*%s);", p, p, p)
	default:
		e := w.name("e")
		w.line("own++; int %s = 0; if (atomic_compare_exchange_%s_explicit(&word[%d], &%s, 2, memory_order_%s, memory_order_relaxed)) { %s } USE(%s);",
			e, pick(w, "strong", "weak"), i, e, pick(w, updates...), pick(w, access, ";"), e)
	}
}

// threadSanitizers find races, and what goes wrong with memory.
var threadSanitizers = []sanitizer{
	{"tsan", "-DNATIVE -fsanitize=thread -O1", "TSAN_OPTIONS=detect_deadlocks=0:report_thread_leaks=0:halt_on_error=1"},
	{"asan", "-DNATIVE -fsanitize=address -O1", "ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=0"},
}

// TestThreads runs random programs with threads natively, some times. What goes wrong there is an error to ravel, too. A program that goes
// right may have been lucky.
func TestThreads(t *testing.T) {
	needTools(t, "clang")
	for _, s := range threadSanitizers {
		t.Setenv(strings.SplitN(s.env, "=", 2)[0], strings.SplitN(s.env, "=", 2)[1])
	}
	wrong, both := 0, 0
	for first := 0; first < *threadCount; first += batch {
		var samples []*sample
		for i := range min(batch, *threadCount-first) {
			seed := *programSeed + uint64(first+i)
			samples = append(samples, &sample{seed, threaded(rand.New(rand.NewPCG(seed, 9)), seed)})
		}
		dir := t.TempDir()
		for _, s := range threadSanitizers {
			compileBatch(t, dir, s.name, s.flags, together(threadPrelude, samples))
		}
		for i, s := range samples {
			write(t, dir, "p.c", s.program(threadPrelude))
			v, o := check(t, dir, "p.c", nil, nil)
			native := nativeError(t, dir, i)
			switch {
			case v.Verdict == "error":
				both++
			case v.Verdict == "" || v.Verdict == "unknown":
				t.Errorf("program %d: by ravel %v\n%s", s.seed, v, o.out)
			}
			if native != "" {
				wrong++
			} else if v.Verdict == "error" {
				save(t, fmt.Sprintf("lucky%d.c", s.seed), fmt.Sprintf("// ravel: %v\n%s", v, s.program(threadPrelude)))
			}
			if native != "" && v.Verdict != "error" || v.Verdict == "" || v.Verdict == "unknown" {
				save(t, fmt.Sprintf("threads%d.c", s.seed), fmt.Sprintf("// native: %s\n// ravel: %v\n%s", native, v, s.program(threadPrelude)))
				t.Errorf("program %d: natively %q, by ravel %v", s.seed, native, v)
			}
		}
		os.RemoveAll(dir)
	}
	t.Logf("of %d programs %d went wrong natively, %d do by ravel", *threadCount, wrong, both)
}

// nativeError returns what goes wrong in some native run of sample i, "" if nothing does.
func nativeError(t *testing.T, dir string, i int) string {
	t.Helper()
	for range *nativeRuns {
		for _, by := range threadSanitizers {
			switch o := run(t, dir, 10*time.Second, "./"+by.name, fmt.Sprint(i)); {
			case o.late:
				return by.name + ": does not end"
			case o.code != 0:
				return by.name + ": " + complaint(o.out)
			}
		}
	}
	return ""
}
