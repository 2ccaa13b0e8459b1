package explore

import (
	"sync"

	"ravel/internal/graph"
)

// With Options.Observed, executions that differ only in co count once. The exploration visits all of them, as it does without the option, and looks
// for errors in each. Of those with the same rf the first counts: a set has their prints. So all reductions are as they are without the option, and so are their proofs.
//
// Most executions need no look at the set, because co follows from rf.
//
// Definition. A write a of x holds a write b of x if a is in hb before b, or is read by a read that is in hb before b. A write is loose if it is no RMW and was not held by the co-latest write when it was added:
// then it had more than one place in co.
//
// Lemma. If no write of an execution is loose, no other execution has the same events and rf.
//
// Proof. hb follows from po and rf, as the views of an event never change once it is added. In all executions that are explored, a write comes in co after those that hold it (graph.MinCo), and the write of an
// RMW right after what that reads.
//
// Let w1, w2, ... be the writes of x in co, after the initial one, w0. Let b = wk be no RMW. It was added at the end of co, when wj was the latest, and wj holds b. What holds b is in its prefix, so wj is in the graph as long as b is.
// What came between them since then is not loose, and not at the end when it came, so it is that of an RMW: from wj to b, each write but the first and the last reads the one before.
//
// Let another execution have co'. By induction, co' orders w0 to wk as co does. If wk is that of an RMW, it comes right after its predecessor in co', too. Otherwise wj to w(k-1) follow each other in co' as they do in co, since all but
// the first are RMWs. wk comes after wj and is none of these, so it comes after them. ∎
//
// A write that revisits a read comes after what is in hb before the read, as well. That does not count: the read may be deleted later, and the write stays.
//
// The lemma needs views, so it says nothing of executions with cycles in po ∪ rf, nor of Java's models, under which reads may go backwards.
//
// With cycles in po ∪ rf the exploration may come to an execution twice, in rare cases: a revisit keeps a write, but not all that is ordered before it in its thread, and the
// prefix of another write is smaller then than it would be. So a set has the prints of these executions, with co, and each counts once (TestTwice).

// followsFromRF reports whether no other execution has the same rf.
func (w *worker) followsFromRF() bool {
	return w.g.Loose == 0 && w.cyclic == nil && w.late == nil && w.java == nil && !w.backward
}

// An rfPrint is a hash of an execution without co. With 128 bits, two of a billion executions have the same with a probability
// of less than 10⁻²⁰.
type rfPrint [2]uint64

// countedBefore reports whether an execution with the same rf was counted before; without merges, one with the same co, too.
func (w *worker) countedBefore(blocked bool) bool {
	if w.followsFromRF() {
		return false
	}
	p := w.rfPrint()
	if !w.merges {
		p = w.withCo(p)
	}
	if blocked {
		p[0]++ // where a thread stops may depend on co
	}
	if w.merged.add(p) {
		return false
	}
	if w.merges {
		w.dups++
		w.mayTry()
	}
	return true
}

// withCo adds co to a print.
func (w *worker) withCo(p rfPrint) rfPrint {
	for l := range w.g.Locs {
		for k, id := range w.g.Locs[l].Co {
			if id == graph.Init {
				continue
			}
			e := &w.g.Events[id]
			at := scramble(uint64(e.Thread)<<32 | uint64(e.Index))
			p[0] += scramble(at - uint64(k))
			p[1] += scramble(at ^ uint64(k)<<48 ^ 0x5851f42d4c957f2d)
		}
	}
	return p
}

// rfPrint hashes what reads read, what was chosen, and which blocks were allocated again: the rest follows from it. The order of arrivals at a barrier does not
// count if only one was explored (barrier.go).
func (w *worker) rfPrint() rfPrint {
	g := w.g
	if len(w.sums) == 0 {
		w.sums = append(w.sums, rfPrint{})
	}
	if w.cyclic != nil {
		g.Low = 0 // records change in place
	}
	w.sums = w.sums[:g.Low+1]
	sum := w.sums[g.Low]
	for _, id := range g.Trail[g.Low:] {
		e := &g.Events[id]
		src := e.Val.Lo // of a choice
		counts := true
		switch e.Kind {
		case graph.Read, graph.Alloc:
			s := &g.Events[e.RF]
			src = uint64(s.Thread)<<32 | uint64(s.Index)
			if e.RF == graph.Init {
				src = 1 << 63
			}
			src = src<<1 | uint64(e.Flags&graph.Spurious/graph.Spurious)
			counts = e.Kind == graph.Alloc || !w.arrives(e.Thread, e.Loc, &w.pends[e.Pend].act)
		case graph.Choice:
		default:
			counts = false
		}
		if counts {
			at := scramble(uint64(e.Thread)<<32 | uint64(e.Index))
			sum[0] += scramble(at ^ src)
			sum[1] += scramble(at + src ^ 0x5851f42d4c957f2d)
		}
		w.sums = append(w.sums, sum)
	}
	g.Low = len(g.Trail)
	return sum
}

// A printSet is a set of prints, for many workers.
type printSet [64]struct {
	mu    sync.Mutex
	slots []rfPrint // open addressing; zero is free
	n     int
}

// add adds p, and reports whether it was not there.
func (s *printSet) add(p rfPrint) bool {
	if p == (rfPrint{}) {
		p[0] = 1
	}
	part := &s[p[0]>>58]
	part.mu.Lock()
	defer part.mu.Unlock()
	if 2*part.n >= len(part.slots) {
		old := part.slots
		part.slots = make([]rfPrint, max(64, 2*len(old)))
		for _, q := range old {
			if q != (rfPrint{}) {
				*find(part.slots, q) = q
			}
		}
	}
	slot := find(part.slots, p)
	if *slot == p {
		return false
	}
	*slot = p
	part.n++
	return true
}

// find returns where p is, or would be. There is a free slot.
func find(slots []rfPrint, p rfPrint) *rfPrint {
	for i := p[1] & uint64(len(slots)-1); ; i = (i + 1) & uint64(len(slots)-1) {
		if slots[i] == p || slots[i] == (rfPrint{}) {
			return &slots[i]
		}
	}
}
