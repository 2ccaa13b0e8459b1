package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel"
)

// TestCompare: sc and tso differ on SB, and on nothing that has fences (Owens, Sarkar, Sewell, TPHOLs'09).
func TestCompare(t *testing.T) {
	const dir = "../../testdata/litmus/X86_64/"
	status, out, errs := runRavel(t, "compare", "--models", "sc,tso", dir+"SB.litmus", dir+"SB+mfences.litmus", dir+"MP.litmus")
	if status != 1 || errs != "" {
		t.Errorf("status %d, %s", status, errs)
	}
	for _, want := range []string{"0:RAX=0; 1:RAX=0;", "allowed by tso", "forbidden by sc, check sc: a -po→ b -fr→ c -po→ d -fr→ a", "3 tests: 1 differ, 2 do not"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if status, out, _ := runRavel(t, "compare", "--models", "sc,tso", dir+"MP.litmus"); status != 0 {
		t.Errorf("status %d\n%s", status, out)
	}
	status, out, _ = runRavel(t, "compare", "--models", "sc,tso,pso", "--json", dir+"SB.litmus")
	var j ravel.Difference
	if err := json.Unmarshal([]byte(out), &j); err != nil || status != 1 || len(j.Allowed) != 2 || len(j.Forbidden) != 1 || j.Forbidden[0].Check != "sc" || len(j.Forbidden[0].Cycle) != 9 || len(j.Rf) != 2 || j.State["0:RAX"] != 0.0 {
		t.Errorf("status %d, %v\n%s", status, err, out)
	}
}

// TestCompareFind: the smallest test that separates sc from tso is SB. What it prints is a test that ravel litmus runs.
func TestCompareFind(t *testing.T) {
	status, out, errs := runRavel(t, "compare", "--models", "sc,tso", "--find")
	if status != 1 || errs != "" || !strings.HasPrefix(out, "X86_64 SB\n") {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
	status, out, _ = runRavel(t, "compare", "--models", "tso,tso", "--find", "--max-size", "4")
	if status != 3 || !strings.Contains(out, "no difference found") {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestGenerate(t *testing.T) {
	status, out, errs := runRavel(t, "litmus", "--generate", "PodWW Rfe DpAddrdR Fre", "--arch", "aarch64")
	if status != 0 || errs != "" || !strings.HasPrefix(out, "AArch64 MP+po+addr\n") {
		t.Fatalf("status %d, %s\n%s", status, errs, out)
	}
	file := filepath.Join(t.TempDir(), "t.litmus")
	if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out, _ := runRavel(t, "litmus", file); status != 0 || !strings.Contains(out, "Observation MP+po+addr Sometimes") {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestCompareWrong(t *testing.T) {
	sb := "../../testdata/litmus/X86_64/SB.litmus"
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"compare", sb}, "--models sc,tso"},
		{[]string{"compare", "--models", "sc", sb}, "--models sc,tso"},
		{[]string{"compare", "--models", "sc,tzo", sb}, "did you mean tso?"},
		{[]string{"compare", "--models", "sc,tso"}, "no tests"},
		{[]string{"compare", "--models", "sc,tso", "--find", sb}, "no files"},
		{[]string{"compare", "--models", "sc,tso", "nothing.litmus"}, "nothing.litmus"},
		{[]string{"compare", "--models", "sc,sc", "--find"}, "--arch"},
		{[]string{"compare", "--models", "sc,tso", "--find", "--arch", "Z80"}, "AArch64, ARM"},
		{[]string{"litmus"}, "no tests"},
		{[]string{"litmus", "--generate", "Rfe PodRR"}, "cycle:1:1: Rfe begins with a write"},
		{[]string{"litmus", "--generate", "PodWW", "Rfe"}, "one argument"},
		{[]string{"litmus", "--generate", "PodWW Rfe PodRR Fre", "--arch", "Z80"}, "Z80"},
	} {
		if status, out, errs := runRavel(t, x.args...); status != 2 || !strings.Contains(errs, x.want) {
			t.Errorf("%v: status %d, %s%s", x.args, status, out, errs)
		}
	}
}
