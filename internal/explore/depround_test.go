package explore

import (
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
)

// TestRestores explores random programs that poll, with load buffering before that: explorations with cycles in po ∪ rf end, and visit no execution twice.
func TestRestores(t *testing.T) {
	for _, m := range allDepModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mod, cut, ended := underName(t, m), 0, 0
			for i := range *rounds / 3 {
				s := *seed + uint64(i)
				p := brute.RandomPolls(rand.New(rand.NewPCG(s, 22)), false)
				p.Threads = p.Threads[:2]
				p = buffering(p)
				seen, n := map[string]bool{}, 0
				run, res, err := explore(t.Context(), brute.Lower(p), Options{
					Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, MaxEvents: 100, limit: *maxEnds,
					OnExecution: func(x *Execution) {
						if !x.Blocked {
							n++
							seen[exploretest.GraphKey(x.Graph)] = true
						}
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				if !run.cyclic {
					t.Fatalf("seed %d, model %s: %v\nis explored without cycles", s, m, p)
				}
				if n == int(res.Complete) && len(seen) < n {
					t.Fatalf("seed %d, model %s: %v\n%d executions, %d of them different", s, m, p, n, len(seen))
				}
				if res.GaveUp == "" {
					ended++
				}
				if run.lenient {
					cut++
				}
			}
			t.Logf("%d explorations ended, %d cut a loop", ended, cut)
		})
	}
}

// buffering puts r=u; v=1 before the first thread of p, and r=v; u=1 before the second one.
func buffering(p *brute.Prog) *brute.Prog {
	u := len(p.Locs)
	p.Locs = append(p.Locs, "u", "v")
	for i := range 2 {
		t := &p.Threads[i]
		t.Body = append([]brute.Stmt{
			{Kind: brute.Load, Reg: len(t.Regs), Loc: u + i, Addr: brute.NoReg, Mode: event.Rlx},
			{Kind: brute.Store, Reg: brute.NoReg, Loc: u + 1 - i, Addr: brute.NoReg, Mode: event.Rlx, Val: brute.Const(1)},
		}, t.Body...)
		t.Regs = append(t.Regs, "b")
	}
	return p
}
