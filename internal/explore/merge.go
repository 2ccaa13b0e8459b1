package explore

import "ravel/internal/graph"

// With Options.Observed, executions that differ only in co count once. Where the exploration can't do without co (cycles in
// po ∪ rf, models whose axioms need a total co), it visits all of them, and leaves count the first.

// An rfPrint is a hash of an execution without co. With 128 bits, two of a billion executions have the same with a probability
// of less than 10⁻²⁰.
type rfPrint [2]uint64

// countedBefore reports whether an execution with the same rf was counted before.
func (w *worker) countedBefore() bool {
	p := w.rfPrint()
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	before := w.merged[p]
	w.merged[p] = true
	return before
}

// rfPrint hashes what reads read, what was chosen, and which blocks were allocated again: the rest follows from it.
func (w *worker) rfPrint() (sum rfPrint) {
	g := w.g
	for _, id := range g.Trail {
		e := &g.Events[id]
		src := e.Val.Lo // of a choice
		switch e.Kind {
		case graph.Read, graph.Alloc:
			s := &g.Events[e.RF]
			src = uint64(s.Thread)<<32 | uint64(s.Index)
			if e.RF == graph.Init {
				src = 1 << 63
			}
			src = src<<1 | uint64(e.Flags&graph.Spurious/graph.Spurious)
		case graph.Choice:
		default:
			continue
		}
		at := scramble(uint64(e.Thread)<<32 | uint64(e.Index))
		sum[0] += scramble(at ^ src)
		sum[1] += scramble(at + src ^ 0x5851f42d4c957f2d)
	}
	return sum
}
