package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// A visibility says which plain accesses are ordered, and how: their lifetimes begin after, and end before, marked accesses
// that bound them.
type visibility struct {
	pre              *relation.Rel // pre-race, at one location: pairs that need to be ordered
	ww, wr, rwXbstar *relation.Rel // ww-vis, wr-vis, rw-xbstar
}

// preRace is pre-race with pairs of one location, nil if there are none: ext ∩ (Plain×M ∪ (M∖IW)×Plain). With k.joined it leaves out
// those that creating or joining a thread orders: most of what main does.
func (k *kernel) preRace() *relation.Rel {
	r := k.newRel()
	found := false
	for l := range k.g.Locs {
		if k.g.Locs[l].NA == 0 || k.initial[l] < 0 {
			continue
		}
		for i, a := range k.ids {
			if k.loc[i] != int32(l) {
				continue
			}
			for j, b := range k.ids {
				if j == i || k.loc[j] != int32(l) || b == graph.Init { // nothing comes before what is there first
					continue
				}
				if !k.ext.Has(i, j) || !k.plainAt(i) && (a == graph.Init || !k.plainAt(j)) {
					continue
				}
				if k.joined && a != graph.Init && (spans(k.g, a, b) || spans(k.g, b, a)) {
					continue
				}
				r.Add(i, j)
				found = true
			}
		}
	}
	if !found {
		return nil
	}
	return r
}

// spans reports whether a comes before the creation of the thread of b, or b after the join of that of a.
func spans(g *graph.Graph, a, b graph.ID) bool {
	x, y := &g.Events[a], &g.Events[b]
	if first := g.Threads[y.Thread][0]; first != graph.Init {
		if c := &g.Events[g.Events[first].RF]; c.Thread == x.Thread && x.Index < c.Index {
			return true
		}
	}
	end := &g.Events[g.Last(x.Thread)]
	if end.Kind != graph.End || end.Co == 0 {
		return false
	}
	for _, id := range g.Threads[y.Thread][:y.Index] {
		if j := &g.Events[id]; j.Kind == graph.Join && g.Events[j.RF].Thread == x.Thread {
			return true
		}
	}
	return false
}

// plainAt reports whether event number i is plain.
func (k *kernel) plainAt(i int) bool {
	return k.ids[i] != graph.Init && isPlain(&k.g.Events[k.ids[i]])
}

// visibility makes the relations for plain accesses, nil if there are none that matter. hb, pb and rb have to be there.
func (k *kernel) visibility() *visibility {
	pre := k.preRace()
	if pre == nil {
		return nil
	}
	rmbTo, rmbFrom := k.readFences()
	xbstar := k.star(k.union(k.hb, k.pb, k.rb))
	vis := k.seq(k.star(k.cumul), k.opt(k.rfe), k.marked, k.union(k.seq(k.strong, k.marked, xbstar), k.minus(xbstar, k.ext)))
	wPre := k.seq(k.marked, k.opt(k.union(k.addr2, k.fence)))
	rPre := k.seq(k.marked, k.opt(k.union(k.addr2, k.nonrw, rmbTo)))
	wPost := k.seq(k.opt(k.fence), k.marked, k.rmwSeq)
	rPost := k.seq(k.opt(k.union(k.nonrw, rmbFrom)), k.marked)
	strongXb, postVis := k.seq(k.strong, xbstar), k.seq(wPost, vis)
	return &visibility{
		pre:      pre,
		ww:       k.union(k.fence, k.seq(strongXb, wPre), k.seq(postVis, wPre)),
		wr:       k.union(k.fence, k.seq(strongXb, rPre), k.seq(postVis, rPre)),
		rwXbstar: k.union(k.fence, k.seq(rPost, xbstar, wPre)),
	}
}

// readFences are the pairs around smp_rmb from a read to any access, and from any access to a read.
func (k *kernel) readFences() (to, from *relation.Rel) {
	rmb := k.id(k.where(func(e *graph.Event) bool { return e.Kind == graph.Fence && e.Tag == event.SmpRMB }))
	access := k.id(k.where(func(e *graph.Event) bool { return isAccess(e) && e.Tag != event.Noreturn }))
	around := k.seq(access, k.po, rmb, k.po, access)
	return k.seq(k.id(k.r), around), k.seq(around, k.id(k.r))
}

// plainCoherent reports whether no plain access reads from, or is overwritten by, what is ordered the other way round.
func (k *kernel) plainCoherent() bool {
	v := k.visibility()
	if v == nil {
		return true
	}
	return k.and(k.and(v.pre, k.rf), k.inverse(v.rwXbstar)).Empty() &&
		k.and(k.and(v.pre, k.fr), k.inverse(v.wr)).Empty() &&
		k.and(k.and(v.pre, k.co), k.inverse(v.ww)).Empty()
}

// races is data-race.
func (k *kernel) races() *relation.Rel {
	v := k.visibility()
	if v == nil {
		return k.newRel()
	}
	markedW, wMarked := k.newRel(), k.newRel()
	everything, marked := k.newSet(), k.newSet()
	everything.All()
	marked.Range(k.marked)
	markedW.Product(marked, everything)
	wMarked.Product(everything, marked)
	ww := k.minus(k.and(v.pre, k.co), k.and(v.ww, k.and(k.union(markedW, v.rwXbstar), k.union(wMarked, v.wr))))
	wr := k.minus(k.minus(k.and(v.pre, k.seq(k.opt(k.co), k.rf)), v.wr), k.inverse(v.rwXbstar))
	rw := k.minus(k.and(v.pre, k.fr), v.rwXbstar)
	return k.union(ww, wr, rw)
}

// hasPlainPair reports whether preRace, with joined, would find a pair that is not of reads only, and not ordered by Acq. A pair that is does not race: the chain of Lemma 1 for lkmm.Views
// is in ww-vis, wr-vis and rw-xbstar, as far as these are asked of it. And it is plain-coherent, by Lemma 2. hasPlainPair needs no relations.
func hasPlainPair(g *graph.Graph) bool {
	for i := range g.Locs {
		l := &g.Locs[i]
		if l.NA == 0 || l.Private() {
			continue
		}
		for _, w := range l.Co[1:] {
			own := g.Events[w].Thread
			for t := range l.Last {
				last := &l.Last[t]
				if int32(t) == own || *last == (graph.LastAccess{}) {
					continue
				}
				if pairs(g, w, last.Write) || pairs(g, w, last.Read) {
					return true
				}
			}
		}
	}
	return false
}

// pairs is hasPlainPair for the write w and the accesses of another thread, of one kind: the last one is given.
func pairs(g *graph.Graph, w, last graph.ID) bool {
	x := &g.Events[w]
	for id := last; id != graph.None; id = g.Events[id].Prev {
		y := &g.Events[id]
		if hb(g, y, x) {
			break // so are those before it
		}
		if !isPlain(x) && !isPlain(y) || hb(g, x, y) || hasLearnt(g, x, id) || hasLearnt(g, y, w) {
			continue
		}
		if !spans(g, w, id) && !spans(g, id, w) { // there are graphs without views
			return true
		}
	}
	return false
}

// races has the pairs of accesses that race.
func (m *lkmm) races(g *graph.Graph, yield func(a, b graph.ID) bool) {
	if !hasPlainPair(g) {
		return
	}
	k := newKernel(g, m.of2018)
	defer k.done()
	k.joined = true
	if !k.order() || !k.rcu() {
		return
	}
	for i, j := range k.races().Pairs() {
		if !yield(k.ids[i], k.ids[j]) {
			return
		}
	}
}
