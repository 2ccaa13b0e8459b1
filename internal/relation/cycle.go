package relation

import "math/bits"

// Irreflexive reports whether no event is related to itself.
func (r *Rel) Irreflexive() bool { return r.Reflexive() < 0 }

// Reflexive returns the least event that is related to itself, or -1.
func (r *Rel) Reflexive() int {
	for i := range r.n {
		if r.Has(i, i) {
			return i
		}
	}
	return -1
}

// Acyclic reports whether r has no cycle. It takes away events that are related to none of
// those left, until none is left or none can go.
func (r *Rel) Acyclic() bool {
	if r.w == 1 {
		left := last(r.n)
		for left != 0 {
			before := left
			for todo := left; todo != 0; {
				// From the highest down: events are mostly numbered along po.
				i := 63 - bits.LeadingZeros64(todo)
				todo &^= 1 << i
				if r.b[i]&left == 0 {
					left &^= 1 << i
				}
			}
			if left == before {
				return false
			}
		}
		return true
	}
	var buf [8]uint64
	left := Set{r.n, buf[:]}
	if r.w > len(buf) {
		left.b = make([]uint64, r.w)
	}
	left.b = left.b[:r.w]
	left.All()
	for rest := r.n; rest > 0; {
		before := rest
		for i := r.n - 1; i >= 0; i-- {
			if left.Has(i) && !meets(r.row(i), left.b) {
				left.Del(i)
				rest--
			}
		}
		if rest == before {
			return false
		}
	}
	return true
}

func meets(a, b []uint64) bool {
	for i, w := range a {
		if w&b[i] != 0 {
			return true
		}
	}
	return false
}

// Cycle returns a shortest cycle of r, beginning with its least event: each event is related
// to the next, the last to the first. It is nil if r is acyclic.
func (r *Rel) Cycle() []int {
	if r.Acyclic() {
		return nil
	}
	var best []int
	for i := range r.n {
		if c := r.cycleFrom(i, len(best)); c != nil {
			best = c
		}
		if len(best) == 1 {
			break
		}
	}
	return best
}

// cycleFrom returns a shortest cycle through start and later events
// that is shorter than bound, unless bound is 0. It searches breadth first.
func (r *Rel) cycleFrom(start, bound int) []int {
	parent := make([]int, r.n)
	for i := range parent {
		parent[i] = -1
	}
	depth := make([]int, r.n)
	queue := []int{start}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		if bound > 0 && depth[i]+1 >= bound {
			return nil
		}
		for j := range each(r.row(i)) {
			if j == start {
				cycle := make([]int, depth[i]+1)
				for k := depth[i]; k >= 0; k-- {
					cycle[k] = i
					i = parent[i]
				}
				return cycle
			}
			if j > start && parent[j] < 0 {
				parent[j] = i
				depth[j] = depth[i] + 1
				queue = append(queue, j)
			}
		}
	}
	return nil
}
