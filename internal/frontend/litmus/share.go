package litmus

import (
	"fmt"
	"slices"

	"ravel/internal/litmus"
)

// shareCode gives threads that jump to what a register says the code of all threads whose labels are values of the initial state, and a list
// of the places that they may find in memory. If some thread names a label of another one, all have all code.
func (p *parser) shareCode() {
	shared := map[int]bool{}
	all := p.foreignLabels()
	var found []litmus.Value
	share := func(v litmus.Value, initial bool) {
		if v.Kind == litmus.Code && !slices.Contains(found, v) {
			found = append(found, v)
			shared[int(v.Int)] = shared[int(v.Int)] || initial
		}
	}
	for _, v := range p.test.Vars {
		for _, x := range v.Init {
			share(x, true)
		}
	}
	for _, t := range p.test.Threads {
		for _, i := range t.Init {
			share(i.Value, true)
		}
		for i := range t.Ops {
			if v, ok := t.Ops[i].X.(litmus.Value); ok && v.Kind == litmus.Code && t.Ops[i].Kind == litmus.Set && stores(t, t.Ops[i].Dst) {
				share(v, false)
			}
		}
	}
	defer func() {
		for _, t := range p.test.Threads {
			for _, v := range found {
				if _, ok := t.Place(v); ok {
					t.Found = append(t.Found, v)
				}
			}
		}
	}()
	if len(shared) == 0 && !all {
		return
	}
	old := map[int]litmus.Thread{}
	for _, t := range p.test.Threads {
		c := *t
		c.Ops, c.Instrs = slices.Clone(t.Ops), slices.Clone(t.Instrs)
		c.Labels = map[string]int{}
		for l, i := range t.Labels {
			c.Labels[l] = i
		}
		old[t.ID] = c
	}
	for _, t := range p.test.Threads {
		if !all && !slices.ContainsFunc(t.Ops, func(op litmus.Op) bool { return op.Kind == litmus.Jump }) {
			continue
		}
		var others []litmus.Thread
		for _, u := range p.test.Threads {
			if u != t && (all || shared[u.ID]) {
				others = append(others, old[u.ID])
			}
		}
		appendCode(t, others)
		for i := range t.Ops {
			if op := &t.Ops[i]; op.Kind == litmus.Branch && op.To < 0 {
				op.To, _ = t.Place(litmus.Value{Kind: litmus.Code, Int: uint64(p.labelOwner(op.Label).ID), Sym: op.Label})
			}
		}
	}
}

// labelOwner returns the first thread that has a label, or nil.
func (p *parser) labelOwner(label string) *litmus.Thread {
	for _, t := range p.test.Threads {
		if _, ok := t.Labels[label]; ok {
			return t
		}
	}
	return nil
}

// foreignLabels reports whether there are labels of other threads, and gives their addresses the right thread.
func (p *parser) foreignLabels() (foreign bool) {
	for _, t := range p.test.Threads {
		for i := range t.Ops {
			op := &t.Ops[i]
			label := ""
			if op.Kind == litmus.Branch && op.To < 0 {
				label = op.Label
			}
			v, ok := op.X.(litmus.Value)
			if ok = ok && op.Kind == litmus.Set && v.Kind == litmus.Code; ok && t.Labels != nil {
				if _, own := t.Labels[v.Sym]; !own {
					label = v.Sym
				}
			}
			if label == "" {
				continue
			}
			owner := p.labelOwner(label)
			if owner == nil {
				p.fail(t.Instrs[op.Ins].Off, "there is no label %s", label)
			}
			if ok {
				op.X = litmus.Value{Kind: litmus.Code, Int: uint64(owner.ID), Sym: label}
			}
			foreign = true
		}
	}
	return foreign
}

// stores reports whether something other than a jump uses a register, so that its value may get to memory.
func stores(t *litmus.Thread, r litmus.Reg) bool {
	for i := range t.Ops {
		op := &t.Ops[i]
		if op.Kind != litmus.Jump && slices.Contains(litmus.Uses(op.X), r) {
			return true
		}
	}
	return false
}

// appendCode puts the code of others behind that of t.
func appendCode(t *litmus.Thread, others []litmus.Thread) {
	if len(others) == 0 || len(t.Instrs) == 0 {
		return
	}
	end := len(t.Ops) + 1
	for _, u := range others {
		end += len(u.Ops) + 1
	}
	stop := func() {
		t.Ops = append(t.Ops, litmus.Op{Kind: litmus.Branch, Pair: -1, Join: -1, To: end, Ins: len(t.Instrs) - 1})
	}
	own := len(t.Ops)
	for i := range t.Ops {
		if t.Ops[i].To == own {
			t.Ops[i].To = end
		}
	}
	for l, i := range t.Labels {
		if i == own {
			t.Labels[l] = end
		}
	}
	stop()
	for _, u := range others {
		base, ins := len(t.Ops), len(t.Instrs)
		move := func(i int) int {
			switch {
			case i < 0:
				return i
			case i == len(u.Ops):
				return end
			}
			return i + base
		}
		for _, op := range u.Ops {
			op.To, op.Join, op.Pair, op.Ins = move(op.To), move(op.Join), move(op.Pair), op.Ins+ins
			t.Ops = append(t.Ops, op)
		}
		t.Instrs = append(t.Instrs, u.Instrs...)
		for l, i := range u.Labels {
			t.Labels[fmt.Sprintf("P%d:%s", u.ID, l)] = move(i)
		}
		stop()
	}
}
