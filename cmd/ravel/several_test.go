package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestSeveralModels checks what --model says of a list: the kernel's ticket lock with a relaxed unlock is right on tso, where
// stores stay in order, and wrong on weaker machines.
func TestSeveralModels(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH: scripts/setup installs it")
	}
	const file = "../../testdata/c/kernel/ticketlock.c"
	for _, test := range []struct {
		models, flag string
		status       int
		want         []string
		traces       int
	}{
		{"tso,armv8,lkmm", "-DTHREADS=2", 0, []string{"tso    verified: ", "armv8  verified: ", "lkmm   verified: "}, 0},
		{"tso,lkmm,armv8", "-DRELAXED_UNLOCK", 1, []string{
			"tso    verified: ", "lkmm   error: 1 error", "armv8  error: 1 error", "strongest of these models that breaks the program is armv8:",
		}, 1},
		{"power,armv8", "-DRELAXED_UNLOCK", 1, []string{"that break the program are power and armv8, none of which is stronger than the others; under power:"}, 1},
	} {
		status, out, errText := runRavel(t, "check", "--no-race-check", "--model", test.models, file, "--", test.flag)
		if status != test.status {
			t.Errorf("%s %s: status %d, want %d\n%s%s", test.models, test.flag, status, test.status, out, errText)
		}
		for _, w := range test.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s %s: no %q in\n%s", test.models, test.flag, w, out)
			}
		}
		if n := strings.Count(out, "error["); n != test.traces {
			t.Errorf("%s %s: %d traces, want %d\n%s", test.models, test.flag, n, test.traces, out)
		}
	}
}
