package states

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
)

// A ref is a direct reading of the eleven rules of §3.2.3 of the thesis, for programs of brute; if deep, with its §6.3.1: what
// depends on a load in the buffer is itself deferred, but for branches, addresses and read-modify-writes.
type ref struct {
	deep    bool
	mem     []uint32
	threads []refThread
}

type refThread struct {
	todo   [][]brute.Stmt // innermost last
	regs   []refValue
	loads  []refLoad
	buffer []refOp
}

// A refValue is add, plus the value of a load if that is not -1, which may count for nothing.
type refValue struct {
	load int
	zero bool
	add  uint32
}

type refLoad struct {
	known bool
	val   uint32
}

type refOp struct {
	write bool
	loc   int
	val   refValue
	load  int
}

// get returns a value, if it is known.
func (t *refThread) get(v refValue) (uint32, bool) {
	switch {
	case v.load < 0:
		return v.add, true
	case v.zero:
		return v.add, t.loads[v.load].known
	}
	return t.loads[v.load].val + v.add, t.loads[v.load].known
}

func (r ref) clone() ref {
	r.mem = slices.Clone(r.mem)
	r.threads = slices.Clone(r.threads)
	for i := range r.threads {
		t := &r.threads[i]
		t.todo, t.regs, t.loads, t.buffer = slices.Clone(t.todo), slices.Clone(t.regs), slices.Clone(t.loads), slices.Clone(t.buffer)
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

func (t *refThread) expr(e brute.Expr) refValue {
	if e.Reg == brute.NoReg {
		return refValue{-1, false, e.Const}
	}
	v := t.regs[e.Reg]
	if e.Zero { // a use like any other
		return refValue{v.load, true, e.Const}
	}
	v.add += e.Const
	return v
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
			val, known := r.threads[i].get(op.val)
			if op.write && !known {
				continue
			}
			n := r.clone()
			t := &n.threads[i]
			t.buffer = slices.Delete(t.buffer, k, k+1)
			if op.write {
				n.mem[op.loc] = val
			} else {
				t.loads[op.load] = refLoad{true, n.mem[op.loc]}
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
			for _, v := range t.regs {
				x, _ := t.get(v)
				all = append(all, x)
			}
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
	if s.Kind != brute.If && s.Kind != brute.Fence && s.Addr != brute.NoReg {
		if _, known := t.get(t.regs[s.Addr]); !known {
			return false
		}
	}
	switch s.Kind {
	case brute.If:
		if len(s.Then)+len(s.Else) == 0 {
			return true // the machine's compiler drops it
		}
		x, known := t.get(t.regs[s.Reg])
		if !known {
			return false
		}
		if x == s.Is {
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
		v := t.expr(s.Val)
		if _, known := t.get(v); !known && !r.deep {
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
		t.regs[s.Reg] = refValue{load: len(t.loads)}
		t.buffer = append(t.buffer, refOp{false, s.Loc, refValue{}, len(t.loads)})
		t.loads = append(t.loads, refLoad{})
	default:
		v, ok := t.get(t.expr(s.Val))
		exp, ok2 := t.get(t.expr(s.Exp))
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
			t.regs[s.Reg] = refValue{-1, false, old}
		}
	}
	return true
}

// deferrals returns a random program with many stores of values that were loaded.
func deferrals(rnd *rand.Rand) *brute.Prog {
	var threads []string
	for range 2 {
		var text []string
		regs := 0
		loc := func() string { return string("xyz"[rnd.IntN(3)]) }
		reg := func() string { return fmt.Sprintf("r%d", rnd.IntN(regs)) }
		for range 3 + rnd.IntN(2) {
			switch k := rnd.IntN(8); {
			case regs == 0 || k < 2:
				text = append(text, fmt.Sprintf("r%d=%s", regs, loc()))
				regs++
			case k < 4:
				text = append(text, fmt.Sprintf("%s=%s+%d", loc(), reg(), rnd.IntN(2)))
			case k < 6:
				text = append(text, loc()+"=1")
			default:
				text = append(text, fmt.Sprintf("if(%s==1){%s=1}", reg(), loc()))
			}
		}
		threads = append(threads, strings.Join(text, "; "))
	}
	return brute.MustParse(strings.Join(threads, " || "))
}

// ruled returns the outcomes that the rules allow.
func ruled(p *brute.Prog, deep bool) map[string]bool {
	r := ref{deep: deep, mem: make([]uint32, len(p.Locs))}
	for _, th := range p.Threads {
		regs := make([]refValue, len(th.Regs))
		for k := range regs {
			regs[k].load = -1
		}
		r.threads = append(r.threads, refThread{todo: [][]brute.Stmt{th.Body}, regs: regs})
	}
	out := map[string]bool{}
	r.run(map[string]bool{}, out)
	return out
}

// TestLMO compares the outcomes of random programs under lmo and rmo with those of the rules.
func TestLMO(t *testing.T) {
	more := 0
	for i := range *programs {
		s := *seed + uint64(i)
		rnd := rand.New(rand.NewPCG(s, 7))
		p := deferrals(rnd)
		if i%2 == 0 {
			p = brute.Random(rnd, brute.Config{Threads: 3, Total: 7, Deps: i%4 == 0})
		}
		want := map[Model]map[string]bool{LMO: ruled(p, false), RMO: ruled(p, true)}
		for _, m := range []Model{LMO, RMO} {
			for _, por := range []bool{false, true} {
				got := explored(t, p, Options{Model: m, Raw: true, Workers: 1 + i%2, Buffer: 12, POR: por})
				compare(t, fmt.Sprintf("seed %d, model %v, por %v:\n%v", s, m, por, p), got, m, want)
			}
		}
		if len(want[RMO]) > len(want[LMO]) {
			more++
		}
	}
	if t.Logf("%d programs have more outcomes under rmo than under lmo", more); more == 0 {
		t.Error("no program tells rmo from lmo")
	}
}

// What tells rmo from lmo.
func TestRMO(t *testing.T) {
	for _, test := range []struct {
		prog      string
		strongest string // the model that has r == 1, or "" if none has
	}{
		{"r=x; y=r; z=1 || a=z; if(a==1){x=1}", "rmo"},
		{"r=x; y=r+1; z=1 || a=z; if(a==1){x=1}", "rmo"},
		{"r=x; z=1 || a=z; if(a==1){x=1}", "lmo"},
		{"r=x; if(r==0){y=1}; z=1 || a=z; if(a==1){x=1}", ""}, // branches are waited for
		{"r=x; s=[y+r]; z=1 || a=z; if(a==1){x=1}", ""},       // so are addresses
		{"r=x; z=r || a=z; if(a==1){x=1}", ""},                // no value comes from nowhere
		{"r=x; y=r; s=y; z=1 || a=z; if(a==1){x=1}", "rmo"},   // s is r
		{"r=x; y=r; F.sc; z=1 || a=z; if(a==1){x=1}", ""},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range []Model{SC, TSO, PSO, LMO, RMO} {
			has := false
			for out := range explored(t, p, Options{Model: m, Raw: true, POR: true, Buffer: 12}) {
				has = has || numbers(out)[len(p.Locs)] == 1
			}
			model, err := ModelByName(test.strongest)
			if want := err == nil && m >= model; has != want {
				t.Errorf("%s under %v: r == 1 is %v, want %v", test.prog, m, has, want)
			}
		}
	}
}
