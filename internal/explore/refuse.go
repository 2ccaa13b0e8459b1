package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Counters that refuse.
//
//	while (fetch_sub(&x, 1) <= 0) { fetch_add(&x, 1); while (x <= 0); }
//
// A thread that gets too little here gives back what it has taken and tries again. round.go stops it after that, but what it has taken was there for the others to see: they are refused in turn, and each order
// of takes and gifts makes another execution that leads nowhere. So a thread is stopped when it is refused, before it has taken anything: as at a compare-and-swap that fails. The same goes for locks that refuse:
//
//	while (exchange(&x, 1)) while (x);
//
// Definition. Let t be at an RMW r that adds δ to the location x. A value v refuses t if, having read v, t does only this, whatever it reads: it adds -δ to x, by an RMW, then reads x any number of times, at most maxReads,
// and then is where it was at r, or waits (machine.Spin, machine.Lock) for a value that does not refuse it. These events are a vain attempt; up to the gift, δ is in the air.
//
// Let V have the values that are written to x, and the initial one; and let S(u) have the sums of what may be in the air of threads other than u: for each of them nothing, or one δ that it was refused. x is a counter if
//
//	C1. each write of x is that of an RMW that adds something, and no access is non-atomic;
//	C2. if thread u reads x, for each w in V and s in S(u), w+s refuses u, or makes it wait, or makes it do the same as w does;
//	C3. the model has no dependencies.
//
// As in D4 of discipline.go, C1 and C2 need not hold for accesses before other threads begin, and after all of them were joined.
//
// Rule E. If x is a counter, and v refuses t at r, t reads v, does not write, and waits.
//
// Lemma. Let x be a counter in all executions that E leaves. For each consistent execution G there is a consistent execution G' without vain attempts, in which all threads come to the same states, apart from those
// in a vain attempt, which are before it. In G, x has the value that it has in G' and what is in the air.
//
// Proof. By induction, in an order of the events that contains po ∪ rf; that of the writes of x then is co, as they are RMWs. Let e be the last event of G, of thread u, and G0' be the execution for G without e. If u is in a vain attempt, e is
// part of it, by its definition: G' is G0'. Otherwise u is at the same action in G0'. If that is no read of x, G' is G0' with e. If it is, let e read w in G0', from the last write before it that is not of a vain attempt. By
// C2, and as E leaves G0', what it reads in G refuses u, and a vain attempt begins; or u waits; or u does the same as after w: G' is G0' with e. The relations of the models are monotone, and new are
// only edges from a write a of x to e. These were there in G: a chain of RMWs leads from a to e, and so does the release sequence of a (see Lemma 1 of round.go). ∎
//
// An RMW that writes what it reads, as the exchange of a lock that is taken, takes nothing and has nothing to give back. v refuses a thread at such an RMW r, which keeps v, if the thread then only reads x, as above, and is where it was at r, or waits for
// a value that r keeps and that refuses it. Nothing is in the air, so C2 holds, and of C1 only that no access is non-atomic is needed: such a vain attempt is a round by Z3 of round.go, up to where its thread waits. It has no
// interior writes, and nothing comes between its writes in co, as it has one. So Lemma 1 of round.go takes it out, whatever others do with x.
//
// For such RMWs C3 can do with less (model.Traits.Through): r acquires, and the model is imm, armv8 or riscv. Let r read from a, and let q read what r writes, w. If q is of the thread of r, it is in a vain attempt too, as t goes on only
// with a value that does not refuse it. So what is new is that q reads from a, of another thread or of t. If a is of another thread, it was ordered before q: by rfe to r, from there to w (imm: ppo has rmw; armv8: aob; riscv: ppo
// has po-loc to writes), and by rfe to q. If a is of t, what is ordered before a was ordered before w: by data and rfi to r, which acquires; by ctrl, and addr;po, to all later writes; by fences; by a release and coi (imm:
// po|loc); by rmw to a, and rfi to r, which acquires. Power does not order the read of an RMW before its write, so there rounds are left to round.go.
//
// So E loses no outcome. Nor does it lose a thread that waits for ever: t would be refused again as long as x is what it is, and if it waits after its gift, x refuses it. A vain attempt has no errors of its own but those of
// its first access, which E leaves, and races, which C1 excludes.
//
// V, and what may be in the air, are found out on the way: the exploration starts again with each value. Where x turns out to be no counter, it starts again without E, and rounds are left to round.go.

// A taking is what a thread may have in the air.
type taking struct {
	thread int32       // noThread if it takes nothing
	val    event.Value // δ
}

// countersMayRefuse reports whether rule E holds.
func (w *worker) countersMayRefuse() bool {
	return w.postpones && w.rereads && (w.traits.Through || w.deps == nil && !w.traits.TracksDeps) && w.flags == nil && !w.observed && w.opts.Hunt == 0
}

// keeps reports whether the action is an RMW that writes v if it reads v. A CAS that succeeds is none.
func keeps(act *machine.Action, v event.Value) bool {
	return act.Kind == machine.RMW && !act.RMW.MayFail() && act.Size <= 8 && act.RMW.Apply(v, act.Val, act.Size) == v
}

// adds returns what the action adds to its location, false if it is no RMW that adds.
func adds(act *machine.Action) (event.Value, bool) {
	if act.Kind != machine.RMW || act.RMW != event.Add && act.RMW != event.Sub || act.Size > 8 {
		return event.Value{}, false
	}
	return act.RMW.Apply(event.Value{}, act.Val, act.Size), true
}

// mayBeRefused reports whether E may stop the thread that is at the pending i.
func (w *worker) mayBeRefused(i uint32) bool {
	p := &w.pends[i]
	if !w.refuses || p.act.Kind != machine.RMW {
		return false
	}
	if p.refusable == unknown {
		p.refusable = no
		if !p.act.RMW.MayFail() && p.act.Mode != event.NA && (w.deps == nil || p.act.Mode.IsAcq() && p.act.Tag == event.NoTag) && !w.disciplines[p.act.Addr].uneven {
			p.refusable = yes
		}
	}
	return p.refusable == yes
}

// isRefused reports whether E stops the thread t, which is at the pending i, if it reads v.
func (w *worker) isRefused(t int32, i uint32, v event.Value) bool {
	if !w.mayBeRefused(i) || w.pends[i].vain == no || !w.triesAndGivesBack(i, v) {
		return false
	}
	d, known := w.disciplines[w.pends[i].act.Addr]
	if !known {
		d.vals = []event.Value{v}
	}
	if !w.triesInVain(i, v, &d) || w.alone(t) {
		return false
	}
	take := taking{thread: noThread}
	if act := &w.pends[i].act; !keeps(act, v) {
		take.thread = t
		take.val, _ = adds(act)
	}
	if !slices.Contains(d.takes, take) {
		w.know(w.locOf(t, &w.pends[i].act), func(d *discipline) {
			if !slices.Contains(d.takes, take) {
				d.takes = append(slices.Clip(d.takes), take)
			}
		})
		return false
	}
	if w.twins != nil && take.thread != noThread {
		w.twins.none() // what one of them may have in the air another may have
	}
	return true
}

// triesInVain reports whether v refuses the thread that is at the pending i.
func (w *worker) triesInVain(i uint32, v event.Value, d *discipline) bool {
	if !w.triesAndGivesBack(i, v) {
		return false
	}
	next := w.after(i, v) // which stays: the thread will come there
	pends, arena := len(w.pends), w.arena.Mark()
	defer func() {
		w.pends = w.pends[:pends]
		w.arena.Release(arena)
	}()
	switch p := &w.pends[i]; {
	case p.vain == unknown:
		vain := w.endsInVain(i, next, v, d)
		p = &w.pends[i]
		p.refuser, p.vain = v, no
		if vain {
			p.vain = yes
		}
		return vain
	case p.vain == no || p.refuser == v:
		return p.vain == yes
	default:
		return w.alikeIn(w.after(i, p.refuser), next)
	}
}

// after is resumed, for a thread that goes on where it asks whether it went round.
func (w *worker) after(i uint32, v event.Value) uint32 {
	i = w.resumed(i, v)
	for w.pends[i].act.Kind == machine.Round {
		i = w.resumed(i, event.Value{})
	}
	return i
}

// triesAndGivesBack reports whether the thread that is at the pending i takes nothing, or gives it back at once, if it reads v.
func (w *worker) triesAndGivesBack(i uint32, v event.Value) bool {
	if keeps(&w.pends[i].act, v) {
		return true
	}
	small := v.Hi == 0 && v.Lo < 64
	if w.deps != nil || small && w.pends[i].goesOn>>v.Lo&1 != 0 {
		return false
	}
	if w.givesBackNext(i, w.after(i, v)) {
		return true
	}
	if small {
		w.pends[i].goesOn |= 1 << v.Lo
	}
	return false
}

// givesBackNext reports whether a thread at the pending j adds what makes up for what it adds at i.
func (w *worker) givesBackNext(i, j uint32) bool {
	r, g := &w.pends[i].act, &w.pends[j].act
	took, takes := adds(r)
	gave, gives := adds(g)
	return takes && gives && g.Addr == r.Addr && g.Size == r.Size && g.Mode != event.NA && took != event.Value{} && event.Add.Apply(took, gave, r.Size) == event.Value{}
}

// endsInVain reports whether a thread that was at i, has read v, and is at j, where it gives back what it took, if anything, goes on as after a vain attempt.
func (w *worker) endsInVain(i, j uint32, v event.Value, d *discipline) bool {
	kept := keeps(&w.pends[i].act, v)
	if kept && w.pends[j].act.Addr != w.pends[i].act.Addr {
		return false
	}
	r := w.pends[i].act
	sums, ok := d.inTheAir(noThread, r.Size)
	if !ok {
		return false
	}
	var all []event.Value
	for _, v := range d.vals {
		for _, s := range sums {
			if v := event.Add.Apply(v, s, r.Size); !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	next := j
	if !kept {
		next = w.after(j, all[0])
		for _, v := range all[1:] {
			if !w.alikeIn(w.after(j, v), next) {
				return false
			}
		}
	}
	for n := range maxReads {
		switch act := w.pends[next].act; {
		case act.Addr != r.Addr || act.Size != r.Size:
			return false
		case act.Kind == machine.RMW:
			if act.RMW != r.RMW || act.Val != r.Val || act.Mode != r.Mode {
				return false
			}
			for _, v := range all {
				if !w.alikeIn(w.after(i, v), w.after(next, v)) {
					return false
				}
			}
			return true
		case act.Kind != machine.Load || act.Mode == event.NA:
			return false
		}
		from := next
		next = 0
		for _, v := range all {
			to := w.after(from, v)
			switch {
			case kept && w.waitsAt(to) && w.pends[to].act.N == n+2: // since r: it is there again
			case w.waitsAt(to):
				if kept && !keeps(&r, v) || !w.alikeIn(w.after(i, v), j) {
					return false
				}
			case next == 0:
				next = to
			case !w.alikeIn(next, to):
				return false
			}
		}
		if next == 0 {
			return true
		}
	}
	return false
}

// waitsAt reports whether a thread at the pending i waits in a loop.
func (w *worker) waitsAt(i uint32) bool {
	act := &w.pends[i].act
	return act.Kind == machine.Block && (act.Block == machine.Spin || act.Block == machine.Lock)
}

// noThread is the number of no thread.
const noThread = -1

// mayHaveInTheAir reports whether some thread may have something in the air.
func (d *discipline) mayHaveInTheAir() bool {
	return slices.ContainsFunc(d.takes, func(o taking) bool { return o.thread != noThread })
}

// inTheAir returns S(u), and false if that has too many values.
func (d *discipline) inTheAir(u int32, size uint8) ([]event.Value, bool) {
	sums := []event.Value{{}}
	for k, take := range d.takes {
		if take.thread == u || slices.ContainsFunc(d.takes[:k], func(o taking) bool { return o.thread == take.thread }) {
			continue
		}
		for _, s := range slices.Clone(sums) {
			for _, o := range d.takes[k:] {
				if v := event.Add.Apply(s, o.val, size); o.thread == take.thread && !slices.Contains(sums, v) {
					sums = append(sums, v)
				}
			}
		}
	}
	return sums, len(sums) <= maxVals
}

// followCounter looks whether the access e, which was added last in its thread, follows C1 and C2.
func (w *worker) followCounter(e *graph.Event, d *discipline) {
	even := e.Mode != event.NA
	switch {
	case !d.mayHaveInTheAir():
	case e.Kind == graph.Write:
		even = even && e.Flags&graph.RMWPart != 0
	default:
		even = even && w.evenAt(e, d)
	}
	if !even {
		w.know(e.Loc, func(d *discipline) { d.uneven = true })
	}
}

// evenAt reports whether C2 holds for the read e.
func (w *worker) evenAt(e *graph.Event, d *discipline) bool {
	if known := w.pends[e.Pend].even; known != unknown {
		return known == yes
	}
	act := w.pends[e.Pend].act
	_, ok := adds(&act)
	even := ok || act.Kind == machine.Load
	sums, few := d.inTheAir(e.Thread, act.Size)
	even = even && few && act.Addr == w.g.Locs[e.Loc].Addr && !act.Part
	pends, arena := len(w.pends), w.arena.Mark()
	for _, v := range d.vals {
		for _, s := range sums {
			u := event.Add.Apply(v, s, act.Size)
			even = even && (u == v || act.Kind == machine.RMW && w.triesInVain(e.Pend, u, d) || act.Kind == machine.Load && w.waitsAt(w.resumed(e.Pend, u)) || w.sameAfter(e.Pend, u, v))
		}
	}
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	answer := no
	if even {
		answer = yes
	}
	w.pends[e.Pend].even = answer
	return even
}

// wasRefused reports whether E, or rule L of look.go, has stopped the thread of the read e there.
func (w *worker) wasRefused(e *graph.Event) bool {
	return w.refuses && e.Kind == graph.Read && e.Flags&(graph.Locked|graph.RMWPart|graph.Spurious) == graph.Locked && succeeds(&w.pends[e.Pend].act, e.Val)
}

// refuse stops the thread t, which is at an RMW that has been refused.
func (w *worker) refuse(t int32) bool {
	return w.stopAfter(t, 1)
}

// stopAfter stops the thread t, which waits after a round of n actions.
func (w *worker) stopAfter(t int32, n int) bool {
	i := w.newPending()
	p := &w.pends[i]
	p.state, p.act = w.pends[w.cur[t]].state, machine.Action{Kind: machine.Block, Block: machine.Spin, N: n, Pos: w.pendingOf(t).act.Pos}
	w.cur[t] = i
	return w.arrived(t)
}
