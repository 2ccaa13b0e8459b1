package enumerate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/cat"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
)

func parse(t testing.TB, text string) *litmus.Test {
	t.Helper()
	test, err := frontend.Parse("test.litmus", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func load(t testing.TB, name string) *Model {
	t.Helper()
	m, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func run(t testing.TB, text, model string, o Options) *Result {
	t.Helper()
	res, err := Run(parse(t, text), load(t, model), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// summary is the states of a result with their numbers of executions.
func summary(r *Result) string {
	var b strings.Builder
	for _, s := range r.States {
		fmt.Fprintf(&b, "%v×%d ", s.Values, s.Executions)
	}
	return strings.TrimSpace(b.String())
}

// TestPruning compares the search, which asks the model after every choice and counts writes that may change
// places together, with generating all candidates and testing each, on our corpus.
func TestPruning(t *testing.T) {
	files, err := frontend.Files("../../testdata/litmus")
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]*Model{}
	others := map[litmus.Arch][]string{litmus.C: {"c11", "imm", "ra", "tso"}, litmus.Java: {"jam19"}, litmus.AArch64: {"sc"}, litmus.X86: {"pso"}}
	ran := 0
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		test, err := frontend.Parse(file, text)
		if err != nil || test.Arch == litmus.LISA {
			continue
		}
		names := others[test.Arch]
		if i%3 != 0 || Default(test) == "lkmm" {
			names = nil
		}
		for _, name := range append([]string{Default(test)}, names...) {
			if models[name] == nil {
				models[name] = load(t, name)
			}
			if comparePruned(t, test, models[name]) {
				ran++
			}
		}
	}
	if ran < 500 {
		t.Errorf("only %d tests compared", ran)
	}
	t.Logf("%d tests compared", ran)
}

// comparePruned reports whether a test has few enough candidates to be compared.
func comparePruned(t *testing.T, test *litmus.Test, m *Model) bool {
	t.Helper()
	candidates := 0
	all, err := Run(test, m, Options{OnRejected: func(*Execution) bool {
		candidates++
		return candidates < 500
	}})
	if err != nil {
		if !strings.Contains(err.Error(), "not supported") {
			t.Errorf("%s under %s: %v", test.File, m.Name, err)
		}
		return false
	}
	if all.Stopped {
		return false
	}
	pruned, err := Run(test, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := summary(all), summary(pruned); a != b || !slices.Equal(all.Flags, pruned.Flags) || all.Undefined != pruned.Undefined {
		t.Errorf("%s under %s: all candidates: %s %v; pruned: %s %v", test.File, m.Name, a, all.Flags, b, pruned.Flags)
	}
	return true
}

// writers is a test with n threads that each write a number to x.
func writers(n int, more string) string {
	var b strings.Builder
	b.WriteString("C writers\n{}\n")
	for i := range n {
		fmt.Fprintf(&b, "P%d(atomic_int *x) { atomic_store_explicit(x, %d, memory_order_relaxed); }\n", i, i+1)
	}
	return b.String() + more + "\nexists (x=1)\n"
}

// TestTwins counts coherence orders: n writers have n!, and each is last in (n-1)! of them. A reader
// tells the writer it reads from apart from the others, which does not change the numbers.
func TestTwins(t *testing.T) {
	factorial := 1
	for n := 1; n <= 15; n++ {
		r := run(t, writers(n, ""), "rc11", Options{})
		if r.Positive != factorial || r.Negative != factorial*(n-1) || len(r.States) != n {
			t.Errorf("%d writers: %d and %d executions, %d states; want %d and %d", n, r.Positive, r.Negative, len(r.States), factorial, factorial*(n-1))
		}
		factorial *= n
	}
	reader := "P9(atomic_int *x) { int r = atomic_load_explicit(x, memory_order_relaxed); int s = atomic_load_explicit(x, memory_order_relaxed); }"
	for n := 1; n <= 5; n++ {
		fast := run(t, writers(n, reader), "rc11", Options{})
		slow := run(t, writers(n, reader), "rc11", Options{OnExecution: func(*Execution) bool { return true }})
		if a, b := summary(fast), summary(slow); a != b {
			t.Errorf("%d writers and a reader: %s, one by one %s", n, a, b)
		}
	}
}

const lb = `C LB
{}
P0(atomic_int *x, atomic_int *y) {
  int r = atomic_load_explicit(x, memory_order_relaxed);
  %s
}
P1(atomic_int *x, atomic_int *y) {
  int s = atomic_load_explicit(y, memory_order_relaxed);
  %s
}
exists (0:r=42 /\ 1:s=42)
`

// TestThinAir checks values that depend on themselves. c11 allows them (Boehm and Demsky, "Outlawing
// ghosts", MSPC'14, figure 2: r = x; y = r || s = y; x = s may give 42), rc11 forbids po ∪ rf cycles.
func TestThinAir(t *testing.T) {
	pass := func(to, from string) string {
		return fmt.Sprintf("atomic_store_explicit(%s, %s, memory_order_relaxed);", to, from)
	}
	for _, test := range []struct {
		name, first, second string
		holds, decided      bool
	}{
		{"copies", pass("y", "r"), pass("x", "s"), true, true},
		{"tests", "if (r == 42) { " + pass("y", "42") + " }", "if (s == 42) { " + pass("x", "42") + " }", true, true},
		{"one test", pass("y", "r"), "if (s == 42) { " + pass("x", "42") + " }", true, true},
		{"no solution is named", pass("y", "r + 1"), pass("x", "s"), false, false},
		{"a solution is named", pass("y", "84 - r"), pass("x", "s"), true, true},
		{"false dependencies have values", pass("y", "r * 0 + 42"), pass("x", "s"), true, true},
	} {
		text := fmt.Sprintf(lb, test.first, test.second)
		r := run(t, text, "c11", Options{})
		if r.Holds() != test.holds || r.Decided() != test.decided {
			t.Errorf("%s under c11: holds %v, decided %v; %s", test.name, r.Holds(), r.Decided(), summary(r))
		}
		if r := run(t, text, "rc11", Options{}); r.Positive > 0 || !r.Decided() || r.ThinAir > 0 {
			t.Errorf("%s under rc11: %s", test.name, summary(r))
		}
	}
}

// TestLoops checks that a loop that is cut leaves the verdict open unless a witness is there.
func TestLoops(t *testing.T) {
	const text = `C loop
{}
P0(atomic_int *x) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
P1(atomic_int *x) {
  int n = 0;
  while (atomic_load_explicit(x, memory_order_relaxed) == 0) { n = n + 1; }
}
exists (1:n=%d)
`
	for _, test := range []struct {
		n               int
		holds, decided  bool
		unroll, results int
	}{{2, true, true, 0, 3}, {3, false, false, 0, 3}, {3, true, true, 5, 6}} {
		r := run(t, fmt.Sprintf(text, test.n), "rc11", Options{Unroll: test.unroll})
		if r.Holds() != test.holds || r.Decided() != test.decided || len(r.States) != test.results || !r.Bounded {
			t.Errorf("n=%d: holds %v, decided %v, %s", test.n, r.Holds(), r.Decided(), summary(r))
		}
	}
}

// TestErrors checks that what cannot be run is refused with its place.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, model, want string }{
		{"AArch64 a\n{ 0:X1=3; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=0)\n", "armv8", "test.litmus:4:2: this accesses 3, which is no variable"},
		{"PPC m\n{ uint64_t x; 0:r1=x; 1:r1=x; }\n P0 | P1 ;\n lwz r2,0(r1) | std r1,0(r1) ;\nexists (0:r2=0)\n", "power", "accesses of different sizes"},
		{"AArch64 a\n{ 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=0)\n", "rc11", "model rc11 does not fit AArch64 tests"},
		{"C a\n{}\nP0(int *x) {\n  int r0 = READ_ONCE(*x);\n}\nexists (0:r0=0)\n", "armv8", "test.litmus:4:12: not supported: the kernel's macros on a processor"},
		{"PPC a\n{}\n P0 ;\n sync ;\nexists (0:r0=0)\n", "armv8", "model armv8 does not fit PPC tests: it is about the instructions of AArch64"},
	} {
		_, err := Run(parse(t, test.text), load(t, test.model), Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
}

// TestStop checks that a run ends when its context does, and says so.
func TestStop(t *testing.T) {
	var b strings.Builder
	b.WriteString("C busy\n{}\n")
	for i := range 9 {
		fmt.Fprintf(&b, "P%d(atomic_int *x) { int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }\n", i)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	r := run(t, b.String()+"forall (x=9)\n", "rc11", Options{Ctx: ctx})
	if !r.Stopped || r.Decided() {
		t.Errorf("stopped %v, decided %v", r.Stopped, r.Decided())
	}
}

// TestStopInside checks that a run ends when its context does while the model is evaluated: this one would walk all orders of 18 events, for days.
func TestStopInside(t *testing.T) {
	m, err := cat.LoadText("slow.cat", `"slow" with o from linearisations(M, po) acyclic o | rf`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("C busy\n{}\n")
	for i := range 9 {
		fmt.Fprintf(&b, "P%d(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); atomic_store_explicit(x, 2, memory_order_relaxed); }\n", i)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	r, err := Run(parse(t, b.String()+"forall (x=2)\n"), New("slow", m, nil), Options{Ctx: ctx})
	if err != nil || !r.Stopped {
		t.Fatalf("%v, %v", r, err)
	}
}

// TestSystemVariants checks that variants that need what we do not have are refused.
func TestSystemVariants(t *testing.T) {
	m, err := cat.LoadText("vm.cat", `"vm" let PTE = if "vmsa" then PTE else emptyset empty PTE`)
	if err != nil {
		t.Fatal(err)
	}
	for variant, want := range map[string]string{"vmsa": "virtual memory", "mixed": "", "other": "no variant"} {
		model := New("vm", m, nil)
		model.UseVariants([]string{variant})
		_, err := Run(parse(t, "AArch64 t\n{}\nP0 ;\nNOP ;\nforall (true)\n"), model, Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", variant, err)
		}
	}
}

// TestProcessorModel runs a test in C under models that name instructions: each is compiled for the processor whose they are.
func TestProcessorModel(t *testing.T) {
	sb := "C SB\n{}\nP0(atomic_int *x, atomic_int *y) { atomic_store_explicit(x, 1, memory_order_relaxed); atomic_thread_fence(memory_order_%[1]s); int r0 = atomic_load_explicit(y, memory_order_relaxed); }\n" +
		"P1(atomic_int *x, atomic_int *y) { atomic_store_explicit(y, 1, memory_order_relaxed); atomic_thread_fence(memory_order_%[1]s); int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (0:r0=0 /\\ 1:r0=0)\n"
	for _, fence := range []string{"DMB.SY", "SYNC", "Fence.rw.rw"} {
		m, err := cat.LoadText("own.cat", `"own" include "cos.cat" acyclic po-loc | rf | co | fr acyclic po; [`+fence+`]; po | rf | co | fr`)
		if err != nil {
			t.Fatal(err)
		}
		for order, want := range map[string]string{"seq_cst": "Never", "acquire": "Sometimes"} {
			res, err := Run(parse(t, fmt.Sprintf(sb, order)), New("own", m, nil), Options{})
			if err != nil || res.Observation() != want {
				t.Errorf("%s, %s: %v, %v", fence, order, res, err)
			}
		}
	}
}

// TestLightFences runs a test in C under a model that names no full fence: LWSYNC and ISYNC are Power's, so a release store comes after an lwsync
// and an acquire load before a branch and an isync.
func TestLightFences(t *testing.T) {
	m, err := cat.LoadText("own.cat", `"own" include "cos.cat" acyclic po-loc | rf | co | fr
let light = po; [LWSYNC]; po
let acquire = ctrl & (po; [ISYNC]); po
acyclic light | acquire | rfe | fre | co`)
	if err != nil {
		t.Fatal(err)
	}
	mp := "C MP\n{}\nP0(atomic_int *x, atomic_int *y) { atomic_store_explicit(x, 1, memory_order_relaxed); atomic_store_explicit(y, 1, memory_order_%s); }\n" +
		"P1(atomic_int *x, atomic_int *y) { int r0 = atomic_load_explicit(y, memory_order_%s); int r1 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (1:r0=1 /\\ 1:r1=0)\n"
	for orders, want := range map[[2]string]string{{"release", "acquire"}: "Never", {"relaxed", "acquire"}: "Sometimes", {"release", "relaxed"}: "Sometimes"} {
		res, err := Run(parse(t, fmt.Sprintf(mp, orders[0], orders[1])), New("own", m, nil), Options{})
		if err != nil || res.Observation() != want {
			t.Errorf("%s: %v, %v", orders, res, err)
		}
	}
}

// TestPointerInMemory has a pointer that goes through memory: nothing in C is taken apart because of it. By coherence and the kernel's dependencies, what it
// points to was written before.
func TestPointerInMemory(t *testing.T) {
	text := "C p\n{ int *x = &a; }\nP0(int **x, int *b) { *b = 1; smp_store_release(x, b); }\n" +
		"P1(int **x, int **tmp) { int *r1; int *r2; int r3; r1 = READ_ONCE(*x); *tmp = r1; r2 = *tmp; r3 = *r2; }\nexists (1:r1=b /\\ 1:r3=0)\n"
	res, err := Run(parse(t, text), load(t, "lkmm"), Options{})
	if err != nil || res.Observation() != "Never" || res.Executions() != 2 {
		t.Errorf("%v, %v", res, err)
	}
}

// TestDartagnan has what models of Dartagnan take for granted: fr and its like without cos.cat, comments as in C, names of the heap, and herd's filters.
func TestDartagnan(t *testing.T) {
	m, err := cat.LoadText("own.cat", `own
/* the locked accesses are A */
include "x86fences.cat"
include "filters.cat"
// no cos.cat
acyclic po-loc | rf | co | fr
empty rmw & (fre; coe)
let implied = MA(WR(po)) | AM(WR(po))
acyclic mfence | implied | WW(po) | RM(po) | rfe | fr | co as tso
flag ~empty (allocptr & (ALLOC * FREE)) as heap`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n":                              "Sometimes",
		"X86 SB+xchgs\n{ 0:EBX=1; 1:EBX=1; }\n P0 | P1 ;\n XCHG [x],EBX | XCHG [y],EBX ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n": "Never",
	} {
		res, err := Run(parse(t, text), New("own", m, nil), Options{})
		if err != nil || res.Observation() != want {
			t.Errorf("%s: %v, %v", text, res, err)
		}
	}
}

// TestOwnModel runs a model given as text, one that needs nothing but rf.
func TestOwnModel(t *testing.T) {
	m, err := cat.LoadText("own.cat", `"own" acyclic po | rf as porf`)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(lb, "atomic_store_explicit(y, 42, memory_order_relaxed);", "atomic_store_explicit(x, 42, memory_order_relaxed);")
	r, err := Run(parse(t, text), New("own", m, nil), Options{})
	if err != nil || r.Positive != 0 || r.Executions() != 3 {
		t.Errorf("%v, %v", r, err)
	}
}

// TestScopes checks the relations of a scope tree: a fence of a scope that both threads share orders, one of a scope that
// they do not share does not.
func TestScopes(t *testing.T) {
	bell, err := cat.LoadText("scoped.bell", "\"scoped\"\nenum scopes = 'cta || 'gpu\nenum fences = 'fcta || 'fgpu\ninstructions F[{'fcta,'fgpu}]\n")
	if err != nil {
		t.Fatal(err)
	}
	own, err := cat.LoadText("own.cat", `"own"
include "cos.cat"
acyclic po-loc | rf | co | fr as coherence
acyclic po; [Fcta]; po | (rf | fr | co) & cta as cta
acyclic po; [Fgpu]; po | (rf | fr | co) & gpu as gpu
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		fence string
		holds bool
	}{{"fcta", true}, {"fgpu", false}} {
		text := fmt.Sprintf(`LISA sb
{ x=0; y=0; }
 P0 | P1 ;
 w[] x 1 | w[] y 1 ;
 f[%s] | f[%s] ;
 r[] r1 y | r[] r2 x ;
scopes: (gpu (cta P0) (cta P1))
exists (0:r1=0 /\ 1:r2=0)
`, test.fence, test.fence)
		r, err := Run(parse(t, text), New("own", own, bell), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Holds() != test.holds {
			t.Errorf("%s: %s", test.fence, summary(r))
		}
	}
}

// TestOpen has load buffering in which a value depends on itself. The RISC-V manual orders data dependencies (ppo, rule 10), so
// no value is possible, whatever is computed. A model without such an order is not decided if something is.
func TestOpen(t *testing.T) {
	const (
		head  = "RISCV LB\n{ 0:x5=x; 0:x6=y; 1:x5=y; 1:x6=x; }\nP0 | P1 ;\nlw x7,0(x5) | lw x7,0(x5) ;\n"
		copy  = head + "sw x7,0(x6) | sw x7,0(x6) ;\nexists (0:x7=1)"
		other = head + "addw x7,x7,x7 | sw x7,0(x6) ;\nsw x7,0(x6) | ;\nexists (0:x7=2)"
	)
	none := filepath.Join(t.TempDir(), "none.cat")
	if err := os.WriteFile(none, []byte("\"no order\"\ninclude \"cos.cat\"\nacyclic (po-loc | co | rf | fr) as coherence\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text, model string
		open        bool
		executions  int
	}{
		{copy, "riscv", false, 3},
		{other, "riscv", false, 3},
		{copy, none, false, 7}, // also 0, 1 and the addresses out of thin air
		{other, none, true, 4}, // also 0; 2^31 is not tried
	} {
		res := run(t, test.text, test.model, Options{})
		if got := res.Executions(); res.Open != test.open || got != test.executions {
			t.Errorf("%s under %s: %d executions, open is %t, want %d and %t", test.text, test.model, got, res.Open, test.executions, test.open)
		}
	}
}
