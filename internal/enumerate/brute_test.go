package enumerate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	modes "ravel/internal/event"
)

var programCount = flag.Int("programs", 150, "random programs for each comparison with brute")

var orders = map[modes.Mode]string{
	modes.Rlx: "memory_order_relaxed", modes.Acq: "memory_order_acquire", modes.Rel: "memory_order_release",
	modes.AcqRel: "memory_order_acq_rel", modes.SC: "memory_order_seq_cst",
}

// asLitmus prints a program of brute as a litmus test in C; ok is false if C has no words for it here: the expected value of
// a compare-and-swap of C is in memory.
func asLitmus(p *brute.Prog) (text string, ok bool) {
	var b strings.Builder
	b.WriteString("C random\n{}\n")
	var params []string
	for _, l := range p.Locs {
		params = append(params, "atomic_int *"+l)
	}
	for i := range p.Threads {
		t := &p.Threads[i]
		fmt.Fprintf(&b, "P%d(%s) {\n", i, strings.Join(params, ", "))
		for _, r := range t.Regs {
			fmt.Fprintf(&b, "  int %s = 0;\n", r)
		}
		w := &cWriter{&b, p, t, true}
		w.body(t.Body)
		b.WriteString("}\n")
		if !w.ok {
			return "", false
		}
	}
	return b.String() + "exists (true)\n", true
}

type cWriter struct {
	*strings.Builder
	p  *brute.Prog
	t  *brute.Thread
	ok bool
}

func (w *cWriter) body(body []brute.Stmt) {
	for i := range body {
		w.stmt(&body[i])
	}
}

func (w *cWriter) expr(e brute.Expr) string {
	switch {
	case e.Reg == brute.NoReg:
		return fmt.Sprint(e.Const)
	case e.Zero:
		return fmt.Sprintf("%s * 0 + %d", w.t.Regs[e.Reg], e.Const)
	}
	return fmt.Sprintf("%s + %d", w.t.Regs[e.Reg], e.Const)
}

func (w *cWriter) stmt(s *brute.Stmt) {
	dst := ""
	if s.Kind != brute.If && s.Kind != brute.Store && s.Kind != brute.Fence && s.Reg != brute.NoReg {
		dst = w.t.Regs[s.Reg] + " = "
	}
	at := ""
	if s.Kind != brute.If && s.Kind != brute.Fence {
		if at = w.p.Locs[s.Loc]; s.Addr != brute.NoReg {
			at += fmt.Sprintf(" + %s * 0", w.t.Regs[s.Addr])
		}
	}
	switch s.Kind {
	case brute.Load:
		if s.Mode == modes.NA {
			fmt.Fprintf(w, "  %s*(%s);\n", dst, at)
		} else {
			fmt.Fprintf(w, "  %satomic_load_explicit(%s, %s);\n", dst, at, orders[s.Mode])
		}
	case brute.Store:
		if s.Mode == modes.NA {
			fmt.Fprintf(w, "  *(%s) = %s;\n", at, w.expr(s.Val))
		} else {
			fmt.Fprintf(w, "  atomic_store_explicit(%s, %s, %s);\n", at, w.expr(s.Val), orders[s.Mode])
		}
	case brute.FAdd, brute.Xchg:
		f := map[brute.Kind]string{brute.FAdd: "fetch_add", brute.Xchg: "exchange"}[s.Kind]
		fmt.Fprintf(w, "  %satomic_%s_explicit(%s, %s, %s);\n", dst, f, at, w.expr(s.Val), orders[s.Mode])
	case brute.Fence:
		fmt.Fprintf(w, "  atomic_thread_fence(%s);\n", orders[s.Mode])
	case brute.If:
		fmt.Fprintf(w, "  if (%s == %d) {\n", w.t.Regs[s.Reg], s.Is)
		w.body(s.Then)
		w.WriteString("  } else {\n")
		w.body(s.Else)
		w.WriteString("  }\n")
	default:
		w.ok = false
	}
}

// keyOf is the execution in brute's words.
func keyOf(p *brute.Prog, x *Execution) string {
	e := brute.Execution{Prog: p, Threads: make([][]brute.Event, len(p.Threads)), Co: make([][]brute.Ref, len(p.Locs))}
	refs := make([]brute.Ref, len(x.Events))
	for i, ev := range x.Events {
		refs[i] = brute.Init
		if ev.Thread >= 0 {
			refs[i] = brute.Ref{Thread: ev.Thread, Index: len(e.Threads[ev.Thread])}
			b := brute.Event{Kind: map[string]brute.EventKind{"R": brute.R, "W": brute.W, "F": brute.F}[ev.Kind], Loc: slices.Index(p.Locs, ev.Loc), Val: uint32(ev.Value.Int)}
			for m, set := range map[modes.Mode]string{modes.Acq: "ACQ", modes.Rel: "REL", modes.AcqRel: "ACQ_REL", modes.SC: "SC", modes.Rlx: "RLX"} {
				if slices.Contains(ev.Sets, set) {
					b.Mode = m
				}
			}
			e.Threads[ev.Thread] = append(e.Threads[ev.Thread], b)
		}
	}
	rf, co := x.Exec.Rel("rf"), x.Exec.Rel("co")
	for w, r := range rf.Pairs() {
		ref := refs[r]
		e.Threads[ref.Thread][ref.Index].Src = refs[w]
	}
	for l, name := range p.Locs {
		var writes []int
		for i, ev := range x.Events {
			if ev.Kind == "W" && ev.Loc == name && ev.Thread >= 0 {
				writes = append(writes, i)
			}
		}
		slices.SortFunc(writes, func(a, b int) int {
			if co.Has(a, b) {
				return -1
			}
			return 1
		})
		for _, w := range writes {
			e.Co[l] = append(e.Co[l], refs[w])
		}
	}
	return e.Key()
}

// TestBrute compares with the brute-force enumerator of package brute, which evaluates the models' axioms as the
// papers print them and knows nothing of litmus tests or cat: the same executions, not only as many.
// For imm the programs have no branches, since C's control dependencies end with the if here.
func TestBrute(t *testing.T) {
	for _, test := range []struct {
		model brute.Model
		cfg   brute.Config
	}{
		{brute.SC, brute.Config{NA: true}},
		{brute.TSO, brute.Config{NA: true}},
		{brute.PSO, brute.Config{NA: true}},
		{brute.RA, brute.Config{}},
		{brute.RC11, brute.Config{}},
		{brute.RC11of2017, brute.Config{}},
		{brute.IMM, brute.Config{Deps: true}},
		{brute.IMMof2019, brute.Config{Deps: true}},
	} {
		t.Run(string(test.model), func(t *testing.T) {
			m := load(t, string(test.model))
			rnd := rand.New(rand.NewPCG(5, 8))
			total := 0
			for n := 0; n < *programCount; {
				p := brute.Random(rnd, test.cfg)
				text, ok := asLitmus(p)
				if !ok || test.cfg.Deps && strings.Contains(text, "if (") {
					continue
				}
				n++
				want := map[string]bool{}
				for _, e := range brute.Enumerate(p, test.model) {
					want[e.Key()] = true
				}
				got := map[string]bool{}
				seen := func(x *Execution) bool {
					key := keyOf(p, x)
					if got[key] {
						t.Errorf("%s\ntwice:\n%s", p, key)
					}
					got[key] = true
					return true
				}
				res, err := Run(parse(t, text), m, Options{OnExecution: seen})
				if err != nil {
					t.Fatalf("%s: %v", p, err)
				}
				for k := range want {
					if !got[k] {
						t.Fatalf("%s\n%s\nmissing:\n%s", p, text, k)
					}
				}
				for k := range got {
					if !want[k] {
						t.Fatalf("%s\n%s\nextra:\n%s", p, text, k)
					}
				}
				counted, err := Run(parse(t, text), m, Options{})
				if err != nil || counted.Executions() != res.Executions() {
					t.Fatalf("%s: %d executions counted, %d seen: %v", p, counted.Executions(), res.Executions(), err)
				}
				total += len(want)
			}
			t.Logf("%d executions of %d programs", total, *programCount)
		})
	}
}
