package ir

import (
	"errors"
	"fmt"
)

// Check verifies what every consumer of a program may rely on: registers and targets in range,
// blocks that end with their only terminator, widths and sizes that exist, no constant where a
// pair of registers is needed, and calls of defined functions with the right number of
// arguments and results.
func (p *Program) Check() error {
	for _, f := range p.Funcs {
		c := checker{prog: p, f: f}
		c.function()
		if c.err != nil {
			return c.err
		}
	}
	for _, g := range p.Globals {
		if uint64(len(g.Init)) > g.Size {
			return fmt.Errorf("global %s: %d initial bytes for %d", g.Name, len(g.Init), g.Size)
		}
	}
	return nil
}

type checker struct {
	prog  *Program
	f     *Func
	block int
	in    *Instr
	err   error
}

func (c *checker) bad(format string, args ...any) {
	if c.err != nil {
		return
	}
	where := "function " + c.f.Name
	if c.in != nil {
		where += fmt.Sprintf(", block %d", c.block)
	}
	msg := fmt.Sprintf("%s: %s", where, fmt.Sprintf(format, args...))
	if c.in != nil && c.in.Op < Op(len(ops)) && len(c.in.Targets) == 0 {
		msg += ": " + c.in.String()
	}
	c.err = errors.New(msg)
}

func (c *checker) function() {
	f := c.f
	for _, r := range f.Params {
		c.reg(r, 1)
	}
	for i, b := range f.Blocks {
		c.block = i
		if len(b.Instrs) == 0 {
			c.bad("block %d is empty", i)
			return
		}
		for j := range b.Instrs {
			c.in = &b.Instrs[j]
			if c.in.Op.IsTerminator() != (j == len(b.Instrs)-1) {
				c.bad("terminator at place %d of %d", j+1, len(b.Instrs))
			}
			c.instr()
			if c.err != nil {
				return
			}
		}
		c.in = nil
	}
}

// reg checks that registers r to r+n-1 exist.
func (c *checker) reg(r Reg, n int) {
	if r < 0 || int(r)+n > c.f.Regs {
		c.bad("register r%d of %d", r, c.f.Regs)
	}
}

// use checks an operand of width bits.
func (c *checker) use(o Operand, width int) {
	switch {
	case width < 1 || width > 128:
		c.bad("width %d", width)
	case !o.IsConst():
		c.reg(o.Reg, (width+63)/64)
	case width > 64:
		c.bad("constant operand of %d bits", width)
	case width < 64 && o.Imm>>width != 0:
		c.bad("constant %#x of %d bits", o.Imm, width)
	}
}

func (c *checker) def(r Reg, width int) {
	if width < 1 || width > 128 {
		c.bad("width %d", width)
	}
	c.reg(r, (width+63)/64)
}

func (c *checker) size() int {
	switch c.in.Size {
	case 1, 2, 4, 8, 16:
		return int(c.in.Size) * 8
	}
	c.bad("access of %d bytes", c.in.Size)
	return 8
}

func (c *checker) instr() {
	in := c.in
	switch op := in.Op; {
	case op == Invalid || int(op) >= len(ops):
		c.bad("invalid operation %d", op)
		return
	case op.Form() == Other:
		c.memory()
		return
	}
	dst, wa, wb, wc := in.Widths()
	c.def(in.Dst, dst)
	c.use(in.A, wa)
	if wb > 0 {
		c.use(in.B, wb)
	}
	if wc > 0 {
		c.use(in.C, wc)
	}
	if in.Op.Form() == Overflow {
		c.def(in.Dst2, 1)
	}
	if in.Op.Form() == Comparison && in.Op.IsFloat() != (in.Pred >= FFalse) {
		c.bad("wrong predicate")
	}
	if w := in.Width; in.Op.IsFloat() && w != 32 && w != 64 {
		c.bad("floating point of %d bits", w)
	}
}

func (c *checker) memory() {
	in := c.in
	switch in.Op {
	case Gep:
		c.def(in.Dst, 64)
		c.use(in.A, 64)
		c.use(in.B, 64)
	case TLSAddr:
		c.def(in.Dst, 64)
		if in.Global == nil || !in.Global.TLS {
			c.bad("not a thread-local variable")
		}
	case Alloca:
		c.def(in.Dst, 64)
		c.use(in.A, 64)
		if in.Align == 0 || in.Align&(in.Align-1) != 0 {
			c.bad("alignment %d", in.Align)
		}
	case Begin, End:
		c.use(in.A, 64)
		if in.A.IsConst() {
			c.bad("no register")
		}
	case Load:
		c.def(in.Dst, c.size())
		c.use(in.A, 64)
	case Store:
		c.use(in.A, 64)
		c.use(in.B, c.size())
	case RMW:
		c.def(in.Dst, c.size())
		c.use(in.A, 64)
		c.use(in.B, c.size())
	case CmpXchg:
		c.def(in.Dst, c.size())
		c.def(in.Dst2, 1)
		c.use(in.A, 64)
		c.use(in.B, c.size())
		c.use(in.C, c.size())
	case MemCpy, MemSet:
		c.use(in.A, 64)
		c.use(in.B, 64)
		c.use(in.C, 64)
	case Fence, Unreachable, Unsupported:
	default:
		c.control()
	}
}

func (c *checker) control() {
	in := c.in
	switch in.Op {
	case Call:
		c.call()
	case Ret:
		if len(in.Args) != c.f.Results {
			c.bad("%d results returned, %d expected", len(in.Args), c.f.Results)
		}
		for _, a := range in.Args {
			c.use(a, 64)
		}
	case Br:
		c.targets(1)
	case CondBr:
		c.use(in.A, 1)
		c.targets(2)
	case Switch:
		if in.Width > 64 {
			c.bad("a switch on %d bits", in.Width)
		}
		c.use(in.A, int(in.Width))
		c.targets(len(in.Cases) + 1)
	}
}

func (c *checker) call() {
	in := c.in
	for _, a := range in.Args {
		c.use(a, 64)
	}
	for _, r := range in.Results {
		c.reg(r, 1)
	}
	if in.ArgTypes != nil && len(in.ArgTypes) != len(in.Args) {
		c.bad("%d argument types for %d arguments", len(in.ArgTypes), len(in.Args))
	}
	f := in.Callee
	if f == nil {
		c.use(in.A, 64)
		return
	}
	if f.Blocks == nil {
		return
	}
	if len(in.Args) != len(f.Params) && !(f.Variadic && len(in.Args) > len(f.Params)) {
		c.bad("%d arguments for %d parameters of %s", len(in.Args), len(f.Params), f.Name)
	}
	if len(in.Results) != 0 && len(in.Results) != f.Results {
		c.bad("%d results of %d", len(in.Results), f.Results)
	}
}

func (c *checker) targets(n int) {
	if len(c.in.Targets) != n {
		c.bad("%d targets, expected %d", len(c.in.Targets), n)
	}
	for _, t := range c.in.Targets {
		if t < 0 || t >= len(c.f.Blocks) {
			c.bad("target %d of %d blocks", t, len(c.f.Blocks))
		}
	}
}
