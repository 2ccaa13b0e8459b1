package litmus

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"ravel/internal/litmus"
)

// An scState is a state of a test that runs one instruction after the other, from any thread. It is
// what the tests check the micro code with: every model of the corpus allows these executions.
type scState struct {
	threads []scThread
	memory  map[string][]scByte
}

type scThread struct {
	pc      int
	regs    map[litmus.Reg]litmus.Value
	reserve string // address of the last exclusive load, "" if there was a store since
	armed   string // the same, whatever other threads store
	size    uint8  // of that load
}

// An scByte is byte index of a value that was stored; integers are kept byte by byte.
type scByte struct {
	v     litmus.Value
	index int
}

func (s *scState) clone() *scState {
	c := &scState{threads: slices.Clone(s.threads), memory: maps.Clone(s.memory)}
	for i := range c.threads {
		c.threads[i].regs = maps.Clone(c.threads[i].regs)
	}
	return c
}

// key tells states apart.
func (r *scRun) key(s *scState) string {
	b := r.buf[:0]
	for i, t := range s.threads {
		b = binary.AppendUvarint(b, uint64(t.pc))
		for _, reg := range r.regs[i] {
			b = appendValue(b, t.regs[reg])
		}
		b = append(append(b, t.reserve...), '|')
		b = append(append(b, t.armed...), '|', t.size)
	}
	for _, v := range r.test.Vars {
		for _, x := range s.memory[v.Name] {
			b = append(appendValue(b, x.v), byte(x.index))
		}
		b = append(b, '|')
	}
	r.buf = b
	return string(b)
}

func appendValue(b []byte, v litmus.Value) []byte {
	b = append(b, byte(v.Kind))
	b = binary.AppendUvarint(b, v.Int)
	return append(append(b, v.Sym...), ';')
}

func (s *scState) load(name string, off, size int) (litmus.Value, bool) {
	m := s.memory[name]
	if off < 0 || size == 0 {
		return litmus.Value{}, false
	}
	if off+size > len(m) {
		m = append(slices.Clone(m), make([]scByte, off+size-len(m))...)
	}
	m = m[off : off+size]
	if m[0].v.Kind != litmus.Int {
		return m[0].v, m[0].index == 0
	}
	var n uint64
	for i := min(size, 8) - 1; i >= 0; i-- {
		if m[i].v.Kind != litmus.Int {
			return litmus.Value{}, false
		}
		n = n<<8 | m[i].v.Int
	}
	return litmus.Value{Int: n}, true
}

func (s *scState) store(name string, off, size int, v litmus.Value) bool {
	if off < 0 || off > 1<<16 {
		return false
	}
	m := slices.Clone(s.memory[name])
	for len(m) < off+size {
		m = append(m, scByte{})
	}
	for i := range size {
		b := scByte{v, i}
		if v.Kind == litmus.Int {
			b = scByte{litmus.Value{}, 0}
			if i < 8 {
				b.v.Int = v.Int >> (8 * i) & 0xff
			}
		}
		m[off+i] = b
	}
	s.memory[name] = m
	return true
}

// initialState returns the state before the first step.
func initialState(t *litmus.Test) *scState {
	s := &scState{memory: map[string][]scByte{}}
	for _, v := range t.Vars {
		for i, x := range v.Init {
			if x.Kind == litmus.Int && v.Type.Size < 8 {
				x.Int = litmus.Mask(x.Int, 8*v.Type.Size)
			}
			size := int(v.Type.Size)
			if x.Kind != litmus.Int {
				size = max(size, 8)
			}
			s.store(v.Name, i*int(v.Type.Size), size, x)
		}
	}
	for _, th := range t.Threads {
		regs := map[litmus.Reg]litmus.Value{}
		for _, i := range th.Init {
			regs[i.Reg] = i.Value
		}
		s.threads = append(s.threads, scThread{regs: regs})
	}
	return s
}

// An scRun collects the final states of a test.
type scRun struct {
	test   *litmus.Test
	regs   [][]litmus.Reg
	seen   map[string]bool
	buf    []byte
	finals []*scState
	err    error
	cut    bool // some execution was too long
}

const scLimit = 2000

// step runs thread i to after its next access to memory, in all ways.
func (r *scRun) step(s *scState, i int, yield func(*scState)) {
	s = s.clone()
	r.run(s, i, 0, yield)
}

// run goes on; last is 1 + the instruction that had an access, 0 if none had, -1 if there was a branch since.
func (r *scRun) run(s *scState, i, last int, yield func(*scState)) {
	code := r.test.Threads[i]
	t := &s.threads[i]
	steps := 0
	for t.pc < len(code.Ops) {
		op := &code.Ops[t.pc]
		get := func(x litmus.Reg) litmus.Value { return t.regs[x] }
		if op.If != nil {
			is, ok := litmus.Eval(op.If, get).Truth()
			if !ok {
				r.err = fmt.Errorf("%s: the guard is undefined", code.Instrs[op.Ins].Text)
				return
			}
			if !is {
				t.pc++
				continue
			}
		}
		if access := op.Kind == litmus.Load || op.Kind == litmus.Store; access && last != 0 && op.Ins+1 != last {
			break
		} else if access {
			last = op.Ins + 1
		}
		if steps++; steps > 200 {
			r.cut = true
			return
		}
		t.pc++
		switch op.Kind {
		case litmus.Set:
			t.regs[op.Dst] = litmus.Eval(op.X, get)
		case litmus.Load, litmus.Store:
			if !r.access(s, i, op, get, yield) {
				return
			}
		case litmus.Branch, litmus.Jump:
			to := op.To
			if op.Kind == litmus.Jump {
				v := litmus.Eval(op.X, get)
				var ok bool
				if to, ok = code.Place(v); !ok && v.Kind != litmus.Code {
					to, ok = op.To, op.To >= 0
				}
				if !ok {
					r.err = fmt.Errorf("%s: a jump to %v", code.Instrs[op.Ins].Text, v)
					return
				}
			} else if op.X != nil {
				is, ok := litmus.Eval(op.X, get).Truth()
				if !ok {
					r.err = fmt.Errorf("%s: the condition is undefined", code.Instrs[op.Ins].Text)
					return
				}
				if !is {
					to = t.pc
				}
			}
			t.pc = to
			if last != 0 {
				last = -1
			}
		case litmus.Clear:
			t.reserve, t.armed = "", ""
		case litmus.Assume:
			if is, _ := litmus.Eval(op.X, get).Truth(); !is {
				return
			}
		case litmus.Choose:
			other := s.clone()
			other.threads[i].regs[op.Dst] = litmus.Number(1)
			r.run(other, i, last, yield)
			t.regs[op.Dst] = litmus.Number(0)
		}
	}
	yield(s)
}

// access does a load or a store; a store-exclusive also fails, in another state.
func (r *scRun) access(s *scState, i int, op *litmus.Op, get func(litmus.Reg) litmus.Value, yield func(*scState)) bool {
	t := &s.threads[i]
	addr := litmus.Eval(op.Addr, get)
	if addr.Kind != litmus.Addr {
		r.err = fmt.Errorf("%s: the address is %v", r.test.Threads[i].Instrs[op.Ins].Text, addr)
		return false
	}
	at := addr.String()
	if op.Kind == litmus.Load {
		v, ok := s.load(addr.Sym, int(int64(addr.Int)), int(op.Size))
		if !ok {
			r.err = fmt.Errorf("%s: a part of an address is read", r.test.Threads[i].Instrs[op.Ins].Text)
			return false
		}
		t.regs[op.Dst] = v
		ops := r.test.Threads[i].Ops
		if second := t.pc > 1 && ops[t.pc-2].Kind == litmus.Load && ops[t.pc-2].Excl && ops[t.pc-2].Ins == op.Ins; op.Excl && !second {
			t.reserve, t.armed, t.size = at, at, op.Size
		}
		return true
	}
	if op.Excl && op.Dst != "" {
		fail := s.clone()
		fail.threads[i].regs[op.Dst] = litmus.Number(1)
		fail.threads[i].reserve, fail.threads[i].armed = "", ""
		r.run(fail, i, op.Ins+1, yield)
		// On AArch64 and RISC-V it may also succeed elsewhere, which is not a read-modify-write.
		elsewhere := t.armed != "" && t.armed != at && (r.test.Arch == litmus.AArch64 || r.test.Arch == litmus.RISCV)
		if t.size != op.Size && r.test.Arch != litmus.RISCV || t.reserve != at && !elsewhere {
			return false
		}
		t.regs[op.Dst], t.armed = litmus.Number(0), ""
	}
	if !s.store(addr.Sym, int(int64(addr.Int)), int(op.Size), litmus.Eval(op.X, get)) {
		r.err = fmt.Errorf("a store at %v", addr)
		return false
	}
	for k := range s.threads {
		if s.threads[k].reserve == at {
			s.threads[k].reserve = ""
		}
	}
	return true
}

// runSC returns all final states; ok is false if there are too many states.
func runSC(test *litmus.Test) (r *scRun, ok bool) {
	r = &scRun{test: test, seen: map[string]bool{}}
	for _, t := range test.Threads {
		r.regs = append(r.regs, t.Regs())
	}
	todo := []*scState{initialState(test)}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k := r.key(s); r.seen[k] {
			continue
		} else {
			r.seen[k] = true
		}
		if len(r.seen) > scLimit {
			return r, false
		}
		final := true
		for i := range s.threads {
			if s.threads[i].pc < len(test.Threads[i].Ops) {
				final = false
				r.step(s, i, func(n *scState) { todo = append(todo, n) })
			}
		}
		if final {
			r.finals = append(r.finals, s)
		}
	}
	return r, r.err == nil
}

// get is the value of a location in a final state.
func (s *scState) get(test *litmus.Test) func(litmus.Loc) litmus.Value {
	return func(l litmus.Loc) litmus.Value {
		if l.Thread >= 0 {
			for i, t := range test.Threads {
				if t.ID == l.Thread {
					return s.threads[i].regs[l.Reg]
				}
			}
		}
		v := test.Var(l.Var)
		size := int(v.Type.Size)
		x, ok := s.load(l.Var, max(l.Index, 0)*size, size)
		if !ok {
			return litmus.Value{Kind: litmus.Undef}
		}
		return x
	}
}

// outcomes returns the different observed states, and in how many the condition is true and false.
func (r *scRun) outcomes() (states []string, pos, neg int) {
	seen := map[string]bool{}
	for _, s := range r.finals {
		get := s.get(r.test)
		if r.test.Filter != nil && !r.test.Filter.Eval(get) {
			continue
		}
		var b strings.Builder
		for _, l := range r.test.Observed() {
			if l.Thread < 0 && l.Index < 0 {
				for i := range r.test.Var(l.Var).Init {
					l.Index = i
					fmt.Fprint(&b, get(l), ",")
				}
				continue
			}
			v := get(l)
			if v.Kind == litmus.Int && l.Thread >= 0 {
				for _, t := range r.test.Threads {
					if ty, ok := t.Types[l.Reg]; ok && t.ID == l.Thread {
						v.Int = litmus.Mask(v.Int, 8*ty.Size)
					}
				}
			}
			fmt.Fprint(&b, v, ";")
		}
		seen[b.String()] = true
		if r.test.Cond.Prop.Eval(get) {
			pos++
		} else {
			neg++
		}
	}
	for k := range seen {
		states = append(states, k)
	}
	sort.Strings(states)
	return states, pos, neg
}

// TestCorpusSC runs the corpus one instruction after the other. All models allow that, so what herd never
// sees may not happen, what it always sees must, and there are at most as many final states; a
// test with one thread has just those.
func TestCorpusSC(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all litmus tests")
	}
	ran, single, large := 0, 0, 0
	for _, row := range corpusRows(t) {
		test, err := Parse(row.file, readCorpus(t, row))
		if err != nil {
			continue
		}
		r, ok := runSC(test)
		if r.err != nil {
			t.Errorf("%s: %v", row.file, r.err)
			continue
		}
		if !ok {
			large++
			continue
		}
		ran++
		states, pos, neg := r.outcomes()
		report := func(format string, args ...any) {
			t.Errorf("%s: %s; states %q", row.file, fmt.Sprintf(format, args...), states)
		}
		if row.observation == "Never" && pos > 0 {
			report("herd never sees what happens %d times", pos)
		}
		if row.observation == "Always" && neg > 0 {
			report("herd always sees what fails %d times", neg)
		}
		if row.states >= 0 && len(states) > row.states {
			report("%d states, herd has %d", len(states), row.states)
		}
		if row.observation == "" && row.holds == "no" && test.Cond.Quant == litmus.Exists && pos > 0 {
			report("the condition should not hold")
		}
		if len(test.Threads) == 1 && len(states) > 0 && test.Arch != litmus.LISA { // LISA's tests bring models that forget coherence
			single++
			if holds := test.Cond.Holds(pos, neg); holds != (row.holds == "yes") {
				report("holds %v, want %s", holds, row.holds)
			}
			if row.states >= 0 && len(states) != row.states && !r.cut {
				report("%d states, want %d", len(states), row.states)
			}
		}
	}
	t.Logf("%d tests run, %d of them with one thread; %d have too many states", ran, single, large)
}
