package jmm

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"
)

var jvm = flag.Bool("jvm", false, "run the test that looks for a weak outcome on this machine's JVM")

func load(t *testing.T, name string) *litmus.Test {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/java", name+".litmus"))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t *testing.T, text string) *litmus.Test {
	t.Helper()
	test, err := frontend.Parse("test.litmus", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// TestCompile has the programs for which jMT (TACAS'26, section 7) and Lahav and others (PLDI'17, section 4, remark 4)
// report that x86 shows what JAM21 forbids, and tests that its scheme is said to compile soundly. That x86 and
// AArch64 order no plain store with a later load to another place is in their manuals.
func TestCompile(t *testing.T) {
	for _, test := range []struct {
		name, target, model string
		forbidden           string // the outcomes that the target shows and the model forbids
	}{
		{"jmt-fig5", "x86", "jam21", "0:r1=2; 0:r2=0; 0:r3=0; 2:r4=1; 2:r5=2;"},
		{"SB+rfis", "x86", "jam21", "0:r1=1; 0:r2=0; 1:r3=1; 1:r4=0;"},
		{"ctc7", "x86", "jls04", ""},
		{"ctc16", "aarch64", "jls04", ""},
		{"IRIW-vol", "x86", "jls04", ""},
		{"IRIW-vol", "aarch64", "jls04", ""},
		{"IRIW-vol", "power", "jls04", ""},
		{"IRIW-vol", "riscv", "jls04", ""},
		{"PowerSCViolation", "power", "jls04", ""},
		{"PowerSCViolation", "riscv", "jls04", ""},
		{"FencedDekker", "aarch64", "jam21", ""},
		{"Fences-MP", "power", "jam21", ""},
		{"RMW02-both-fail", "power", "jam21", ""},
		{"RMW02-both-succeed", "riscv", "jam21", ""},
		{"rmw-09-gas-effects-4-gas-cas", "aarch64", "jam21", ""},
		{"rmw-09-gas-effects-4-gas-cas", "x86", "jam21", ""},
	} {
		t.Run(test.target+"/"+test.name, func(t *testing.T) {
			r, err := Compile(context.Background(), load(t, test.name), usual(test.target), justify.Options{Model: test.model})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range r.States {
				if !s.Allowed {
					got = append(got, s.State)
					if s.Witness == nil {
						t.Errorf("no witness of %s", s.State)
					}
				}
			}
			if strings.Join(got, "|") != test.forbidden {
				t.Errorf("forbidden %v, want %v\n%s", got, test.forbidden, r.Code)
			}
			if len(r.States) == 0 || r.Status() == 1 != (test.forbidden != "") {
				t.Errorf("status %d, %d states", r.Status(), len(r.States))
			}
		})
	}
}

// TestTranslate compares what methods become with tests in assembler, written by hand after the schemes: the same
// states under the model of the target.
func TestTranslate(t *testing.T) {
	states := func(text string, target string) []string {
		r, err := Compile(context.Background(), parse(t, text), usual(target), justify.Options{Model: "jam21"})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range r.States {
			out = append(out, s.State)
		}
		return out
	}
	// Two threads that write a place and read the other one: both read 0 unless something orders them.
	sb := func(write, read string) string {
		return `Java sb
{ x=0; y=0; 0:X=x; 0:Y=y; 1:X=x; 1:Y=y; }
Thread0 { ` + strings.ReplaceAll(write, "H", "X") + `; int r1 = ` + strings.ReplaceAll(read, "H", "Y") + `; }
Thread1 { ` + strings.ReplaceAll(write, "H", "Y") + `; int r2 = ` + strings.ReplaceAll(read, "H", "X") + `; }
exists (0:r1=0 /\ 1:r2=0)`
	}
	for _, test := range []struct {
		write, read string
		weak        []string // the targets where both may read 0
	}{
		{"H.set(1)", "H.get()", []string{"x86", "aarch64", "power", "riscv"}},
		{"H.setOpaque(1)", "H.getOpaque()", []string{"x86", "aarch64", "power", "riscv"}},
		{"H.setRelease(1)", "H.getAcquire()", []string{"x86", "power", "riscv"}}, // stlr; ldar is ordered
		{"H.setVolatile(1)", "H.getVolatile()", nil},
		{"H.setVolatile(1)", "H.get()", []string{"aarch64", "power", "riscv"}}, // only x86 has its fence after the write
		{"H.set(1); fullFence()", "H.get()", nil},
		{"H.set(1); acquireFence()", "H.get()", []string{"x86", "aarch64", "power", "riscv"}},
		{"H.set(1); releaseFence()", "H.get()", []string{"x86", "power", "riscv"}},
		{"H.set(1); storeStoreFence()", "H.get()", []string{"x86", "aarch64", "power", "riscv"}},
		{"H.set(1); loadLoadFence()", "H.get()", []string{"x86", "aarch64", "power", "riscv"}},
		{"int r = H.getAndSet(1)", "H.getVolatile()", nil},
		{"int r = H.getAndAdd(1)", "H.getVolatile()", nil},
		{"int r = H.compareAndExchange(0, 1)", "H.getVolatile()", nil},
	} {
		for _, target := range Targets() {
			want := slices.Contains(test.weak, target)
			if got := slices.Contains(states(sb(test.write, test.read), target), "0:r1=0; 1:r2=0;"); got != want {
				t.Errorf("%s: %s; %s: both read 0: %v, want %v", target, test.write, test.read, got, want)
			}
		}
	}
}

// TestMethods has what the documentation of VarHandle says of its methods: the final states of two threads that
// update one variable atomically.
func TestMethods(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"getAndSet(2)", "[x]=2;"},
		{"getAndSetAcquire(2)", "[x]=2;"},
		{"getAndSetRelease(2)", "[x]=2;"},
		{"getAndAdd(2)", "[x]=4;"},
		{"getAndAddAcquire(2)", "[x]=4;"},
		{"getAndAddRelease(2)", "[x]=4;"},
		{"getAndBitwiseOr(2)", "[x]=2;"},
		{"getAndBitwiseOrAcquire(2)", "[x]=2;"},
		{"getAndBitwiseOrRelease(2)", "[x]=2;"},
		{"getAndBitwiseXor(2)", "[x]=0;"},
		{"getAndBitwiseXorAcquire(2)", "[x]=0;"},
		{"getAndBitwiseXorRelease(2)", "[x]=0;"},
		{"getAndBitwiseAnd(2)", "[x]=0;"},
		{"getAndBitwiseAndAcquire(2)", "[x]=0;"},
		{"getAndBitwiseAndRelease(2)", "[x]=0;"},
		{"compareAndSet(0, 2)", "[x]=2;"},
		{"compareAndExchange(0, 2)", "[x]=2;"},
		{"compareAndExchangeAcquire(0, 2)", "[x]=2;"},
		{"compareAndExchangeRelease(0, 2)", "[x]=2;"},
	} {
		text := "Java m\n{ x=0; 0:X=x; 1:X=x; }\nThread0 { X." + test.code + "; }\nThread1 { X." + test.code + "; }\nexists (x=2)"
		for _, target := range Targets() {
			r, err := Compile(context.Background(), parse(t, text), usual(target), justify.Options{Model: "jam21"})
			if err != nil {
				t.Fatalf("%s: %v", test.code, err)
			}
			if len(r.States) != 1 || r.States[0].State != test.want {
				t.Errorf("%s: %s: %v, want %s", target, test.code, r.States, test.want)
			}
			if !r.Sound {
				t.Errorf("%s: %s is not sound", target, test.code)
			}
		}
	}
}

// TestWeak: weakCompareAndSet may fail without reason where there is an exclusive store; the model always lets it.
func TestWeak(t *testing.T) {
	for _, method := range []string{"weakCompareAndSet", "weakCompareAndSetPlain", "weakCompareAndSetAcquire", "weakCompareAndSetRelease"} {
		test := parse(t, "Java w\n{ x=0; 0:X=x; }\nThread0 { int r1 = X."+method+"(0, 1); }\nexists (0:r1=0)")
		for _, target := range Targets() {
			r, err := Compile(context.Background(), test, usual(target), justify.Options{Model: "jam21"})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{true: 2, false: 1}[!usual(target).Locked]; len(r.States) != want || !r.Sound {
				t.Errorf("%s on %s: %v", method, target, r.States)
			}
		}
	}
}

func needJDK(t *testing.T) {
	t.Helper()
	for _, name := range []string{"javac", "java"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

// TestStress runs a test whose outcomes are those of any order of two atomic updates, and one for each construct that
// the writer of Java knows: what the JVM shows must be allowed, by the specification.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	needJDK(t)
	for _, text := range []string{
		"Java updates\n{ x=0; 0:X=x; 1:X=x; }\nThread0 { int r1 = X.getAndAdd(1); }\nThread1 { int r2 = X.getAndAdd(1); }\nexists (0:r1=0 /\\ 1:r2=1 /\\ x=2)",
		`Java constructs
{ x=0; int64_t y=5; int a[2]={7, 8}; 0:X=x; 0:A=a; 0:Y=y; 1:X=x; 1:Y=y; }
Thread0 {
  int r1 = X.get();
  if (r1 == 0 && r1 >= 0) { A.set(r1 + 1, 3); } else { if (r1 > 5) { A.set(0, -1); } else { A.set(0, r1 * 2 - 1); } }
  long r2 = Y.getVolatile();
  synchronized (m) { X.setVolatile(4); if (r2 == 5) { X.set(5); } }
  boolean ok = X.compareAndSet(5, 6);
  int r3 = ok ? 1 : 2;
}
Thread1 {
  synchronized (m) { Y.setVolatile(1234567890123); }
  int r4 = X.compareAndExchange(4, 9);
  VarHandle.fullFence();
  int r5 = ~r4 ^ (r4 << 2) | (r4 >> 1);
}
exists (0:r1=0)`,
	} {
		test := parse(t, text)
		code, err := Harness(test)
		if err != nil {
			t.Fatal(err)
		}
		opts := justify.Options{Model: "jls04"}
		if strings.Contains(text, "fullFence") { // of which the specification says nothing: all that is consistent
			test = parse(t, strings.ReplaceAll(text, "  VarHandle.fullFence();\n", ""))
		}
		r, err := Stress(context.Background(), test, opts, 0.5)
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
		if r.Status() != 0 || r.Samples == 0 {
			t.Errorf("%+v", r)
		}
	}
}

// TestJVM looks for what jMT reports, on x86: SB+rfis shows 1, 0, 1, 0, which JAM21 forbids. What a JVM shows is up to chance
// and to the machine, so the test wants -jvm.
func TestJVM(t *testing.T) {
	if !*jvm {
		t.Skip("without -jvm")
	}
	needJDK(t)
	r, err := Stress(context.Background(), load(t, "SB+rfis"), justify.Options{Model: "jam21"}, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		if o.State == "0:r1=1; 0:r2=0; 1:r3=1; 1:r4=0;" && o.Seen > 0 && !o.Allowed && r.Status() == 1 {
			t.Logf("%d of %d", o.Seen, r.Samples)
			return
		}
	}
	t.Errorf("1, 0, 1, 0 was not seen: %+v", r)
}

// TestJCStress: the class has the outcomes of the model, and compiles up to the library, which is not here.
func TestJCStress(t *testing.T) {
	a, err := justify.Analyse(load(t, "SB+rfis"), justify.Options{Model: "jam21"})
	if err != nil {
		t.Fatal(err)
	}
	code, err := JCStress(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`@Outcome(id = "1, 0, 1, 1", expect = Expect.ACCEPTABLE`, "@Outcome(expect = Expect.FORBIDDEN", "IIII_Result r", "public class SB_rfis", "r.r4 = r4;",
	} {
		if !strings.Contains(code, want) {
			t.Errorf("no %s in\n%s", want, code)
		}
	}
	if strings.Contains(code, `id = "1, 0, 1, 0"`) {
		t.Errorf("jam21 forbids 1, 0, 1, 0:\n%s", code)
	}
}

func TestErrors(t *testing.T) {
	compile := func(text string) error {
		_, err := Compile(context.Background(), parse(t, text), usual("x86"), justify.Options{Model: "jls04"})
		return err
	}
	stress := func(text string) error { _, err := Harness(parse(t, text)); return err }
	jit := func(text string) error { _, err := jitProgram(parse(t, text), nil); return err }
	check := func(text string) error { _, err := Check(parse(t, text), justify.Options{}); return err }
	for _, test := range []struct {
		run        func(string) error
		text, want string
	}{
		{compile, "Java a\n{ }\nThread0 { synchronized (m) { } }", "3:11: compile does not do this: synchronized (m)"},
		{stress, "Java a\n{ x=0; 0:X=x; }\nThread0 {\n  do { int r = X.get(); } while (r == 0);\n}", "4:27: stress does not do loops"},
		{stress, "Java a\n{ }\nThread0 {\n  synchronized (m) { m.wait(); }\n}", "4:22: stress does not do wait"},
		{stress, "Java a\n{ x=0; 0:X=x; }\nThread0 { X.setFinal(1); }", "3:11: stress does not do final fields: X.setFinal(1)"},
		{compile, "Java a\n{ }\nThread0 { freeze(); }", "3:11: compile does not do final fields: freeze()"},
		{jit, "Java a\n{ }\nThread0 {\n  synchronized (m) { m.wait(); }\n}", "4:22: jit does not do wait"},
		{jit, "Java a\n{ }\nThread0 { print(1); }", "3:11: jit does not do this: print(1)"},
		{stress, "Java a\n{ }\nThread0 { print(1); }", "3:11: stress does not do this: print(1)"},
		{check, "Java a\n{ x=0; 0:X=x; }\nThread0 { while (X.get() == 0) { } }", "this loop has no bound: say how often it may go round with --unroll N"},
		{check, "Java a\n{ x=0; 0:X=x; }\nThread0 { int r = X.getOpaque(); }", "3:19: model jls04 says nothing of opaque accesses (jam21 does): X.getOpaque()"},
		{check, "Java a\n{ x=0; 0:X=x; }\nThread0 { int r = X.get(); r = 1 / r; }", "not supported: a division by r, which may be 0"},
		{check, "C a\n{ }\nP0(int *x) { *x = 1; }", "this is a test in C; jmm is about Java"},
	} {
		if err := test.run(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

// TestFinalFields has what section 17.5 says of final fields: its first example; a chain of dereferences from a
// final reference; a reference that gets out before the constructor ends; one that is passed on by another
// thread; one that a condition chooses; a field that is read without a reference from after the freeze.
func TestFinalFields(t *testing.T) {
	for _, test := range []struct {
		name, threads string
	}{
		{"example 17.5-1", `
Thread0 { X.setFinal(3); Y.set(4); freeze(); F.set(1); }
Thread1 { int r1 = F.get(); int r2 = X.get(r1); int r3 = Y.get(r1); }
required (1:r1=1 /\ 1:r2=3 /\ 1:r3=0)
required (1:r1=1 /\ 1:r2=3 /\ 1:r3=4)
forbidden (1:r1=1 /\ 1:r2=0)`},
		{"what a final field refers to", `
Thread0 { Y.set(4); X.setFinal(1); freeze(); F.set(1); }
Thread1 { int r1 = F.get(); int r2 = X.get(r1); int r3 = Y.get(r2); }
required (1:r1=1 /\ 1:r2=1 /\ 1:r3=4)
forbidden (1:r1=1 /\ 1:r2=0)
forbidden (1:r2=1 /\ 1:r3=0)`},
		{"the reference escapes", `
Thread0 { X.setFinal(3); F.set(1); freeze(); }
Thread1 { int r1 = F.get(); int r2 = X.get(r1); }
required (1:r1=1 /\ 1:r2=0)
required (1:r1=1 /\ 1:r2=3)`},
		{"passed on", `
Thread0 { X.setFinal(3); freeze(); F.set(1); }
Thread1 { int r1 = F.get(); Y.set(r1); }
Thread2 { int r2 = Y.get(); int r3 = X.get(r2); }
required (2:r2=1 /\ 2:r3=3)
forbidden (2:r2=1 /\ 2:r3=0)`},
		{"one of two references", `
Thread0 { X.setFinal(3); freeze(); F.set(1); }
Thread1 { int r1 = F.get(); int r2 = r1 == 1 ? r1 : 0; int r3 = X.get(r2); }
Thread2 { int r4 = F.get(); Y.set(r4 > 0 ? r4 : 2); int r5 = Y.get(); int r6 = X.get(r5); }
required (1:r1=1 /\ 1:r3=3)
forbidden (1:r1=1 /\ 1:r3=0)
forbidden (2:r4=1 /\ 2:r6=0)
required (2:r4=0 /\ 2:r5=2 /\ 2:r6=0)`},
		{"not by the reference", `
Thread0 { X.setFinal(3); freeze(); F.set(1); }
Thread1 { int r1 = F.get(); int r2 = X.get(); }
required (1:r1=1 /\ 1:r2=0)`},
		{"written after the freeze", `
Thread0 { X.setFinal(3); freeze(); Y.set(4); F.set(1); }
Thread1 { int r1 = F.get(); int r2 = X.get(r1); int r3 = Y.get(r1); }
required (1:r1=1 /\ 1:r2=3 /\ 1:r3=0)`},
	} {
		var init strings.Builder
		for thread := range strings.Count(test.threads, "Thread") {
			fmt.Fprintf(&init, " %d:X=x; %d:Y=y; %d:F=f;", thread, thread, thread)
		}
		text := "Java finals\n{ x=0; y=0; f=0;" + init.String() + " }" + test.threads
		for _, rules := range []justify.Rules{justify.JLS, justify.AspinallSevcik} {
			r, err := Check(parse(t, text), justify.Options{Rules: rules})
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			if r.Status() != 0 {
				t.Errorf("%s, rules %s: %+v %+v", test.name, rules, r.Required, r.Forbidden)
			}
		}
	}
}
