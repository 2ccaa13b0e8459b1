package litmus

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/litmus"
)

// A builder appends operations to a thread.
type builder struct {
	p      *parser
	th     *litmus.Thread
	temps  int
	named  map[int]string // the label of an instruction, by its index
	places map[string]int // labels that place made, and their instructions
	froms  []Statement    // of inline assembly: those of the instructions
}

func newBuilder(p *parser, id int) *builder {
	th := &litmus.Thread{ID: id, Labels: map[string]int{}, Types: map[litmus.Reg]litmus.Type{}}
	p.test.Threads = append(p.test.Threads, th)
	return &builder{p: p, th: th, named: map[int]string{}, places: map[string]int{}}
}

// begin starts an instruction.
func (b *builder) begin(off int, text string) {
	line, col := b.p.place(off)
	b.th.Instrs = append(b.th.Instrs, litmus.Instr{Text: strings.Join(strings.Fields(text), " "), Line: line, Col: col, Off: off})
}

func (b *builder) emit(op litmus.Op) int {
	op.Ins = len(b.th.Instrs) - 1
	if op.Kind != litmus.Store || op.Pair == 0 {
		op.Pair = -1
	} else {
		op.Pair--
	}
	if op.Kind != litmus.Branch {
		op.To, op.Join = -1, -1 // finish has the To of a Jump
	}
	b.th.Ops = append(b.th.Ops, op)
	return len(b.th.Ops) - 1
}

func (b *builder) temp() litmus.Reg {
	b.temps++
	return litmus.Reg(fmt.Sprintf("$%d", b.temps))
}

// set makes dst the value x, if dst is a register at all.
func (b *builder) set(dst litmus.Reg, x litmus.Expr) {
	if dst != "" {
		b.emit(litmus.Op{Kind: litmus.Set, Dst: dst, X: x})
	}
}

func (b *builder) setIf(cond litmus.Expr, dst litmus.Reg, x litmus.Expr) {
	if dst != "" {
		b.emit(litmus.Op{Kind: litmus.Set, Dst: dst, X: x, If: cond})
	}
}

// load reads into a temporary.
func (b *builder) load(addr litmus.Expr, size int, sets ...string) (litmus.Reg, int) {
	t := b.temp()
	return t, b.emit(litmus.Op{Kind: litmus.Load, Dst: t, Addr: addr, Size: uint8(size), Sets: sets})
}

func (b *builder) loadTo(dst litmus.Reg, addr litmus.Expr, size int, sets ...string) int {
	if dst == "" {
		dst = b.temp()
	}
	return b.emit(litmus.Op{Kind: litmus.Load, Dst: dst, Addr: addr, Size: uint8(size), Sets: sets})
}

func (b *builder) store(addr, x litmus.Expr, size int, sets ...string) {
	b.emit(litmus.Op{Kind: litmus.Store, Addr: addr, X: x, Size: uint8(size), Sets: sets})
}

// storePair is the write of a read-modify-write whose read is at index load; cond nil: always.
func (b *builder) storePair(load int, cond, addr, x litmus.Expr, size int, sets ...string) {
	b.emit(litmus.Op{Kind: litmus.Store, Addr: addr, X: x, If: cond, Size: uint8(size), Sets: sets, Pair: load + 1})
}

func (b *builder) fence(sets ...string) { b.emit(litmus.Op{Kind: litmus.Fence, Sets: sets}) }

// branch goes to a label when cond is not 0.
func (b *builder) branch(cond litmus.Expr, label string) {
	b.emit(litmus.Op{Kind: litmus.Branch, X: cond, Join: -1, Label: label})
}

// here gives the next operation a label.
func (b *builder) here(off int, label string) {
	if _, ok := b.th.Labels[label]; ok {
		b.p.fail(off, "label %s is here twice", label)
	}
	b.th.Labels[label] = len(b.th.Ops)
	if b.named[len(b.th.Instrs)] == "" {
		b.named[len(b.th.Instrs)] = label
	}
}

// place returns a label for the instruction that is n after the current one.
func (b *builder) place(n int) string {
	k := len(b.th.Instrs) - 1 + n
	label := fmt.Sprintf("@%d", k)
	b.places[label] = k
	return label
}

// code is the address of a label, for a register.
func (b *builder) code(label string) litmus.Value {
	return litmus.Value{Kind: litmus.Code, Int: uint64(b.th.ID), Sym: label}
}

// call goes to a label and leaves the address of the next instruction in link.
func (b *builder) call(link litmus.Reg, label string) {
	b.set(link, b.code(b.place(1)))
	b.branch(nil, label)
}

// callTo is call to where a register says.
func (b *builder) callTo(link litmus.Reg, to litmus.Expr) {
	t := b.temp()
	b.set(t, to)
	b.set(link, b.code(b.place(1)))
	b.emit(litmus.Op{Kind: litmus.Jump, X: t})
}

// ret goes to where link says; without a call, it ends the thread.
func (b *builder) ret(link litmus.Reg, cond litmus.Expr) {
	b.emit(litmus.Op{Kind: litmus.Jump, X: link, If: cond, Label: endLabel})
}

// end is the label of the end of the thread.
const endLabel = "$end"

// finish resolves the labels.
func (b *builder) finish(off func(ins int) int) {
	b.th.Labels[endLabel] = len(b.th.Ops)
	b.findPlaces(off)
	for i := range b.th.Ops {
		op := &b.th.Ops[i]
		if op.Label == "" {
			continue
		}
		op.To = -1 // shareCode looks for labels in other threads
		if to, ok := b.th.Labels[op.Label]; ok {
			op.To = to
		}
	}
	delete(b.th.Labels, endLabel)
}

// findPlaces gives the labels that place made their operations. In registers, an instruction with a label of its own has that.
func (b *builder) findPlaces(off func(ins int) int) {
	for label, k := range b.places {
		if k < 0 || k > len(b.th.Instrs) {
			b.p.fail(off(0), "there is no instruction %d in this thread", k)
		}
		i := slices.IndexFunc(b.th.Ops, func(op litmus.Op) bool { return op.Ins >= k })
		if i < 0 {
			i = len(b.th.Ops)
		}
		b.th.Labels[label] = i
	}
	for i := range b.th.Ops {
		op := &b.th.Ops[i]
		v, ok := op.X.(litmus.Value)
		if !ok || v.Kind != litmus.Code {
			continue
		}
		if k, ok := b.places[v.Sym]; ok && b.named[k] != "" {
			v.Sym = b.named[k]
			op.X = v
		}
	}
}

func sets(lists ...[]string) []string { return slices.Concat(lists...) }
