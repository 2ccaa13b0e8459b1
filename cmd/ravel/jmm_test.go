package main

import (
	"encoding/json"
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
