package brute

import (
	"math/rand/v2"

	"ravel/internal/event"
)

// RandomTurns returns a random program in which threads wait with a lock in their hands, which they give up for a moment in each round of a loop. Others take the lock, or look at it. With na, some of
// what is accessed under it is not atomic.
func RandomTurns(r *rand.Rand, na bool) *Prog {
	p := &Prog{Locs: []string{"x", "y", "k", "l"}}
	kind, weak, locks := r.IntN(3), r.IntN(8) == 0, 1+r.IntN(3)/2
	for i := range 2 + r.IntN(3)/2 {
		t := &tries{r: r, kind: kind, weak: weak, na: na, id: uint32(1 + i), result: 0}
		l := 2 + r.IntN(locks)
		var body []Stmt
		section := func() {
			body = append(body, t.take(l), t.access())
			if r.IntN(3) == 0 {
				body = append(body, t.access())
			}
			body = append(body, t.give(l))
		}
		switch n := r.IntN(8); {
		case i == 0 || n < 2:
			if r.IntN(3) == 0 {
				section()
			}
			body = append(body, t.waits(l, locks)...)
			if r.IntN(3) == 0 {
				body = append(body, t.access())
			}
		case n == 2: // look at the lock
			body = append(body, t.access(), t.stmt(Load, 1, l, event.Acq, 0), t.access())
		case n == 3: // try it
			body = append(body, t.try(l), Stmt{Kind: If, Reg: t.result, Loc: NoLoc, Addr: NoReg, Is: 0, Then: []Stmt{t.access(), t.give(l)}, Else: []Stmt{t.access()}})
		default:
			section()
			if r.IntN(3) == 0 {
				body = append(body, t.access())
			}
			if r.IntN(4) == 0 {
				section()
			}
		}
		p.Threads = append(p.Threads, Thread{Regs: []string{"r", "s", "t"}, Body: body})
	}
	return p
}

// waits looks at something under the lock l, and gives the lock back and takes it again until it reads what it waits for.
func (t *tries) waits(l, locks int) []Stmt {
	look := t.access()
	look.Kind, look.Reg = Load, 1
	is := uint32(1 + t.r.IntN(2))
	round := []Stmt{t.give(l), t.take(l), look}
	switch other := 2 + (l-1)%locks; t.r.IntN(6) {
	case 0:
		round = append([]Stmt{t.stmt(Load, 2, t.r.IntN(2), event.Rlx, 0)}, round...)
	case 1:
		round = append([]Stmt{round[0], t.stmt(Load, 2, t.r.IntN(2), event.Rlx, 0)}, round[1:]...)
	case 2:
		if other != l { // take another lock in between
			round = append([]Stmt{round[0], t.take(other), t.give(other)}, round[1:]...)
		}
	}
	loop := Stmt{Kind: Loop, Reg: 1, Loc: NoLoc, Addr: NoReg, Is: is, Then: round}
	body := []Stmt{t.take(l), look}
	if t.r.IntN(2) == 0 {
		body = append(body, Stmt{Kind: If, Reg: 1, Loc: NoLoc, Addr: NoReg, Is: is, Else: []Stmt{loop}})
	} else {
		body = append(body, loop)
	}
	return append(body, t.give(l))
}

// RandomPassed returns a random program with a loop that accesses plain data until another thread sets a flag. When the loop has ended, that thread accesses the data too, or another one does.
func RandomPassed(r *rand.Rand) *Prog {
	const a, b, c = 0, 1, 2 // flags: end the loop, it has begun, it has ended
	p := &Prog{Locs: []string{"a", "b", "c", "x", "y"}}
	stmt := func(k Kind, reg, loc int, m event.Mode, val uint32) Stmt {
		return Stmt{Kind: k, Reg: reg, Loc: loc, Addr: NoReg, Mode: m, Fail: event.Rlx, Val: Const(val), Exp: Const(0)}
	}
	mode := func(strong event.Mode) event.Mode {
		if r.IntN(3) == 0 {
			return strong
		}
		return event.Rlx
	}
	set := func(flag int) Stmt { return stmt(Store, NoReg, flag, mode(event.Rel), 1) }
	see := func(flag int) Stmt { return stmt(Load, 2, flag, mode(event.Acq), 0) }
	seen := func(then ...Stmt) Stmt {
		return Stmt{Kind: If, Reg: 2, Loc: NoLoc, Addr: NoReg, Is: 1, Then: then}
	}
	data := func() Stmt {
		m := event.NA
		if r.IntN(6) == 0 {
			m = event.Rlx
		}
		if r.IntN(2) == 0 {
			return stmt(Load, 1, 3+r.IntN(2), m, 0)
		}
		return stmt(Store, NoReg, 3+r.IntN(2), m, uint32(1+r.IntN(2)))
	}

	var loops []Stmt
	if r.IntN(2) == 0 {
		loops = append(loops, data())
	}
	if r.IntN(2) == 0 {
		loops = append(loops, stmt(Store, NoReg, b, event.Rel, 1))
	}
	wait := stmt(Load, 0, a, mode(event.Acq), 0)
	round := []Stmt{data()}
	switch r.IntN(4) {
	case 0:
		round = append(round, data())
	case 1: // what a round leaves as it was
		at := 3 + r.IntN(2)
		loops = append([]Stmt{stmt(Store, NoReg, at, event.NA, 1)}, loops...)
		round = []Stmt{stmt(Store, NoReg, at, event.NA, 2), stmt(Store, NoReg, at, event.NA, 1)}
	}
	loop := Stmt{Kind: Loop, Reg: 0, Loc: NoLoc, Addr: NoReg, Is: 1}
	unless := Stmt{Kind: If, Reg: 0, Loc: NoLoc, Addr: NoReg, Is: 1}
	switch n := r.IntN(4); {
	case n < 2: // look at the flag first
		unless.Else = round
		loop.Then = []Stmt{wait, unless}
	case n == 2:
		loop.Then = append(round, wait)
		unless.Else = []Stmt{loop}
		loops, loop = append(loops, wait), unless
	default:
		loop.Then = append(round, wait)
	}
	loops = append(loops, loop, set(c))

	other := []Stmt{set(a)}
	last := []Stmt{see(c), seen(data())}
	two := r.IntN(4) == 0
	if !two {
		other = append(other, last...)
	}
	if r.IntN(2) == 0 {
		other = []Stmt{see(b), seen(other...)}
	} else if r.IntN(3) == 0 {
		other = append([]Stmt{data()}, other...)
	}
	for _, body := range [][]Stmt{loops, other, last} {
		p.Threads = append(p.Threads, Thread{Regs: []string{"r", "s", "t"}, Body: body})
	}
	if !two {
		p.Threads = p.Threads[:2]
	}
	return p
}
