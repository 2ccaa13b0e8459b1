package ravel_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"ravel"
)

func source(name, text string) ravel.Source { return ravel.Source{Name: name, Text: []byte(text)} }

// many is a program with more executions than anybody waits for.
const many = `#include <pthread.h>
#include <stdatomic.h>
atomic_int x[8];
static void *run(void *arg) {
	for (int i = 0; i < 8; i++) {
		atomic_store(&x[i], (int)(long)arg);
		atomic_load(&x[7 - i]);
	}
	return 0;
}
int main(void) {
	pthread_t t[6];
	for (long i = 0; i < 6; i++)
		pthread_create(&t[i], 0, run, (void *)i);
}
`

// Sources in memory include each other under their own names, which messages have, too.
func TestSourcesInMemory(t *testing.T) {
	p := ravel.Program{
		Files:   []ravel.Source{source("src/main.c", "#include \"../inc/half.h\"\nint main(void) { return half(1); }\n"), source("src/half.c", "#include <assert.h>\nint half(int n) {\n  assert(n % 2 == 0);\n  return n / 2;\n}\n")},
		Headers: []ravel.Source{source("inc/half.h", "int half(int);\n")},
	}
	res, err := ravel.Check(t.Context(), p, ravel.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict != ravel.Wrong || res.Errors[0].Location.File != "src/half.c" || res.Errors[0].Location.Line != 3 {
		t.Errorf("%+v", res)
	}
	var b bytes.Buffer
	if err := ravel.WriteText(&b, res, ravel.StyleFor(&b, p.Files...)); err != nil || !strings.Contains(b.String(), "assert(n % 2 == 0);") {
		t.Errorf("%v: no source line in\n%s", err, &b)
	}
	for _, bad := range []string{"../main.c", "/tmp/main.c"} {
		p := ravel.Program{Files: []ravel.Source{source(bad, "int main(void) { return 0; }")}}
		if _, err := ravel.Check(t.Context(), p, ravel.CheckOptions{}); err == nil || !strings.Contains(err.Error(), "is relative") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	p.Files[0] = source("main.c", "int main(void) { return 0 }\n")
	if _, err := ravel.Check(t.Context(), p, ravel.CheckOptions{}); err == nil || !strings.Contains(err.Error(), "main.c:1:") || strings.Contains(err.Error(), "/main.c") {
		t.Errorf("error %v", err)
	}
}

// A run whose context ends gives up, and is not verified.
func TestContext(t *testing.T) {
	p := ravel.Program{Files: []ravel.Source{source("many.c", many)}}
	for _, engine := range []ravel.Engine{ravel.Graphs, ravel.States} {
		ctx, cancel := context.WithCancel(t.Context())
		o := ravel.CheckOptions{Engine: engine, OnProgress: func(p ravel.Progress) {
			if p.Done > 0 {
				cancel()
			}
		}}
		res, err := ravel.Check(ctx, p, o)
		if err != nil || res.Verdict != ravel.Unknown || res.Reason != "interrupted" {
			t.Errorf("%s: %+v, %v", engine, res, err)
		}
		if res, err = ravel.Check(ctx, p, o); err != nil || res.Verdict != ravel.Unknown {
			t.Errorf("%s: %+v, %v", engine, res, err)
		}
	}
	over, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-over.Done()
	n := 0
	err := ravel.Litmus(over, []ravel.Source{source("SB.litmus", storeBuffering), source("SB2.litmus", storeBuffering)}, ravel.LitmusOptions{}, func(r *ravel.LitmusResult) error {
		if n++; r.Err() == nil {
			t.Errorf("%s: no error", r.File)
		}
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("%d results, %v", n, err)
	}
}

// A context that has ended is why there is no answer, also for a program that is done before anybody looks.
func TestContextOfTinyProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := ravel.Program{Files: []ravel.Source{source("a.ll", "define i32 @main() {\n  ret i32 0\n}\n")}}
	for _, engine := range []ravel.Engine{ravel.Graphs, ravel.States} {
		for range 20 {
			res, err := ravel.Check(ctx, p, ravel.CheckOptions{Engine: engine, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != ravel.Unknown || res.Reason != "interrupted" {
				t.Fatalf("%s: %s, %s", engine, res.Verdict, res.Reason)
			}
		}
	}
}

// Options that make no sense are errors.
func TestOptions(t *testing.T) {
	p := ravel.Program{Files: []ravel.Source{source("a.ll", "define i32 @main() {\n  ret i32 0\n}\n")}}
	for want, o := range map[string]ravel.CheckOptions{
		"it takes graphs or states":     {Engine: "both"},
		"it takes total or observed":    {Coherence: "some"},
		"did you mean rc11":             {Model: "rc1"},
		"observed is not supported":     {Model: "xmm", Coherence: "observed"},
		"with --model xmm":              {OnReexecution: func(string, *ravel.Execution) error { return nil }},
		"store buffers":                 {Engine: ravel.States, Model: "rc11"},
		"give --model sc, tso":          {Engine: ravel.States, OnSpace: func(*ravel.StateSpace) error { return nil }},
		"--model all is for --engine s": {Model: "all"},
	} {
		if _, err := ravel.Check(t.Context(), p, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := ravel.Check(t.Context(), ravel.Program{}, ravel.CheckOptions{}); err == nil {
		t.Error("nothing to check is an error")
	}
}

// The text of a program has its functions, and one that is not well formed is refused.
func TestIR(t *testing.T) {
	text, err := ravel.IR(t.Context(), ravel.Program{Files: []ravel.Source{source("a.ll", "@x = global i32 7\ndefine i32 @main() {\n  store atomic i32 1, ptr @x release, align 4\n  ret i32 0\n}\n")}})
	if err != nil || !strings.Contains(text, "func main() 1 {") || !strings.Contains(text, "global x 4 bytes") || !strings.Contains(text, "rel") {
		t.Errorf("%v\n%s", err, text)
	}
}

// The edits of a suggestion make a program right, or leave nothing to weaken: ravel itself says so of the edited program.
func TestEdits(t *testing.T) {
	for _, s := range []ravel.Source{
		source("missing.c", `#include <pthread.h>
#include <stdatomic.h>
atomic_int flag, other;
int data;
static void *run(void *arg) {
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	__atomic_store_n((int *)&other, 1, __ATOMIC_RELAXED);
	return arg;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	if (atomic_load(&flag))
		return data;
	if (atomic_load_explicit(&other, memory_order_acquire))
		return data;
}
`),
		source("strong.c", `#include <pthread.h>
#include <stdatomic.h>
atomic_int flag, count;
int data;
static void *run(void *arg) {
	data = 1;
	int seen = 0;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_fetch_add(&count, 1);
	atomic_compare_exchange_strong(&count, &seen, 2);
	atomic_store(&flag, 1);
	return arg;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	if (atomic_load(&flag))
		return data;
}
`),
		source("strong.cpp", `#include <atomic>
#include <thread>
std::atomic<int> flag, count;
int data;
int main() {
	std::thread t([] {
		data = 1;
		int seen = 0;
		count.fetch_add(1);
		count.compare_exchange_strong(seen, 2);
		flag.store(1, std::memory_order_seq_cst);
	});
	int got = flag.load() ? data : 0;
	t.join();
	return got;
}
`),
		source("strong.rs", `use std::sync::atomic::{AtomicI32, Ordering};
static FLAG: AtomicI32 = AtomicI32::new(0);
static COUNT: AtomicI32 = AtomicI32::new(0);
fn main() {
    let t = std::thread::spawn(|| {
        COUNT.store(2, Ordering::Relaxed);
        FLAG.store(1, Ordering::SeqCst);
    });
    if FLAG.load(Ordering::SeqCst) == 1 {
        assert!(COUNT.load(Ordering::Relaxed) == 2);
    }
    t.join().unwrap();
}
`),
	} {
		t.Run(s.Name, func(t *testing.T) {
			if testing.Short() && !strings.HasSuffix(s.Name, ".c") {
				t.Skip("the headers of C++ and the library of Rust take long")
			}
			for round := range 2 {
				res, err := ravel.Check(t.Context(), ravel.Program{Files: []ravel.Source{s}}, ravel.CheckOptions{Suggest: true})
				if err != nil && strings.Contains(err.Error(), "PATH") {
					t.Skip(err)
				} else if err != nil {
					t.Fatal(err)
				}
				if round == 1 {
					if res.Verdict != ravel.Verified || strings.HasPrefix(s.Name, "strong") && len(res.Suggestion.Changes) > 0 {
						t.Errorf("%s: %s\n%s", res.Verdict, res.Suggestion.Message, s.Text)
					}
					break
				}
				edits, left := ravel.Edits(string(s.Text), res.Suggestion.Changes)
				if len(edits) == 0 || len(left) > 0 {
					t.Fatalf("%d edits, left are %v", len(edits), left)
				}
				s.Text = []byte(ravel.ApplyEdits(string(s.Text), edits))
			}
		})
	}
}
