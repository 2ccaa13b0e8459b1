package llvm

import (
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// Locked instructions of x86 in inline assembly: xchg, and with the prefix lock also cmpxchg, xadd, inc, dec, add, sub, and, or, xor, each on
// one place in memory, with sete or setz behind it or not. They are sequentially consistent read-modify-writes.

// An asmOperand is what $0, $1 and so on stand for.
type asmOperand struct {
	val    value // what goes in; of an operand in memory its address
	in     bool  // val is there
	memory bool
	result int  // which of the results it is, or -1
	ax     bool // the register ax
}

// asmOperands reads the constraints of inline assembly. It returns false if there is something that it does not know.
func asmOperands(cons string, args []value) (ops []asmOperand, results int, ok bool) {
	for con := range strings.SplitSeq(cons, ",") {
		if strings.HasPrefix(con, "~") {
			continue
		}
		rest, isOut := strings.CutPrefix(con, "=")
		rest = strings.TrimLeft(rest, "&")
		rest, indirect := strings.CutPrefix(rest, "*")
		op := asmOperand{result: -1, memory: indirect, ax: rest == "{ax}" || rest == "{eax}" || rest == "{rax}"}
		if isOut && !indirect {
			op.result = results
			results++
			ops = append(ops, op)
			continue
		}
		if len(args) == 0 || strings.HasPrefix(con, "!") {
			return nil, 0, false
		}
		op.val, op.in = args[0], true
		args = args[1:]
		if n, tied := metaNumber(rest); tied {
			if int(n) >= len(ops) || ops[n].memory {
				return nil, 0, false
			}
			ops[n].val, ops[n].in = op.val, true
		}
		ops = append(ops, op)
	}
	return ops, results, len(args) == 0
}

var lockedOps = map[string]event.RMWOp{
	"xchg": event.Xchg, "cmpxchg": event.CAS, "xadd": event.Add, "inc": event.Add, "dec": event.Sub,
	"add": event.Add, "sub": event.Sub, "and": event.And, "or": event.Or, "xor": event.Xor,
}

// A locked is a locked instruction and what may come behind it.
type locked struct {
	op       string
	rmw      event.RMWOp
	size     int      // in bytes; 0: as its operands say
	operands []string // as they are written
	zero     string   // the operand that is set if the result was zero, or the comparison equal; "": none
}

// parseLocked reads a template. It returns false if that is not a locked instruction.
func parseLocked(template string) (in locked, ok bool) {
	prefix := ""
	for stmt := range strings.FieldsFuncSeq(template, func(r rune) bool { return r == '\n' || r == ';' }) {
		op, operands, _ := strings.Cut(asmStatement(stmt), " ")
		if op == "lock" && operands != "" {
			prefix = op
			op, operands, _ = strings.Cut(operands, " ")
		}
		switch {
		case op == "":
		case op == "lock" && in.op == "":
			prefix = op
		case (op == "sete" || op == "setz") && in.op != "" && in.zero == "":
			in.zero = operands
		case in.op == "":
			in.op, in.operands = op, strings.Split(operands, ",")
			if _, whole := lockedOps[op]; !whole {
				n := len(op) - 1
				in.op, in.size = op[:n], map[byte]int{'b': 1, 'w': 2, 'l': 4, 'q': 8}[op[n]]
			}
			if in.rmw, ok = lockedOps[in.op]; !ok || prefix == "" && in.op != "xchg" {
				return in, false
			}
		default:
			return in, false
		}
	}
	return in, in.op != ""
}

// lowerLocked lowers inline assembly that is a locked instruction. It returns false if it is something else.
func (l *lowerer) lowerLocked(in *inst, c *constant, args []value) bool {
	x, ok := parseLocked(c.text)
	if !ok {
		return false
	}
	ops, results, ok := asmOperands(c.cons, args)
	if !ok || l.lay.words(in.typ) != results {
		return false
	}
	// find returns the operand that is written as s.
	find := func(s string) *asmOperand {
		s = strings.Trim(strings.TrimPrefix(s, "$"), "{}")
		s, _, _ = strings.Cut(s, ":")
		if n, ok := metaNumber(s); ok && int(n) < len(ops) {
			return &ops[n]
		}
		return nil
	}
	var memory, source *asmOperand
	with, immediate := ir.Operand{}, false
	switch x.op {
	case "inc", "dec":
		with, immediate = ir.Imm(1), len(x.operands) == 1
	default:
		if len(x.operands) != 2 {
			return false
		}
	}
	for _, s := range x.operands {
		if num, ok := strings.CutPrefix(s, "$$"); ok {
			n, ok := metaNumber(num)
			with, immediate = ir.Imm(uint64(n)), ok
		} else if o := find(s); o != nil && o.memory {
			memory = o
		} else {
			source = o
		}
	}
	if memory == nil || (source == nil) == !immediate || source != nil && (!source.in || l.lay.words(source.val.typ) != 1) {
		return false
	}
	if source != nil && x.size == 0 {
		x.size = int(source.val.typ.size)
	}
	if x.size == 0 {
		return false
	}
	width := x.size * 8
	if source != nil {
		with = l.narrow(source.val, width)
	}
	return l.emitLocked(x, ops, results, memory, source, find, with, width)
}

// narrow returns the lower bits of a value.
func (l *lowerer) narrow(v value, width int) ir.Operand {
	o := l.operand(v, 0)
	if int(v.typ.size)*8 <= width {
		return o
	}
	r := l.temp(1)
	l.cast(ir.Trunc, int(v.typ.size)*8, width, r, o)
	return ir.R(r)
}

func (l *lowerer) emitLocked(x locked, ops []asmOperand, results int, memory, source *asmOperand, find func(string) *asmOperand, with ir.Operand, width int) bool {
	outs := make([]ir.Operand, results)
	set := make([]bool, results)
	for i := range ops {
		if o := &ops[i]; o.result >= 0 && o.in {
			outs[o.result], set[o.result] = l.operand(o.val, 0), true
		}
	}
	old, zero := l.temp(1), l.temp(1)
	if x.rmw == event.CAS {
		var ax *asmOperand
		for i := range ops {
			if ops[i].ax && ops[i].in {
				ax = &ops[i]
			}
		}
		if ax == nil {
			return false
		}
		cas := newInstr(ir.CmpXchg)
		cas.Dst, cas.Dst2, cas.A, cas.B, cas.C = old, zero, l.operand(memory.val, 0), l.narrow(ax.val, width), with
		cas.Size, cas.Mode, cas.Fail = uint8(x.size), event.SC, event.SC
		l.emit(cas)
		source = ax
	} else {
		rmw := newInstr(ir.RMW)
		rmw.Dst, rmw.A, rmw.B, rmw.Size, rmw.Mode, rmw.RMW = old, l.operand(memory.val, 0), with, uint8(x.size), event.SC, x.rmw
		l.emit(rmw)
		if x.zero != "" {
			op, ok := map[event.RMWOp]ir.Op{event.Add: ir.Add, event.Sub: ir.Sub, event.And: ir.And, event.Or: ir.Or, event.Xor: ir.Xor}[x.rmw]
			if !ok {
				return false
			}
			l.bin(op, width, zero, ir.R(old), with)
			l.cmp(ir.Cmp, ir.EQ, width, zero, ir.R(zero), ir.Imm(0))
		}
	}
	if (x.op == "xchg" || x.op == "xadd" || x.op == "cmpxchg") && source.result >= 0 {
		outs[source.result], set[source.result] = ir.R(old), true
	}
	if x.zero != "" {
		switch o := find(x.zero); {
		case o == nil || !o.memory && o.result < 0:
			return false
		case o.memory:
			st := newInstr(ir.Store)
			st.A, st.B, st.Size = l.operand(o.val, 0), ir.R(zero), 1
			l.emit(st)
		default:
			outs[o.result], set[o.result] = ir.R(zero), true
		}
	}
	for i, o := range outs {
		if !set[i] {
			return false
		}
		l.copy(l.dst+ir.Reg(i), o)
	}
	return true
}
