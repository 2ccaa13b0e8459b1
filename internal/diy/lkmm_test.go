package diy

// A rel is a relation between the accesses of a cycle, as naive as can be.
type rel [][]bool

func newRel(n int, has func(i, j int) bool) rel {
	r := make(rel, n)
	for i := range r {
		r[i] = make([]bool, n)
		for j := range r[i] {
			r[i][j] = has(i, j)
		}
	}
	return r
}

func (r rel) and(has func(i, j int) bool) rel {
	return newRel(len(r), func(i, j int) bool { return r[i][j] && has(i, j) })
}

func or(list ...rel) rel {
	return newRel(len(list[0]), func(i, j int) bool {
		for _, r := range list {
			if r[i][j] {
				return true
			}
		}
		return false
	})
}

func (r rel) seq(s rel) rel {
	return newRel(len(r), func(i, j int) bool {
		for k := range r {
			if r[i][k] && s[k][j] {
				return true
			}
		}
		return false
	})
}

func (r rel) opt() rel { return newRel(len(r), func(i, j int) bool { return i == j || r[i][j] }) }

func (r rel) star() rel {
	s := r.opt()
	for range r {
		s = s.seq(s)
	}
	return s
}

func (r rel) acyclic() bool {
	plus := r.seq(r.star())
	for i := range r {
		if plus[i][i] {
			return false
		}
	}
	return true
}

// lkmmAllowed applies the axioms of the Linux kernel's model to the one candidate execution of a cycle. They are as
// tools/memory-model/Documentation/explanation.txt of the kernel says them (sections 11 to 19; Alglave, Maranget, McKenney,
// Parri, Stern, ASPLOS'18), for what cycles have: once, acquire, release, fences, dependencies; no plain accesses, locks, RCU readers
// or read-modify-writes (ok is false then).
func lkmmAllowed(c *Cycle) (allowed, ok bool) {
	n := len(c.Nodes)
	node := func(i int) *Node { return &c.Nodes[i] }
	for i := range c.Nodes {
		if node(i).Annot.Mode == "Plain" || c.Edges[i].Kind == Rmw {
			return false, false
		}
	}
	po := newRel(n, func(i, j int) bool { return i < j && node(i).Thread == node(j).Thread })
	// between reports whether an edge with one of these names is between i and j, in po.
	between := func(names ...string) rel {
		return po.and(func(i, j int) bool {
			for k := i; k < j; k++ {
				for _, name := range names {
					if c.Edges[k].Via == name {
						return true
					}
				}
			}
			return false
		})
	}
	at := make([]int, n) // place in the order of the location
	for _, list := range c.order {
		for k, i := range list {
			at[i] = k
		}
	}
	src := make([]int, n) // of a read: the write, or -1
	for i := range src {
		src[i] = -1
		for _, k := range c.order[node(i).Loc] {
			if at[k] < at[i] && node(k).Dir == W {
				src[i] = k
			}
		}
	}
	sameLoc := func(i, j int) bool { return node(i).Loc == node(j).Loc }
	rf := newRel(n, func(i, j int) bool { return node(j).Dir == R && src[j] == i })
	co := newRel(n, func(i, j int) bool { return node(i).Dir == W && node(j).Dir == W && sameLoc(i, j) && at[i] < at[j] })
	fr := newRel(n, func(i, j int) bool {
		return node(i).Dir == R && node(j).Dir == W && sameLoc(i, j) && (src[i] < 0 || at[src[i]] < at[j])
	})
	external := func(i, j int) bool { return node(i).Thread != node(j).Thread }
	internal := func(i, j int) bool { return !external(i, j) }
	dir := func(d, e Dir) func(i, j int) bool {
		return func(i, j int) bool { return (d == 0 || node(i).Dir == d) && (e == 0 || node(j).Dir == e) }
	}
	if !or(po.and(sameLoc), rf, co, fr).acyclic() {
		return false, true
	}
	direct := func(via string) rel {
		return po.and(func(i, j int) bool { return j == i+1 && c.Edges[i].Kind == Dep && c.Edges[i].Via == via })
	}
	ctrl := po.and(func(i, j int) bool { return between("Ctrl")[i][j] && i+1 <= j && c.Edges[i].Via == "Ctrl" })
	addr, data := direct("Addr"), direct("Data")

	strong := between("FenceMb", "FenceSync-rcu")
	wmb, rmb := between("FenceWmb").and(dir(W, W)), between("FenceRmb").and(dir(R, R))
	poRel := po.and(func(_, j int) bool { return node(j).Annot.Mode == "Release" })
	acqPo := po.and(func(i, _ int) bool { return node(i).Annot.Mode == "Acquire" })
	fence := or(strong, poRel, acqPo, wmb, rmb)

	overwrite := or(co, fr)
	rfe, rfi := rf.and(external), rf.and(internal)
	dep := or(addr, data)
	toW := or(or(dep, ctrl).and(dir(0, W)), overwrite.and(internal))
	toR := or(addr.and(dir(0, R)), dep.seq(rfi))
	ppo := or(toR, toW, fence)
	cumul := or(rfe.opt().seq(or(strong, poRel)), wmb)
	prop := overwrite.and(external).opt().seq(cumul.star()).seq(rfe.opt())
	hb := or(ppo, rfe, prop.and(func(i, j int) bool { return i != j && internal(i, j) }))
	pb := prop.seq(strong).seq(hb.star())
	return hb.acyclic() && pb.acyclic(), true
}
