package states

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"ravel/internal/ir"
	"ravel/internal/machine"
)

// An LTS is a state space as a labelled transition system: state 0 is the initial one.
type LTS struct {
	States int
	Edges  []Edge
	Failed int   // the state that errors lead to, 0 if there are none
	Ended  []int // the states in which the program has come to its end
}

// An Edge is one transition. A label begins with the thread: "t1: x = 1", "t1: x = 1 reaches memory".
type Edge struct {
	From, To int
	Label    string
}

// errorState is where transitions that are errors lead.
const errorState = 0

// An lts collects the transitions of a run.
type lts struct {
	mu    sync.Mutex
	edges []ltsEdge
	ended map[uint64]bool
}

type ltsEdge struct {
	from, to uint64
	label    string
}

func (l *lts) reset() { l.edges, l.ended = nil, nil }

// end notes that the program has come to its end in a state.
func (l *lts) end(state uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		l.ended = map[uint64]bool{}
	}
	l.ended[state] = true
}

func (l *lts) add(from uint64, label string, to uint64) {
	l.mu.Lock()
	l.edges = append(l.edges, ltsEdge{from, to, label})
	l.mu.Unlock()
}

// Space explores p and returns its state space. States have numbers in the order in which a breadth-first search finds
// them, so the result does not depend on the number of workers. If the program has errors, the last
// state is the one they lead to.
func Space(ctx context.Context, p *ir.Program, opts Options) (*LTS, *Result, error) {
	opts.lts = &lts{}
	var initial uint64
	opts.onInitial = func(s uint64) { initial = s }
	res, err := Explore(ctx, p, opts)
	if err != nil {
		return nil, nil, err
	}
	return opts.lts.number(initial), res, nil
}

// number numbers the states.
func (l *lts) number(initial uint64) *LTS {
	next := map[uint64][]ltsEdge{}
	for _, e := range l.edges {
		next[e.from] = append(next[e.from], e)
	}
	for _, edges := range next {
		slices.SortStableFunc(edges, func(a, b ltsEdge) int { return cmp.Compare(a.label, b.label) })
	}
	number := map[uint64]int{initial: 0}
	order := []uint64{initial}
	out := &LTS{}
	for i := 0; i < len(order); i++ {
		for _, e := range next[order[i]] {
			to, ok := number[e.to]
			if !ok {
				to = len(order)
				number[e.to] = to
				order = append(order, e.to)
				if e.to == errorState {
					out.Failed = to
				}
			}
			out.Edges = append(out.Edges, Edge{i, to, e.label})
		}
	}
	out.States = len(order)
	for i, s := range order {
		if l.ended[s] {
			out.Ended = append(out.Ended, i)
		}
	}
	return out
}

// WriteAUT writes the space in the format of Aldebaran, for CADP, mCRL2 and LTSmin.
func (l *LTS) WriteAUT(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "des (0,%d,%d)\n", len(l.Edges), l.States)
	for _, e := range l.Edges {
		fmt.Fprintf(b, "(%d,%s,%d)\n", e.From, quote(e.Label), e.To)
	}
	return b.Flush()
}

// WriteTau writes the space as WriteAUT does, with all labels tau, which readers take for silent. If ends, a transition "fini" leads from each
// state in which the program has come to its end to one more state, as in LLMC: after a reduction by branching bisimulation that keeps divergence, what is left is fini, or
// tells of a deadlock or of a livelock.
func (l *LTS) WriteTau(w io.Writer, ends bool) error {
	silent := &LTS{States: l.States}
	for _, e := range l.Edges {
		silent.Edges = append(silent.Edges, Edge{e.From, e.To, "tau"})
	}
	if ends {
		silent.States++
		for _, s := range l.Ended {
			silent.Edges = append(silent.Edges, Edge{s, l.States, "fini"})
		}
	}
	return silent.WriteAUT(w)
}

// WriteDOT writes the space as a graph for Graphviz.
func (l *LTS) WriteDOT(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "digraph states {\n  node [shape=circle, label=\"\", width=0.2]\n  0 [style=filled]")
	for _, e := range l.Edges {
		fmt.Fprintf(b, "  %d -> %d [label=%s]\n", e.From, e.To, quote(e.Label))
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// quote makes a label plain ASCII in quotes, as all readers of .aut take it.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '→':
			b.WriteString("->")
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
		if b.Len() > 1900 { // LTSmin reads lines of 2,047 characters
			break
		}
	}
	b.WriteByte('"')
	return b.String()
}

// label says what a move does in the state that the worker holds.
func (w *worker) label(m move) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("t%d: %s", m.thread, w.moveWords(m))
}

func (w *worker) moveWords(m move) string {
	// The move was made already: look at the state before it.
	old := func(i int32) uint32 {
		for _, c := range w.changes {
			if c.node == w.place[i] {
				return c.old
			}
		}
		return w.leaf(i)
	}
	n := w.namer
	if m.kind == leave {
		e := w.decode(old(bufferLeaf(m.thread)), nil)[m.arg]
		switch e.kind {
		case read:
			return fmt.Sprintf("%s is read", n.Loc(e.addr, e.size))
		case rmw:
			return fmt.Sprintf("%v %s", e.op, n.Loc(e.addr, e.size))
		}
		return fmt.Sprintf("%s = %s reaches memory", n.Loc(e.addr, e.size), n.Value(e.addr, e.size, e.val))
	}
	l := w.locals.at(old(localLeaf(m.thread))).local
	if l.issue != nil {
		e := l.entry(m.kind == spurious)
		return "issue " + w.entryWord(&e)
	}
	a := &l.act
	if m.kind == choose && a.Kind == waitKind {
		return fmt.Sprintf("guess branch %d", m.arg)
	}
	switch a.Kind {
	case machine.Load:
		return "read " + n.Loc(a.Addr, a.Size)
	case machine.Store:
		return fmt.Sprintf("%s = %s", n.Loc(a.Addr, a.Size), n.Value(a.Addr, a.Size, a.Val))
	case machine.RMW:
		if m.kind == spurious {
			return fmt.Sprintf("%v %s fails", a.RMW, n.Loc(a.Addr, a.Size))
		}
		return fmt.Sprintf("%v %s", a.RMW, n.Loc(a.Addr, a.Size))
	case machine.Join:
		return fmt.Sprintf("join t%d", a.Val.Lo)
	case machine.Choice:
		return cmp.Or(a.Wakeup(uint64(m.arg)), fmt.Sprintf("choice %d", a.Chosen(uint64(m.arg))))
	case machine.Size:
		return "size of " + n.Loc(a.Addr, 0)
	case machine.Next:
		return "number of the next thread"
	case machine.Free:
		return "free " + n.Loc(a.Addr, 0)
	}
	return recordKinds[a.Kind].String()
}
