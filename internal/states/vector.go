package states

import (
	"math/bits"
	"slices"
)

// A state is a vector of chunk numbers: for each thread its local and its buffer, then the pages of memory that were
// ever written. Vectors are the leaves of a binary tree, whose inner nodes are interned pairs, as in
// "Parallel Recursive State Compression for Free" (Laarman, van de Pol, Weber, SPIN'11): what two states have in
// common they share, and a state that differs from another in one leaf costs one path. The root is not
// interned but is the state: 64 bits in a set. A subtree of zeros is 0.
//
// A worker holds one state as such a tree, tree[1] being the root and its children 2 and 3, and so on. It is
// changed in place by a transition and then back.
//
// Components that change often should be far from each other: if the two halves of the tree have about the square root
// of the number of states each, the table of pairs is small. So the pairs of leaves are dealt out like
// cards, by reversing the bits of their numbers.

// places returns the node of every leaf.
func places(leaves int32) []int32 {
	place := make([]int32, leaves)
	pairs := uint32(leaves / 2)
	shift := bits.LeadingZeros32(pairs) + 1 // pairs is a power of two
	for i := range leaves {
		at := bits.Reverse32(uint32(i/2) << shift)
		place[i] = leaves + int32(at)*2 + i%2
	}
	return place
}

func localLeaf(t int32) int32  { return 2 * t }
func bufferLeaf(t int32) int32 { return 2*t + 1 }

// leaf returns a component of the state.
func (w *worker) leaf(i int32) uint32 { return w.tree[w.place[i]] }

// A change is a node and what it was before.
type change struct {
	node int32
	old  uint32
}

// set changes a component of the state.
func (w *worker) set(i int32, id uint32) {
	at := w.place[i]
	if w.tree[at] == id {
		return
	}
	w.changes = append(w.changes, change{at, w.tree[at]})
	w.tree[at] = id
}

// hold makes state the one that the worker holds.
func (w *worker) hold(state uint64) {
	w.expand(2, uint32(state>>32))
	w.expand(3, uint32(state))
}

func (w *worker) expand(i int32, id uint32) {
	for w.tree[i] != id {
		w.tree[i] = id
		if i >= w.leaves {
			return
		}
		pair := uint64(0)
		if id != 0 {
			pair = w.pairs.at(id)
		}
		w.expand(2*i, uint32(pair>>32))
		i, id = 2*i+1, uint32(pair)
	}
}

// A pairMemo is what a worker remembers of the table of pairs.
type pairMemo struct {
	pair uint64
	id   uint32
}

const pairMemoBits = 13

// pair returns the number of a pair.
func (w *worker) pair(left, right uint32) uint32 {
	if left|right == 0 {
		return 0
	}
	p := uint64(left)<<32 | uint64(right)
	m := &w.pairMemos[mix(p)>>(64-pairMemoBits)]
	if m.pair == p {
		return m.id
	}
	id, ok := w.pairs.intern(p)
	if !ok {
		w.stop.GiveUp("stopped with more parts of states than 32 bits can number: bound loops with --unroll")
	}
	*m = pairMemo{p, id}
	return id
}

// state returns the state that the changes lead to.
func (w *worker) state() uint64 {
	if len(w.classes) > 0 && !w.concrete {
		w.canonicalise()
	}
	at := w.dirty[:0]
	for _, c := range w.changes {
		at = append(at, c.node)
	}
	for len(at) > 0 && at[0] > 3 {
		n := 0
		for _, i := range at {
			i /= 2
			if slices.Contains(at[:n], i) {
				continue
			}
			w.inner = append(w.inner, change{i, w.tree[i]})
			w.tree[i] = w.pair(w.tree[2*i], w.tree[2*i+1])
			at[n] = i
			n++
		}
		at = at[:n]
	}
	w.dirty = at
	return uint64(w.tree[2])<<32 | uint64(w.tree[3])
}

// undo takes the changes back.
func (w *worker) undo() {
	for i := len(w.inner) - 1; i >= 0; i-- {
		w.tree[w.inner[i].node] = w.inner[i].old
	}
	for i := len(w.changes) - 1; i >= 0; i-- {
		w.tree[w.changes[i].node] = w.changes[i].old
	}
	w.inner, w.changes = w.inner[:0], w.changes[:0]
}
