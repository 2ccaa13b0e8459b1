package jmm

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/litmus"
)

// A writer turns the threads of a test into Java again, from their micro code: what is run is what was checked.
type writer struct {
	tool string // the command, for errors
	test *litmus.Test
	th   *litmus.Thread
	b    strings.Builder
	pad  int
	long map[litmus.Reg]bool // registers of 64 bits
}

// unsupported is the panic for what can't be written.
type unsupported struct{ err error }

func (w *writer) fail(op *litmus.Op, format string, args ...any) {
	in := &w.th.Instrs[op.Ins]
	panic(unsupported{&litmus.Error{File: w.test.File, Line: in.Line, Col: in.Col, Msg: fmt.Sprintf(format, args...)}})
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, "%s%s\n", strings.Repeat("    ", w.pad), fmt.Sprintf(format, args...))
}

// body returns the statements of a thread, at an indentation, and the names of its registers in Java. s is the state
// that the variables are fields of.
func body(tool string, test *litmus.Test, th *litmus.Thread, pad int) (text string, err error) {
	w := &writer{tool: tool, test: test, th: th, pad: pad, long: map[litmus.Reg]bool{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			err = r.err
		default:
			panic(r)
		}
	}()
	for _, r := range th.Regs() {
		w.long[r] = th.Types[r].Size == 8
	}
	for i := range th.Ops {
		if op := &th.Ops[i]; op.Kind == litmus.Load {
			w.long[op.Dst] = op.Size == 8
		}
	}
	w.declare()
	w.ops()
	return w.b.String(), nil
}

// local is the name of a register in Java.
func local(r litmus.Reg) string { return strings.ReplaceAll(string(r), "$", "t$") }

func (w *writer) typ(r litmus.Reg) string {
	if w.long[r] {
		return "long"
	}
	return "int"
}

func (w *writer) declare() {
	init := map[litmus.Reg]litmus.Value{}
	for _, i := range w.th.Init {
		init[i.Reg] = i.Value
	}
	for _, r := range w.th.Regs() {
		w.line("%s %s = %s;", w.typ(r), local(r), w.value(init[r], w.long[r]))
	}
}

// ops writes the operations. A branch forward is a break out of a block that ends where it goes to; blocks
// open at the start of the thread, or of the innermost monitor or loop, so that they nest. A branch back continues a loop, which is left where nothing continues it.
func (w *writer) ops() {
	ops := w.th.Ops
	opens := map[int][]int{}  // ends of the blocks that open at an operation
	inside := map[int][]int{} // the same, inside of the loop that begins there
	loops := w.loops()
	var locks []int
	region := make([]int, len(ops)+1) // where the blocks that end at an operation open
	for i := range ops {
		if ops[i].Kind == litmus.Unlock {
			if i+1 < len(ops) && ops[i+1].Ins == ops[i].Ins {
				w.fail(&ops[i], "%s does not do wait", w.tool)
			}
			locks = locks[:len(locks)-1]
		}
		if region[i] = 0; len(locks) > 0 {
			region[i] = locks[len(locks)-1] + 1
		}
		if ops[i].Kind == litmus.Lock {
			locks = append(locks, i)
		}
	}
	for i := range ops {
		op := &ops[i]
		if op.Kind != litmus.Branch || op.To <= i {
			continue
		}
		at, to := region[i], opens
		for head, end := range loops {
			if head <= i && op.To <= end && head >= at {
				at, to = head, inside
			}
		}
		if !slices.Contains(to[at], op.To) {
			to[at] = append(to[at], op.To)
		}
	}
	open := func(ends []int) {
		slices.Sort(ends)
		for _, end := range slices.Backward(ends) {
			w.line("to%d: {", end)
			w.pad++
		}
	}
	for i := 0; i <= len(ops); i++ {
		for _, blocks := range []map[int][]int{inside, opens} {
			for _, ends := range blocks {
				if slices.Contains(ends, i) {
					w.pad--
					w.line("}")
				}
			}
		}
		open(opens[i])
		if _, ok := loops[i]; ok {
			w.line("again%d: while (true) {", i)
			w.pad++
			open(inside[i])
		}
		if i == len(ops) {
			break
		}
		i = w.op(i)
		for head, end := range loops {
			if end == i {
				w.line("break again%d;", head)
				w.pad--
				w.line("}")
			}
		}
	}
}

// loops returns the last operation of each loop, by its first one. Only jit does loops.
func (w *writer) loops() map[int]int {
	loops := map[int]int{}
	for i := range w.th.Ops {
		op := &w.th.Ops[i]
		if op.Kind != litmus.Branch || op.To > i {
			continue
		}
		if w.tool != "jit" {
			w.fail(op, "%s does not do loops", w.tool)
		}
		loops[op.To] = i
	}
	return loops
}

// op writes an operation, or all of a read-modify-write, and returns the index of the last one.
func (w *writer) op(i int) int {
	ops := w.th.Ops
	op := &ops[i]
	if ofObject(op) {
		w.fail(op, "%s does not do final fields: %s", w.tool, w.th.Instrs[op.Ins].Text)
	}
	switch op.Kind {
	case litmus.Set:
		if op.If != nil {
			w.fail(op, "%s does not do this: %s", w.tool, op)
		}
		w.line("%s = %s;", local(op.Dst), w.convert(op.X, w.long[op.Dst]))
	case litmus.Branch:
		cond, leave := "true", "break to"
		if op.X != nil {
			cond = w.truth(op.X)
		}
		if op.To <= i {
			leave = "continue again"
		}
		w.line("if (%s) %s%d;", cond, leave, op.To)
	case litmus.Choose: // of a weak compare-and-set: the machine chooses
	case litmus.Lock:
		w.line("synchronized (s.%s) {", op.Addr.(litmus.Value).Sym)
		w.pad++
	case litmus.Unlock:
		w.pad--
		w.line("}")
	case litmus.Fence:
		name, _, _ := strings.Cut(strings.TrimPrefix(w.th.Instrs[op.Ins].Text, "VarHandle."), "(")
		w.line("VarHandle.%s();", name)
	case litmus.Load:
		for j := i + 1; j < len(ops) && ops[j].Ins == op.Ins; j++ {
			if ops[j].Kind == litmus.Store && ops[j].Pair == i {
				w.update(op, &ops[j])
				return j
			}
		}
		w.line("%s = (%s) %s;", local(op.Dst), w.typ(op.Dst), w.call(op))
	case litmus.Store:
		w.line("%s;", w.call(op, w.convert(op.X, op.Size == 8)))
	default:
		w.fail(op, "%s does not do this: %s", w.tool, w.th.Instrs[op.Ins].Text)
	}
	return i
}

// ofObject reports whether an operation is about objects and their final fields.
func ofObject(op *litmus.Op) bool {
	return op.Ref != nil || op.Kind == litmus.Freeze || slices.Contains(op.Sets, "Final")
}

// update writes a read-modify-write as the method that it was.
func (w *writer) update(load, store *litmus.Op) {
	long := load.Size == 8
	if store.If == nil { // getAndSet, getAndAdd, …: what is written is the argument, or the old value and the argument
		arg := store.X
		if b, ok := arg.(*litmus.Binary); ok && b.X == litmus.Expr(load.Dst) {
			arg = b.Y
		}
		w.line("%s = (%s) %s;", local(load.Dst), w.typ(load.Dst), w.call(load, w.convert(arg, long)))
		return
	}
	ok := store.If.(litmus.Reg)
	var expected litmus.Expr
	for i := range w.th.Ops {
		if set := &w.th.Ops[i]; set.Kind == litmus.Set && set.Dst == ok {
			expected = set.X
		}
	}
	if and, isAnd := expected.(*litmus.Binary); isAnd && and.Op == litmus.And {
		expected = and.Y // weak: ok & same
	}
	same := expected.(*litmus.Binary)
	call := w.call(load, w.convert(same.Y, long), w.convert(store.X, long))
	if strings.HasPrefix(w.method(load), "compareAndExchange") {
		w.line("%s = (%s) %s;", local(load.Dst), w.typ(load.Dst), call)
		w.line("%s = %s;", local(ok), w.expr(same))
		return
	}
	w.line("%s = %s ? 1 : 0;", local(ok), call)
}

// method is the name of the method that an access was written as.
func (w *writer) method(op *litmus.Op) string {
	_, rest, _ := strings.Cut(w.th.Instrs[op.Ins].Text, ".")
	name, _, _ := strings.Cut(rest, "(")
	return strings.TrimSpace(name)
}

// call writes an access by its VarHandle.
func (w *writer) call(op *litmus.Op, args ...string) string {
	sym, index := w.address(op)
	where := []string{"s"}
	if v := w.test.Var(sym); v.Array {
		where = []string{"s." + sym, index}
	}
	return fmt.Sprintf("%s.%s(%s)", handle(sym), w.method(op), strings.Join(append(where, args...), ", "))
}

// handle is the name of the VarHandle of a variable.
func handle(sym string) string { return "VH_" + sym }

// address takes an address apart: the variable and, of an array, the index.
func (w *writer) address(op *litmus.Op) (sym, index string) {
	switch a := op.Addr.(type) {
	case litmus.Value:
		return a.Sym, fmt.Sprint(a.Int / uint64(w.test.Var(a.Sym).Type.Size))
	case *litmus.Binary:
		if base, ok := a.X.(litmus.Value); ok {
			if mul, ok := a.Y.(*litmus.Binary); ok && mul.Op == litmus.Mul {
				return base.Sym, w.convert(mul.X, false)
			}
		}
	}
	w.fail(op, "%s does not do the address %s", w.tool, op.Addr)
	return "", ""
}

func (w *writer) value(v litmus.Value, long bool) string {
	if long {
		return fmt.Sprintf("%dL", int64(v.Int))
	}
	return fmt.Sprint(int32(v.Int))
}

// isLong tells the type of an expression in Java.
func (w *writer) isLong(e litmus.Expr) bool {
	switch e := e.(type) {
	case litmus.Reg:
		return w.long[e]
	case litmus.Value:
		return int64(e.Int) != int64(int32(e.Int)) && e.Int>>32 != 0
	case *litmus.Unary:
		return e.Op != litmus.LNot && e.Width == 64 && w.isLong(e.X)
	case *litmus.Binary:
		return e.Op < litmus.Eq && e.Width == 64 && (w.isLong(e.X) || w.isLong(e.Y))
	case *litmus.Select:
		return w.isLong(e.X) || w.isLong(e.Y)
	}
	return false
}

// convert writes an expression as an int or a long.
func (w *writer) convert(e litmus.Expr, long bool) string {
	if v, ok := e.(litmus.Value); ok {
		return w.value(v, long)
	}
	if !long && w.isLong(e) {
		return "(int) (" + w.expr(e) + ")"
	}
	return w.expr(e)
}

var javaOps = map[litmus.BinaryOp]string{
	litmus.Add: "+", litmus.Sub: "-", litmus.Mul: "*", litmus.SDiv: "/", litmus.SRem: "%", litmus.And: "&", litmus.Or: "|", litmus.Xor: "^",
	litmus.Shl: "<<", litmus.AShr: ">>", litmus.LShr: ">>>", litmus.Eq: "==", litmus.Ne: "!=", litmus.SLt: "<", litmus.SLe: "<=",
}

func (w *writer) expr(e litmus.Expr) string {
	switch e := e.(type) {
	case litmus.Value:
		return w.value(e, w.isLong(e))
	case litmus.Reg:
		return local(e)
	case *litmus.Unary:
		switch e.Op {
		case litmus.Neg:
			return "-(" + w.expr(e.X) + ")"
		case litmus.Not:
			return "~(" + w.expr(e.X) + ")"
		case litmus.LNot:
			return "(" + w.truth(e) + " ? 1 : 0)"
		case litmus.Trunc:
			if e.Width == 32 {
				return w.convert(e.X, false)
			}
		}
		return w.expr(e.X) // sign extension: Java does it itself
	case *litmus.Binary:
		if e.Op >= litmus.Eq {
			return "(" + w.truth(e) + " ? 1 : 0)"
		}
		return "(" + w.operand(e.X, e.Width) + " " + javaOps[e.Op] + " " + w.operand(e.Y, e.Width) + ")"
	case *litmus.Select:
		return fmt.Sprintf("(%s ? %s : %s)", w.truth(e.If), w.expr(e.X), w.expr(e.Y))
	}
	panic(fmt.Sprintf("jmm: expression %T", e))
}

func (w *writer) operand(e litmus.Expr, width uint8) string {
	if width <= 32 {
		return w.convert(e, false)
	}
	return w.expr(e)
}

// truth writes an expression as a condition.
func (w *writer) truth(e litmus.Expr) string {
	switch x := e.(type) {
	case *litmus.Unary:
		if x.Op == litmus.LNot {
			return "!(" + w.truth(x.X) + ")"
		}
	case *litmus.Binary:
		if x.Op >= litmus.Eq {
			if v, ok := x.Y.(litmus.Value); ok && v == (litmus.Value{}) && isTruth(x.X) {
				switch x.Op {
				case litmus.Eq:
					return "!(" + w.truth(x.X) + ")"
				case litmus.Ne:
					return w.truth(x.X)
				}
			}
			return w.operand(x.X, x.Width) + " " + javaOps[x.Op] + " " + w.operand(x.Y, x.Width)
		}
	}
	return w.expr(e) + " != 0"
}

// isTruth reports whether an expression is a comparison: 0 or 1.
func isTruth(e litmus.Expr) bool {
	switch x := e.(type) {
	case *litmus.Unary:
		return x.Op == litmus.LNot
	case *litmus.Binary:
		return x.Op >= litmus.Eq
	}
	return false
}
