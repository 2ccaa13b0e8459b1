package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// A kernel is an exec with the relations of the kernel's model, under the names that lkmm.cat gives them.
type kernel struct {
	*exec
	of2018     bool
	joined     bool          // what creating and joining threads orders need not be looked at
	marked     *relation.Rel // the identity on what is not plain
	mb, gp     *relation.Rel
	rmb, wmb   *relation.Rel
	poRel      *relation.Rel
	acqPo      *relation.Rel
	unlockLock *relation.Rel // po-unlock-lock-po
	rfe, rfi   *relation.Rel
	overwrite  *relation.Rel

	// dependencies, also through memory that only one thread uses
	dep, ctrl2, addr2 *relation.Rel

	strong, nonrw, fence *relation.Rel // strong-fence, nonrw-fence, fence; with rcu-fence once that is known
	cumul, prop, hb, pb  *relation.Rel
	hbStar               *relation.Rel
	rb                   *relation.Rel
	rmwSeq               *relation.Rel
}

func newKernel(g *graph.Graph, of2018 bool) *kernel {
	k := &kernel{exec: newExec(g), of2018: of2018}
	plain := k.where(isPlain)
	marked := k.newSet()
	marked.Complement(plain)
	k.marked = k.id(marked)
	for _, r := range []**relation.Rel{&k.mb, &k.gp, &k.rmb, &k.wmb, &k.poRel, &k.acqPo, &k.unlockLock} {
		*r = k.newRel()
	}
	for _, evs := range g.Threads {
		k.fences(evs)
	}
	k.lockOrder()
	k.rfe, k.rfi = k.union(k.and(k.rf, k.ext), k.start), k.minus(k.rf, k.ext)
	k.overwrite = k.union(k.co, k.fr)
	carry := k.star(k.seq(k.data, k.rfi))
	k.addr2 = k.seq(carry, k.addr)
	k.dep = k.union(k.addr2, k.seq(carry, k.data))
	k.ctrl2 = k.seq(carry, k.armed())
	return k
}

// armed returns the control dependencies: from reads to what is in the arms of the branches that test them.
func (k *kernel) armed() *relation.Rel {
	r := k.newRel()
	for _, evs := range k.g.Threads {
		for _, id := range evs {
			if id != graph.Init {
				k.exec.deps(r, k.g.Events[id].Open, evs, int(k.num[id]))
			}
		}
	}
	return r
}

// fences adds what fences of a thread order.
func (k *kernel) fences(evs []graph.ID) {
	g := k.g
	for i, a := range evs {
		if a == graph.Init {
			continue
		}
		x := &g.Events[a]
		f := fencingFrom(x)
		source := isAccess(x) || isSync(x)
		n := int(k.num[a])
		for j := i + 1; j < len(evs); j++ {
			b := g.At(x.Thread, int32(j))
			if b == graph.Init {
				continue
			}
			e := &g.Events[b]
			if evs[j] != graph.Hole && source {
				k.addFenced(&f, x, e, n, int(k.num[b]))
			}
			f.see(e)
		}
	}
}

// addFenced adds the pair of x and e, with numbers n and m.
func (k *kernel) addFenced(f *fencing, x, e *graph.Event, n, m int) {
	if !isAccess(e) && !isSync(e) {
		return
	}
	for _, p := range [...]struct {
		r    *relation.Rel
		have bool
	}{
		{k.mb, f.isMB(e)},
		{k.gp, f.gp},
		{k.rmb, f.isRMB(x, e)},
		{k.wmb, f.isWMB(x, e)},
		{k.poRel, isRelease(e)},
		{k.acqPo, f.acquire},
		{k.unlockLock, f.relocked},
	} {
		if p.have {
			p.r.Add(n, m)
		}
	}
}

// lockOrder adds what is ordered by handing a lock over to another thread: po;[UL];rf;[LKR];po, and with
// smp_mb__after_unlock_lock M;po;[UL];co;[LKW];po;[that fence];po;M.
func (k *kernel) lockOrder() {
	ul := k.where(isUL)
	if ul.Empty() {
		return
	}
	over := k.seq(k.po, k.id(ul))
	k.unlockLock.Union(k.unlockLock, k.seq(over, k.rf, k.id(k.where(isLKR)), k.po))
	after := k.where(func(e *graph.Event) bool { return e.Kind == graph.Fence && e.Tag == event.AfterUnlockLock })
	if !after.Empty() {
		access := k.id(k.where(isAccess))
		k.mb.Union(k.mb, k.seq(access, over, k.co, k.id(k.where(isLKW)), k.po, k.id(after), k.po, access))
	}
}

// consistent reports whether the axioms hold.
func (k *kernel) consistent() bool {
	poLoc := k.and(k.po, k.sameLoc)
	if !k.union(poLoc, k.rf, k.overwrite).Acyclic() || !k.atomic() {
		return false
	}
	return k.order() && k.rcu() && k.plainCoherent()
}

// order makes hb and pb and reports whether they are acyclic.
func (k *kernel) order() bool {
	k.strong = k.union(k.mb, k.gp)
	k.nonrw = k.union(k.strong, k.poRel, k.acqPo)
	k.fence = k.union(k.nonrw, k.wmb, k.rmb)
	w := k.id(k.w)
	toW := k.union(k.seq(k.union(k.dep, k.ctrl2), w), k.minus(k.overwrite, k.ext), k.seq(k.addr2, k.id(k.where(isPlain)), k.wmb))
	toR := k.union(k.seq(k.addr2, k.id(k.r)), k.seq(k.dep, k.marked, k.rfi))
	ppo := k.union(toR, toW, k.minus(k.union(k.fence, k.unlockLock), k.ext))

	k.rmwSeq = k.star(k.seq(k.rf, k.rmw))
	if k.of2018 {
		k.rmwSeq = k.star(k.newRel())
	}
	aCumul := k.seq(k.opt(k.seq(k.rfe, k.marked)), k.union(k.strong, k.poRel))
	k.cumul = k.seq(k.marked, k.union(aCumul, k.wmb, k.unlockLock), k.marked, k.rmwSeq)
	k.prop = k.seq(k.marked, k.opt(k.and(k.overwrite, k.ext)), k.star(k.cumul), k.marked, k.opt(k.rfe), k.marked)
	loop := k.minus(k.prop, k.ext)
	for i := range k.n {
		loop.Del(i, i)
	}
	k.hb = k.seq(k.marked, k.union(ppo, k.rfe, loop), k.marked)
	if !k.hb.Acyclic() {
		return false
	}
	k.hbStar = k.star(k.hb)
	k.pb = k.seq(k.prop, k.strong, k.hbStar, k.marked)
	return k.pb.Acyclic()
}

// rcu makes rcu-fence and rb and reports whether hb, pb and rb are acyclic together.
func (k *kernel) rcu() bool {
	fence := k.rcuFence()
	if fence == nil {
		k.rb = k.newRel()
		return k.union(k.hb, k.pb).Acyclic()
	}
	k.fence = k.union(k.fence, fence)
	k.strong = k.union(k.strong, fence)
	k.rb = k.seq(k.prop, fence, k.hbStar, k.star(k.pb), k.marked)
	return k.rb.Irreflexive() && k.union(k.hb, k.pb, k.rb).Acyclic()
}

// A domain is RCU, or one srcu_struct: po to its grace periods, and from what comes before the end of
// a read-side critical section to its beginning.
type domain struct{ gp, rscs *relation.Rel }

// rcuFence is rcu-fence = po;rcu-order;po?, nil if it is empty. A section that has not ended goes to the end of what there is of its thread.
func (k *kernel) rcuFence() *relation.Rel {
	var domains []domain
	for _, s := range k.sections() {
		d := domain{k.newRel(), k.newRel()}
		for _, gp := range s.gps {
			k.addBefore(d.gp, gp.thread, gp.at, k.num[gp.id])
		}
		if len(s.gps) == 0 {
			continue
		}
		for _, r := range s.readers {
			k.addBefore(d.rscs, r.thread, r.end, k.num[r.lock])
		}
		domains = append(domains, d)
	}
	if domains == nil {
		return nil
	}
	poOpt := k.opt(k.po)
	link := k.seq(poOpt, k.hbStar, k.star(k.pb), k.prop)
	t := k.newRel()
	for {
		next := k.union(t, k.seq(t, link, t))
		for _, d := range domains {
			next = k.union(next, d.gp, k.seq(d.gp, link, d.rscs), k.seq(d.rscs, link, d.gp),
				k.seq(d.gp, link, t, link, d.rscs), k.seq(d.rscs, link, t, link, d.gp))
		}
		if next.Equal(t) {
			return k.seq(t, poOpt)
		}
		t = next
	}
}

// addBefore relates the events of a thread before place end with event number n.
func (k *kernel) addBefore(r *relation.Rel, thread, end, n int32) {
	for _, id := range k.g.Threads[thread][:end] {
		if id != graph.Init {
			r.Add(int(k.num[id]), int(n))
		}
	}
}
