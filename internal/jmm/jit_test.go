package jmm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"
	"ravel/internal/short"
)

// needTools skips the test if a program is not on PATH.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s on PATH", name)
		}
	}
}

// TestJIT has the JVM compile tests and compares the machine code with models. What it shows of SB+rfis has been seen to happen (ravel jmm stress), and jam21 forbids it.
func TestJIT(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("jit reads the code of x86-64")
	}
	needTools(t, "java", "javac", "objdump")
	for _, test := range short.Every(4, []struct {
		file, model string
		sound       bool
		code        string // a part of it
	}{
		{"SB+rfis", "jam21", false, "movl (x),%"},
		{"SB+rfis", "jls04", true, ""},
		{"ctc6", "jls04", true, "jne L"},
		{"volatile-counter", "jls04", true, "lock xaddl"},
	}) {
		t.Run(test.file+" "+test.model, func(t *testing.T) {
			r, err := JIT(context.Background(), readTest(t, test.file), justify.Options{Model: test.model})
			if err != nil {
				t.Fatal(err)
			}
			if r.Sound != test.sound || !strings.Contains(r.Code, test.code) {
				t.Errorf("sound: %v, want %v; the code is to have %q\n%s", r.Sound, test.sound, test.code, r.Code)
			}
		})
	}
}

// TestJITMore has the JVM compile arrays, monitors and loops. The outcomes are those of the code as it is written, by the rules of x86: a store may be seen after a later read, and to leave a
// monitor may be a store. So the two monitors of SB+locks do not keep 0, 0 from being seen, which Java allows.
func TestJITMore(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("jit reads the code of x86-64")
	}
	needTools(t, "java", "javac", "objdump")
	for _, test := range short.Every(4, []struct {
		name, text, model string
		status            int
		states            string // or a part of the error
		code              string
	}{
		{
			"arrays", "{ x=0; int a[2]={1, 0}; 0:A=a; 0:X=x; 1:A=a; 1:X=x; }\n" +
				"Thread0 { A.setOpaque(1, 2); int r1 = X.getOpaque(); A.set(r1, 3); }\n" +
				"Thread1 { int r2 = A.getOpaque(1); X.setOpaque(1); int r3 = A.getAndAdd(1, 4); }\n" +
				"exists (0:r1=1 /\\ 1:r2=2 /\\ a[0]=1)", "jam21", 0,
			"0:r1=0; 1:r2=0; a[0]=3; 0:r1=0; 1:r2=2; a[0]=3; 0:r1=1; 1:r2=0; a[0]=1; 0:r1=1; 1:r2=2; a[0]=1;", "movl (a_length),%",
		},
		{
			"long arrays", "{ long a[2]={5, 6}; 0:A=a; 1:A=a; }\nThread0 { A.setVolatile(0, 1); long r1 = A.get(1); }\nThread1 { A.set(1, 2); long r2 = A.compareAndExchange(0, 5, 7); }\n" +
				"exists (0:r1=6 /\\ 1:r2=5)", "jam21", 0,
			"0:r1=2; 1:r2=1; 0:r1=2; 1:r2=5; 0:r1=6; 1:r2=1;", "lock cmpxchgq",
		},
		{
			"an index out of bounds", "{ x=0; int a[2]={0, 0}; 0:A=a; 0:X=x; 1:A=a; 1:X=x; }\nThread0 { int r1 = X.get(); A.set(r1, 1); }\nThread1 { X.set(2); }\nexists (0:r1=2)", "jls04", 2,
			"an execution comes to ", "",
		},
		{
			"a monitor", "{ x=0; y=0; 0:X=x; 0:Y=y; 1:X=x; 1:Y=y; }\nThread0 { synchronized (m) { X.set(1); Y.set(1); } }\nThread1 { int r1 = 0; int r2 = 0; synchronized (m) { r1 = Y.get(); r2 = X.get(); } }\n" +
				"exists (1:r1=1 /\\ 1:r2=0)", "jls04", 0,
			"1:r1=0; 1:r2=0; 1:r1=1; 1:r2=1;", "xchgl %eax,(m)",
		},
		{
			"SB+locks", "{ x=0; y=0; 0:X=x; 0:Y=y; 1:X=x; 1:Y=y; }\nThread0 { synchronized (m) { X.set(1); } int r1 = Y.get(); }\nThread1 { synchronized (n) { Y.set(1); } int r2 = X.get(); }\n" +
				"exists (0:r1=0 /\\ 1:r2=0)", "jls04", 0,
			"0:r1=0; 1:r2=0; 0:r1=0; 1:r2=1; 0:r1=1; 1:r2=0; 0:r1=1; 1:r2=1;", "movl $0,(n)",
		},
		{
			"two monitors", "{ x=0; 0:X=x; 1:X=x; }\nThread0 { synchronized (m) { synchronized (n) { X.set(1); } X.set(2); } }\nThread1 { int r1 = 0; synchronized (m) { r1 = X.get(); } }\nexists (1:r1=1)", "jls04", 0,
			"1:r1=0; 1:r1=2;", "movl $0,(n)",
		},
		{
			"a loop that waits", "{ x=0; f=0; 0:X=x; 0:F=f; 1:X=x; 1:F=f; }\nThread0 { X.set(1); F.setRelease(1); }\nThread1 { int r1 = 0; while (r1 == 0) { r1 = F.getAcquire(); } int r2 = X.get(); }\n" +
				"exists (1:r1=1 /\\ 1:r2=0)", "jam21", 3,
			"1:r1=1; 1:r2=1;", "je L1",
		},
		{
			"loops with a bound", "{ x=0; int a[2]={0, 0}; 0:X=x; 0:A=a; 1:X=x; 1:A=a; }\nThread0 { for (int i = 0; i < 2; i++) { A.setOpaque(i, 1); } X.setRelease(1); }\n" +
				"Thread1 { int r1 = X.getAcquire(); int r2 = 0; int j = 0; while (j < 2) { if (j == 1) { r2 = r2 + 4; } r2 = r2 + A.getOpaque(j); j = j + 1; } }\nexists (1:r1=1 /\\ 1:r2=4)", "jam21", 0,
			"1:r1=0; 1:r2=4; 1:r1=0; 1:r2=5; 1:r1=0; 1:r2=6; 1:r1=1; 1:r2=6;", "",
		},
	}) {
		t.Run(test.name, func(t *testing.T) {
			source, err := frontend.Parse(test.name, []byte("Java t\n"+test.text+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := JIT(context.Background(), source, justify.Options{Model: test.model, Unroll: 4})
			if test.status == 2 {
				if err == nil || !strings.Contains(err.Error(), test.states) {
					t.Errorf("error %v, want %q", err, test.states)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			for _, s := range r.States {
				states = append(states, s.State)
			}
			slices.Sort(states)
			if have := strings.Join(states, " "); r.Status() != test.status || have != test.states || !strings.Contains(r.Code, test.code) {
				t.Errorf("status %d, want %d\nhave %s\nwant %s, and %q in\n%s", r.Status(), test.status, have, test.states, test.code, r.Code)
			}
		})
	}
}

func readTest(t *testing.T, name string) *litmus.Test {
	t.Helper()
	if name == "volatile-counter" {
		test, err := frontend.Parse(name, []byte("Java counter\n{ x=0; 0:X=x; 1:X=x; }\nThread0 { int r1 = X.getAndAdd(1); }\nThread1 { int r2 = X.compareAndExchange(0, 5); }\nexists (0:r1=0 /\\ 1:r2=0)\n"))
		if err != nil {
			t.Fatal(err)
		}
		return test
	}
	file := filepath.Join("../../testdata/java", name+".litmus")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := frontend.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// TestLift lifts what the JVM prints if it has hsdis, and refuses what is more than accesses to the variables.
func TestLift(t *testing.T) {
	const head = "offset x 12\noffset o0 16\nCompiled method (c2)     392   95             Jit::run0 (36 bytes)\n"
	test, err := frontend.Parse("t", []byte("Java t\n{ x=0; 0:X=x; }\nThread0 { X.setVolatile(1); int r1 = X.get(); }\nexists (0:r1=0)\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		code []string
		want string // the lines, or a part of the message
		ok   bool
	}{
		{
			"a volatile write and a read",
			[]string{
				"mov    %eax,-0x14000(%rsp)", "push   %rbp", "sub    $0x10,%rsp", "test   %rsi,%rsi", "je     0x000000000000006a", "mov    %rsi,%r10",
				"movl   $0x1,0xc(%r10)         ;*invokevirtual setVolatile", "lock addl $0x0,-0x40(%rsp)", "mov    0xc(%r10),%r11d", "mov    %r11d,0x10(%rsi)",
				"add    $0x10,%rsp", "pop    %rbp", "cmp    0x340(%r15),%rsp", "ja     0x000000000000006a", "ret", "call   0x00007ff5e0000000",
			},
			"movl $1,(x)\nmfence\nmovl (x),%r11d\nmovl %r11d,(o0)\njmp E0\nE0:", true,
		},
		{"a call", []string{"call   0x00007ff5e0000000", "ret"}, "calls the runtime", false},
		{"a word of the stack of two sizes", []string{"mov    0xc(%rsi),%r11d", "mov    %r11d,0x8(%rsp)", "mov    0x8(%rsp),%r10", "ret"}, "two sizes", false},
		{
			"spilled values",
			[]string{"mov    0xc(%rsi),%r11d", "mov    %r11d,0x8(%rsp)", "mov    %rsi,(%rsp)", "mov    (%rsp),%rbx", "mov    0x8(%rsp),%ecx", "mov    %ecx,0x10(%rbx)", "ret"},
			"movl (x),%r11d\nmovl %r11d,(jit_s0_8)\nmovl (jit_s0_8),%ecx\nmovl %ecx,(o0)\njmp E0\nE0:", true,
		},
		{"another object", []string{"mov    0x18(%rdi),%r11d", "ret"}, "something else than the variables", false},
		{"another field", []string{"mov    0x18(%rsi),%r11d", "ret"}, "something else than the variables", false},
		{"the state escapes", []string{"mov    %rsi,0xc(%rsi)", "ret"}, "an address is stored", false},
		{"a register that held the state", []string{"mov    %rsi,%r10", "mov    0xc(%rsi),%r10d", "mov    %r10d,0xc(%r10)", "ret"}, "something else than the variables", false},
	} {
		out := head
		for i, line := range tc.code {
			out += "  0x00000000000000" + string("56"[i/10]) + string("0123456789"[i%10]) + ": " + line + "\n"
		}
		// The addresses are 50 to 59 and 60 to 65 in hexadecimal, so that je goes nowhere: it is dropped.
		code, traps, err := liftAll(context.Background(), test, justify.Observed(test), out)
		switch {
		case !tc.ok && (err != nil || len(traps) == 0 || !strings.Contains(traps[0], tc.want)):
			t.Errorf("%s: traps %q, %v, want %q\n%s", tc.name, traps, err, tc.want, code)
		case tc.ok && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.ok:
			var lines []string
			for line := range strings.Lines(code) {
				if s, ok := strings.CutSuffix(strings.TrimSpace(line), ";"); ok && strings.HasPrefix(line, " ") {
					lines = append(lines, strings.TrimSpace(s))
				}
			}
			if got := strings.Join(lines[1:], "\n"); got != tc.want {
				t.Errorf("%s: lifted to\n%s\nwant\n%s", tc.name, got, tc.want)
			}
		}
	}
}
