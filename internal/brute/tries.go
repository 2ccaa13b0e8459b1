package brute

import (
	"math/rand/v2"

	"ravel/internal/event"
)

// RandomTries returns a random program with two or three locks. Threads take one of them, try another one, and give the first back and begin again if that is taken. Others try once, and do something else then,
// or take locks as they like. In some programs the locks do not order what they should. With na, some of what is accessed under them is not atomic.
func RandomTries(r *rand.Rand, na bool) *Prog {
	p := &Prog{Locs: []string{"x", "y", "k", "l", "m"}}
	kind, weak, locks := r.IntN(3), r.IntN(6) == 0, 2+r.IntN(8)/7
	for i := range 2 + r.IntN(3)/2 {
		t := &tries{r: r, kind: kind, weak: weak, na: na, id: uint32(1 + i), result: 0}
		first := r.IntN(locks)
		second := (first + 1 + r.IntN(locks-1)) % locks
		var body []Stmt
		if r.IntN(3) == 0 {
			body = append(body, t.access())
		}
		switch n := r.IntN(8); {
		case i == 0 || n < 4:
			body = append(body, t.both(2+first, 2+second)...)
		case n < 6: // try once
			body = append(body, t.take(2+first), t.try(2+second))
			done := []Stmt{t.access(), t.give(2 + second)}
			var failed []Stmt
			if r.IntN(2) == 0 {
				failed = []Stmt{t.access()}
			}
			body = append(body, Stmt{Kind: If, Reg: t.result, Loc: NoLoc, Addr: NoReg, Is: 0, Then: done, Else: failed}, t.give(2+first))
		case n == 6:
			body = append(body, t.take(2+first), t.access(), t.give(2+first))
		default: // look at a lock
			look := t.stmt(Load, 1, 2+first, event.Acq, 0)
			body = append(body, look)
		}
		if r.IntN(3) == 0 {
			body = append(body, t.access())
		}
		p.Threads = append(p.Threads, Thread{Regs: []string{"r", "s", "t"}, Body: body})
	}
	return p
}

// tries makes a thread of RandomTries.
type tries struct {
	r        *rand.Rand
	kind     int // of locks
	weak, na bool
	id       uint32
	result   int // the register that is 0 after a try that has taken the lock
}

func (t *tries) stmt(k Kind, reg, loc int, m event.Mode, val uint32) Stmt {
	return Stmt{Kind: k, Reg: reg, Loc: loc, Addr: NoReg, Mode: m, Fail: event.Rlx, Val: Const(val), Exp: Const(0)}
}

func (t *tries) pick(strong event.Mode) event.Mode {
	if t.weak && t.r.IntN(2) == 0 {
		return event.Rlx
	}
	return strong
}

// access is an access of x or y.
func (t *tries) access() Stmt {
	m := event.Rlx
	if t.na && t.r.IntN(2) == 0 {
		m = event.NA
	}
	if t.r.IntN(2) == 0 {
		return t.stmt(Load, 1+t.r.IntN(2), t.r.IntN(2), m, 0)
	}
	return t.stmt(Store, NoReg, t.r.IntN(2), m, t.id)
}

// take waits for a lock.
func (t *tries) take(l int) Stmt {
	s := t.try(l)
	s.Reg = NoReg
	if s.Until = Done; s.Kind == Xchg {
		s.Until, s.Is = Differs, 1
	}
	return s
}

// try takes a lock if it is free.
func (t *tries) try(l int) Stmt {
	val := uint32(1)
	if t.kind == 1 {
		val = t.id
	}
	s := t.stmt(CAS, t.result, l, t.pick(event.Acq), val)
	if t.kind == 2 {
		s.Kind = Xchg
	}
	return s
}

func (t *tries) give(l int) Stmt {
	if t.kind == 0 && t.r.IntN(3) == 0 {
		return t.stmt(FAdd, NoReg, l, t.pick(event.Rel), ^uint32(0))
	}
	return t.stmt(Store, NoReg, l, t.pick(event.Rel), 0)
}

// both takes two locks, the second by a try.
func (t *tries) both(first, second int) []Stmt {
	branch := func(then, otherwise []Stmt) Stmt {
		return Stmt{Kind: If, Reg: t.result, Loc: NoLoc, Addr: NoReg, Is: 0, Then: then, Else: otherwise}
	}
	refused := []Stmt{t.give(first)}
	var between []Stmt
	switch t.r.IntN(6) {
	case 0:
		between = []Stmt{t.access()}
	case 1:
		refused = append(refused, t.access())
	case 2:
		refused = append([]Stmt{t.access()}, refused...)
	}
	var round []Stmt
	if t.r.IntN(3) == 0 {
		round = []Stmt{t.try(first), branch(append(between, t.try(second), branch(nil, refused)), nil)}
	} else {
		round = append(append([]Stmt{t.take(first)}, between...), t.try(second), branch(nil, refused))
	}
	body := []Stmt{{Kind: Loop, Reg: t.result, Loc: NoLoc, Addr: NoReg, Is: 0, Then: round}, t.access()}
	gives := []Stmt{t.give(first), t.give(second)}
	if t.r.IntN(2) == 0 {
		gives[0], gives[1] = gives[1], gives[0]
	}
	if t.r.IntN(8) == 0 { // keep one
		gives = gives[:1]
	}
	return append(body, gives...)
}
