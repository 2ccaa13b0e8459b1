package check

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/report"
)

// A memory order that is a value, such as a parameter of a function, reaches its access by a switch: the compiler makes one
// instruction for each order. What can be changed then is the constant that is passed.

// A caller is a direct call of a function.
type caller struct {
	f  *ir.Func
	in *ir.Instr
}

// callersIn returns the direct calls of each function.
func callersIn(p *ir.Program) map[*ir.Func][]caller {
	out := map[*ir.Func][]caller{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if in := &b.Instrs[i]; in.Op == ir.Call && in.Callee != nil {
					out[in.Callee] = append(out[in.Callee], caller{f, in})
				}
			}
		}
	}
	return out
}

// switched adds the constants that a switch chooses the order of an access by, if it is such a switch.
func (c *collector) switched(f *ir.Func, in *ir.Instr) {
	var first *ir.Instr
	access, found := report.Access(""), false
	for i, b := range in.Targets {
		x := atomicIn(f, b, 2)
		same := x != nil && (first == nil || x.Op == first.Op && c.names.Location(x.Pos) == c.names.Location(first.Pos))
		switch {
		case !same && first != nil && first.Op == ir.Fence && i == len(in.Targets)-1: // a relaxed fence is none
			access, found = report.FenceAccess, true
		case !same:
			return
		case first == nil:
			first = x
		case x.Mode != first.Mode:
			access, found = accessAt(x), true
		case x.Op == ir.CmpXchg && x.Fail != first.Fail && !found:
			access, found = report.FailureAccess, true
		}
	}
	if !found {
		return
	}
	t := &tracer{collector: c, access: access, codes: cxxCodes, seen: map[traced]bool{}}
	if t.operand(f, &in.A, first.Pos, 0) {
		c.passed[place{access, c.names.Location(first.Pos), 0}] = true
	}
}

// atomicIn returns the first atomic instruction of a block, or of what a switch at its end leads to.
func atomicIn(f *ir.Func, block, depth int) *ir.Instr {
	instrs := f.Blocks[block].Instrs
	for i := range instrs {
		switch in := &instrs[i]; in.Op {
		case ir.Load, ir.Store, ir.RMW, ir.CmpXchg, ir.Fence:
			if in.Mode != event.NA {
				return in
			}
		case ir.Switch:
			if depth > 1 {
				return atomicIn(f, in.Targets[len(in.Targets)-1], depth-1)
			}
		}
	}
	return nil
}

func accessAt(in *ir.Instr) report.Access {
	switch in.Op {
	case ir.Load:
		return report.LoadAccess
	case ir.Store:
		return report.StoreAccess
	case ir.Fence:
		return report.FenceAccess
	}
	return report.UpdateAccess
}

// A tracer finds the constants that a value comes from.
type tracer struct {
	*collector
	access report.Access
	codes  []uint64
	seen   map[traced]bool
}

type traced struct {
	f   *ir.Func
	reg ir.Reg
}

// operand adds the constants that an operand may be, which is used at pos as an argument of a call, or not (0). It reports whether these
// are all.
func (t *tracer) operand(f *ir.Func, o *ir.Operand, pos ir.Pos, argument int) bool {
	if o.IsConst() {
		t.add(pos, t.access, argument, order{value: &o.Imm, codes: t.codes})
		return t.byValue[&o.Imm] != nil
	}
	if k := (traced{f, o.Reg}); t.seen[k] {
		return true
	} else {
		t.seen[k] = true
	}
	all, some := true, false
	note := func(ok bool) { all, some = all && ok, true }
	if i := slices.Index(f.Params, o.Reg); i >= 0 {
		for _, c := range t.callers[f] {
			note(i < len(c.in.Args) && t.operand(c.f, &c.in.Args[i], c.in.Pos, i+1))
		}
	}
	t.definitions(f, o.Reg, func(in *ir.Instr) {
		switch in.Op {
		case ir.Copy, ir.ZExt, ir.SExt, ir.Trunc:
			note(t.operand(f, &in.A, at(in, pos), 0))
		case ir.Select:
			note(t.operand(f, &in.B, at(in, pos), 0))
			note(t.operand(f, &in.C, at(in, pos), 0))
		case ir.Load:
			note(t.variable(f, in.A, pos))
		default:
			note(false)
		}
	})
	return all && some
}

// definitions calls what with the instructions that set a register.
func (t *tracer) definitions(f *ir.Func, r ir.Reg, what func(*ir.Instr)) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if in := &b.Instrs[i]; in.Dst == r || in.Dst2 == r || slices.Contains(in.Results, r) {
				what(in)
			}
		}
	}
}

// variable adds the constants that are stored in a local variable.
func (t *tracer) variable(f *ir.Func, a ir.Operand, pos ir.Pos) bool {
	local := false
	t.definitions(f, a.Reg, func(in *ir.Instr) { local = in.Op == ir.Alloca })
	if a.IsConst() || !local {
		return false
	}
	all, some := true, false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if in := &b.Instrs[i]; in.Op == ir.Store && in.A.Reg == a.Reg {
				ok := t.operand(f, &in.B, at(in, pos), 0)
				all, some = all && ok, true
			}
		}
	}
	return all && some
}

// at returns the place of an instruction, or another one if it has none.
func at(in *ir.Instr, other ir.Pos) ir.Pos {
	if in.Pos == ir.NoPos {
		return other
	}
	return in.Pos
}
