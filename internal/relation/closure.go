package relation

// Closure makes r = a⁺, the transitive closure (Warshall's algorithm on rows of bits).
func (r *Rel) Closure(a *Rel) {
	copy(r.b, a.b)
	if r.w == 1 {
		b := r.b
		for k, via := range b {
			if via == 0 {
				continue
			}
			for i := range b {
				// All ones if i is related to k: cheaper than a branch that is hard to predict.
				b[i] |= via & -(b[i] >> k & 1)
			}
		}
		return
	}
	for k := range r.n {
		via := r.row(k)
		for i := range r.n {
			if !r.Has(i, k) {
				continue
			}
			for m, w := range via {
				r.b[i*r.w+m] |= w
			}
		}
	}
}

// Star makes r = a*, the reflexive and transitive closure.
func (r *Rel) Star(a *Rel) {
	r.Closure(a)
	for i := range r.n {
		r.Add(i, i)
	}
}

// Opt makes r = a?, the reflexive closure.
func (r *Rel) Opt(a *Rel) {
	copy(r.b, a.b)
	for i := range r.n {
		r.Add(i, i)
	}
}
