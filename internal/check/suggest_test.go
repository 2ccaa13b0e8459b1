package check

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/short"
)

// TestSuggest checks what is said about memory orders. What is needed is known: message passing wants a release and an acquire, store
// buffering an sc fence in each thread (Lahav et al., PLDI'17), a lock an acquire where it is taken and a release where it is given back.
func TestSuggest(t *testing.T) {
	const head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nint data; atomic_int flag, x, y;\n"
	two := func(f, g, end string) string {
		return head + "int a, b;\n" + // the threads' bodies are lines 6 and 7
			"void *f(void *p) { " + f + " return 0; }\nvoid *g(void *p) { " + g + " return 0; }\n" +
			"int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); pthread_join(s, 0); pthread_join(t, 0); " + end + " }\n"
	}
	const sb = "atomic_store_explicit(&%, 1, memory_order_release); atomic_thread_fence(memory_order_acq_rel); "
	const lock = "int z = 0; if (atomic_compare_exchange_strong(&x, &z, 1)) { data++; atomic_store(&x, 0); }"
	for _, test := range short.Every(4, []struct {
		name, file, text, model string
		want                    string // of the message
		changes                 []string
	}{
		{
			name: "message passing without a release", want: "no execution goes wrong with these",
			text: two("data = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed);",
				"if (atomic_load_explicit(&flag, memory_order_acquire)) assert(data == 1);", ""),
			changes: []string{"6 store release instead of relaxed"},
		},
		{
			name: "message passing with sc accesses", want: "stronger than this program needs",
			text:    two("data = 1; flag = 1;", "if (flag) assert(data == 1);", ""),
			changes: []string{"6 store release instead of seq_cst", "7 load acquire instead of seq_cst"},
		},
		{
			name: "message passing with fences", want: "stronger than this program needs",
			text: two("data = 1; atomic_thread_fence(memory_order_seq_cst); atomic_store_explicit(&flag, 1, memory_order_relaxed);",
				"if (atomic_load_explicit(&flag, memory_order_relaxed)) { atomic_thread_fence(memory_order_seq_cst); assert(data == 1); } else atomic_thread_fence(memory_order_seq_cst);", ""),
			changes: []string{"6 fence release instead of seq_cst", "7 fence acquire instead of seq_cst", "7 fence no fence is needed"},
		},
		{
			name: "nothing to weaken", want: "no memory order of this program can be weaker",
			text: two("data = 1; atomic_store_explicit(&flag, 1, memory_order_release);",
				"if (atomic_load_explicit(&flag, memory_order_acquire)) assert(data == 1);", ""),
		},
		{
			name: "store buffering", want: "no execution goes wrong with these",
			text: two(strings.ReplaceAll(sb, "%", "x")+"a = atomic_load_explicit(&y, memory_order_acquire);",
				strings.ReplaceAll(sb, "%", "y")+"b = atomic_load_explicit(&x, memory_order_acquire);", "assert(a || b);"),
			changes: []string{"6 fence seq_cst instead of acq_rel", "7 fence seq_cst instead of acq_rel"},
		},
		{
			name: "store buffering on x86", model: "tso", want: "no execution goes wrong with these",
			text:    two("atomic_store_explicit(&x, 1, memory_order_relaxed); a = y;", "y = 1; b = x;", "assert(a || b);"),
			changes: []string{"6 store seq_cst instead of relaxed"},
		},
		{
			name: "a lock", want: "stronger than this program needs",
			text: two(lock, lock, ""),
			changes: []string{
				"6 failed compare-exchange relaxed instead of seq_cst where it fails", "6 read-modify-write acquire instead of seq_cst", "6 store release instead of seq_cst",
				"7 failed compare-exchange relaxed instead of seq_cst where it fails", "7 read-modify-write acquire instead of seq_cst", "7 store release instead of seq_cst",
			},
		},
		{
			name: "no order helps", want: "stronger memory orders do not help",
			text: two("data = 1; flag = 1;", "data = 2; flag = 2;", ""),
		},
		{
			name: "no atomic accesses", want: "no atomic accesses",
			text: two("a = 1;", "b = 1;", ""),
		},
		{
			name: "C++", file: "x.cpp", want: "stronger than this program needs",
			text: "#include <atomic>\n#include <thread>\nint data; std::atomic<int> flag; std::atomic<int *> p;\nint main() {\n" +
				"std::thread t([] { data = 1; flag.store(1); });\nstd::thread u([] { if (flag.load() == 1) p.exchange(&data); });\n" +
				"if (int *q = p.load(std::memory_order_acquire)) *q = 2;\nt.join(); u.join(); }\n",
			changes: []string{"5 store release instead of seq_cst", "6 load acquire instead of seq_cst", "6 read-modify-write release instead of seq_cst"},
		},
		{
			name: "an order that is a parameter", want: "no execution goes wrong with these",
			text: "#include <stdatomic.h>\nstatic int get(atomic_int *p, memory_order mo) { return atomic_load_explicit(p, mo); }\n" +
				"static int peek(int mo, atomic_int *p) { return get(p, mo); }\nvoid put(atomic_int *p, int v, memory_order mo) { atomic_store_explicit(p, v, mo); }\n" +
				two("data = 1; put(&flag, 1, memory_order_relaxed);", "if (peek(memory_order_relaxed, &flag)) assert(data == 1);", "assert(get(&flag, memory_order_relaxed) == 1);"),
			changes: []string{"10 store release instead of relaxed for the store, as argument 3", "11 load acquire instead of relaxed for the load, as argument 1"},
		},
		{
			name: "an order in a variable", want: "no execution goes wrong with these",
			text: two("data = 1; int mo = memory_order_relaxed;\natomic_store_explicit(&flag, 1, mo);",
				"if (atomic_load_explicit(&flag, memory_order_acquire)) assert(data == 1);", ""),
			changes: []string{"6 store release instead of relaxed"},
		},
		{
			name: "an order that nobody knows", want: "no execution goes wrong with these",
			text:    "int mo;\n" + two("data = 1; atomic_store_explicit(&flag, 1, mo);", "if (atomic_load_explicit(&flag, mo)) assert(data == 1);", ""),
			changes: []string{"7 store release, whatever order comes here", "8 load acquire, whatever order comes here"},
		},
		{
			name: "the order of a fence is a parameter", want: "no execution goes wrong with these",
			text: "#include <stdatomic.h>\nstatic void fence(memory_order mo) { atomic_thread_fence(mo); }\n" +
				two("atomic_store_explicit(&x, 1, memory_order_relaxed); fence(memory_order_relaxed); a = atomic_load_explicit(&y, memory_order_relaxed);",
					"atomic_store_explicit(&y, 1, memory_order_relaxed); fence(memory_order_release); b = atomic_load_explicit(&x, memory_order_relaxed);", "assert(a || b);"),
			changes: []string{"8 fence seq_cst: as it is, the fence does nothing", "9 fence seq_cst instead of release for the fence, as argument 1"},
		},
		{
			name: "two orders that are parameters", want: "stronger than this program needs",
			text: "#include <stdatomic.h>\nint cas(atomic_int *p, int e, memory_order s, memory_order f) { return atomic_compare_exchange_strong_explicit(p, &e, 1, s, f); }\n" +
				two(strings.ReplaceAll("if (cas(&x, 0, %, %)) { data++; atomic_store_explicit(&x, 0, memory_order_release); }", "%", "memory_order_seq_cst"),
					"if (cas(&x, 0, memory_order_acquire, memory_order_relaxed)) { data++; atomic_store_explicit(&x, 0, memory_order_release); }", ""),
			changes: []string{
				"8 failed compare-exchange relaxed instead of seq_cst for the failed compare-exchange, as argument 4 where it fails",
				"8 read-modify-write acquire instead of seq_cst for the read-modify-write, as argument 3",
			},
		},
		{
			name: "C++, an order that is a parameter", file: "x.cpp", want: "no execution goes wrong with these",
			text: "#include <atomic>\n#include <cassert>\n#include <thread>\nint data; std::atomic<int> flag;\n" +
				"struct box { std::atomic<int> &a; int get(std::memory_order mo) { return a.load(mo); } };\nint main() {\n" +
				"std::thread t([] { data = 1; flag.store(1, std::memory_order_release); });\n" +
				"box b{flag}; if (b.get(std::memory_order_relaxed) == 1) assert(data == 1);\nt.join(); }\n",
			changes: []string{"8 load acquire instead of relaxed for the load, as argument 2"},
		},
		{
			name: "Rust, an order that is a parameter", file: "x.rs", want: "no execution goes wrong with these",
			text: "use std::sync::atomic::{AtomicUsize, Ordering};\nstatic DATA: AtomicUsize = AtomicUsize::new(0);\nstatic READY: AtomicUsize = AtomicUsize::new(0);\n" +
				"fn put(a: &AtomicUsize, v: usize, o: Ordering) { a.store(v, o); }\nfn main() {\nlet t = std::thread::spawn(|| {\nDATA.store(1, Ordering::Relaxed);\n" +
				"put(&READY, 1, Ordering::Relaxed);\n});\nif READY.load(Ordering::Acquire) == 1 {\nassert!(DATA.load(Ordering::Relaxed) == 1);\n}\nt.join().unwrap();\n}\n",
			changes: []string{"8 store release instead of relaxed for the store, as argument 3"},
		},
		{
			name: "Rust", file: "x.rs", want: "no execution goes wrong with these",
			text: "use std::sync::atomic::{AtomicUsize, Ordering};\nstatic DATA: AtomicUsize = AtomicUsize::new(0);\nstatic READY: AtomicUsize = AtomicUsize::new(0);\n" +
				"fn main() {\nlet t = std::thread::spawn(|| {\nDATA.store(1, Ordering::Relaxed);\nREADY.store(1, Ordering::Relaxed);\n});\n" +
				"if READY.load(Ordering::Acquire) == 1 {\nassert!(DATA.load(Ordering::Relaxed) == 1);\n}\nt.join().unwrap();\n}\n",
			changes: []string{"7 store release instead of relaxed"},
		},
	}) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name := test.file
			if name == "" {
				name = "x.c"
			} else if testing.Short() {
				t.Skip("the headers of C++ and the library of Rust take long")
			}
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(test.text), 0o644); err != nil {
				t.Fatal(err)
			}
			m := "rc11"
			if test.model != "" {
				m = test.model
			}
			c := Config{Files: []string{file}, Suggest: true}
			c.Explore = explore.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
			var err error
			if c.Explore.Model, err = model.Get(m, model.Options{}); err != nil {
				t.Fatal(err)
			}
			res, err := Run(c)
			if err != nil {
				t.Fatal(err)
			}
			s := res.Suggestion
			if !strings.Contains(s.Message, test.want) {
				t.Errorf("%q, want %q", s.Message, test.want)
			}
			var got []string
			for _, c := range s.Changes {
				got = append(got, strings.Join([]string{strconv.Itoa(c.Location.Line), string(c.Access), c.String()}, " "))
			}
			slices.Sort(got)
			if !slices.Equal(got, test.changes) {
				t.Errorf("%q, want %q", got, test.changes)
			}
		})
	}
}
