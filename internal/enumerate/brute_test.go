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

// asLitmus prints a program of brute as a litmus test in C; ok is false if C has no words for it here. The expected value of
// a compare-and-swap of C is in memory: cas says whether to have those, each with a variable of its own.
func asLitmus(p *brute.Prog, cas bool) (text string, ok bool) {
	var b, init strings.Builder
	var params []string
	for _, l := range p.Locs {
		params = append(params, "atomic_int *"+l)
	}
	if cas {
		for i := range 16 {
			params = append(params, fmt.Sprintf("int *e%d", i))
		}
	}
	n := 0
	for i := range p.Threads {
		t := &p.Threads[i]
		fmt.Fprintf(&b, "P%d(%s) {\n", i, strings.Join(params, ", "))
		for _, r := range t.Regs {
			fmt.Fprintf(&b, "  int %s = 0;\n", r)
		}
		w := &cWriter{&b, &init, p, t, cas, n}
		w.body(t.Body)
		b.WriteString("}\n")
		if n = w.expected; n < 0 {
			return "", false
		}
	}
	return "C random\n{" + init.String() + "}\n" + b.String() + "exists (true)\n", true
}

type cWriter struct {
	*strings.Builder
	init     *strings.Builder
	p        *brute.Prog
	t        *brute.Thread
	cas      bool
	expected int // variables for expected values, -1: there are no words
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
	case brute.CAS:
		if !w.cas || w.expected < 0 || s.Reg != brute.NoReg || s.Exp.Reg != brute.NoReg {
			w.expected = -1
			return
		}
		f := map[bool]string{false: "strong", true: "weak"}[s.Weak]
		fmt.Fprintf(w.init, "int e%d=%d; ", w.expected, s.Exp.Const)
		fmt.Fprintf(w, "  atomic_compare_exchange_%s_explicit(%s, e%d, %s, %s, %s);\n", f, at, w.expected, w.expr(s.Val), orders[s.Mode], orders[s.Fail])
		w.expected++
	default:
		w.expected = -1
	}
}

// keyOf is the execution in brute's words.
func keyOf(p *brute.Prog, x *Execution) string {
	return inBrute(p, x, func(Event) bool { return true }).Key()
}

// inBrute is what an execution is to brute, of those events that f has.
func inBrute(p *brute.Prog, x *Execution, f func(Event) bool) *brute.Execution {
	e := &brute.Execution{Prog: p, Threads: make([][]brute.Event, len(p.Threads)), Co: make([][]brute.Ref, len(p.Locs))}
	refs := make([]brute.Ref, len(x.Events))
	for i, ev := range x.Events {
		refs[i] = brute.Init
		if ev.Thread >= 0 && f(ev) {
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
		if ref == brute.Init {
			continue
		}
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
	return e
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
				text, ok := asLitmus(p, false)
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
				sameExecutions(t, fmt.Sprintf("%s\n%s", p, text), want, got)
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

// sameExecutions fails if the executions of a program are not those wanted.
func sameExecutions(t *testing.T, program string, want, got map[string]bool) {
	t.Helper()
	for k := range want {
		if !got[k] {
			t.Fatalf("%s\nmissing:\n%s", program, k)
		}
	}
	for k := range got {
		if !want[k] {
			t.Fatalf("%s\nextra:\n%s", program, k)
		}
	}
}

// TestCompiled compares tests in C under the models of processors with brute, whose compilation mapping is in no way that of package
// litmus: the same executions, without the fences. brute's TSO and PSO have no mapping, so its program gets the fences.
func TestCompiled(t *testing.T) {
	for _, model := range []brute.Model{brute.TSO, brute.PSO, brute.ARMv8, brute.ARMv7, brute.Power, brute.RISCV} {
		t.Run(string(model), func(t *testing.T) {
			m := load(t, string(model))
			rnd := rand.New(rand.NewPCG(5, 8))
			total := 0
			for n := 0; n < *programCount; {
				p := brute.Random(rnd, brute.Config{NA: true, Deps: true, PerThread: 3, Total: 8})
				for _, th := range p.Threads {
					noResults(th.Body)
				}
				text, ok := asLitmus(p, true)
				if !ok {
					continue
				}
				n++
				q := *p
				if model == brute.TSO || model == brute.PSO {
					q.Threads = nil
					for _, th := range p.Threads {
						th.Body = withFences(th.Body)
						q.Threads = append(q.Threads, th)
					}
				}
				want, got := map[string]bool{}, map[string]bool{}
				for _, e := range brute.Enumerate(&q, model) {
					want[accesses(&e).Key()] = true
				}
				seen := func(x *Execution) bool {
					e := inBrute(p, x, func(e Event) bool { return e.Kind != "F" && slices.Contains(p.Locs, e.Loc) })
					for _, evs := range e.Threads {
						for i := range evs {
							evs[i].Mode = modes.NA
						}
					}
					got[e.Key()] = true
					return true
				}
				if _, err := Run(parse(t, text), m, Options{OnExecution: seen}); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				sameExecutions(t, fmt.Sprintf("%s\n%s", p, text), want, got)
				total += len(want)
			}
			t.Logf("%d executions of %d programs", total, *programCount)
		})
	}
}

// noResults makes compare-and-swaps expect constants and return nothing: what C's return is something else.
func noResults(body []brute.Stmt) {
	for i := range body {
		s := &body[i]
		if s.Kind == brute.CAS {
			s.Reg, s.Exp.Reg = brute.NoReg, brute.NoReg
		}
		noResults(s.Then)
		noResults(s.Else)
	}
}

// withFences has a store barrier before each store that releases, and a full fence after each sc store.
func withFences(body []brute.Stmt) []brute.Stmt {
	var out []brute.Stmt
	for _, s := range body {
		s.Then, s.Else = withFences(s.Then), withFences(s.Else)
		release := s.Kind == brute.Store && s.Mode.IsRel()
		if release {
			out = append(out, brute.Stmt{Kind: brute.Fence, Mode: modes.Rel})
		}
		out = append(out, s)
		if release && s.Mode == modes.SC {
			out = append(out, brute.Stmt{Kind: brute.Fence, Mode: modes.SC})
		}
	}
	return out
}

// accesses is an execution without its fences and modes.
func accesses(e *brute.Execution) *brute.Execution {
	out := &brute.Execution{Prog: e.Prog}
	refs := map[brute.Ref]brute.Ref{brute.Init: brute.Init}
	for t, evs := range e.Threads {
		n := 0
		for i, ev := range evs {
			if ev.Kind != brute.F {
				refs[brute.Ref{Thread: t, Index: i}] = brute.Ref{Thread: t, Index: n}
				n++
			}
		}
	}
	for _, evs := range e.Threads {
		var kept []brute.Event
		for _, ev := range evs {
			if ev.Kind != brute.F {
				ev.Mode, ev.Src = modes.NA, refs[ev.Src]
				kept = append(kept, ev)
			}
		}
		out.Threads = append(out.Threads, kept)
	}
	for _, ws := range e.Co {
		var line []brute.Ref
		for _, w := range ws {
			line = append(line, refs[w])
		}
		out.Co = append(out.Co, line)
	}
	return out
}
