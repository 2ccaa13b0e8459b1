package enumerate

import (
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/litmus"
)

// Some models compute dependencies themselves, as Arm's do: to them, an instruction's reads and writes of registers are events
// too (Rreg, Wreg), and so are its decisions: the branch of an instruction that jumps (BCC), the choice of one that does something
// or not (PRED). iico_data and iico_ctrl relate the events of one instruction, rf-reg a write of a register to its reads.
// A register is read once by an instruction, except for the value that is stored (DATA) and for the address (ADDR) apart. Temporaries are not registers:
// what is computed from them comes from what they were computed from.

// An inside is where an event is in its instruction. The zero value is for models that do not look there.
type inside struct {
	reg        litmus.Reg // of readReg and writeReg
	set        string     // ADDR, DATA, BCC or PRED
	from       int        // of readReg: the writeReg that it reads from, -1 for the initial value
	data, ctrl bits       // the events of the instruction that it comes from
}

// The purposes for which a register is read.
const (
	plain   = ""
	address = "ADDR"
	stored  = "DATA"
)

// insideSets and insideRels are the names that make registers events in the executions of a model.
var (
	insideSets = fields("Rreg Wreg ADDR DATA B BCC PRED")
	insideRels = fields("iico_data iico_ctrl iico_order rf-reg same-low-order-bits")
)

// isMachine reports whether tests are in the instructions of a processor.
func isMachine(a litmus.Arch) bool { return arch.Of(a).Processor }

func isTemp(r litmus.Reg) bool { return strings.HasPrefix(string(r), "$") }

// sources returns the events of the current instruction that give an expression its registers. They are made if need be.
func (r *runner) sources(p *progress, e litmus.Expr, set string) (b bits) {
	if !r.inside {
		return b
	}
	for _, reg := range litmus.Uses(e) {
		made := p.regs[r.regs[reg]].made
		if isTemp(reg) {
			b = b.or(made)
			continue
		}
		from := made.first()
		if from >= 0 && p.events[from].inst == p.inst { // what this instruction wrote itself
			b = b.or(p.events[from].inside.data)
			continue
		}
		i := slices.IndexFunc(p.events, func(o event) bool {
			return o.inst == p.inst && o.kind == readReg && o.inside.reg == reg && o.inside.set == set
		})
		if i < 0 {
			i = r.add(p, r.local(p, readReg, inside{reg: reg, set: set, from: from}))
		}
		b = b.or(bit(i))
	}
	return b
}

// local returns an event of the current instruction that is not an access of memory.
func (r *runner) local(p *progress, k kind, in inside) event {
	return event{kind: k, op: &r.Thread.Ops[p.PC-1], inst: p.inst, pair: -1, inside: in}
}

// written returns what symbol.made of the destination of op is, if its value comes from these events.
func (r *runner) written(p *progress, op *litmus.Op, from bits) bits {
	if !r.inside || isTemp(op.Dst) {
		return from
	}
	return bit(r.add(p, r.local(p, writeReg, inside{reg: op.Dst, data: from, ctrl: p.guarded(op)})))
}

// branching adds the event of a decision.
func (r *runner) branching(p *progress, x litmus.Expr, set, purpose string) {
	if r.inside {
		r.add(p, r.local(p, branching, inside{set: set, data: r.sources(p, x, purpose)}))
	}
}

// Guard implements symbolic.Engine. It adds the event that decides whether op is done. The second half of a store-exclusive has none.
func (r *runner) Guard(p *progress, op *litmus.Op) bool {
	if r.inside && !op.Excl {
		p.PC++ // as for the operation itself
		purpose := plain
		if op.Pair >= 0 { // the compared register of a CAS is data
			purpose = stored
		}
		r.branching(p, op.If, "PRED", purpose)
		p.PC--
	}
	return false
}

// guarded returns the decision that op, or a select of its instruction, depends on.
func (p *progress) guarded(op *litmus.Op) (b bits) {
	_, selects := op.X.(*litmus.Select)
	for i := len(p.events) - 1; i >= 0 && p.events[i].inst == p.inst && (op.If != nil || selects); i-- {
		if e := &p.events[i]; e.kind == branching && e.op == op {
			return bit(i)
		}
	}
	return b
}

// pick sets a register to one of two values: it depends on the one that is chosen only, and what chose it only picks.
func (r *runner) pick(p *progress, op *litmus.Op, s *litmus.Select) bool {
	cond := r.value(p, s.If)
	r.branching(p, s.If, "PRED", plain)
	r.Decide(p, cond.x, op.Ins, func(p *progress, is bool) {
		if x := r.value(p, s.X); s.Same && is && !(x.deps.empty() && x.pick.empty() && x.made.empty()) {
			// Without dependencies of X, the choice of X orders less than Y does.
			r.choose(p.Fork(), op, s.Y, nil)
		}
		switch {
		case is:
			r.choose(p, op, s.X, &cond)
		case s.Same:
			r.choose(p, op, s.Y, nil)
		default:
			r.choose(p, op, s.Y, &cond)
		}
	})
	return false
}

// choose goes on with the value of chosen in the destination of op, which cond picked, or nothing.
func (r *runner) choose(p *progress, op *litmus.Op, chosen litmus.Expr, cond *symbol) {
	x := r.value(p, chosen)
	if cond != nil {
		x.pick = x.pick.or(cond.deps).or(cond.pick)
	}
	p.selects = p.selects.or(x.pick)
	x.made = r.written(p, op, r.sources(p, chosen, plain))
	if cond == nil && r.inside {
		p.events[x.made.first()].inside.ctrl = bits{}
	}
	p.regs[r.regs[op.Dst]] = x
	r.Run(p)
}

// fillInside defines what models see of the insides of instructions.
func (s *search) fillInside() {
	x := s.x
	data, ctrl, order, rf := x.Rel("iico_data"), x.Rel("iico_ctrl"), x.Rel("iico_order"), x.Rel("rf-reg")
	for i, e := range s.events {
		if e == nil {
			continue
		}
		base := s.base[s.thread[i]]
		for j := base; j < i; j++ {
			if e.inside.data.has(j - base) {
				data.Add(j, i)
			}
			if e.inside.ctrl.has(j - base) {
				ctrl.Add(j, i)
			}
			if f := s.events[j]; f.inst == e.inst && f.kind == e.kind && f.op != e.op && e.ordered() {
				order.Add(j, i)
			}
		}
		if e.inside.set != "" {
			x.Set(e.inside.set).Add(i)
		}
		switch e.kind {
		case readReg:
			x.Set("Rreg").Add(i)
			if e.inside.from >= 0 {
				rf.Add(base+e.inside.from, i)
			}
		case writeReg:
			x.Set("Wreg").Add(i)
		case branching:
			x.Set("B").Add(i)
		}
	}
}

// ordered reports whether the accesses of a pair are performed in order: those of LDIAPP and STILP.
func (e *event) ordered() bool { return inOrder(e.kind == read, e.kind == write, e.sets) }

func inOrder(read, write bool, sets []string) bool {
	return read && slices.Contains(sets, "Q") || write && slices.Equal(sets, []string{"L"})
}

// settleInside adds accesses of the same register of a thread to loc, and finds the accesses of memory at the same place of their
// variables: these are in pages of their own.
func (s *search) settleInside() {
	loc, low := s.x.Rel("loc"), s.x.Rel("same-low-order-bits")
	low.Reset(len(s.events))
	for i, e := range s.events {
		for j, f := range s.events[:i+1] {
			if e != nil && f != nil && e.inside.reg != "" && e.inside.reg == f.inside.reg && s.thread[i] == s.thread[j] {
				loc.Add(i, j)
				loc.Add(j, i)
			}
			if a, b := s.at[i], s.at[j]; a >= 0 && b >= 0 && s.locs[a].off == s.locs[b].off {
				low.Add(i, j)
				low.Add(j, i)
			}
		}
	}
}
