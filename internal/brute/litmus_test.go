package brute

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLitmus checks testdata/litmus.tsv: tests of the herdtools7 and Dat3M archives in our form, with the verdicts that
// herd7 and Dartagnan give (/work/shared/litmus/expected.tsv, by the file that the row names), under
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

// holds evaluates an outcome: equations of the last values of registers, 0:r0=1, and locations, x=1, with & between them.
func holds(t *testing.T, outcome string, x *Execution) bool {
	last := final(x)
	for _, equation := range strings.Split(outcome, "&") {
		name, val, ok := strings.Cut(equation, "=")
		if _, known := last[name]; !ok || !known {
			t.Fatalf("%s: %s has no meaning in %v", outcome, equation, x.Prog)
		}
		if fmt.Sprint(last[name]) != val {
			return false
		}
	}
	return true
}

// final returns the last values of the registers, as 0:r0, and of the locations.
func final(x *Execution) map[string]uint32 {
	out := make(map[string]uint32)
	for i, evs := range x.Threads {
		r := x.Prog.Threads[i].runner(reads(evs))
		for j, name := range x.Prog.Threads[i].Regs {
			out[fmt.Sprintf("%d:%s", i, name)] = r.regs[j]
		}
	}
	for l, ws := range x.Co {
		out[x.Prog.Locs[l]] = 0
		if n := len(ws); n > 0 {
			out[x.Prog.Locs[l]] = x.Threads[ws[n-1].Thread][ws[n-1].Index].Val
		}
	}
	return out
}

// reads returns what the reads of a thread receive.
func reads(evs []Event) (vals []uint32) {
	for _, e := range evs {
		if e.Kind == R {
			vals = append(vals, e.Val)
		}
	}
	return vals
}
