package brute

import (
	"math/rand/v2"

	"ravel/internal/event"
)

// RandomAwaits returns a random program with threads that wait in rounds of several reads: for flags, as in the locks of Peterson and Dekker, or for a count that stays the same, as in a
// seqlock. What they wait for may come, go and come again. Some threads start others. With na, some accesses are not atomic.
func RandomAwaits(r *rand.Rand, na bool) *Prog {
	p := &Prog{Locs: []string{"x", "y", "z"}[:2+r.IntN(2)]}
	cfg := Config{Locs: len(p.Locs), NA: na, NoFences: r.IntN(3) > 0, NoBranches: true}
	threads, left := 2+r.IntN(2), 9
	kind := r.IntN(4)
	for i := range threads {
		g := &generator{r: r, cfg: &cfg, style: style(r.IntN(3)), locs: len(p.Locs), last: r.IntN(len(p.Locs))}
		load := func(loc int) Stmt {
			s := g.stmt(Load)
			s.Loc, s.Until = loc, Always
			if s.Mode == event.NA {
				s.Mode = event.Rlx
			}
			return s
		}
		some := func(most int) (body []Stmt) {
			if n := min(r.IntN(most+1), left); n > 0 {
				var rest int
				body, rest = g.body(n, 0)
				left -= n - rest
			}
			return body
		}
		store := func(loc int, val uint32) Stmt {
			s := g.stmt(Store)
			s.Loc, s.Val, s.Addr = loc, Const(val), NoReg
			left--
			return s
		}
		var body []Stmt
		waits := i == 0 || r.IntN(2) == 0
		switch {
		case !waits && kind == 0: // the writer of a seqlock
			body = append(body, store(0, 1))
			if r.IntN(2) == 0 {
				body = append(body, g.stmt(Fence))
			}
			body = append(body, store(1, 1), store(0, []uint32{2, 2, 0}[r.IntN(3)]))
			body = append(body, some(1)...)
		case !waits:
			body = some(3)
			if r.IntN(2) == 0 {
				body = append(body, store(r.IntN(len(p.Locs)), uint32(r.IntN(3))))
			}
		default:
			if kind == 1 { // a lock
				body = append(body, store(i%2, 1))
				if len(p.Locs) > 2 {
					body = append(body, store(2, uint32(i)))
				}
			} else {
				body = some(1)
			}
			body = append(body, g.round(kind, i, load))
			left -= 2
			if kind == 1 {
				body = append(body, some(1)...)
				body = append(body, store(i%2, 0))
			} else {
				body = append(body, some(2)...)
			}
		}
		if len(body) == 0 {
			body = append(body, store(r.IntN(len(p.Locs)), 1))
		}
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	if r.IntN(4) == 0 {
		p.addStarts(r)
	}
	return MustParse(p.String())
}

// round makes the loop of thread i in which it waits.
func (g *generator) round(kind, i int, load func(loc int) Stmt) Stmt {
	r := g.r
	s := Stmt{Kind: Await, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Val: Const(0), Exp: Const(0)}
	test := func(reg int, is uint32, not bool) {
		s.Tests = append(s.Tests, Test{Reg: reg, Other: NoReg, Is: is, Not: not})
	}
	switch {
	case kind == 0: // a seqlock
		a := load(0)
		s.Then = append(s.Then, a, load(1))
		if r.IntN(2) == 0 {
			s.Then = append(s.Then, g.stmt(Fence))
		}
		b := load(0)
		s.Then = append(s.Then, b)
		s.Tests = []Test{{Reg: a.Reg, Other: b.Reg}}
		if r.IntN(3) > 0 {
			test(a.Reg, 1, true)
		}
	case kind == 1 && g.locs > 2: // Peterson's lock
		flag, turn := load(1-i%2), load(2)
		s.Then = []Stmt{flag, {Kind: If, Reg: flag.Reg, Loc: NoLoc, Addr: NoReg, Is: 1, Val: Const(0), Exp: Const(0), Then: []Stmt{turn}}}
		s.Any = true
		test(flag.Reg, 0, false)
		test(turn.Reg, uint32(i), true)
	default:
		s.Any = r.IntN(2) == 0
		n := 2 + r.IntN(2)
		for k := range n {
			l := load(r.IntN(g.locs))
			if k == 0 && r.IntN(4) == 0 { // it fails; later in a round it could stand in for another one (explore/reread.go)
				l.Kind, l.Fail, l.Exp, l.Val = CAS, event.Rlx, Const(7), Const(3)
			}
			if k > 0 && r.IntN(2) == 0 { // it looks only if the one before says so
				cond := Stmt{Kind: If, Reg: s.Tests[len(s.Tests)-1].Reg, Loc: NoLoc, Addr: NoReg, Is: uint32(r.IntN(2)), Val: Const(0), Exp: Const(0), Then: []Stmt{l}}
				if r.IntN(3) == 0 {
					cond.Then, cond.Else = cond.Else, cond.Then
				}
				s.Then = append(s.Then, cond)
			} else {
				s.Then = append(s.Then, l)
			}
			test(l.Reg, uint32(r.IntN(3)), r.IntN(4) == 0)
		}
	}
	return s
}
