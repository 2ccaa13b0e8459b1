package brute

import (
	"os"
	"strings"
	"testing"
)

// TestShapes checks testdata/litmus-hw.tsv, the field's litmus shapes: its head says where the verdicts come from.
func TestShapes(t *testing.T) {
	text, err := os.ReadFile("../../testdata/litmus-hw.tsv")
	if err != nil {
		t.Fatal(err)
	}
	const first, sources = 3, 2 // columns before and after the verdicts
	var columns []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if columns == nil {
			columns = f
			continue
		}
		p, err := Parse(f[1])
		if err != nil {
			t.Error(err)
			continue
		}
		for i, want := range f[first : len(f)-sources] {
			if want == "-" {
				continue
			}
			m := Model(columns[first+i])
			got := "forbidden"
			for _, x := range Enumerate(p, m) {
				if holds(t, f[2], &x) {
					got = "allowed"
				}
			}
			if got != want {
				t.Errorf("%s under %s: %s, want %s (%s)\n%v", f[0], m, got, want, strings.Join(f[len(f)-sources:], "; "), p)
			}
		}
	}
}

// Outcomes that only hardware without the mapping tells apart: exclusives and instructions.
func TestRaw(t *testing.T) {
	for _, c := range []struct {
		prog, outcome string
		model         Model
		want          bool
		source        string
	}{
		{"XCHG(x,1); XCHG(y,2) || XCHG(y,1); XCHG(x,2)", "x=1&y=1", Power, false, "scXX of herd's ppc.cat"},
		{"XCHG(x,1); XCHG(y,2) || XCHG(y,1); XCHG(x,2)", "x=1&y=1", ARMv8, true, "as litmus AArch64/ISA2+poxxs"},
		{"x=2; F.dmb.st; y=1 || r=XCHG(y,2); x=1", "x=2&1:r=1", ARMv8, true, "litmus AArch64/STXR-ctrl"},
		{"x=1.sc; r=y.sc || y=1.sc; r=x.sc", "0:r=0&1:r=0", ARMv8, true, "modes mean nothing"},
		{"x=1.L; r=y.A || y=1.L; r=x.A", "0:r=0&1:r=0", ARMv8, false, "[L];po;[A]"},
		{"x=1.L; r=y.Q || y=1.L; r=x.Q", "0:r=0&1:r=0", ARMv8, true, "not for LDAPR"},
		{"x=1.L; r=y.A || y=1.L; r=x.A", "0:r=0&1:r=0", RISCV, true, "RCpc; as litmus RISCV/SB+posprl-porlaq+poprl-porlaq"},
		{"XCHG(x,1).aqrl; XCHG(z,1).aqrl; r=y || XCHG(y,1).aqrl; XCHG(w,1).aqrl; r=x", "0:r=0&1:r=0", RISCV, false, "RCsc, rule 7"},
		{"XCHG(x,1).L; XCHG(z,1).A; r=y || XCHG(y,1).L; XCHG(w,1).A; r=x", "0:r=0&1:r=0", RISCV, false, "RCsc, rule 7"},
		{"x=1; F.eieio; y=1 || r=y; s=[x+r]", "1:r=1&1:s=0", Power, false, "eieio of herd's ppc.cat"},
		{"x=1; F.eieio; r=y || y=1; F.eieio; r=x", "0:r=0&1:r=0", Power, true, "for writes only"},
		{"x=1; F.dmb.st; y=1 || y=2; F.dmb.sy; r=x", "y=2&1:r=0", ARMv7, false, "dmb.st is a strong fence in herd's arm.cat"},
		{"x=1; F.sync; r=y || y=1; F.sync; r=x", "0:r=0&1:r=0", ARMv8, true, "a fence of another architecture"},
		{"x=1; F.sc; r=y || y=1; F.sc; r=x", "0:r=0&1:r=0", Power, false, "fences are not raw"},
	} {
		got := false
		for _, x := range Enumerate(MustParse(c.prog), c.model.Raw()) {
			got = got || holds(t, c.outcome, &x)
		}
		if got != c.want {
			t.Errorf("%s may end with %s under %s: %v, want %v (%s)", c.prog, c.outcome, c.model.Raw(), got, c.want, c.source)
		}
	}
}
