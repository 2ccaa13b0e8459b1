package relation

// LinearExtensions yields every order of the events of s in which i is before j where r relates i to j
// and both are in s: paths through events outside s do not count, as in herd's linearisations. The
// orders come in lexicographic order, in a slice that is used again. There are none if r has a
// cycle in s. It stops when yield returns false.
func LinearExtensions(s *Set, r *Rel, yield func(order []int) bool) {
	events := make([]int, 0, s.Count())
	for e := range s.Events() {
		events = append(events, e)
	}
	// before[e]: how many events of s that are not placed yet must be before e.
	before := make([]int, s.n)
	for _, i := range events {
		for _, j := range events {
			if r.Has(i, j) {
				before[j]++
			}
		}
	}
	placed := make([]bool, s.n)
	order := make([]int, 0, len(events))
	var place func() bool
	place = func() bool {
		if len(order) == len(events) {
			return yield(order)
		}
		ready := false
		for _, e := range events {
			if placed[e] || before[e] > 0 {
				continue
			}
			ready = true
			placed[e] = true
			order = append(order, e)
			for _, j := range events {
				if r.Has(e, j) {
					before[j]--
				}
			}
			more := place()
			for _, j := range events {
				if r.Has(e, j) {
					before[j]++
				}
			}
			order = order[:len(order)-1]
			placed[e] = false
			if !more {
				return false
			}
		}
		return ready // if none is, there is a cycle, and no order at all
	}
	place()
}

// Order makes r the strict total order of the events in the list.
func (r *Rel) Order(list []int) {
	clear(r.b)
	for k, i := range list {
		for _, j := range list[k+1:] {
			r.Add(i, j)
		}
	}
}
