package enumerate

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ravel/internal/cat"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
	"ravel/internal/short"
)

// TestMerged runs C and Java tests with read-modify-writes under models that never speak of rmw. To herd a read-modify-write is one event: between what it reads
// and what it writes there is no other write (it would be after it by fr and before it by co), so the states are those of
// a model that says so with rmw.
func TestMerged(t *testing.T) {
	models := [][2]string{
		{
			`include "cos.cat" acyclic po | rf | co | fr as sc`,
			`include "cos.cat" acyclic po | rf | co | fr as sc empty rmw & (fr; co) as atomicity`,
		},
		{
			`include "cos.cat" acyclic po-loc | rf | co | fr as coherence`,
			`include "cos.cat" acyclic po-loc | rf | co | fr as coherence empty rmw & (fr; co) as atomicity`,
		},
		{ // as C11's first models in cat do it, with their own coherence order
			`include "cross.cat" with mo from generate_orders(W, co0) let hb = po-loc
			 irreflexive (rf^-1)?; mo; rf?; hb as coherence irreflexive rf; hb as reads
			 irreflexive rf | mo; mo; rf^-1 | mo; rf as atomicity`,
			`include "cos.cat" acyclic po-loc | rf | co | fr as coherence empty rmw & (fr; co) as atomicity`,
		},
	}
	var files []string
	for _, dir := range []string{"C11", "Java"} {
		list, err := frontend.Files("../../testdata/litmus/" + dir)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	var tests []*litmus.Test
	for _, f := range short.Every(4, files) {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, parse(t, string(src)))
	}
	// Two threads, each with two of these.
	ops := []string{
		"int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);",
		"int r1 = atomic_exchange_explicit(x, 5, memory_order_relaxed);",
		"int r3 = atomic_compare_exchange_strong_explicit(x, e, 7, memory_order_relaxed, memory_order_relaxed);",
		"atomic_store_explicit(x, 2, memory_order_relaxed);",
		"int r4 = atomic_load_explicit(x, memory_order_relaxed);",
	}
	for n := range len(ops) * len(ops) * len(ops) * len(ops) {
		a, b, c, d := n%5, n/5%5, n/25%5, n/125
		if a == b || c == d || a > c {
			continue
		}
		tests = append(tests, parse(t, fmt.Sprintf(`C rmw%d
{ x = 0; e = 1; f = 1; }
P0(atomic_int *x, int *e) { %s %s }
P1(atomic_int *x, int *f) { %s %s }
locations [x; 0:r0; 0:r1; 0:r3; 0:r4; 1:r0; 1:r1; 1:r3; 1:r4;]
exists (x=0)`, n, ops[a], ops[b],
			strings.ReplaceAll(ops[c], " e,", " f,"), strings.ReplaceAll(ops[d], " e,", " f,"))))
	}
	ran := 0
	for _, texts := range models {
		var pair [2]*Model
		for i, text := range texts {
			m, err := cat.LoadText("test.cat", text)
			if err != nil {
				t.Fatal(err)
			}
			pair[i] = New("test", m, nil)
		}
		for _, test := range tests {
			if !signatureOf(test).rmw {
				continue
			}
			ran++
			var states [2]string
			for i, m := range pair {
				res, err := Run(test, m, Options{})
				if err != nil {
					t.Fatalf("%s: %v", test.Name, err)
				}
				for k := range res.States {
					res.States[k].Executions = 0
				}
				states[i] = summary(res)
			}
			if states[0] != states[1] {
				t.Errorf("%s under %s:\n  %s\nwith rmw:\n  %s", test.Name, texts[0], states[0], states[1])
			}
		}
	}
	if ran < 600 {
		t.Errorf("only %d runs", ran)
	}
}
