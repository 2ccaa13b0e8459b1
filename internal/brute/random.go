package brute

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ravel/internal/event"
)

// A Config says what Random makes. Zero fields have defaults.
type Config struct {
	Threads    int  // at most; at least 2; default 4
	PerThread  int  // reads and writes of a thread, at most; default 4
	Total      int  // reads and writes in all, at most; default 10
	Locs       int  // at most; default and limit 3
	NA         bool // some accesses are not atomic
	Plain      bool // more than half of the loads and stores are not atomic
	NoRMW      bool
	NoFences   bool
	NoBranches bool
	// Deps adds address, data and control dependencies, and makes threads that load first and
	// store last more likely, so that cycles in po ∪ rf are.
	Deps bool
	// Tags is a model with tags, or "": some fences and accesses are instructions of that architecture.
	Tags Model
	// Awaits makes some reads wait for a value, and has some critical sections.
	Awaits bool
	// Starts has threads start others, after some of what they do, and join some of them.
	Starts bool
}

func (c *Config) defaults() {
	set := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	set(&c.Threads, 4)
	set(&c.PerThread, 4)
	set(&c.Total, 10)
	set(&c.Locs, 3)
}

// Random returns a random program. It counts a read-modify-write as two accesses and
// an if as its larger branch. The same state of r gives the same program.
func Random(r *rand.Rand, cfg Config) *Prog {
	cfg.defaults()
	threads := 2 + r.IntN(max(cfg.Threads-1, 1))
	p := &Prog{}
	locs := min(cfg.Locs, []int{1, 2, 2, 3}[r.IntN(4)])
	if cfg.Deps && r.IntN(2) == 0 {
		locs = min(cfg.Locs, threads) // a thread for each corner of a cycle
	}
	for i := range locs {
		p.Locs = append(p.Locs, string("xyzwuvst"[i]))
	}
	style, cycle := style(r.IntN(3)), r.IntN(2) == 0
	if cfg.Deps {
		cycle = r.IntN(5) > 0
		if r.IntN(4) > 0 {
			style = weak
		}
	}
	left := cfg.Total
	if len(p.Locs) == 1 {
		left = min(left, 8) // with one location nearly everything is coherent
	}
	for i := range threads {
		g := &generator{r: r, cfg: &cfg, style: style, locs: len(p.Locs), last: r.IntN(len(p.Locs))}
		most := min(cfg.PerThread, left-2*(threads-i-1)) // so that later threads get two each
		budget := max(1, most-r.IntN(3))
		var body []Stmt
		var rest int
		if cycle && budget >= 2 {
			body, rest = g.corner(i%len(p.Locs), (i+1)%len(p.Locs), budget)
		} else {
			body, rest = g.body(budget, 0)
		}
		left -= budget - rest
		if cfg.Tags == LKMM {
			body = g.section(body)
		}
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	if cfg.Plain {
		for _, th := range p.Threads {
			makePlain(r, th.Body)
		}
	}
	if cfg.Starts {
		p.addStarts(r)
	}
	return MustParse(p.String()) // drops what is not used, and checks that it can be pasted
}

// makePlain makes loads and stores plain, three out of five.
func makePlain(r *rand.Rand, body []Stmt) {
	for i := range body {
		s := &body[i]
		if (s.Kind == Load || s.Kind == Store) && r.IntN(5) > 1 {
			s.Mode = event.NA
		}
		makePlain(r, s.Then)
		makePlain(r, s.Else)
	}
}

// RandomLocks returns a random program with critical sections of a lock, with at most two accesses each, and perhaps some before and after.
func RandomLocks(r *rand.Rand) *Prog {
	cfg := Config{NoRMW: true, NoFences: true, NoBranches: true, Locs: 2}
	p := &Prog{Locs: []string{"x", "y", "l"}}
	for range 2 + r.IntN(2) {
		g := &generator{r: r, cfg: &cfg, style: style(r.IntN(3)), locs: 2}
		var body []Stmt
		some := func(n int) {
			if n > 0 {
				more, _ := g.body(n, 0)
				body = append(body, more...)
			}
		}
		some(r.IntN(2))
		lock := Stmt{Kind: CAS, Reg: NoReg, Loc: 2, Addr: NoReg, Mode: g.mode([]event.Mode{event.Acq, event.Acq, event.Rlx}), Fail: event.Rlx, Val: Const(1), Exp: Const(0), Until: Done}
		if r.IntN(3) == 0 {
			lock.Kind, lock.Until, lock.Is = Xchg, Differs, 1
		}
		body = append(body, lock)
		some(1 + r.IntN(2))
		unlock := Stmt{Kind: Store, Reg: NoReg, Loc: 2, Addr: NoReg, Mode: g.mode([]event.Mode{event.Rel, event.Rel, event.Rlx}), Val: Const(0), Exp: Const(0)}
		if r.IntN(8) > 0 {
			body = append(body, unlock)
		}
		if r.IntN(3) == 0 {
			some(1)
		}
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	return MustParse(p.String())
}

// RandomRounds returns a random program with loops the rounds of which take something and give it back: l, which is a lock, or a count. Other
// threads take it too, or look at it.
func RandomRounds(r *rand.Rand, na bool) *Prog {
	cfg := Config{NoRMW: r.IntN(4) > 0, NoFences: r.IntN(3) > 0, NoBranches: true, Locs: 2, NA: na}
	p := &Prog{Locs: []string{"x", "y", "l"}}
	strict := r.IntN(3) > 0 // acquire and release
	pick := func(strong event.Mode) event.Mode {
		if strict || r.IntN(2) == 0 {
			return strong
		}
		return event.Rlx
	}
	const l = 2
	kind := r.IntN(4)
	threads := 2 + r.IntN(2)
	for i := range threads {
		g := &generator{r: r, cfg: &cfg, style: style(r.IntN(3)), locs: 2}
		stmt := func(s Stmt) Stmt {
			s.Addr = NoReg
			return s
		}
		take := func(reg int) Stmt {
			switch kind {
			case 0:
				return stmt(Stmt{Kind: CAS, Reg: reg, Loc: l, Mode: pick(event.Acq), Fail: event.Rlx, Exp: Const(0), Val: Const(uint32(1 + i)), Until: Done})
			case 1:
				return stmt(Stmt{Kind: Xchg, Reg: reg, Loc: l, Mode: pick(event.Acq), Val: Const(1), Exp: Const(0), Until: Differs, Is: 1})
			}
			return stmt(Stmt{Kind: FAdd, Reg: reg, Loc: l, Mode: pick(event.Acq), Val: Const(1), Exp: Const(0)})
		}
		give := func() Stmt {
			if kind < 2 {
				return stmt(Stmt{Kind: Store, Reg: NoReg, Loc: l, Mode: pick(event.Rel), Val: Const(0), Exp: Const(0)})
			}
			return stmt(Stmt{Kind: FAdd, Reg: NoReg, Loc: l, Mode: pick(event.Rel), Val: Const(^uint32(0)), Exp: Const(0)})
		}
		some := func(n int) (body []Stmt) {
			if n > 0 {
				body, _ = g.body(n, 0)
			}
			return body
		}
		loop := func(reg int, is uint32, body ...Stmt) Stmt {
			return Stmt{Kind: Loop, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: is, Then: body}
		}
		body := some(r.IntN(2))
		switch n := r.IntN(8); {
		case i == 0 || n == 0: // take, look, give back
			reg := g.newReg()
			look := g.stmt(Load)
			g.regs = g.regs[:len(g.regs)-1]
			look.Reg = reg
			round := []Stmt{take(NoReg), look, give()}
			if r.IntN(3) == 0 { // look, then take for nothing
				round = []Stmt{look, {Kind: If, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: 1, Else: []Stmt{take(NoReg), give()}}}
			}
			if r.IntN(8) == 0 { // write back what is there
				round = append(round, stmt(Stmt{Kind: FAdd, Reg: NoReg, Loc: r.IntN(2), Mode: pick(event.AcqRel), Val: Const(0), Exp: Const(0)}))
			}
			if r.IntN(6) == 0 { // store what is stored already
				again := stmt(Stmt{Kind: Store, Reg: NoReg, Loc: r.IntN(2), Mode: pick(event.Rel), Val: Const(uint32(1 + i)), Exp: Const(0)})
				body = append(body, again)
				round = slices.Insert(round, r.IntN(len(round)+1), again)
			}
			body = append(body, loop(reg, 1, round...))
		case n <= 2 && kind >= 2: // take, or give back and try again
			reg := g.newReg()
			refused := []Stmt{give()}
			if r.IntN(3) == 0 { // and wait
				refused = append(refused, stmt(Stmt{Kind: Load, Reg: g.newReg(), Loc: l, Mode: event.Rlx, Val: Const(0), Exp: Const(0), Until: Equal, Is: 0}))
			}
			body = append(body, loop(reg, 0, take(reg), Stmt{Kind: If, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: 0, Else: refused}))
			body = append(body, some(1)...)
			body = append(body, give())
		case n <= 2 && kind == 1: // exchange, then wait until it seems to be free, and try again
			reg := g.newReg()
			try := take(reg)
			try.Until, try.Is = Always, 0
			wait := stmt(Stmt{Kind: Load, Reg: g.newReg(), Loc: l, Mode: event.Rlx, Val: Const(0), Exp: Const(0), Until: Equal, Is: 0})
			if r.IntN(3) == 0 { // or look once
				wait.Until = Always
			}
			body = append(body, loop(reg, 0, try, Stmt{Kind: If, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: 0, Else: []Stmt{wait}}))
			body = append(body, some(1)...)
			body = append(body, give())
		case n <= 5:
			body = append(body, take(NoReg))
			body = append(body, some(1)...)
			if r.IntN(8) > 0 {
				body = append(body, give())
			}
		case n == 6: // look at what the others take
			s := stmt(Stmt{Kind: Load, Reg: g.newReg(), Loc: l, Mode: g.mode(loadModes[g.style]), Val: Const(0), Exp: Const(0)})
			if r.IntN(2) == 0 {
				s = stmt(Stmt{Kind: CAS, Reg: s.Reg, Loc: l, Mode: event.Acq, Fail: event.Rlx, Exp: Const(0), Val: Const(7)})
			}
			if r.IntN(2) == 0 {
				s.Until, s.Is = Equal, 0
			}
			body = append(body, s)
		default:
			body = append(body, stmt(Stmt{Kind: Store, Reg: NoReg, Loc: l, Mode: event.Rel, Val: Const(uint32(r.IntN(3))), Exp: Const(0)}))
		}
		if r.IntN(2) == 0 {
			body = append(body, some(1)...)
		}
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	return p
}

// RandomPolls returns a random program with threads that take a lock, l, which may be one for readers and writers, look at something, and give the lock back, until they see what they wait for. Others take the lock too, and change that. In
// some programs there are accesses outside of the lock, or the lock does not order what it should. With na, some accesses are not atomic.
func RandomPolls(r *rand.Rand, na bool) *Prog {
	p := &Prog{Locs: []string{"x", "y", "l"}}
	const l = 2
	kind, weak, outside, stores := r.IntN(5), r.IntN(6) == 0, r.IntN(3) == 0, r.IntN(2) == 0
	for i := range 2 + r.IntN(2) {
		g := &generator{r: r}
		pick := func(strong event.Mode) event.Mode {
			if weak && r.IntN(2) == 0 {
				return event.Rlx
			}
			return strong
		}
		mode := func() event.Mode {
			if na && r.IntN(3) > 0 {
				return event.NA
			}
			return event.Rlx
		}
		stmt := func(k Kind, reg, loc int, m event.Mode, val uint32) Stmt {
			return Stmt{Kind: k, Reg: reg, Loc: loc, Addr: NoReg, Mode: m, Fail: event.Rlx, Val: Const(val), Exp: Const(0)}
		}
		shared := false // a section of a reader of a read-write lock
		take := func() []Stmt {
			s := stmt(CAS, NoReg, l, pick(event.Acq), 1)
			switch kind {
			case 4:
				if s.Until = Done; shared {
					s.Unless, s.Exp, s.Val = true, Const(1), Const(2)
				}
				return []Stmt{s}
			case 0:
				s.Val, s.Until = Const(uint32(1+i)), Done
				return []Stmt{s}
			case 1:
				s.Kind, s.Until, s.Is = Xchg, Differs, 1
				return []Stmt{s}
			}
			s.Kind, s.Reg = Xchg, g.newReg()
			refused := stmt(Load, g.newReg(), l, event.Rlx, 0)
			refused.Until, refused.Is = Equal, 0
			if kind == 3 {
				s.Kind, refused = FAdd, stmt(FAdd, NoReg, l, event.Rlx, ^uint32(0))
			}
			try := Stmt{Kind: If, Reg: s.Reg, Loc: NoLoc, Addr: NoReg, Is: 0, Else: []Stmt{refused}}
			return []Stmt{{Kind: Loop, Reg: s.Reg, Loc: NoLoc, Addr: NoReg, Is: 0, Then: []Stmt{s, try}}}
		}
		give := func() Stmt {
			if kind == 4 && shared {
				return stmt(FAdd, NoReg, l, pick(event.Rel), ^uint32(1))
			}
			if kind == 3 || kind == 4 && !stores {
				return stmt(FAdd, NoReg, l, pick(event.Rel), ^uint32(0))
			}
			return stmt(Store, NoReg, l, pick(event.Rel), 0)
		}
		access := func() Stmt {
			switch loc := r.IntN(2); r.IntN(4) {
			case 0:
				return stmt(Load, g.newReg(), loc, mode(), 0)
			case 1:
				return stmt(FAdd, g.newReg(), loc, event.Rlx, 1)
			default:
				return stmt(Store, NoReg, loc, mode(), uint32(r.IntN(3)))
			}
		}
		var body []Stmt
		section := func(inner ...Stmt) []Stmt { return append(append(take(), inner...), give()) }
		for range 1 + r.IntN(2) {
			switch n := r.IntN(8); {
			case n < 3 && i < 2 || i == 0 && len(body) == 0:
				reg := g.newReg()
				look := []Stmt{stmt(Load, reg, r.IntN(2), mode(), 0)}
				if r.IntN(4) == 0 {
					look = append(look, stmt(Load, g.newReg(), r.IntN(2), mode(), 0))
				}
				shared = true
				round := section(look...)
				shared = false
				switch r.IntN(6) { // look at something outside of the lock
				case 0:
					round = append(round, stmt(Load, g.newReg(), r.IntN(2), mode(), 0))
				case 1:
					round = append([]Stmt{stmt(Load, g.newReg(), r.IntN(2), mode(), 0)}, round...)
				}
				body = append(body, Stmt{Kind: Loop, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: uint32(r.IntN(3)), Then: round})
			case n < 6 || !outside:
				inner := []Stmt{access()}
				if r.IntN(3) == 0 {
					inner = append(inner, access())
				}
				body = append(body, section(inner...)...)
			case n == 6:
				body = append(body, access())
			default: // look at the lock
				s := stmt(Load, g.newReg(), l, event.Rlx, 0)
				if r.IntN(2) == 0 {
					s = stmt(CAS, s.Reg, l, event.Acq, 7)
				}
				body = append(body, s)
			}
		}
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	return p
}

// RandomRetries returns a random program with loops that go on with what they have read last: a compare-and-swap until it succeeds, a
// load until it reads something. With na, some of them store what they have read to z, which is not atomic.
func RandomRetries(r *rand.Rand, na bool) *Prog {
	cfg := Config{NoFences: r.IntN(3) > 0, NoBranches: true, Locs: 2}
	p := &Prog{Locs: []string{"x", "y", "z"}}
	z := func(k Kind, reg int) Stmt {
		return Stmt{Kind: k, Reg: reg, Loc: 2, Addr: NoReg, Mode: event.NA, Val: Const(0), Exp: Const(0)}
	}
	for i := range 2 + r.IntN(2) {
		g := &generator{r: r, cfg: &cfg, style: style(r.IntN(3)), locs: 2}
		var body []Stmt
		some := func(n int) {
			if n > 0 {
				more, _ := g.body(n, 0)
				body = append(body, more...)
			}
		}
		some(r.IntN(2))
		if i < 2 {
			first := g.stmt(Load)
			body = append(body, first)
			var round []Stmt
			if r.IntN(3) == 0 {
				look := g.stmt(Load)
				round = append(round, look)
			}
			if na && i == 0 {
				store := z(Store, NoReg)
				store.Val = Expr{Reg: first.Reg}
				if r.IntN(2) == 0 { // read it in each round
					first.Mode = event.Rlx
					round = append(round, first)
				}
				round = append(round, store)
			}
			if r.IntN(2) == 0 {
				cas := g.stmt(CAS)
				g.regs = g.regs[:len(g.regs)-1]
				cas.Loc, cas.Reg, cas.Exp, cas.Val = first.Loc, first.Reg, Expr{Reg: first.Reg}, Expr{Reg: first.Reg, Const: 1}
				body = append(body, Stmt{Kind: Loop, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Then: append(round, cas)})
			} else {
				again := g.stmt(Load)
				g.regs = g.regs[:len(g.regs)-1]
				again.Loc, again.Reg = first.Loc, first.Reg
				is := uint32(r.IntN(3))
				loop := Stmt{Kind: Loop, Reg: first.Reg, Loc: NoLoc, Addr: NoReg, Is: is, Then: append(round, again)}
				body = append(body, Stmt{Kind: If, Reg: first.Reg, Loc: NoLoc, Addr: NoReg, Is: is, Else: []Stmt{loop}})
			}
		}
		some(r.IntN(3))
		if na && (i == 0 || r.IntN(8) == 0) {
			body = append(body, z(Load, g.newReg()))
		}
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	return p
}

// RandomConfirms returns a random program with loops that read, and confirm what they have read by a compare-and-swap. What they write may be what was there before. With na, some
// stores to the same locations are not atomic.
func RandomConfirms(r *rand.Rand, na bool) *Prog {
	cfg := Config{NoFences: r.IntN(3) > 0, NoBranches: true, Locs: 2}
	p := &Prog{Locs: []string{"x", "y"}}
	for i := range 2 + r.IntN(2) {
		g := &generator{r: r, cfg: &cfg, style: style(r.IntN(3)), locs: 2}
		var body []Stmt
		some := func(n int) {
			if n > 0 {
				more, _ := g.body(n, 0)
				body = append(body, more...)
			}
		}
		some(r.IntN(2))
		if i < 2 || r.IntN(2) == 0 {
			first, cas := g.stmt(Load), g.stmt(CAS)
			cas.Loc, cas.Exp, cas.Val = first.Loc, Expr{Reg: first.Reg}, Expr{Reg: first.Reg, Const: 1}
			if r.IntN(3) == 0 {
				cas.Val = Const(uint32(r.IntN(3)))
			}
			round := []Stmt{first, cas}
			switch r.IntN(8) {
			case 0: // something else in between
				round = []Stmt{first, g.stmt([]Kind{Load, Fence}[r.IntN(2)]), cas}
			case 1: // go on with what was read last
				cas.Reg = first.Reg
				body = append(body, first)
				round = []Stmt{cas}
			case 2: // a value that the compare-and-swap fails with makes a difference
				s := g.stmt(Store)
				s.Val = Const(2)
				round = []Stmt{{Kind: If, Reg: cas.Reg, Loc: NoLoc, Addr: NoReg, Is: 1 + uint32(r.IntN(2)), Then: []Stmt{s}}, first, cas}
			}
			body = append(body, Stmt{Kind: Loop, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Then: round})
		} else if na {
			s := g.stmt(Store)
			s.Mode = event.NA
			body = append(body, s)
		}
		some(r.IntN(2))
		p.Threads = append(p.Threads, Thread{Regs: g.regs, Body: body})
	}
	return p
}

// RandomMixed returns a random program whose threads do two or three of these: access memory, perhaps by a read-modify-write whose result is not used; hold a lock, or try to; retry a compare-and-swap, perhaps
// with a fence between it and the load; wait, with fences or in vain under the lock; meet at a barrier. The first n threads are equal; with n = 0 there are none, but some threads may start others and join them.
func RandomMixed(r *rand.Rand, na bool) (p *Prog, n int) {
	cfg := Config{NoFences: r.IntN(2) == 0, NoBranches: r.IntN(2) == 0, Locs: 2, NA: na}
	p = &Prog{Locs: []string{"x", "y", "l", BarrierLoc, "c"}}
	const l, b, c = 2, 3, 4
	strict, spin, weak := r.IntN(3) > 0, r.IntN(3), r.IntN(3) == 0
	threads, barrier := 2+r.IntN(2), r.IntN(3) == 0
	pick := func(strong event.Mode) event.Mode {
		if strict || r.IntN(2) == 0 {
			return strong
		}
		return event.Rlx
	}
	var waited []int // locations
	thread := func() Thread {
		g := &generator{r: r, cfg: &cfg, style: style(r.IntN(3)), locs: 2}
		stmt := func(k Kind, reg, loc int, m event.Mode, val uint32) Stmt {
			return Stmt{Kind: k, Reg: reg, Loc: loc, Addr: NoReg, Mode: m, Val: Const(val), Exp: Const(0)}
		}
		until := func(s Stmt, u Until, is uint32) Stmt {
			s.Until, s.Is = u, is
			return s
		}
		loop := func(reg int, is uint32, body ...Stmt) Stmt {
			return Stmt{Kind: Loop, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: is, Then: body}
		}
		some := func() []Stmt {
			body, _ := g.body(1+r.IntN(2), 1)
			for i := range body {
				if k := body[i].Kind; (k == FAdd || k == Xchg || k == CAS) && r.IntN(2) == 0 {
					body[i].Reg = NoReg
				}
			}
			return body
		}
		fence := func(body []Stmt) []Stmt {
			if r.IntN(2) == 0 {
				return body
			}
			m := []event.Mode{event.Acq, event.Rel, event.AcqRel, event.SC}[r.IntN(4)]
			return append(body, Stmt{Kind: Fence, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Mode: m})
		}
		try := func(reg int) Stmt {
			s := stmt(CAS, reg, l, pick(event.Acq), 1)
			s.Fail, s.Weak = event.Rlx, weak
			return s
		}
		swap := func(reg int) Stmt { return stmt(Xchg, reg, l, pick(event.Acq), 1) }
		take := func() []Stmt {
			switch spin {
			case 0:
				return []Stmt{until(try(NoReg), Done, 0)}
			case 1:
				return []Stmt{until(swap(NoReg), Differs, 1)}
			}
			got := g.newReg()
			return []Stmt{loop(got, 0, until(stmt(Load, g.newReg(), l, event.Rlx, 0), Equal, 0), swap(got))}
		}
		give := func() Stmt { return stmt(Store, NoReg, l, pick(event.Rel), 0) }
		block := func() (body []Stmt) {
			switch r.IntN(10) {
			case 0, 1, 9:
				return some()
			case 2, 3:
				return append(append(take(), some()...), give())
			case 4:
				s := try(g.newReg())
				body := append(some(), give())
				return []Stmt{s, {Kind: If, Reg: s.Reg, Loc: NoLoc, Addr: NoReg, Is: 0, Then: body}}
			case 5:
				first, cas := g.stmt(Load), g.stmt(CAS)
				first.Mode = max(first.Mode, event.Rlx)
				cas.Loc, cas.Exp, cas.Val, cas.Weak = first.Loc, Expr{Reg: first.Reg}, Expr{Reg: first.Reg, Const: 1}, weak
				if r.IntN(2) == 0 {
					cas.Reg = NoReg
				}
				return []Stmt{loop(NoReg, 0, append(fence([]Stmt{first}), cas)...)}
			case 6:
				look := g.stmt(Load)
				look.Mode = max(look.Mode, event.Rlx)
				waited = append(waited, look.Loc)
				round := fence([]Stmt{look})
				if r.IntN(3) == 0 {
					round = append(round, g.stmt(Load))
				}
				return []Stmt{loop(look.Reg, 1, round...)}
			case 7:
				look := g.stmt(Load)
				waited = append(waited, look.Loc)
				return []Stmt{loop(look.Reg, 1, append(append(take(), look), give())...)}
			}
			look := g.stmt(Load)
			look.Mode = max(look.Mode, event.Rlx)
			waited = append(waited, look.Loc)
			return []Stmt{until(look, Equal, 1)}
		}
		body := block()
		if barrier {
			arrived := g.newReg()
			body = append(body, stmt(FAdd, arrived, b, event.AcqRel, 1),
				Stmt{Kind: If, Reg: arrived, Loc: NoLoc, Addr: NoReg, Is: uint32(threads - 1), Then: []Stmt{stmt(Store, NoReg, c, event.Rel, 1)}},
				until(stmt(Load, arrived, c, event.Acq, 0), Equal, 1))
		}
		if r.IntN(3) > 0 {
			body = append(body, block()...)
		}
		return Thread{Regs: g.regs, Body: body}
	}
	for range threads {
		p.Threads = append(p.Threads, thread())
	}
	for _, loc := range waited { // so that few wait for ever
		th := &p.Threads[r.IntN(threads)]
		if r.IntN(4) > 0 {
			th.Body = slices.Insert(th.Body, r.IntN(2), Stmt{Kind: Store, Reg: NoReg, Loc: loc, Addr: NoReg, Mode: pick(event.Rel), Val: Const(1), Exp: Const(0)})
		}
	}
	switch {
	case r.IntN(2) == 0:
		n = 2 + r.IntN(threads-1)
		for t := range n {
			p.Threads[t] = p.Threads[0]
		}
	case !barrier && r.IntN(2) == 0:
		p.addStarts(r)
	}
	return p, n
}

// addStarts has some threads started by earlier ones, anywhere in what these do, and some of these joined.
func (p *Prog) addStarts(r *rand.Rand) {
	for t := len(p.Threads) - 1; t > 0; t-- {
		if r.IntN(4) == 0 {
			continue
		}
		body := &p.Threads[r.IntN(t)].Body
		for {
			i := r.IntN(len(*body) + 1)
			if i < len(*body) && (*body)[i].Kind == If && r.IntN(2) == 0 {
				body = &(*body)[i].Then
				continue
			}
			*body = slices.Insert(*body, i, Stmt{Kind: Start, Thread: t, Reg: NoReg, Loc: NoLoc, Addr: NoReg})
			if r.IntN(2) == 0 {
				*body = slices.Insert(*body, i+1+r.IntN(len(*body)-i), Stmt{Kind: Join, Thread: t, Reg: NoReg, Loc: NoLoc, Addr: NoReg})
			}
			break
		}
	}
}

// A style says which modes a program favours: with all modes in equal parts hardly
// any program shows what sc or release sequences do.
type style uint8

const (
	mixed style = iota
	mostlySC
	relAcq
	weak // with Config.Deps only
)

// A generator makes one thread.
type generator struct {
	r     *rand.Rand
	cfg   *Config
	style style
	locs  int
	last  int      // location of the last access
	regs  []string // assigned so far
}

// body makes statements with at most budget accesses and returns how many are left.
func (g *generator) body(budget, depth int) (body []Stmt, rest int) {
	for budget > 0 {
		if depth > 0 && len(body) > 0 && g.r.IntN(2) == 0 {
			break // short branches
		}
		switch n := g.r.IntN(20); {
		case n < 3 && !g.cfg.NoFences && (len(body) == 0 || body[len(body)-1].Kind != Fence):
			body = append(body, g.stmt(Fence))
		case n < 6 && !g.cfg.NoBranches && len(g.regs) > 0 && depth < 2:
			s := g.stmt(If)
			var a, b int
			s.Then, a = g.body(budget, depth+1)
			b = budget
			if g.r.IntN(2) == 0 {
				s.Else, b = g.body(budget, depth+1)
			}
			budget = min(a, b)
			if len(s.Then)+len(s.Else) > 0 {
				body = append(body, s)
			}
		case n < 10 && !g.cfg.NoRMW && budget >= 2:
			body = append(body, g.linked([]Kind{FAdd, Xchg, CAS, CAS}[g.r.IntN(4)])...)
			budget -= 2
		case n < 15:
			body = append(body, g.linked(Load)...)
			budget--
		default:
			body = append(body, g.linked(Store)...)
			budget--
		}
	}
	return body, budget
}

// corner makes a thread of a critical cycle: an access to location a, one to location b, perhaps a
// fence between them, and perhaps more of both. SB, MP, LB, S, R, 2+2W, WRC, … are such cycles.
func (g *generator) corner(a, b, budget int) (body []Stmt, rest int) {
	access := func(loc int) {
		kind := []Kind{Load, Store}[g.r.IntN(2)]
		if g.cfg.Deps && g.r.IntN(4) > 0 {
			kind = Load
			if loc == b {
				kind = Store
			}
		}
		if budget > 2 && !g.cfg.NoRMW && g.r.IntN(5) == 0 {
			kind = []Kind{FAdd, Xchg, CAS}[g.r.IntN(3)]
			budget--
		}
		budget--
		body = append(body, g.linked(kind)...)
		body[len(body)-1].Loc = loc
	}
	access(a)
	if budget > 1 && g.r.IntN(2) == 0 {
		access(a)
	}
	if !g.cfg.NoFences && g.r.IntN(3) == 0 && (!g.cfg.Deps || g.r.IntN(2) == 0) {
		body = append(body, g.stmt(Fence))
	}
	access(b)
	if budget > 0 && g.r.IntN(2) == 0 {
		more, left := g.body(budget, 1)
		return append(body, more...), left
	}
	return body, budget
}

// linked makes an access and, with Deps, often a dependency of it on an earlier read: on
// its address, its value, or a branch before it, perhaps with an isync.
func (g *generator) linked(k Kind) (body []Stmt) {
	regs := len(g.regs)
	s := g.stmt(k)
	if !g.cfg.Deps || regs == 0 || g.r.IntN(2) == 0 {
		return []Stmt{s}
	}
	reg := regs - 1
	if g.r.IntN(3) == 0 {
		reg = g.r.IntN(regs)
	}
	switch n := g.r.IntN(6); {
	case n < 2:
		s.Addr = reg
	case n < 4 && k != Load && (k != Xchg || s.Until == Always):
		s.Val = Expr{Reg: reg, Zero: g.r.IntN(3) > 0, Const: uint32(g.r.IntN(3))}
	case n == 4 && k == CAS:
		s.Exp = Expr{Reg: reg, Zero: g.r.IntN(2) > 0, Const: uint32(g.r.IntN(2))}
	default:
		body = append(body, Stmt{Kind: If, Reg: reg, Loc: NoLoc, Addr: NoReg, Is: uint32(g.r.IntN(2))})
		if tag := isyncs[g.cfg.Tags]; tag != event.NoTag && g.r.IntN(3) == 0 {
			body = append(body, Stmt{Kind: Fence, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Mode: event.Rlx, Tag: tag})
		}
	}
	return append(body, s)
}

// The tags of each architecture.
var (
	isyncs    = map[Model]event.Tag{ARMv8: event.ISB, ARMv7: event.ISB, Power: event.ISYNC, RISCV: event.FenceI}
	fenceTags = map[Model][]event.Tag{
		ARMv8: {event.DMBSY, event.DMBLD, event.DMBST, event.DSBSY, event.DSBLD, event.DSBST, event.ISB},
		ARMv7: {event.DMBSY, event.DMBST, event.DSBSY, event.DSBST, event.ISB},
		Power: {event.SYNC, event.LWSYNC, event.LWSYNC, event.EIEIO, event.ISYNC},
		RISCV: {
			event.FenceRR, event.FenceRW, event.FenceRM, event.FenceWR, event.FenceWW, event.FenceWM,
			event.FenceMR, event.FenceMW, event.FenceMM, event.FenceTSO,
		},
		LKMM: {
			event.SmpMB, event.SmpRMB, event.SmpWMB, event.SmpRMB, event.SmpWMB, event.BeforeAtomic, event.AfterAtomic,
			event.AfterSpinlock, event.AfterUnlockLock, event.SyncRCU, event.SyncRCU,
		},
	}
	loadTags  = map[Model][]event.Tag{ARMv8: {event.AcquireA, event.AcquirePC}, RISCV: {event.AcquireA}}
	storeTags = map[Model][]event.Tag{ARMv8: {event.ReleaseL}, RISCV: {event.ReleaseL}, LKMM: {event.Unlock}}
	rmwTags   = map[Model][]event.Tag{
		ARMv8: {event.AcquireA, event.ReleaseL, event.AqRl}, RISCV: {event.AcquireA, event.ReleaseL, event.AqRl},
		LKMM: {event.Full, event.Noreturn, event.Lock, event.Lock},
	}
)

// tag gives s a tag now and then.
func (g *generator) tag(s *Stmt) {
	var tags []event.Tag
	switch s.Kind {
	case Load:
		tags = loadTags[g.cfg.Tags]
	case Store:
		tags = storeTags[g.cfg.Tags]
	case FAdd, Xchg, CAS:
		tags = rmwTags[g.cfg.Tags]
	case Fence:
		tags = fenceTags[g.cfg.Tags]
	}
	if len(tags) > 0 && (s.Kind == Fence || g.r.IntN(4) == 0) && g.r.IntN(2) == 0 {
		s.Tag, s.Mode, s.Fail = tags[g.r.IntN(len(tags))], event.Rlx, event.Rlx
	}
}

// section puts some statements into a read-side critical section, now and then.
func (g *generator) section(body []Stmt) []Stmt {
	if g.r.IntN(2) == 0 {
		return body
	}
	from := g.r.IntN(len(body))
	to := from + 1 + g.r.IntN(len(body)-from)
	if waits(body[from:to]) {
		return body // it would wait for itself
	}
	fence := func(tag event.Tag) Stmt {
		return Stmt{Kind: Fence, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Mode: event.Rlx, Tag: tag}
	}
	var out []Stmt
	out = append(append(out, body[:from]...), fence(event.RCULock))
	out = append(append(out, body[from:to]...), fence(event.RCUUnlock))
	return append(out, body[to:]...)
}

// waits reports whether there is a grace period in the statements.
func waits(body []Stmt) bool {
	return slices.ContainsFunc(body, func(s Stmt) bool { return s.Tag == event.SyncRCU || waits(s.Then) || waits(s.Else) })
}

// The modes of each style.
var (
	loadModes = [...][]event.Mode{
		mixed: {event.Rlx, event.Acq, event.SC}, mostlySC: {event.Rlx, event.SC, event.SC, event.SC}, relAcq: {event.Rlx, event.Acq, event.Acq},
		weak: {event.Rlx, event.Rlx, event.Rlx, event.Rlx, event.Acq},
	}
	storeModes = [...][]event.Mode{
		mixed: {event.Rlx, event.Rel, event.SC}, mostlySC: {event.Rlx, event.SC, event.SC, event.SC}, relAcq: {event.Rlx, event.Rel},
		weak: {event.Rlx, event.Rlx, event.Rlx, event.Rlx, event.Rel},
	}
	rmwModes = [...][]event.Mode{
		mixed: {event.Rlx, event.Acq, event.Rel, event.AcqRel, event.SC}, mostlySC: {event.Rlx, event.SC}, relAcq: {event.Rlx, event.Acq, event.Rel, event.AcqRel},
		weak: {event.Rlx, event.Rlx, event.Rlx, event.Acq, event.Rel},
	}
	fenceModes = [...][]event.Mode{
		mixed: {event.Acq, event.Rel, event.AcqRel, event.SC, event.SC}, mostlySC: {event.SC}, relAcq: {event.Acq, event.Rel, event.AcqRel},
		weak: {event.Acq, event.Rel, event.AcqRel, event.SC},
	}
	failModes = [...][]event.Mode{
		mixed: {event.Rlx, event.Acq, event.SC}, mostlySC: {event.Rlx, event.SC}, relAcq: {event.Rlx, event.Acq},
		weak: {event.Rlx, event.Acq},
	}
)

func (g *generator) stmt(k Kind) Stmt {
	s := Stmt{Kind: k, Reg: NoReg, Loc: g.loc(), Addr: NoReg, Val: Const(0), Exp: Const(0)}
	switch k {
	case Load:
		s.Mode = g.access(loadModes[g.style])
		s.Reg = g.newReg()
	case Store:
		s.Mode = g.access(storeModes[g.style])
		s.Val = g.expr()
	case FAdd:
		s.Mode = g.mode(rmwModes[g.style])
		s.Val = Const(1)
	case Xchg:
		s.Mode = g.mode(rmwModes[g.style])
		s.Val = g.expr()
	case CAS:
		s.Mode, s.Fail = g.mode(rmwModes[g.style]), g.mode(failModes[g.style])
		s.Exp, s.Val = Const(uint32(g.r.IntN(2))), g.expr()
	case Fence:
		s.Mode, s.Loc = g.mode(fenceModes[g.style]), NoLoc
	case If:
		s.Reg, s.Loc = g.r.IntN(len(g.regs)), NoLoc
		s.Is = uint32(g.r.IntN(2))
	}
	if k == FAdd || k == Xchg || k == CAS {
		s.Reg = g.newReg()
	}
	if g.cfg.Awaits {
		g.await(&s)
	}
	if g.cfg.Tags != "" {
		g.tag(&s)
	}
	return s
}

// await makes a read wait, now and then.
func (g *generator) await(s *Stmt) {
	if g.r.IntN(3) > 0 {
		return
	}
	switch s.Kind {
	case Load:
		s.Until, s.Is = []Until{Equal, Differs}[g.r.IntN(2)], uint32(g.r.IntN(3))
	case CAS:
		s.Until = Done
	case Xchg:
		s.Val = Const(1)
		s.Until, s.Is = Differs, 1
	}
}

// loc is mostly another location than the last one.
func (g *generator) loc() int {
	if g.r.IntN(3) > 0 {
		g.last += 1 + g.r.IntN(max(g.locs-1, 1))
		g.last %= g.locs
	}
	return g.last
}

func (g *generator) mode(modes []event.Mode) event.Mode { return modes[g.r.IntN(len(modes))] }

// access is mode, or na if the configuration has it.
func (g *generator) access(modes []event.Mode) event.Mode {
	if g.cfg.NA && g.r.IntN(3) == 0 {
		return event.NA
	}
	return g.mode(modes)
}

func (g *generator) newReg() int {
	g.regs = append(g.regs, fmt.Sprintf("r%d", len(g.regs)))
	return len(g.regs) - 1
}

// expr is mostly a small constant: equal values from different writes must be told apart too.
func (g *generator) expr() Expr {
	e := Const(uint32(1 + g.r.IntN(2)))
	if len(g.regs) > 0 && g.r.IntN(3) == 0 {
		e.Reg = g.r.IntN(len(g.regs))
		switch g.r.IntN(3) {
		case 0:
			e.Const = 0
		case 1:
			e.Zero = true
		}
	}
	return e
}
