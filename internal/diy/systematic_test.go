package diy

import (
	"flag"
	"testing"

	"ravel/internal/brute"
)

var systematicSize = flag.Int("size", 5, "the greatest size of the cycles that engine and brute force are compared on")

// TestSystematic: on all cycles up to a size the engine, with models in cat, and brute force agree; so does the argument about
// critical cycles, and the naive axioms for the kernel.
func TestSystematic(t *testing.T) {
	largest := *systematicSize
	if testing.Short() {
		largest = 4
	}
	for _, x := range []struct {
		arch  *Arch
		model string
		brute brute.Model
	}{
		{AArch64, "armv8", brute.ARMv8.Raw()},
		{ARM, "armv7", brute.ARMv7.Raw()},
		{PPC, "power", brute.Power.Raw()},
		{RISCV, "riscv", brute.RISCV.Raw()},
		{X86_64, "tso", brute.TSO},
		{C, "rc11", brute.RC11},
		{C, "rc11-2017", brute.RC11of2017},
		{C, "ra", brute.RA},
		{C, "imm", brute.IMM},
		{LKMM, "lkmm", ""},
	} {
		t.Run(x.model, func(t *testing.T) {
			count, allowedCount, skipped := 0, 0, 0
			for size := 2; size <= largest; size++ {
				for n := 2; n <= size; n++ {
					for c := range Cycles(x.arch, n, size-n) {
						want, ok := false, false
						var err error
						if x.brute != "" {
							want, ok, err = bruteAllowed(c, x.brute)
						} else {
							want, ok = lkmmAllowed(c)
						}
						if err != nil {
							t.Fatal(c, err)
						}
						if !ok {
							skipped++
							continue
						}
						text, err := c.Litmus()
						if err != nil {
							t.Fatal(c, err)
						}
						count++
						if want {
							allowedCount++
						}
						if got := allowed(t, c.Name(), text, x.model); got != want {
							t.Errorf("%s under %s: allowed %v, want %v\n%s", c, x.model, got, want, text)
						}
						if got, sound := criticalAllowed(c, x.model); sound && got != want {
							t.Errorf("%s under %s: allowed as a critical cycle %v, want %v", c, x.model, got, want)
						}
						if t.Failed() {
							return
						}
					}
				}
			}
			t.Logf("%d cycles, %d allowed; %d left out", count, allowedCount, skipped)
		})
	}
}
