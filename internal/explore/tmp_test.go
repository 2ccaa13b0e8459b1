package explore

import (
	"flag"
	"testing"

	"ravel/internal/brute"
)

var tmpProg = flag.String("prog", "", "")

func TestTmp(t *testing.T) {
	p := brute.MustParse(*tmpProg)
	for _, m := range []brute.Model{brute.IMM, brute.ARMv8, brute.RISCV, brute.Power, brute.ARMv7, brute.ARMv8.Raw(), brute.RISCV.Raw(), brute.Power.Raw(), brute.ARMv7.Raw()} {
		t.Logf("%s: %d\n%s", m, len(brute.Enumerate(p, m)), compare(t, p, m, 1, false))
	}
}
