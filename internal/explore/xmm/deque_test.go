package xmm

import (
	"testing"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// TestChaseLev counts the executions of chase-lev(2) that satisfy the axioms of C11, with cycles in po ∪ rf or without, by trying all values that the threads may read. There are as many as xmm has, so that
// the rules of re-execution leave none out, and more can't be executions.
//
// All writes to top add 1 to what they read. So co of top is the order of its values, and a value says which write is read. All other locations have one writer, which reads its own last write. What is left to try
// are the values that are read of top, and the writes of the owner that the thieves read. The accesses of main, before and after all threads, and private variables are left out.
func TestChaseLev(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	count := map[bool]int{} // by whether there is a cycle
	var d deque
	d.owner(func() {
		if d.missing() > 2 { // each thief writes one at most
			return
		}
		d.thief(1, func() {
			if d.missing() > 1 {
				return
			}
			d.thief(2, func() {
				if s := d.graph(); s != nil {
					if f, _ := ordersOf(s); f.consistent() {
						count[!f.porf.Irreflexive()]++
					}
				}
			})
		})
	})
	if count[false] != 3639 || count[true] != 176 {
		t.Errorf("%d executions without cycles and %d with, want 3639 (as published) and 176", count[false], count[true])
	}
}

// A deque is an execution of chase-lev in the making: the owner is thread 0, the thieves are threads 1 and 2.
type deque struct {
	evs    []sketchEvent
	first  [3]int32
	bottom []int32         // writes of bottom, in co
	ring   map[int][]int32 // of the ring
}

// Locations: the ring is from ring0 on.
const (
	topAt event.Addr = 8 * (iota + 1)
	bottomAt
	ring0
)

// byValue stands for the write of top of the value that is read.
const byValue = -2

// most is how often top may be moved: by each thief and each pop.
const most = 5

func (d *deque) add(t int32, kind graph.Kind, mode event.Mode, at event.Addr, val int, src int32) int32 {
	d.evs = append(d.evs, sketchEvent{label: label{kind: kind, mode: mode, addr: at, size: 8, val: event.Value{Lo: uint64(val)}}, thread: t, src: src})
	return int32(len(d.evs) - 1)
}

// with adds an event, calls f, and takes it back.
func (d *deque) with(t int32, kind graph.Kind, mode event.Mode, at event.Addr, val int, src int32, f func()) {
	d.add(t, kind, mode, at, val, src)
	f()
	d.evs = d.evs[:len(d.evs)-1]
}

// readTop reads all values of top from least on.
func (d *deque) readTop(t int32, mode event.Mode, least int, f func(val int)) {
	for v := least; v <= most; v++ {
		d.with(t, graph.Read, mode, topAt, v, byValue, func() { f(v) })
	}
}

// cas moves top on from the value v, or fails.
func (d *deque) cas(t int32, mode, fails event.Mode, v int, f func(now int)) {
	d.with(t, graph.Read, mode, topAt, v, byValue, func() {
		d.with(t, graph.Write, mode, topAt, v+1, none, func() {
			d.evs[len(d.evs)-1].rmw = true
			f(v + 1)
		})
	})
	d.readTop(t, fails, v+1, f)
}

// last returns the last of some writes, none if there is none.
func last(writes []int32) int32 {
	if n := len(writes); n > 0 {
		return writes[n-1]
	}
	return none
}

func (d *deque) setBottom(mode event.Mode, b int, f func()) {
	d.with(0, graph.Write, mode, bottomAt, b, none, func() {
		i := int32(len(d.evs) - 1)
		d.bottom = append(d.bottom, i)
		d.evs[i].co = int32(len(d.bottom))
		f()
		d.bottom = d.bottom[:len(d.bottom)-1]
	})
}

func (d *deque) readBottom(b int, f func()) {
	d.with(0, graph.Read, event.Rlx, bottomAt, b, last(d.bottom), f)
}

// owner pushes five items, pops three and pushes two.
func (d *deque) owner(f func()) {
	d.ring = map[int][]int32{}
	d.push(5, 0, 0, 0, func(b, item, top int) {
		d.pop(3, b, top, func(b, top int) {
			d.push(2, b, item, top, func(int, int, int) { f() })
		})
	})
}

// push pushes n items, where bottom is b. item is the last one that was pushed, top the last value that was read of top.
func (d *deque) push(n, b, item, top int, f func(b, item, top int)) {
	if n == 0 {
		f(b, item, top)
		return
	}
	d.readBottom(b, func() {
		d.readTop(0, event.Acq, top, func(top int) { // the ring has ten places, so it is never full
			d.with(0, graph.Write, event.Rlx, ring0+8*event.Addr(b), item+1, none, func() {
				i := int32(len(d.evs) - 1)
				d.ring[b] = append(d.ring[b], i)
				d.evs[i].co = int32(len(d.ring[b]))
				d.setBottom(event.Rel, b+1, func() { d.push(n-1, b+1, item+1, top, f) })
				d.ring[b] = d.ring[b][:len(d.ring[b])-1]
			})
		})
	})
}

// pop pops n items, where bottom is b.
func (d *deque) pop(n, b, top int, f func(b, top int)) {
	if n == 0 {
		f(b, top)
		return
	}
	again := func(b, top int) { d.pop(n-1, b, top, f) }
	d.readBottom(b, func() {
		d.setBottom(event.Rlx, b-1, func() {
			d.with(0, graph.Fence, event.SC, 0, 0, none, func() {
				d.readTop(0, event.Rlx, top, func(top int) {
					if b-top <= 0 {
						d.setBottom(event.Rlx, b, func() { again(b, top) })
						return
					}
					src := last(d.ring[b-1])
					d.with(0, graph.Read, event.Rlx, ring0+8*event.Addr(b-1), int(d.evs[src].val.Lo), src, func() {
						if b-top > 1 {
							again(b-1, top)
							return
						}
						d.cas(0, event.AcqRel, event.Acq, top, func(top int) {
							d.setBottom(event.Rlx, b, func() { again(b, top) })
						})
					})
				})
			})
		})
	})
}

// thief steals one item.
func (d *deque) thief(t int32, f func()) {
	d.first[t] = int32(len(d.evs))
	d.readTop(t, event.Rlx, 0, func(top int) {
		d.with(t, graph.Fence, event.SC, 0, 0, none, func() {
			for _, src := range append([]int32{none}, d.bottom...) {
				b := d.value(src)
				d.with(t, graph.Read, event.Acq, bottomAt, b, src, func() {
					if b-top <= 0 {
						f()
						return
					}
					for _, src := range append([]int32{none}, d.ring[top]...) {
						d.with(t, graph.Read, event.Rlx, ring0+8*event.Addr(top), d.value(src), src, func() {
							d.cas(t, event.Rel, event.Rlx, top, func(int) { f() })
						})
					}
				})
			}
		})
	})
}

// value returns what a write writes, 0 if it is initial.
func (d *deque) value(w int32) int {
	if w == none {
		return 0
	}
	return int(d.evs[w].val.Lo)
}

// missing returns how many values of top are read, or less than one that is read, and not written.
func (d *deque) missing() (n int) {
	var written [most + 2]bool
	highest := uint64(0)
	for i := range d.evs {
		switch e := &d.evs[i]; {
		case e.addr != topAt:
		case e.kind == graph.Write:
			written[e.val.Lo] = true
		default:
			highest = max(highest, e.val.Lo)
		}
	}
	for v := uint64(1); v <= highest; v++ {
		if !written[v] {
			n++
		}
	}
	return n
}

// graph returns the graph, in which reads of top read the writes of their values; nil if there are no such writes, or two of one value.
func (d *deque) graph() *sketch {
	var writes [most + 1]int32
	for i := range d.evs {
		if e := &d.evs[i]; e.kind == graph.Write && e.addr == topAt {
			if e.val.Lo > most || writes[e.val.Lo] != 0 {
				return nil
			}
			writes[e.val.Lo] = int32(i)
		}
	}
	for i := range d.evs {
		if e := &d.evs[i]; e.kind == graph.Read && e.addr == topAt && e.val.Lo > 0 && writes[e.val.Lo] == 0 {
			return nil
		}
	}
	s := &sketch{first: []int32{0, d.first[1], d.first[2], int32(len(d.evs))}}
	s.evs = append(s.evs, d.evs...)
	for i := range s.evs {
		switch e := &s.evs[i]; {
		case e.addr != topAt:
		case e.kind == graph.Write:
			e.co = int32(e.val.Lo)
		case e.val.Lo == 0:
			e.src = none
		default:
			e.src = writes[e.val.Lo]
		}
	}
	return s
}
