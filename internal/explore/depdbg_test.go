package explore

import (
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
)

func TestDepNoDeps(t *testing.T) {
	n := 0
	for s := uint64(1); n < *programs; s++ {
		p := brute.Random(rand.New(rand.NewPCG(s, 1)), brute.Config{NoBranches: true, NoRMW: true})
		skip := false
		for _, th := range p.Threads {
			for _, st := range th.Body {
				if st.Kind == brute.Store && st.Val.Reg != brute.NoReg {
					skip = true
				}
			}
		}
		if skip {
			continue
		}
		n++
		for _, m := range []brute.Model{brute.IMM, brute.ARMv8, brute.RISCV, brute.Power, brute.ARMv7} {
			if diff := compare(t, p, m, 1, false); diff != "" {
				t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
			}
		}
	}
}
