package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
)

// TestPairs compares what the exploration without cycles finds with all executions, in random programs with a read that comes before a write of its location, and is not ordered before it, but is held back: see buffer.go.
func TestPairs(t *testing.T) {
	for _, m := range depModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mod, compared := underName(t, m), 0
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 21))
				p := brute.RandomLocks(r)
				switch i % 4 {
				case 0:
					p = brute.MustParse(handsOn(r))
				case 1:
					p = brute.MustParse(strings.ReplaceAll(p.String(), "l=0", "XCHG(l,0)"))
				case 2:
					p = brute.MustParse(strings.ReplaceAll(p.String(), "l=0", fmt.Sprintf("FADD(l,%d)", ^uint32(0))))
				}
				opts := Options{Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
				cyclic := func() bool {
					run, _, err := explore(t.Context(), brute.Lower(p), opts)
					if err != nil {
						t.Fatal(err)
					}
					return run.cyclic
				}
				if cyclic() {
					continue
				}
				if opts.anyPath = true; !cyclic() {
					continue // nothing was held back
				}
				compared++
				want, got := map[string]bool{}, []string{}
				all, _ := executionsWith(t, p, opts)
				for _, x := range all {
					want[x.Key()] = true
				}
				opts.anyPath = false
				some, cut := executionsWith(t, p, opts)
				for _, x := range some {
					got = append(got, x.Key())
				}
				var diff strings.Builder
				if exploretest.Compare(&diff, want, got); diff.Len() > 0 && cut == "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, &diff)
				}
			}
			t.Logf("%d programs compared", compared)
		})
	}
}

// handsOn returns a random program of threads that synchronise by one location, and hand on something by others before or after that.
func handsOn(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var threads []string
	for t := range 2 + r.IntN(2) {
		var text, regs []string
		for i := range 2 + r.IntN(2) {
			loc, reg := pick("x", "x", "y"), fmt.Sprintf("r%d", i)
			switch n := r.IntN(6); {
			case n < 2 || t > 0 && i == 1 && n < 4:
				text = append(text, reg+"="+pick("CAS(l,0,1)", "FADD(l,1)", "XCHG(l,2)", "l")+pick("", ".acq", ".acq"))
				regs = append(regs, reg)
			case n < 3:
				text = append(text, pick("l", loc)+"=1"+pick("", ".rel"))
			case n < 4 && len(regs) > 0:
				text = append(text, fmt.Sprintf("if(%s==%d){%s=3}", pick(regs...), r.IntN(2), pick("l", loc)))
			case t > 0 && i == 0 || n == 4:
				text, regs = append(text, reg+"="+loc+pick("", "", ".acq")), append(regs, reg)
			default:
				text = append(text, pick(loc+"=2", reg+"=FADD("+loc+",1)"))
			}
		}
		threads = append(threads, strings.Join(text, "; "))
	}
	return strings.Join(threads, " || ")
}
