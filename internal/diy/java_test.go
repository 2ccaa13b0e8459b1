package diy

import "ravel/internal/litmus"

// A javaAccess is what a thread of Java does with a variable.
type javaAccess struct {
	thread int
	dir    Dir
	loc    string
	val    uint64
}

// jam21Plain decides whether jam21 allows the outcome of a test in which all accesses are plain, by guessing what each read receives; values
// that depend on themselves are guesses like others. Of the model (Liu, Bender, Palsberg, ECOOP'22) this is left: vo is rf and po of a
// location, and co has to be acyclic, with what vo, vo;rf⁻¹ and vo;po say of two writes, the initial writes first, and a last write of each location.
// ok is false if the test has something else.
func jam21Plain(t *litmus.Test) (allowed, ok bool) {
	domain := map[uint64]bool{0: true}
	for _, th := range t.Threads {
		for i := range th.Ops {
			op := &th.Ops[i]
			switch {
			case len(op.Sets) > 0 || op.If != nil || op.Pair >= 0:
				return false, false
			case op.Kind != litmus.Set && op.Kind != litmus.Load && op.Kind != litmus.Store && op.Kind != litmus.Branch:
				return false, false
			}
			constants(op.X, domain)
		}
	}
	atoms(t.Cond.Prop, domain)
	var all [][]course
	for k := range t.Threads {
		all = append(all, runs(t.Threads[k], k, domain))
	}
	return combine(t, all, nil, map[litmus.Loc]litmus.Value{}), true
}

func constants(e litmus.Expr, domain map[uint64]bool) {
	switch e := e.(type) {
	case litmus.Value:
		domain[e.Int] = true
	case *litmus.Binary:
		constants(e.X, domain)
		constants(e.Y, domain)
	case *litmus.Unary:
		constants(e.X, domain)
	}
}

func atoms(p *litmus.Prop, domain map[uint64]bool) {
	for _, a := range p.Args {
		atoms(a, domain)
	}
	if p.Atom != nil {
		domain[p.Atom.Value.Int] = true
	}
}

// A course is what a thread does, and its registers at the end.
type course struct {
	acts []javaAccess
	regs map[litmus.Reg]litmus.Value
}

// runs are the courses of a thread, for all values that its reads may receive.
func runs(th *litmus.Thread, k int, domain map[uint64]bool) (list []course) {
	var step func(pc int, acts []javaAccess, regs map[litmus.Reg]litmus.Value)
	step = func(pc int, acts []javaAccess, regs map[litmus.Reg]litmus.Value) {
		get := func(r litmus.Reg) litmus.Value {
			if v, ok := regs[r]; ok {
				return v
			}
			return litmus.Number(0)
		}
		with := func(r litmus.Reg, v litmus.Value) map[litmus.Reg]litmus.Value {
			m := map[litmus.Reg]litmus.Value{r: v}
			for r, v := range regs {
				if _, ok := m[r]; !ok {
					m[r] = v
				}
			}
			return m
		}
		if pc == len(th.Ops) {
			list = append(list, course{acts, regs})
			return
		}
		switch op := &th.Ops[pc]; op.Kind {
		case litmus.Set:
			step(pc+1, acts, with(op.Dst, litmus.Eval(op.X, get)))
		case litmus.Load:
			for v := range domain {
				a := javaAccess{k, R, op.Addr.String(), v}
				step(pc+1, append(acts[:len(acts):len(acts)], a), with(op.Dst, litmus.Number(int64(v))))
			}
		case litmus.Store:
			a := javaAccess{k, W, op.Addr.String(), litmus.Eval(op.X, get).Int}
			step(pc+1, append(acts[:len(acts):len(acts)], a), regs)
		case litmus.Branch:
			if op.X == nil || litmus.Eval(op.X, get).Int != 0 {
				step(op.To, acts, regs)
			} else {
				step(pc+1, acts, regs)
			}
		}
	}
	step(0, nil, map[litmus.Reg]litmus.Value{})
	return list
}

// combine takes a course of each thread, and asks for those that end as the condition says.
func combine(t *litmus.Test, all [][]course, acts []javaAccess, final map[litmus.Loc]litmus.Value) bool {
	if len(all) == 0 {
		return t.Cond.Prop.Eval(func(l litmus.Loc) litmus.Value { return final[l] }) && consistent(acts)
	}
	k := len(t.Threads) - len(all)
	for _, r := range all[0] {
		m := map[litmus.Loc]litmus.Value{}
		for l, v := range final {
			m[l] = v
		}
		for reg, v := range r.regs {
			m[litmus.Loc{Thread: k, Reg: reg, Index: -1}] = v
		}
		if combine(t, all[1:], append(acts[:len(acts):len(acts)], r.acts...), m) {
			return true
		}
	}
	return false
}

// consistent asks whether some rf and some last writes make co acyclic.
func consistent(acts []javaAccess) bool {
	locs := map[string]bool{}
	for _, a := range acts {
		locs[a.loc] = true
	}
	for l := range locs {
		acts = append([]javaAccess{{-1, W, l, 0}}, acts...)
	}
	n := len(acts)
	po := newRel(n, func(i, j int) bool { return i < j && acts[i].thread == acts[j].thread && acts[i].thread >= 0 })
	sameLoc := func(i, j int) bool { return acts[i].loc == acts[j].loc }
	writes := func(i, j int) bool { return i != j && acts[i].dir == W && acts[j].dir == W && sameLoc(i, j) }
	initial := newRel(n, func(i, j int) bool { return writes(i, j) && acts[i].thread < 0 && acts[j].thread >= 0 })
	src := make([]int, n)
	var choose func(r int) bool
	choose = func(r int) bool {
		if r < n && acts[r].dir == W {
			return choose(r + 1)
		}
		if r < n {
			for w := range acts {
				if src[r] = w; acts[w].dir == W && sameLoc(w, r) && acts[w].val == acts[r].val && choose(r+1) {
					return true
				}
			}
			return false
		}
		rf := newRel(n, func(i, j int) bool { return acts[j].dir == R && src[j] == i })
		back := newRel(n, func(i, j int) bool { return rf[j][i] })
		vo := or(rf, po.and(sameLoc))
		// An acyclic order has a maximal write of each location, which can be the last one.
		return or(initial, vo.and(writes), vo.seq(back).and(writes), vo.seq(po).and(writes)).acyclic()
	}
	return choose(0)
}
