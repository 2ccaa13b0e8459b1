package exploretest

import (
	"math/rand/v2"
	"slices"

	"ravel/internal/brute"
	"ravel/internal/event"
)

// AddLoops turns some accesses of p into weak CASes and puts each, with some of what is before it, into a loop. It returns false if there are
// none, and whether the loops only read.
func AddLoops(r *rand.Rand, p *brute.Prog) (pure, ok bool) {
	pure = true
	for t := range p.Threads {
		th := &p.Threads[t]
		if s := &th.Body[r.IntN(len(th.Body))]; s.Loc != brute.NoLoc && s.Kind != brute.If && r.IntN(4) > 0 {
			*s = brute.Stmt{
				Kind: brute.CAS, Reg: s.Reg, Loc: s.Loc, Addr: brute.NoReg, Val: brute.Const(uint32(1 + r.IntN(3))), Exp: brute.Const(uint32(r.IntN(2))),
				Mode: []event.Mode{event.Rlx, event.AcqRel, event.SC}[r.IntN(3)], Fail: []event.Mode{event.Rlx, event.Acq}[r.IntN(2)],
			}
		}
		for k := 0; k < len(th.Body); k++ {
			cas := th.Body[k]
			if cas.Kind != brute.CAS {
				continue
			}
			from, stores := k, false
			for from > 0 && r.IntN(4) > 0 && (th.Body[from-1].Kind == brute.Load || th.Body[from-1].Kind == brute.Store || th.Body[from-1].Kind == brute.Fence) {
				from--
				stores = stores || th.Body[from].Kind == brute.Store
			}
			body := slices.Clone(th.Body[from:k])
			if stores || r.IntN(2) == 0 { // it expects what it has read, so that it goes round only if another thread writes
				th.Regs = append(th.Regs, "e")
				load := brute.Stmt{Kind: brute.Load, Reg: len(th.Regs) - 1, Loc: cas.Loc, Addr: brute.NoReg, Mode: event.Rlx, Val: brute.Const(0), Exp: brute.Const(0)}
				cas.Exp = brute.Expr{Reg: load.Reg}
				if stores || r.IntN(2) == 0 {
					body = slices.Insert(body, r.IntN(len(body)+1), load)
				} else {
					cas.Reg = load.Reg // as C does
					th.Body = slices.Insert(th.Body, from, load)
					from, k = from+1, k+1
				}
			}
			cas.Weak = true
			pure, ok = pure && !stores, true
			loop := brute.Stmt{Kind: brute.Loop, Reg: brute.NoReg, Loc: brute.NoLoc, Addr: brute.NoReg, Then: append(body, cas)}
			th.Body = slices.Replace(th.Body, from, k+1, loop)
			k = from
		}
	}
	return pure, ok
}

// Outcomes returns the different outcomes of executions.
func Outcomes(all []brute.Execution) map[string]bool {
	set := map[string]bool{}
	for i := range all {
		if o := all[i].Outcome(); o != "" {
			set[o] = true
		}
	}
	return set
}
