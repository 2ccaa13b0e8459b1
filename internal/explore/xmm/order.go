package xmm

import (
	"math/bits"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// This file finds out what the orders that a graph has when it is complete must be like, before co is chosen. Where promises are not kept yet, hb is not complete. What is found
// of it holds all the same, because hb and the accesses only become more.

// A coOrder is what is known of co of a location. Its writes are numbered as in Loc.Co; the promises come after them (writeOf). A read-modify-write comes right after what it reads. So
// the writes are in blocks that nothing comes between.
type coOrder struct {
	n      int
	head   [64]uint8  // by write: the first one of its block
	place  [64]uint8  // by write: its place in the block
	block  [64]uint64 // by head: its block
	before [64]uint64 // by head: all that comes before the block
}

// find finds out what is known of co of loc. It returns false if there can be none. It knows nothing of more than 64 writes.
func (o *coOrder) find(s *search, loc int32) bool {
	g := s.g
	l := &g.Locs[loc]
	o.n = len(l.Co) + len(s.promises)
	if o.n > 64 {
		o.n = 0
		return true
	}
	var seen [64]uint64 // by write: what comes before it
	var next [64]uint8  // by write: the one that comes right after it, if it is not 0
	taken, later := uint64(0), uint64(0)
	settled := s.settled(loc)
	for t := range g.Threads {
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			for id := last; id != graph.None; id = g.Events[id].Prev {
				e := &g.Events[id]
				at := s.writeOf(id)
				if e.Kind == graph.Read && e.Flags&graph.RMWPart != 0 {
					if taken>>at&1 != 0 {
						return false
					}
					taken |= 1 << at
					if int(e.Index)+1 < len(g.Threads[t]) {
						co := g.Events[g.Threads[t][e.Index+1]].Co
						next[at] = uint8(co)
						later |= 1 << co
					}
				}
				seen[at] |= s.sees(l, id, settled) &^ (1 << at)
			}
		}
	}
	for i := range s.promises {
		if p := &s.promises[i]; !p.kept && g.Events[p.read].Loc == loc && len(g.Threads[p.from]) > 0 {
			seen[len(l.Co)+i] |= s.seen(l, s.end(p.from))
		}
	}
	for i := 1; i < o.n; i++ {
		seen[i] |= 1 // the initial write is first
	}
	return o.join(&seen, &next, later) && o.sort()
}

// one sets what is known of co of a location with one write, apart from the initial one.
func (o *coOrder) one() {
	o.n = 2
	for i := range o.n {
		o.head[i], o.place[i], o.block[i], o.before[i] = uint8(i), 0, 1<<i, 0
	}
	o.before[1] = 1
}

// join makes the blocks: next is what comes right after a write, later the writes that come right after one.
func (o *coOrder) join(seen *[64]uint64, next *[64]uint8, later uint64) bool {
	joined := 0
	for h := range o.n {
		if later>>h&1 != 0 {
			continue
		}
		block, before := uint64(0), uint64(0)
		for at, place := h, uint8(0); place == 0 || at != 0; at, place = int(next[at]), place+1 {
			o.head[at], o.place[at] = uint8(h), place
			before |= seen[at] &^ block
			block |= 1 << at
			joined++
		}
		if before&block != 0 {
			return false // a write sees a later one of its block
		}
		o.block[h], o.before[h] = block, before
	}
	return joined == o.n // the rest is read-modify-writes in a circle
}

// sort completes before. It returns false if it has a cycle.
func (o *coOrder) sort() bool {
	for left := uint64(1)<<o.n - 1; left != 0; {
		gone := uint64(0)
		for rest := left; rest != 0; {
			h := bits.TrailingZeros64(rest)
			h = int(o.head[h])
			rest &^= o.block[h]
			if o.before[h]&left != 0 {
				continue
			}
			gone |= o.block[h]
			for b := o.before[h]; b != 0; {
				k := o.head[bits.TrailingZeros64(b)]
				b &^= o.block[k]
				o.before[h] |= o.block[k] | o.before[k]
			}
		}
		if gone == 0 {
			return false
		}
		left &^= gone
	}
	return true
}

// Fences find out whether the sequentially consistent fences can be in one order, as psc has it: one fence comes before another one if it is before it in hb;(eco;hb)?.
//
// Lemma. If what is known of the graph has a cycle of that order, so has every graph that it becomes.
//
// Proof. A known pair of hb stays, as nothing is taken away. Let coOrder put a write before another one. Then co does in every consistent graph that it becomes, so the
// accesses which are or read these writes are in eco. The order of the fences is the same relation of more pairs. ∎
//
// Nothing comes after a new fence. Nothing comes after a new write either, unless it is that of a read-modify-write, or what a promise is about. So neither closes a cycle, and the order
// is looked at only after such writes, and after the reads for which mayDiffer holds.
type fences struct {
	at     [][]int32 // by thread: the indices of its fences
	knows  []int32   // by fence and thread: how many events of the thread are before the fence
	first  []int     // by thread: the number of its first fence
	after  [64]uint64
	n      int
	co     coOrder
	writes [64]fenceSets // by write
}

// fenceSets are fences before, or after, the accesses of a write: the last, or the first, ones of each thread.
type fenceSets struct {
	beforeWrite, before, after, afterReads uint64
}

// inOrder reports whether the fences can be in one order.
func (f *fences) inOrder(s *search) bool {
	if s.java != nil || !f.find(s.g) {
		return true
	}
	g := s.g
	f.knows = f.knows[:0]
	for t := range f.at {
		for i, at := range f.at[t] {
			e := &g.Events[g.Threads[t][at]]
			f.add(f.before(g, e), 1<<(f.first[t]+i))
			for u := range f.at {
				f.knows = append(f.knows, g.Count(e.HB, int32(u)))
			}
		}
	}
	for loc := range g.Locs {
		l := &g.Locs[loc]
		if len(l.Co) == 1 || !shared(l) {
			continue
		}
		if len(l.Co) == 2 && !s.promised(int32(loc)) {
			f.co.one()
		} else if !f.co.find(s, int32(loc)) {
			return false
		}
		f.access(s, l)
	}
	return f.acyclic()
}

// shared reports whether several threads access l: what one thread does is in the order of po.
func shared(l *graph.Loc) bool {
	n := 0
	for t := range l.Last {
		if l.Last[t].Read != graph.None || l.Last[t].Write != graph.None {
			n++
		}
	}
	return n > 1
}

// mayDiffer reports whether the new read id of loc may have changed the order. It puts what it sees before the write that it reads, and the fences before it before those after later writes. The read of
// a read-modify-write is looked at with its write.
func (f *fences) mayDiffer(s *search, loc int32, id graph.ID) bool {
	g := s.g
	e, l := &g.Events[id], &g.Locs[loc]
	if e.Flags&graph.RMWPart != 0 {
		return false
	}
	if len(l.Co) > 64 || s.promised(loc) || s.sees(l, id, s.settled(loc))&^(1<<s.writeOf(id))&^1 != 0 {
		return true
	}
	return (e.RF == graph.Init && len(l.Co) > 1 || len(l.Co) > 2) && f.find(g) && f.before(g, e) != 0
}

// find finds the fences. It returns false if there are not two threads with one, or too many to look at.
func (f *fences) find(g *graph.Graph) bool {
	f.at, f.first = f.at[:0], f.first[:0]
	f.n = 0
	threads := 0
	for t := range g.Threads {
		if len(f.at) < cap(f.at) {
			f.at = f.at[:t+1]
			f.at[t] = f.at[t][:0]
		} else {
			f.at = append(f.at, nil)
		}
		f.first = append(f.first, f.n)
		for i, id := range g.Threads[t] {
			if e := &g.Events[id]; e.Kind == graph.Fence && e.Mode == event.SC {
				f.at[t] = append(f.at[t], int32(i))
			}
		}
		if f.n += len(f.at[t]); len(f.at[t]) > 0 {
			threads++
		}
	}
	clear(f.after[:min(f.n, 64)])
	return threads > 1 && f.n <= 64
}

// access adds the order by the accesses of the location l, whose co f.co knows.
func (f *fences) access(s *search, l *graph.Loc) {
	g, o := s.g, &f.co
	clear(f.writes[:o.n])
	for t := range l.Last {
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			for id := last; id != graph.None && o.n > 0; id = g.Events[id].Prev {
				e := &g.Events[id]
				w := &f.writes[s.writeOf(id)]
				before, after := f.before(g, e), f.behind(e)
				w.before |= before
				w.after |= after
				if e.Kind == graph.Write {
					w.beforeWrite = before
				} else {
					w.afterReads |= after
				}
			}
		}
	}
	for i := range o.n {
		w := &f.writes[i]
		f.add(w.beforeWrite, w.afterReads)
		if w.after == 0 {
			continue
		}
		h := o.head[i]
		for b := o.before[h] | o.block[h]; b != 0; b &= b - 1 {
			if k := bits.TrailingZeros64(b); o.head[k] != h || o.place[k] < o.place[i] {
				f.add(f.writes[k].before, w.after)
			}
		}
	}
}

// before returns the last fences of each thread before the event e.
func (f *fences) before(g *graph.Graph, e *graph.Event) (set uint64) {
	for t, list := range f.at {
		if len(list) == 0 {
			continue
		}
		known := e.Index
		if int32(t) != e.Thread {
			known = g.Count(e.HB, int32(t))
		}
		for i := len(list) - 1; i >= 0; i-- {
			if list[i] < known {
				set |= 1 << (f.first[t] + i)
				break
			}
		}
	}
	return set
}

// behind returns the first fences of each thread after the event e.
func (f *fences) behind(e *graph.Event) (set uint64) {
	for t, list := range f.at {
		knows := int(e.Thread) + f.first[t]*len(f.at)
		for i, at := range list {
			if int32(t) == e.Thread && at > e.Index || int32(t) != e.Thread && f.knows[knows+i*len(f.at)] > e.Index {
				set |= 1 << (f.first[t] + i)
				break
			}
		}
	}
	return set
}

// add puts the fences of the set before before those of the set after.
func (f *fences) add(before, after uint64) {
	for ; before != 0; before &= before - 1 {
		f.after[bits.TrailingZeros64(before)] |= after
	}
}

// acyclic reports whether the order that was found has no cycle.
func (f *fences) acyclic() bool {
	for left := uint64(1)<<f.n - 1; left != 0; {
		rest := left
		for r := left; r != 0; r &= r - 1 {
			if i := bits.TrailingZeros64(r); f.after[i]&left == 0 {
				left &^= 1 << i
			}
		}
		if left == rest {
			return false
		}
	}
	return true
}
