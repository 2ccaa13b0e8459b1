package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// lkmm is the model of the Linux kernel: Alglave, Maranget, McKenney, Parri, Stern, ASPLOS'18, with the plain accesses,
// locks and SRCU that tools/memory-model of the kernel's source has now.
type lkmm struct {
	inThread
	of2018 bool // as it was until Linux 6.2
}

var (
	_ = register("lkmm", native{make: func(Options) Model { return &lkmm{} }})
	_ = register("lkmm-2018", native{make: func(Options) Model { return &lkmm{of2018: true} }})
)

func (m *lkmm) Name() string {
	if m.of2018 {
		return "lkmm-2018"
	}
	return "lkmm"
}

func (m *lkmm) Doc() string {
	if m.of2018 {
		return `The Linux kernel, as it was until Linux 6.2
(Alglave, Maranget, McKenney, Parri, Stern: Frightening small children and disconcerting grown-ups, ASPLOS'18)

  as lkmm, without (rf;rmw)*: what a release orders does not go on through read-modify-writes of others.`
	}
	return `The Linux kernel
(Alglave, Maranget, McKenney, Parri, Stern: Frightening small children and disconcerting grown-ups, ASPLOS'18,
with the plain accesses, locks, RCU and SRCU of tools/memory-model in Linux 6.12)

  ppo = addr;[R] ∪ (addr ∪ data);rfi ∪ (addr ∪ data ∪ ctrl);[W] ∪ (co ∪ fr) ∩ int ∪ fence ∩ int ∪ po-unlock-lock-po ∩ int
  cumul-fence = (rfe?;(strong-fence ∪ po-rel) ∪ wmb ∪ po-unlock-lock-po);(rf;rmw)*
  prop = ((co ∪ fr) ∩ ext)?;cumul-fence*;rfe?
  hb = ppo ∪ rfe ∪ (prop ∖ id) ∩ int      pb = prop;strong-fence;hb*      rb = prop;rcu-fence;hb*;pb*
  acyclic po|loc ∪ rf ∪ co ∪ fr   rmw ∩ (fre;coe) = ∅   acyclic hb   acyclic pb   irreflexive rb   acyclic hb ∪ pb ∪ rb
  hb, pb and rb relate marked accesses. rcu-fence: a chain of grace periods and read-side critical sections, with at least as
  many of the first as of the second, orders what is before it with what is after it.

  A data race is an error: two accesses of different threads, one of them plain and one a write, that are not ordered by these
  relations and by fences next to the plain ones. A free counts as a plain write.

  Programs use lkmm.h. C11: relaxed is once; fences, but relaxed ones, are smp_mb; sc read-modify-writes are ordered with everything, other sc
  accesses are acquire or release with smp_mb before. Creating and joining threads orders everything.
  A control dependency ends with the arms of the branch. Executions in which a write behind them is performed before what the branch tests are not explored: if there may
  be some, the verdict is bounded. Values out of thin air, which only programs with races could have, are left out.`
}

// Traits implements Model.
func (m *lkmm) Traits() Traits {
	return Traits{Deps: m, Armed: m, TracksDeps: true, TotalCo: true, Kernel: true, Rounds: true, Floor: m.floor, Races: Races{Own: true, Pairs: m.races}}
}

// isPlain reports whether e is an access that the compiler may do anything with.
func isPlain(e *graph.Event) bool { return isAccess(e) && e.Mode == event.NA }

// isLKR, isLKW and isUL are the two halves of spin_lock, and spin_unlock.
func isLKR(e *graph.Event) bool {
	return e.Tag == event.Lock && e.Kind == graph.Read && e.Flags&graph.RMWPart != 0
}
func isLKW(e *graph.Event) bool { return e.Tag == event.Lock && e.Kind == graph.Write }
func isUL(e *graph.Event) bool  { return e.Tag == event.Unlock && e.Kind == graph.Write }

// isAcquire and isRelease are smp_load_acquire and the like.
func isAcquire(e *graph.Event) bool { return e.Kind == graph.Read && e.Mode.IsAcq() || isLKR(e) }
func isRelease(e *graph.Event) bool { return e.Kind == graph.Write && e.Mode.IsRel() || isUL(e) }

// isFull reports whether e is a half of a read-modify-write, one that succeeded, that is ordered with everything.
func isFull(e *graph.Event) bool {
	return isAccess(e) && e.Flags&graph.RMWPart != 0 && (e.Tag == event.Full || e.Mode == event.SC)
}

// isAtomic reports whether e is of a read-modify-write, also one that failed.
func isAtomic(e *graph.Event) bool {
	return e.Kind == graph.Read && e.Flags&graph.Locked != 0 || e.Kind == graph.Write && e.Flags&graph.RMWPart != 0
}

// kernelFence returns what e is as a fence of the kernel.
func kernelFence(e *graph.Event) event.Tag {
	switch {
	case isSync(e):
		return event.SmpMB
	case e.Kind != graph.Fence:
	case e.Tag.IsKernel():
		return e.Tag
	case e.Mode > event.Rlx:
		return event.SmpMB
	}
	return event.NoTag
}

// fencedBefore reports whether C11 has a full fence right before e: an sc access that is not a read-modify-write.
func fencedBefore(e *graph.Event) bool {
	return isAccess(e) && e.Mode == event.SC && e.Flags&graph.RMWPart == 0
}

// A fencing is what fences between an event x and later events of its thread order x with. It is made by going along the thread from
// x: see with every event between, then ask orders.
type fencing struct {
	mb, rmb, wmb   bool
	before, atomic bool // smp_mb__before_atomic came; a read-modify-write came, x included
	locked         bool // spin_lock came, x included
	unlocked       bool // spin_unlock came after x
	srcu           bool // srcu_read_unlock came
	relocked       bool // spin_lock came after that
	acquire        bool // x is an acquire
	full           bool // x is the write of a full read-modify-write
	gp             bool
}

// fencingFrom begins at x.
func fencingFrom(x *graph.Event) fencing {
	return fencing{
		mb: isSync(x), atomic: isAtomic(x), locked: isLKW(x), acquire: isAcquire(x),
		full: isFull(x) && x.Kind == graph.Write, srcu: x.Kind == graph.Fence && x.Tag == event.SRCUUnlock,
	}
}

// see goes past e.
func (f *fencing) see(e *graph.Event) {
	if isAccess(e) {
		if isAtomic(e) {
			f.atomic = true
			f.mb = f.mb || f.before
		}
		f.mb = f.mb || fencedBefore(e)
		switch {
		case isUL(e):
			f.unlocked = true
		case isLKR(e):
			f.relocked = f.relocked || f.unlocked
		case isLKW(e):
			f.locked = true
		}
		return
	}
	switch kernelFence(e) {
	case event.SmpMB:
		f.mb = true
	case event.SmpRMB:
		f.rmb = true
	case event.SmpWMB:
		f.wmb = true
	case event.BeforeAtomic:
		f.before = true
	case event.AfterAtomic:
		f.mb = f.mb || f.atomic
	case event.AfterSpinlock:
		f.mb = f.mb || f.locked
	case event.AfterUnlockLock:
		f.mb = f.mb || f.relocked
	case event.AfterSRCU:
		f.mb = f.mb || f.srcu
	case event.SRCUUnlock:
		f.srcu = true
	case event.SyncRCU, event.SyncSRCU:
		f.gp = true
	}
}

// The relations that a fencing knows.
func (f *fencing) isMB(e *graph.Event) bool {
	return f.mb || f.full || isFull(e) && e.Kind == graph.Read || isSync(e) || fencedBefore(e) || f.before && isAtomic(e)
}

func (f *fencing) isRMB(x, e *graph.Event) bool {
	return f.rmb && x.Kind == graph.Read && e.Kind == graph.Read && x.Tag != event.Noreturn && e.Tag != event.Noreturn
}

func (f *fencing) isWMB(x, e *graph.Event) bool {
	return f.wmb && x.Kind == graph.Write && e.Kind == graph.Write
}

// orders reports whether x is ordered before the later access e.
func (f *fencing) orders(x, e *graph.Event) bool {
	return f.isMB(e) || f.gp || f.relocked || f.acquire || isRelease(e) || f.isRMB(x, e) || f.isWMB(x, e)
}

// OrdersPo implements DepModel.
func (m *lkmm) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	return m.OrdersPoAmong(g, x, e, nil)
}

// OrdersPoAmong implements Armed; nil keeps all.
func (*lkmm) OrdersPoAmong(g *graph.Graph, x, e *graph.Event, keep func(*graph.Event) bool) bool {
	switch {
	case isSync(x) || isSync(e):
		return true
	case !isAccess(x) || !isAccess(e):
		return false
	case sameLocOrdered(g, x, e):
		return true
	}
	f := fencingFrom(x)
	if f.orders(x, e) {
		return true // whatever is between
	}
	for i := x.Index + 1; i < e.Index && int(i) < len(g.Threads[x.Thread]); i++ {
		if id := g.At(x.Thread, i); id != graph.Init && (keep == nil || keep(&g.Events[id])) {
			f.see(&g.Events[id])
		}
	}
	return f.orders(x, e)
}

// AddrPo implements DepModel: what comes after an access that depends is not ordered by that.
func (*lkmm) AddrPo() bool { return false }

// Latest implements DepModel. In a read-side critical section the latest write may come after a grace period that waits for the section.
func (*lkmm) Latest(g *graph.Graph) bool { return !hasGracePeriod(g) }

// hasGracePeriod reports whether the graph has a grace period, without which critical sections order nothing.
func hasGracePeriod(g *graph.Graph) bool { return g.GracePeriods > 0 }

// CheckLast implements DepModel.
func (m *lkmm) CheckLast(g *graph.Graph, id graph.ID) bool {
	e := &g.Events[id]
	if !hasGracePeriod(g) {
		return checkLast(g, id, m)
	}
	if !isAccess(e) && e.Tag != event.SRCUUnlock {
		return true
	}
	return m.Check(g)
}

// before implements localOrder: all that the relations within threads are made of, and more.
func (m *lkmm) before(g *graph.Graph, x, y *graph.Event) bool {
	switch {
	case isSync(x) || isSync(y):
		return true
	case !isAccess(x) || !isAccess(y):
		return false
	}
	return x.Loc == y.Loc || isLKW(x) || g.Depends(y, x.Index) || m.OrdersPo(g, x, y)
}

// Consistent implements Model: without grace periods, whatever the axioms forbid has a cycle of com and before. The relations are built only if there is
// one, and it takes grace periods, spin_unlock or plain accesses to tell whether it is forbidden. Views have what creating and joining threads orders.
func (m *lkmm) Consistent(g *graph.Graph, id graph.ID) bool {
	if !hasGracePeriod(g) {
		if acyclicWith(g, id, m) {
			return true
		}
		if !hasUnlock(g) && len(g.Threads) <= maxKernelThreads {
			if m.closes(g, id) {
				return false
			}
			if !hasPlainPair(g) {
				return true
			}
		}
	}
	k := newKernel(g, m.of2018)
	defer k.done()
	k.joined = true
	return k.consistent()
}

// Views implements Model. Acq has what others have told a thread, plain accesses included; Rel is what a reader learns from a write.
//
// Definition. A write tells what comes before it in its thread, or was learnt there, if it is a release, and what comes before a full fence before it if it is marked; and of what its source
// tells, if it is of an RMW. A marked read of what another thread wrote learns it if it is an acquire; else the full fence after it does. Creating and joining threads tells
// and learns all.
//
// Lemma 1. If a write w is in Acq of the event before e, the model forbids that e is co- or fr-before w. It also does so if a marked read of w is, and w is marked.
//
// Proof. Between w and e there is a chain: w or its read comes before W₁, which tells it; R₁ reads from W₁, or from RMWs after it, and comes before W₂, which tells it; and so on, up to Rₙ, from which e is
// ordered by an acquire or a full fence. If e and w are marked, e leads by co or fr to w, from there by cumul-fences and rfe to Rₙ, which comes before e in hb. If w is W₁ and an RMW reads it, e leads to
// the write of that as well. If one is plain, w is in w-post-bounded;vis;pre-bounded before e: they are not plain-coherent. ∎
//
// Lemma 2. Let a be in Acq of b, both of one location, and hb ∪ pb acyclic in a graph without grace periods and spin_unlock. Then a and b are plain-coherent.
//
// Proof. b does not come before a by co or fr: by Lemma 1, or, if b itself acquires a, because what b reads does not. Nor does a read from b, as a is in the prefix of b. So let b be ordered
// before a by ww-vis, wr-vis or rw-xbstar: b is, or comes by a fence before, a marked m; that leads to a marked n; n is, or comes in po before, a. From m to n it goes by fences, (rf;rmw)*, cumul-fence*, rfe
// and (hb ∪ pb)*, all of which are in (hb ∪ pb)*. With the chain from a to b, n is W₁ or ordered before it, as it is a release or a full fence is between. W₁ leads to Rₙ by hb. And Rₙ is m, or ordered
// before it. That is a cycle. ∎
func (m *lkmm) Views(g *graph.Graph, id graph.ID) {
	m.inThread.Views(g, id)
	switch e := &g.Events[id]; e.Kind {
	case graph.Start, graph.Join:
		if e.RF != graph.Init {
			src := &g.Events[e.RF]
			e.Acq = g.JoinEvent(e.Acq, src.Acq, src, e.Thread)
		}
	case graph.Read:
		// An acquire of what the thread wrote itself tells it nothing.
		if src := &g.Events[e.RF]; src.Rel != 0 && src.Thread != e.Thread && isAcquire(e) {
			e.Acq = g.Join(e.Acq, src.Rel, e.Thread, 0, e.Thread)
		}
	case graph.Fence:
		if kernelFence(e) == event.SmpMB {
			learnByFence(g, e)
			e.FenceR = g.With(e.Acq, e.Thread, e.Index+1)
		}
	case graph.Write:
		if !isPlain(e) {
			e.Rel = e.FenceR
		}
		if isRelease(e) {
			e.Rel = g.With(e.Acq, e.Thread, e.Index+1)
		}
		if e.Flags&graph.RMWPart != 0 && !m.of2018 {
			read := &g.Events[g.Threads[e.Thread][e.Index-1]]
			e.Rel = g.Join(e.Rel, g.Events[read.RF].Rel, e.Thread, 0, graph.NoThread)
		}
	}
}

// learnByFence adds to Acq of e, a full fence, what it makes acquires of the reads before it. Those before another one are in Acq already.
func learnByFence(g *graph.Graph, e *graph.Event) {
	evs := g.Threads[e.Thread]
	for i := e.Index - 1; i >= 0; i-- {
		x := &g.Events[evs[i]]
		if x.Kind == graph.Fence && kernelFence(x) == event.SmpMB {
			return
		}
		if src := &g.Events[x.RF]; x.Kind == graph.Read && src.Rel != 0 && src.Thread != e.Thread && !isPlain(x) {
			e.Acq = g.Join(e.Acq, src.Rel, e.Thread, 0, e.Thread)
		}
	}
}

// hasLearnt reports whether Acq of e has event id of another thread.
func hasLearnt(g *graph.Graph, e *graph.Event, id graph.ID) bool {
	x := &g.Events[id]
	return x.Index < g.Count(e.Acq, x.Thread)
}

// floor implements Traits.Floor, by Lemma 1.
func (*lkmm) floor(g *graph.Graph, loc int32, pred *graph.Event) (least int32) {
	if pred.Acq == 0 {
		return 0
	}
	l := &g.Locs[loc]
	for t := range l.Last {
		n := g.Count(pred.Acq, int32(t))
		if n == 0 || int32(t) == pred.Thread {
			continue
		}
		for id := l.Last[t].Write; id != graph.None; id = g.Events[id].Prev {
			if w := &g.Events[id]; w.Index < n {
				least = max(least, w.Co)
				break
			}
		}
		for id := l.Last[t].Read; id != graph.None; id = g.Events[id].Prev {
			if r := &g.Events[id]; r.Index < n && !isPlain(r) && !isPlain(&g.Events[r.RF]) {
				least = max(least, g.CoIndex(r.RF))
				break
			}
		}
	}
	return least
}

// hasUnlock reports whether the graph has a spin_unlock.
func hasUnlock(g *graph.Graph) bool {
	for _, evs := range g.Threads {
		for _, id := range evs {
			if isUL(&g.Events[id]) {
				return true
			}
		}
	}
	return false
}

// Check implements DepModel.
func (m *lkmm) Check(g *graph.Graph) bool {
	k := newKernel(g, m.of2018)
	defer k.done()
	return k.consistent()
}
