package justify

import (
	"slices"
)

func bitsOf(s uint64) []int {
	var out []int
	for i := range 64 {
		if has(s, i) {
			out = append(out, i)
		}
	}
	return out
}

// orders chooses W and so.
func (x *execution) orders(final map[string]bool, yield func(*execution)) {
	n := len(x.acts)
	x.po = make([]uint64, n)
	var syncs []int
	for i := range x.acts {
		for j := i + 1; j < n; j++ {
			if x.acts[i].thread >= 0 && x.acts[i].thread == x.acts[j].thread {
				x.po[i] |= 1 << j
			}
		}
		if x.acts[i].sync() {
			syncs = append(syncs, i)
		}
	}
	seen := make([]int, n)
	var reads func(i int)
	reads = func(i int) {
		if i < n && !x.acts[i].isRead() {
			reads(i + 1)
			return
		}
		if i < n {
			for w := range x.acts {
				if a := &x.acts[w]; w != i && a.isWrite() && a.loc == x.acts[i].loc && a.wrote == x.acts[i].read {
					seen[i] = w
					reads(i + 1)
				}
			}
			return
		}
		var order []int
		var choose func(left []int)
		choose = func(left []int) {
			if len(left) == 0 {
				y := *x
				y.seen = slices.Clone(seen)
				if y.wellFormed(order, final) {
					yield(&y)
				}
				return
			}
			for k, e := range left {
				if !slices.ContainsFunc(left, func(o int) bool { return has(x.po[o], e) }) {
					order = append(order, e)
					choose(slices.Delete(slices.Clone(left), k, k+1))
					order = order[:len(order)-1]
				}
			}
		}
		choose(syncs)
	}
	reads(0)
}

// wellFormed is 17.4.7 and 17.5.1, for the synchronization order given.
func (x *execution) wellFormed(order []int, final map[string]bool) bool {
	n := len(x.acts)
	x.so, x.sw, x.hb = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	holder := map[string]int{}
	depth := map[string]int{}
	for i, e := range order {
		for _, f := range order[i+1:] {
			x.so[e] |= 1 << f
		}
		a := &x.acts[e]
		switch a.kind {
		case "lock":
			if depth[a.loc] > 0 && holder[a.loc] != a.thread {
				return false
			}
			holder[a.loc] = a.thread
			depth[a.loc]++
		case "unlock":
			depth[a.loc]--
		}
		for _, f := range order[i+1:] { // a thread begins when it is started, and is waited for until it ends
			if b := &x.acts[f]; a.loc == b.loc && (a.kind == "first" && b.kind == "start" || a.kind == "join" && b.kind == "last") {
				return false
			}
		}
	}
	for i := range x.acts {
		for j := range x.acts {
			a, b := &x.acts[i], &x.acts[j]
			if has(x.so[i], j) && a.loc == b.loc && (a.isWrite() && b.isRead() || a.kind == "unlock" && b.kind == "lock" ||
				a.kind == "start" && b.kind == "first" || a.kind == "last" && b.kind == "join") {
				x.sw[i] |= 1 << j
			}
			if i < x.inits && j >= x.inits {
				x.hb[i] |= 1 << j
			}
		}
		x.hb[i] |= x.po[i] | x.sw[i]
	}
	closure(x.hb)
	x.freezes(final)
	for r := range x.acts {
		if !x.acts[r].isRead() {
			continue
		}
		w := x.seen[r]
		if has(x.hb[r], w) || has(x.so[r], w) {
			return false
		}
		for v := range x.acts {
			if v == w || v == r || !x.acts[v].isWrite() || x.acts[v].loc != x.acts[r].loc {
				continue
			}
			if has(x.hb[w], v) && (has(x.hb[v], r) || has(x.frozen[v], r)) || has(x.so[w], v) && has(x.so[v], r) {
				return false
			}
		}
	}
	return true
}

// freezes is 17.5.1: with a freeze f of a final field, a write w with hb(w, f), an action a with hb(f, a) that is not a read of a final field,
// a read r1 of that field with mc(a, r1) and an access r2 with dereferences(r1, r2), w happens before r2; all of these orders are reflexive. It is
// asked only of a read r2 of the place that w writes.
func (x *execution) freezes(final map[string]bool) {
	n := len(x.acts)
	deref, mc := make([]uint64, n), make([]uint64, n)
	for i := range x.acts {
		deref[i] |= 1 << i
		mc[i] |= 1 << i
		for j := range x.acts {
			a, b := &x.acts[i], &x.acts[j]
			mine := a.isRead() && a.thread == b.thread && a.serial < b.serial
			if mine && b.ref == a.serial {
				deref[i] |= 1 << j
			}
			if mine && (b.ref == a.serial || b.isWrite() && b.copied == a.serial) || b.isRead() && x.seen[j] == i {
				mc[i] |= 1 << j
			}
		}
	}
	closure(deref)
	closure(mc)
	x.frozen = make([]uint64, n)
	field := func(i int) bool { return x.acts[i].isRead() && final[x.acts[i].loc] }
	for f := range x.acts {
		if x.acts[f].kind != "freeze" {
			continue
		}
		for r1 := range x.acts {
			ofField := field(r1) && slices.ContainsFunc(x.acts, func(w action) bool {
				return w.final && w.loc == x.acts[r1].loc && w.thread == x.acts[f].thread && w.serial < x.acts[f].serial
			})
			for a := range x.acts {
				if !ofField || field(a) || !has(x.hb[f]|1<<f, a) || !has(mc[a], r1) {
					continue
				}
				for w := range x.acts {
					for r2 := range x.acts {
						if x.acts[w].isWrite() && has(x.hb[w], f) && has(deref[r1], r2) && x.acts[r2].isRead() && x.acts[w].loc == x.acts[r2].loc {
							x.frozen[w] |= 1 << r2
						}
					}
				}
			}
		}
	}
}

// closure makes a relation transitive.
func closure(r []uint64) {
	for k := range r {
		for i := range r {
			if has(r[i], k) {
				r[i] |= r[k]
			}
		}
	}
}
