package litmus

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/event"
)

// Compiled returns a test in C as the instructions of a processor, as C11's compilers translate its access modes: by the tables of
// package arch. The result is for an engine: its Arch is that of the processor, the rest, and what instructions are called in
// messages, is as in the test.
//
//	       AArch64          PPC                         RISCV                        X86, X86_64
//	load   acq LDAPR        acq ld; isync               acq l; fence r,rw
//	       sc  LDAR         sc  sync; ld; isync         sc  fence rw,rw; l; fence r,rw
//	store  rel STLR         rel lwsync; st              rel fence rw,w; s
//	       sc  STLR         sc  sync; st                sc  fence rw,w; s            mov; mfence
//	RMW    exclusives       exclusives                  exclusives                   locked instructions
//	       acq LDAXR        acq isync after it          acq lr.aq
//	       rel STLXR        rel lwsync before it        rel sc.rl
//	       sc  both         sc  sync before, isync      sc  lr.aqrl, sc.rl
//	                            after it
//	fence  acq DMB LD       acq, rel, acq_rel lwsync    acq r,rw   rel rw,w          sc mfence
//	       others DMB SY    sc  sync                    acq_rel tso sc rw,rw
//
// ARM has dmb for sync and lwsync and isb for isync. For PSO, X86 has sfence before stores that release and for fences that do. isync comes after a
// branch on what was read. The loop of a read-modify-write ends with a branch: on PPC and ARM on what was read, on RISCV on the result of
// the store, on AArch64 on nothing that counts as a dependency. A compare-and-swap also branches on the comparison; if it
// fails, it is an exclusive load in the mode of the failure. Dependencies are those of the source, and an if orders what follows it, too.
func (t *Test) Compiled(target Arch) (*Test, error) {
	d := arch.Of(target)
	if d == nil || d.C11 == nil || t.Arch != C {
		return nil, fmt.Errorf("%s: tests in %s are not compiled for %s", t.File, t.Arch, target)
	}
	out := *t
	out.Arch, out.Threads = target, nil
	for _, th := range t.Threads {
		c := &compiler{Dialect: d, Mapping: d.C11, in: th, out: &Thread{ID: th.ID, Init: th.Init, Types: th.Types, Found: th.Found, Labels: map[string]int{}}}
		if op := c.foreign(); op != nil {
			in := th.Instrs[op.Ins]
			return nil, &Error{File: t.File, Line: in.Line, Col: in.Col, Feature: "the kernel's macros on a processor", Msg: fmt.Sprintf("not supported: the kernel's macros on a processor: %s", in.Text)}
		}
		c.thread()
		out.Threads = append(out.Threads, c.out)
	}
	return &out, nil
}

// A compiler translates a thread.
type compiler struct {
	*arch.Dialect
	*arch.Mapping
	in, out *Thread
	at      []int // of each operation: where its translation begins
	temps   int
}

// c11Orders are the memory orders; a plain access has none of them.
var c11Orders = map[string]event.Mode{"RLX": event.Rlx, "CON": event.Acq, "ACQ": event.Acq, "REL": event.Rel, "ACQ_REL": event.AcqRel, "SC": event.SC}

// orderOf returns the memory order of an operation in these sets, NA if it has none.
func orderOf(sets []string) event.Mode {
	for _, s := range sets {
		if m, ok := c11Orders[s]; ok {
			return m
		}
	}
	return event.NA
}

// foreign returns an operation that is none of C11, or nil.
func (c *compiler) foreign() *Op {
	for i := range c.in.Ops {
		op := &c.in.Ops[i]
		if (op.Kind == Load || op.Kind == Store || op.Kind == Fence) && !slices.Contains(op.Sets, "NA") && orderOf(op.Sets) == event.NA {
			return op
		}
	}
	return nil
}

func (c *compiler) thread() {
	last := -1
	for i := range c.in.Ops {
		op := c.in.Ops[i]
		c.at = append(c.at, len(c.out.Ops))
		if op.Ins != last {
			c.step(op.Ins)
			last = op.Ins
		}
		order := orderOf(op.Sets)
		switch {
		case op.Kind == Fence:
			c.fenced(op.Ins, c.Mapping.Fence[order], op.If)
		case op.Kind == Load && c.storeOf(i) != nil:
			c.update(op, c.storeOf(i))
		case op.Kind == Load:
			c.access(op, c.Load[order], "")
		case op.Kind == Store && op.Pair >= 0:
			c.updated(op)
		case op.Kind == Store:
			c.access(op, c.Store[order], "")
		default:
			op.Join = -1
			c.out.Ops = append(c.out.Ops, c.here(op))
		}
	}
	c.at = append(c.at, len(c.out.Ops))
	for i := range c.out.Ops {
		if op := &c.out.Ops[i]; op.To >= 0 && op.Kind == Branch && op.Label != nextLabel {
			op.To = c.at[op.To]
		}
	}
	for l, i := range c.in.Labels {
		c.out.Labels[l] = c.at[i]
	}
}

// nextLabel marks branches that go nowhere.
const nextLabel = "$next"

// step begins an instruction.
func (c *compiler) step(ins int) { c.out.Instrs = append(c.out.Instrs, c.in.Instrs[ins]) }

// here puts an operation in the instruction that began last.
func (c *compiler) here(op Op) Op {
	op.Ins = len(c.out.Instrs) - 1
	return op
}

func (c *compiler) emit(op Op) {
	op.Pair, op.Join = -1, -1
	if op.Kind != Branch {
		op.To = -1
	}
	c.out.Ops = append(c.out.Ops, c.here(op))
}

// fenced adds a fence of its own instruction, if there is one.
func (c *compiler) fenced(ins int, tag event.Tag, cond Expr) {
	if tag != event.NoTag {
		c.step(ins)
		c.emit(Op{Kind: Fence, Sets: []string{c.FenceSet(tag)}, If: cond})
		c.step(ins)
	}
}

// branchOn adds a branch to the next instruction: what follows depends on x.
func (c *compiler) branchOn(ins int, x, cond Expr) {
	c.step(ins)
	c.emit(Op{Kind: Branch, X: NewBinary(Ne, 64, x, x), If: cond, To: len(c.out.Ops) + 1, Label: nextLabel})
	c.step(ins)
}

// access adds a load or a store with what is around it; more are sets of it besides those of its mode.
func (c *compiler) access(op Op, a arch.Access, more string) {
	ins := op.Ins
	c.fenced(ins, a.Before, op.If)
	op.Sets = strings.Fields(c.Marks[a.Mark] + " " + more)
	c.emit(op)
	if a.Tested {
		c.branchOn(ins, op.Dst, op.If)
	}
	c.fenced(ins, a.After, op.If)
}

// exclusives are the sets of the halves of a read-modify-write that is two instructions.
const exclusives = "X EX"

// storeOf returns the store of the read-modify-write whose load is operation i, or nil.
func (c *compiler) storeOf(i int) *Op {
	for k := i + 1; k < len(c.in.Ops); k++ {
		if op := &c.in.Ops[k]; op.Kind == Store && op.Pair == i {
			return op
		}
	}
	return nil
}

func (c *compiler) temp() Reg {
	c.temps++
	return Reg(fmt.Sprintf("$c%d", c.temps))
}

// update adds the load of a read-modify-write. Whether a compare-and-swap succeeds decides what is before it, so that is chosen first.
func (c *compiler) update(op Op, store *Op) {
	order, ins := orderOf(op.Sets), op.Ins
	failure := orderOf(op.Else)
	op.Else = nil
	if c.Locked {
		op.Sets = []string{"X"}
		c.out.Ops = append(c.out.Ops, c.here(op))
		return
	}
	op.Excl = true
	if store.If == nil {
		c.access(op, c.Read[order], exclusives)
		c.step(ins)
		return
	}
	ok := c.temp()
	c.emit(Op{Kind: Choose, Dst: ok})
	op.If = ok
	c.access(op, c.Read[order], exclusives)
	op.If = NewNot(ok)
	failed := c.Failed[failure]
	failed.After = event.NoTag // comes after the branch, in updated
	c.access(op, failed, exclusives)
	c.step(ins)
}

// updated adds the store of a read-modify-write and what comes after it.
func (c *compiler) updated(op Op) {
	load, ins, order := &c.in.Ops[op.Pair], op.Ins, orderOf(op.Sets)
	if c.Locked {
		op.Sets = []string{"X"}
		op.Pair = c.find(load)
		c.out.Ops = append(c.out.Ops, c.here(op))
		return
	}
	var ok Reg
	if op.If != nil {
		ok = Reg(fmt.Sprintf("$c%d", c.temps))
		c.emit(Op{Kind: Assume, X: NewBinary(Eq, 64, NewBinary(Ne, 64, op.If, Number(0)), ok)})
		c.branchOn(ins, op.If, nil)
		op.If = ok
	}
	w := c.Write[order]
	status := c.temp()
	op.Excl, op.Dst, op.Sets = true, status, strings.Fields(c.Marks[w.Mark]+" "+exclusives)
	c.step(ins)
	c.emit(op)
	c.step(ins)
	c.emit(Op{Kind: Assume, X: NewNot(status), If: op.If})
	switch c.Loop {
	case arch.OnRead:
		c.branchOn(ins, load.Dst, op.If)
	case arch.OnStatus:
		c.branchOn(ins, status, op.If)
	}
	c.fenced(ins, w.After, op.If)
	if op.If != nil {
		c.fenced(ins, c.Failed[orderOf(load.Else)].After, NewNot(ok))
	}
}

// find returns where the load of a locked instruction is.
func (c *compiler) find(load *Op) int {
	for i := len(c.out.Ops) - 1; i >= 0; i-- {
		if op := &c.out.Ops[i]; op.Kind == Load && op.Dst == load.Dst {
			return i
		}
	}
	return -1
}
