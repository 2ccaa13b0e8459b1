package enumerate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	modes "ravel/internal/event"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/short"
)

var javaPrograms = flag.Int("java-programs", 100, "random programs in Java's dialect")

// TestJavaColumns compares the verdicts of Java's models with those of herd, which drops executions in which a value
// depends on itself. Some of the outcomes that are forbidden here are seen on x86: SB+rfis, jmt-fig5.
func TestJavaColumns(t *testing.T) {
	const dir = "../../testdata/java"
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var head []string
	tests := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if head == nil {
			head = f
			continue
		}
		for i, name := range head {
			if name != "jam21" && name != "jam19" || f[i] != "yes" && f[i] != "no" {
				continue
			}
			tests++
			test, want := f[0], f[i] == "yes"
			t.Run(test+" "+name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(dir, test+".litmus")
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				lt, err := frontend.Parse(file, text)
				if err != nil {
					t.Fatal(err)
				}
				m, err := Load(name)
				if err != nil {
					t.Fatal(err)
				}
				found := false
				_, err = Run(lt, m, Options{OnExecution: func(x *Execution) bool {
					found = x.Positive && !x.ThinAir
					return !found
				}})
				if err != nil {
					t.Fatal(err)
				}
				if found != want {
					t.Errorf("allowed %v, want %v", found, want)
				}
			})
		}
	}
	if tests < 150 {
		t.Errorf("only %d verdicts in the table", tests)
	}
}

// A javaWriter prints a program of brute in Java, and notes in the program where Java has other words for something.
type javaWriter struct {
	strings.Builder
	p     *brute.Prog
	t     *brute.Thread
	rnd   *rand.Rand
	plain bool // some access is plain
}

var (
	javaSuffix = map[modes.Mode]string{modes.Rlx: "Opaque", modes.Acq: "Acquire", modes.Rel: "Release", modes.SC: "Volatile"}
	javaUpdate = map[modes.Mode]string{modes.Acq: "Acquire", modes.Rel: "Release"} // and none if volatile
	javaFence  = map[modes.Mode][2]string{
		modes.Acq: {"acquireFence", "loadLoadFence"}, modes.Rel: {"releaseFence", "storeStoreFence"}, modes.SC: {"fullFence", "fullFence"},
	}
)

func (w *javaWriter) program() string {
	w.WriteString("Java random\n{ ")
	for _, l := range w.p.Locs {
		fmt.Fprintf(w, "%s=0; ", l)
		for i := range w.p.Threads {
			fmt.Fprintf(w, "%d:%s=%s; ", i, strings.ToUpper(l), l)
		}
	}
	w.WriteString("}\n")
	for i := range w.p.Threads {
		w.t = &w.p.Threads[i]
		fmt.Fprintf(w, "Thread%d {\n", i)
		for _, r := range w.t.Regs {
			fmt.Fprintf(w, "  int %s = 0;\n", r)
		}
		w.body(w.t.Body)
		w.WriteString("}\n")
	}
	return w.String() + "exists (true)\n"
}

func (w *javaWriter) body(body []brute.Stmt) {
	for i := range body {
		w.stmt(&body[i])
	}
}

func (w *javaWriter) expr(e brute.Expr) string { return (&cWriter{t: w.t}).expr(e) }

func (w *javaWriter) stmt(s *brute.Stmt) {
	w.WriteString("  ")
	if s.Kind != brute.If && s.Kind != brute.Store && s.Kind != brute.Fence && s.Reg != brute.NoReg {
		fmt.Fprintf(w, "%s = ", w.t.Regs[s.Reg])
	}
	at := ""
	if s.Loc != brute.NoLoc {
		at = strings.ToUpper(w.p.Locs[s.Loc])
	}
	w.plain = w.plain || s.Mode == modes.NA
	switch s.Kind {
	case brute.FAdd, brute.Xchg, brute.CAS: // none is opaque
		switch s.Mode {
		case modes.Rlx:
			s.Mode = modes.Rel
		case modes.AcqRel:
			s.Mode = modes.SC
		}
	case brute.Fence:
		if s.Mode == modes.AcqRel {
			s.Mode = modes.Rel
		}
	}
	switch s.Kind {
	case brute.Load:
		fmt.Fprintf(w, "%s.get%s();\n", at, javaSuffix[s.Mode])
	case brute.Store:
		fmt.Fprintf(w, "%s.set%s(%s);\n", at, javaSuffix[s.Mode], w.expr(s.Val))
	case brute.FAdd:
		fmt.Fprintf(w, "%s.getAndAdd%s(%s);\n", at, javaUpdate[s.Mode], w.expr(s.Val))
	case brute.Xchg:
		fmt.Fprintf(w, "%s.getAndSet%s(%s);\n", at, javaUpdate[s.Mode], w.expr(s.Val))
	case brute.CAS:
		// One that fails is a read of the same mode, a plain one for release.
		if s.Fail = s.Mode; s.Mode == modes.Rel {
			s.Fail, w.plain = modes.NA, true
		}
		fmt.Fprintf(w, "%s.compareAndExchange%s(%s, %s);\n", at, javaUpdate[s.Mode], w.expr(s.Exp), w.expr(s.Val))
	case brute.Fence:
		fmt.Fprintf(w, "%s();\n", javaFence[s.Mode][w.rnd.IntN(2)])
	case brute.If:
		fmt.Fprintf(w, "if (%s == %d) {\n", w.t.Regs[s.Reg], s.Is)
		w.body(s.Then)
		w.WriteString("  } else {\n")
		w.body(s.Else)
		w.WriteString("  }\n")
	}
}

// TestJavaRandomPrograms compares random programs in Java's dialect, with all modes and all five fences, and in C, under each of Java's models in
// cat, with brute force. Some of the models derive an order of writes and look at the last ones only, those of brute have a total
// order: what is compared are rf and the last writes, among executions that are coherent. With plain accesses, the
// models ask for less coherence than brute does.
func TestJavaRandomPrograms(t *testing.T) {
	for _, m := range brute.Java {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			name, variants := string(m), []string(nil)
			if v, ok := strings.CutPrefix(name, "jam21-"); ok && m != brute.JAM21Thesis {
				name, variants = "jam21", strings.Split(v, "-")
			}
			model := load(t, name)
			model.UseVariants(variants)
			for i := range *javaPrograms {
				rnd := rand.New(rand.NewPCG(uint64(i), 9))
				p := brute.Random(rnd, brute.Config{Total: 8, NA: i%2 == 0})
				text, inC := asLitmus(p, false)
				plain := i%2 == 0
				if !inC || i%4 < 2 {
					w := &javaWriter{p: p, rnd: rnd, plain: plain}
					text = w.program()
					plain = w.plain
				}
				got, want, coherent := map[string]bool{}, map[string]bool{}, map[string]bool{}
				brute.Compare(p, brute.Coherent, []brute.Model{m}, func(e brute.Execution, allows []bool) {
					for l, ws := range e.Co {
						e.Co[l] = ws[max(0, len(ws)-1):]
					}
					k := e.Key()
					coherent[k] = true
					want[k] = want[k] || allows[0]
				})
				_, err := Run(parse(t, text), model, Options{OnExecution: func(x *Execution) bool {
					got[lastWrites(p, x)] = true
					return true
				}})
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				for k := range coherent {
					if got[k] != want[k] && (want[k] || !plain) {
						t.Fatalf("program %d: %v\n%s\nallowed in cat: %v, by brute force: %v\n%s", i, p, text, got[k], want[k], k)
					}
				}
				for k := range got {
					if !coherent[k] && !plain && !strings.Contains(k, "(init)") {
						t.Fatalf("program %d: %v\n%s\nnot coherent:\n%s", i, p, text, k)
					}
				}
			}
		})
	}
}

// lastWrites is the execution in brute's words, with the last write of each location only.
func lastWrites(p *brute.Prog, x *Execution) string {
	e := brute.Execution{Prog: p, Threads: make([][]brute.Event, len(p.Threads)), Co: make([][]brute.Ref, len(p.Locs))}
	refs := make([]brute.Ref, len(x.Events))
	for i, ev := range x.Events {
		refs[i] = brute.Init
		loc := slices.Index(p.Locs, ev.Loc)
		if ev.Thread < 0 {
			continue
		}
		refs[i] = brute.Ref{Thread: ev.Thread, Index: len(e.Threads[ev.Thread])}
		b := brute.Event{Kind: map[string]brute.EventKind{"R": brute.R, "W": brute.W, "F": brute.F}[ev.Kind], Loc: loc, Val: uint32(ev.Value.Int)}
		for m, set := range map[modes.Mode]string{modes.Acq: "ACQ", modes.Rel: "REL", modes.AcqRel: "ACQ_REL", modes.SC: "SC"} {
			if slices.Contains(ev.Sets, set) || set == "SC" && slices.Contains(ev.Sets, "V") {
				b.Mode = m
			}
		}
		e.Threads[ev.Thread] = append(e.Threads[ev.Thread], b)
		if x.Exec.Set("FW").Has(i) {
			e.Co[loc] = []brute.Ref{refs[i]}
		}
	}
	for w, r := range x.Exec.Rel("rf").Pairs() {
		ref := refs[r]
		e.Threads[ref.Thread][ref.Index].Src = refs[w]
	}
	return e.Key()
}

// TestJavaVariants runs psc-ar, which tells whether pushto extends what follows from po ∪ rf, or only the pairs themselves as in the authors'
// model: the outcome has 0 and 1 executions in the independent enumeration of jam21_semantics.tsv.
func TestJavaVariants(t *testing.T) {
	pscAr := parse(t, `Java psc-ar
{ x=0; y=0; z=0; 0:Y=y; 0:Z=z; 1:Z=z; 1:X=x; 2:X=x; 2:Y=y; }
Thread0 { int a = Y.getOpaque(); fullFence(); int b = Z.getOpaque(); }
Thread1 { Z.setOpaque(1); fullFence(); X.setOpaque(1); }
Thread2 { int d = X.getOpaque(); if (d == 1) { Y.setOpaque(1); } }
exists (0:a=1 /\ 0:b=0)
`)
	for _, test := range []struct {
		variants []string
		want     bool
	}{{nil, false}, {[]string{"c11"}, false}, {[]string{"direct"}, true}, {[]string{"c11", "direct"}, true}} {
		m := load(t, "jam21")
		m.UseVariants(test.variants)
		res, err := Run(pscAr, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Positive > 0; got != test.want {
			t.Errorf("psc-ar under jam21 %v: allowed %v, want %v", test.variants, got, test.want)
		}
	}
	m := load(t, "jam21")
	m.UseVariants([]string{"indirect"})
	if _, err := Run(pscAr, m, Options{}); err == nil || err.Error() != `model jam21 has no variant "indirect": it has c11, direct` {
		t.Errorf("a variant that there is not: %v", err)
	}
	kernel := parse(t, "C MP\n{}\nP0(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n")
	if _, err := Run(kernel, load(t, "jam21"), Options{}); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("the kernel's macros under jam21: %v", err)
	}
}

// TestJavaUpdates runs seven read-modify-writes of one location: 7! executions, one for each order of the threads.
func TestJavaUpdates(t *testing.T) {
	var b strings.Builder
	b.WriteString("Java updates\n{ x=0; ")
	for i := range 7 {
		fmt.Fprintf(&b, "%d:X=x; ", i)
	}
	b.WriteString("}\n")
	for i := range 7 {
		fmt.Fprintf(&b, "Thread%d { int r = X.getAndAdd(1); }\n", i)
	}
	b.WriteString("forall (x=7)\n")
	for _, name := range short.Every(3, []string{"jam21", "jam19", "jam21-thesis"}) {
		res, err := Run(parse(t, b.String()), load(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Executions() != 5040 || !res.Holds() {
			t.Errorf("%s: %d executions, want 5040; x=7 at the end of all: %v", name, res.Executions(), res.Holds())
		}
	}
}

// TestCASAmongWrites has a compare-and-exchange that must come first in coherence order, and so many writes that the orders outgrow
// their room while it is placed: after it come 3 and 4 in this order, 2 anywhere among them, and then 5.
func TestCASAmongWrites(t *testing.T) {
	test := parse(t, `Java CAS
{ x=0; 0:X=x; 1:X=x; 2:X=x; }
Thread0 { X.setOpaque(5); }
Thread1 { X.setOpaque(3); X.setOpaque(4); }
Thread2 { int r0 = X.compareAndExchange(0, 1); X.setOpaque(2); }
exists (2:r0=0 /\ x=5)
`)
	for _, name := range []string{"sc", "jam21-thesis"} {
		res, err := Run(test, load(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Positive != 3 {
			t.Errorf("%s: %d executions, want 3", name, res.Positive)
		}
	}
}
