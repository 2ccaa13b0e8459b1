package brute

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLitmus checks testdata/litmus.tsv: tests of the herdtools7 and Dat3M archives in our form, with the verdicts that
// herd7 and Dartagnan give for the file that the row names, under
// the model of its architecture. A verdict is how many executions have the outcome and how many have
// not, or, where only this is known, whether one has.
func TestLitmus(t *testing.T) {
	text, err := os.ReadFile("testdata/litmus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	archs := map[string]Model{"AArch64": ARMv8, "ARM": ARMv7, "PPC": Power, "RISCV": RISCV}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		f := strings.Split(line, "\t")
		file, outcome, want := f[0], f[2], f[3]
		p, err := Parse(f[1])
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		arch, _, _ := strings.Cut(file, "/")
		pos, neg := 0, 0
		for _, x := range Enumerate(p, archs[arch].Raw()) {
			if holds(t, outcome, &x) {
				pos++
			} else {
				neg++
			}
		}
		ok := fmt.Sprint(pos, neg) == want
		if want == "yes" || want == "no" {
			ok = (pos > 0) == (want == "yes")
		}
		if !ok {
			t.Errorf("%s: %d executions with %s, %d without, want %s\n%v", file, pos, outcome, neg, want, p)
		}
	}
}

func holds(t *testing.T, outcome string, x *Execution) bool {
	ok, err := x.Holds(outcome)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}
