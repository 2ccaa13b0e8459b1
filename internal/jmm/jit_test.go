package jmm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		{"a spilled value", []string{"mov    0xc(%rsi),%r11d", "mov    %r11d,0x8(%rsp)", "ret"}, "kept on the stack", false},
		{"another object", []string{"mov    0x18(%rdi),%r11d", "ret"}, "something else than the variables", false},
		{"another field", []string{"mov    0x18(%rsi),%r11d", "ret"}, "something else than the variables", false},
		{"the state escapes", []string{"mov    %rsi,0xc(%rsi)", "ret"}, "the state is stored", false},
		{"a register that held the state", []string{"mov    %rsi,%r10", "mov    0xc(%rsi),%r10d", "mov    %r10d,0xc(%r10)", "ret"}, "something else than the variables", false},
	} {
		out := head
		for i, line := range tc.code {
			out += "  0x00000000000000" + string("56"[i/10]) + string("0123456789"[i%10]) + ": " + line + "\n"
		}
		// The addresses are 50 to 59 and 60 to 65 in hexadecimal, so that je goes nowhere: it is dropped.
		code, err := liftAll(context.Background(), test, justify.Observed(test), out)
		switch {
		case !tc.ok && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: error %v, want %q\n%s", tc.name, err, tc.want, code)
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
