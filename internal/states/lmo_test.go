package states

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
)

// A ref is a direct reading of the eleven rules of §3.2.3 of the thesis, for programs of brute.
type ref struct {
	mem     []uint32
	threads []refThread
}

type refThread struct {
	todo   [][]brute.Stmt // innermost last
	regs   []uint32
	waits  []bool // the register's load is in the buffer
	buffer []refOp
}

type refOp struct {
	write bool
	loc   int
	val   uint32
	reg   int
}

func (r ref) clone() ref {
	r.mem = slices.Clone(r.mem)
	r.threads = slices.Clone(r.threads)
	for i := range r.threads {
		t := &r.threads[i]
		t.todo, t.regs, t.waits, t.buffer = slices.Clone(t.todo), slices.Clone(t.regs), slices.Clone(t.waits), slices.Clone(t.buffer)
	}
	return r
}

// next returns the next statement of a thread, and takes it off.
func (t *refThread) next() *brute.Stmt {
	for len(t.todo) > 0 {
		last := &t.todo[len(t.todo)-1]
		if len(*last) == 0 {
			t.todo = t.todo[:len(t.todo)-1]
			continue
		}
		s := &(*last)[0]
		*last = (*last)[1:]
		return s
	}
	return nil
}

func (t *refThread) expr(e brute.Expr) (v uint32, ok bool) {
	if e.Reg == brute.NoReg {
		return e.Const, true
	}
	if e.Zero { // a use like any other
		return e.Const, !t.waits[e.Reg]
	}
	return t.regs[e.Reg] + e.Const, !t.waits[e.Reg]
}

func (r ref) run(seen, out map[string]bool) {
	key := fmt.Sprint(r)
	if seen[key] {
		return
	}
	seen[key] = true
	done := true
	for i := range r.threads {
		for k := range r.threads[i].buffer { // Update, Retrieve
			op := r.threads[i].buffer[k]
			if slices.ContainsFunc(r.threads[i].buffer[:k], func(o refOp) bool { return o.loc == op.loc }) {
				continue
			}
			n := r.clone()
			t := &n.threads[i]
			t.buffer = slices.Delete(t.buffer, k, k+1)
			if op.write {
				n.mem[op.loc] = op.val
			} else {
				t.regs[op.reg], t.waits[op.reg] = n.mem[op.loc], false
			}
			done = false
			n.run(seen, out)
		}
		n := r.clone()
		if n.step(i) {
			done = false
			n.run(seen, out)
		}
	}
	if done {
		all := slices.Clone(r.mem)
		for _, t := range r.threads {
			all = append(all, t.regs...)
		}
		out[fmt.Sprint(all)] = true
	}
}

// step performs the next statement of thread i; false if it can't.
func (r *ref) step(i int) bool {
	t := &r.threads[i]
	s := t.next()
	if s == nil {
		return false
	}
	has := func(write bool) bool {
		return slices.ContainsFunc(t.buffer, func(o refOp) bool { return o.write == write })
	}
	switch s.Kind {
	case brute.If:
		if t.waits[s.Reg] {
			return false
		}
		if t.regs[s.Reg] == s.Is {
			t.todo = append(t.todo, s.Then)
		} else {
			t.todo = append(t.todo, s.Else)
		}
	case brute.Fence:
		switch s.Mode {
		case event.Acq:
			return !has(false)
		case event.Rel:
			return !has(true)
		}
		return len(t.buffer) == 0
	case brute.Store:
		v, ok := t.expr(s.Val)
		if !ok {
			return false
		}
		t.buffer = append(t.buffer, refOp{true, s.Loc, v, 0})
	case brute.Load:
		for _, o := range slices.Backward(t.buffer) {
			if o.loc == s.Loc {
				if !o.write {
					break
				}
				if s.Reg != brute.NoReg {
					t.regs[s.Reg] = o.val
				}
				return true
			}
		}
		if s.Reg == brute.NoReg {
			return true // nobody can tell
		}
		t.waits[s.Reg] = true
		t.buffer = append(t.buffer, refOp{false, s.Loc, 0, s.Reg})
	default:
		v, ok := t.expr(s.Val)
		exp, ok2 := t.expr(s.Exp)
		if !ok || s.Kind == brute.CAS && !ok2 {
			return false
		}
		old, mode := r.mem[s.Loc], s.Mode
		fails := s.Kind == brute.CAS && old != exp
		if fails {
			mode = s.Fail
		}
		if mode > event.Rlx && len(t.buffer) > 0 || slices.ContainsFunc(t.buffer, func(o refOp) bool { return o.loc == s.Loc }) {
			return false
		}
		switch {
		case s.Kind == brute.FAdd:
			r.mem[s.Loc] += v
		case !fails:
			r.mem[s.Loc] = v
		}
		if s.Reg != brute.NoReg {
			t.regs[s.Reg] = old
		}
	}
	return true
}

// TestLMO compares the outcomes of random programs under lmo with those of the rules.
func TestLMO(t *testing.T) {
	for i := range *programs {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 7)), brute.Config{Threads: 3, Total: 7})
		r := ref{mem: make([]uint32, len(p.Locs))}
		for _, th := range p.Threads {
			n := len(th.Regs)
			r.threads = append(r.threads, refThread{[][]brute.Stmt{th.Body}, make([]uint32, n), make([]bool, n), nil})
		}
		want := map[string]bool{}
		r.run(map[string]bool{}, want)
		for _, por := range []bool{false, true} {
			got := explored(t, p, Options{Model: LMO, Raw: true, Workers: 1 + i%2, Buffer: 12, POR: por})
			if !maps.Equal(got, want) {
				t.Fatalf("seed %d, por %v:\n%v\ngot  %v\nwant %v", s, por, p, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
	}
}
