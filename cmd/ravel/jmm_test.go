package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const javaTests = "../../testdata/java/"

func TestJMM(t *testing.T) {
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"check " + javaTests + "ctc1.litmus", 0, "Observation ctc1 Sometimes"},
		{"check --rules hb " + javaTests + "ctc4.litmus", 1, "Forbidden 0:r1=1 /\\ 1:r2=1: allowed, NOT forbidden"},
		{"check --explain " + javaTests + "LbOdd.litmus", 0, "Stage 1 commits Thread0: y = 1"},
		{"check --identity free " + javaTests + "ctc17.litmus", 1, "allowed, NOT forbidden"}, // the file says what the default answers
		{"check --unroll 2 " + javaTests + "ctc14.litmus", 3, "not decided"},
		{"check --model jam21 " + javaTests + "IRIW-volw-acq.litmus", 0, "Model jam21, rules hb"},
		{"compile --model jam21 " + javaTests + "jmt-fig5.litmus", 1, "FORBIDDEN  0:r1=2; 0:r2=0; 0:r3=0; 2:r4=1; 2:r5=2;"},
		{"compile --target power --code " + javaTests + "IRIW-vol.litmus", 0, "sync"},
	} {
		status, out, errs := runRavel(t, append([]string{"jmm"}, strings.Fields(test.args)...)...)
		if status != test.status || !strings.Contains(out, test.want) {
			t.Errorf("jmm %s: status %d\n%s%s", test.args, status, out, errs)
		}
	}
}

// TestJMMEmit compiles tests for each target, writes them in herd's format and has ravel litmus read them: it finds as many outcomes, and the condition is true of one of them
// if it is one that compile shows.
func TestJMMEmit(t *testing.T) {
	dir := t.TempDir()
	for _, target := range []string{"x86", "aarch64", "power", "riscv"} {
		for name, seen := range map[string]map[string]bool{ // by the manuals of the processors: load buffering and IRIW with plain instructions, and so on
			"SB+rfis":      {"x86": true, "aarch64": true},
			"LB-opq":       {"aarch64": true, "power": true, "riscv": true},
			"FencedDekker": {}, "IRIW-vol": {}, "Fences-MP": {}, "WRC-ra": {}, "PowerSCViolation": {},
			"RMW02-both-succeed": {}, "mca-fully-fenced": {}, "causality-relacq-10": {},
			"causality-plain-11": {"x86": true, "aarch64": true, "power": true, "riscv": true},
		} {
			source := javaTests + name + ".litmus"
			status, code, errs := runRavel(t, "jmm", "compile", "--target", target, "--emit", "litmus", source)
			if status != 0 {
				t.Errorf("%s for %s: status %d, %s", name, target, status, errs)
				continue
			}
			file := filepath.Join(dir, name+"-"+target+".litmus")
			if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			_, compiled, _ := runRavel(t, "jmm", "compile", "--target", target, "--model", "jam21", source)
			states := strings.Count(compiled, "  allowed    ") + strings.Count(compiled, "  FORBIDDEN  ")
			_, out, errs := runRavel(t, "litmus", file)
			if !strings.Contains(out, fmt.Sprintf("States %d\n", states)) || strings.Contains(out, " Never ") == seen[target] {
				t.Errorf("%s for %s: want %d states, and the condition to be true of one: %v\n%s%s\n%s", name, target, states, seen[target], out, errs, code)
			}
		}
	}
}

// TestJMMScheme writes a scheme by docs/jmm.md, in which volatile reads have no full fence: store buffering shows that. With a full fence after volatile writes it is right.
func TestJMMScheme(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.scheme")
	for text, want := range map[string]struct {
		status int
		out    []string
	}{
		"target = aarch64\ntitle = barriers\ngetVolatile = ldr; dmb ishld\nsetVolatile = dmb ish; str\n": {
			1, []string{"Java SB+", "X.setVolatile(1);", "FORBIDDEN  0:r0=0; 1:r0=0;", "Scheme mine: NOT SOUND"},
		},
		"target = aarch64\n# a full barrier on both sides\ngetVolatile = ldr; dmb ishld\nsetVolatile = dmb ish; str; dmb ish\n": {
			0, []string{"Scheme mine: nothing that jam21 forbids in 27 tests"},
		},
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, errs := runRavel(t, "jmm", "compile", "--scheme", file, "--model", "jam21", "--search", "4")
		for _, part := range want.out {
			if status != want.status || !strings.Contains(out, part) {
				t.Errorf("%s\nstatus %d, want %d and %q:\n%s%s", text, status, want.status, part, out, errs)
			}
		}
		status, out, errs = runRavel(t, "jmm", "compile", "--scheme", file, "--model", "jam21", "--code", javaTests+"IRIW-vol.litmus")
		if !strings.Contains(out, "ldr") || strings.Contains(out, "ldar") {
			t.Errorf("status %d, %s%s", status, out, errs)
		}
	}
}

func TestJMMErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	method := write("method.litmus", "Java m\n{ x=0; 0:X=x; }\nThread0 { int r = X.getLazily(); }\nexists (0:r=0)\n")
	loop := write("loop.litmus", "Java l\n{ x=0; 0:X=x; }\nThread0 {\n  while (X.get() == 0) { }\n}\n")
	good := javaTests + "ctc1.litmus"
	for _, test := range []struct {
		args []string
		path string // "": as it is
		want string
	}{
		{[]string{"check", method}, "", "method.litmus:3:21: VarHandle has no method \"getLazily\""},
		{[]string{"check", loop}, "", "loop.litmus:4:9: this loop has no bound: say how often it may go round with --unroll N"},
		{[]string{"check", "--solver", "no-such-solver", good}, "", "cannot find the solver"},
		{[]string{"check", "--rules", "jsl", good}, "", "--rules"},
		{[]string{"check", "--model", "jam20", good}, "", "unknown memory model \"jam20\""},
		{[]string{"check", "--rules", "jls", "--model", "jam21", good}, "", "does not define so, sw and hb"},
		{[]string{"check", filepath.Join(dir, "none.litmus")}, "", "no such file"},
		{[]string{"compile", "--target", "z80", good}, "", "--target"},
		{[]string{"stress", good}, dir, "cannot find javac on PATH: stress needs a JDK"},
		{[]string{"jit", good}, dir, "cannot find javac on PATH: jit needs a JDK, 17"},
		{[]string{"chekc", good}, "", "unknown command"},
	} {
		if test.path != "" {
			t.Setenv("PATH", test.path)
		}
		status, _, errs := runRavel(t, append([]string{"jmm"}, test.args...)...)
		if status != 2 || !strings.Contains(errs, test.want) {
			t.Errorf("jmm %v: status %d, %s", test.args, status, errs)
		}
	}
}

func TestJMMOutput(t *testing.T) {
	dir := t.TempDir()
	svg := filepath.Join(dir, "why.svg")
	status, out, errs := runRavel(t, "jmm", "check", "--json", "--svg", svg, javaTests+"ctc2.litmus")
	var r struct {
		Name, Observation string
		Holds             bool
		States            []map[string]int64
		Required          []struct{ Allowed bool }
		Justification     []struct {
			Commits []string
			Target  bool
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s%s", status, err, out, errs)
	}
	n := len(r.Justification)
	if r.Name != "ctc2" || !r.Holds || len(r.States) != 3 || !r.Required[0].Allowed || n < 3 || !r.Justification[n-1].Target {
		t.Errorf("%+v", r)
	}
	for i := range n {
		picture, err := os.ReadFile(filepath.Join(dir, "why-"+string(rune('1'+i))+".svg"))
		if err != nil || !strings.Contains(string(picture), "<svg") {
			t.Errorf("picture %d: %v", i+1, err)
		}
	}
}
