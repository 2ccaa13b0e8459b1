package machine

import (
	"bytes"
	"strings"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// Output is dropped, but it is checked: strings are read to their ends, and nothing of it may be undefined.

// printed says what the functions print that the library is written with: their arguments by number, -1 if there is none.
type printed struct{ value, text, format int }

var outputs = map[string]printed{"__ravel_put": {0, -1, -1}, "perror": {-1, 0, -1}, "__ravel_print": {-1, -1, 0}}

const prints = "what is printed depends on"

// lowerOutput appends to b what in, a call of name, does with what it prints.
func (c *compiler) lowerOutput(f *fn, b *block, in *instr, name string) {
	o, ok := outputs[name]
	arg := func(i int) ir.Operand { return in.Args[i] }
	has := func(i int) bool { return i >= 0 && i < len(in.Args) }
	switch {
	case !ok:
	case has(o.value):
		c.output(b, prints, in.Args[o.value:o.value+1], in.Pos)
	case has(o.text):
		c.read(f, b, arg(o.text), ir.Imm(^uint64(0)), true, in.Pos)
	case has(o.format):
		c.lowerFormat(f, b, in, o.format)
	}
}

// constant returns the bytes at an address that never change, up to the first 0.
func (c *compiler) constant(o ir.Operand) (text string, ok bool) {
	if !o.IsConst() {
		return "", false
	}
	g, off := c.Object(c.Pointer(o.Imm))
	if g == nil || !g.Const || off > uint64(len(g.Init)) {
		return "", false
	}
	text, _, _ = strings.Cut(string(g.Init[off:]), "\x00")
	return text, true
}

// lowerFormat is lowerOutput for printf.
func (c *compiler) lowerFormat(f *fn, b *block, in *instr, format int) {
	text, ok := c.constant(in.Args[format])
	if !ok {
		c.read(f, b, in.Args[format], ir.Imm(^uint64(0)), true, in.Pos)
		return
	}
	rest := in.Args[format+1:]
	next := func() ir.Operand {
		if len(rest) == 0 {
			return ir.Imm(0)
		}
		v := rest[0]
		rest = rest[1:]
		return v
	}
	for _, d := range directives([]byte(text)) {
		limit := ir.Imm(^uint64(0))
		for _, star := range d.stars {
			n := next()
			c.output(b, prints, []ir.Operand{n}, in.Pos)
			if star == '.' {
				limit = n
			}
		}
		if d.precision >= 0 {
			limit = ir.Imm(uint64(d.precision))
		}
		switch {
		case d.conversion == 's' && !d.long:
			c.read(f, b, next(), limit, true, in.Pos)
		case d.conversion == 'n':
			next()
		default:
			c.output(b, prints, []ir.Operand{next()}, in.Pos)
		}
	}
}

// A directive is one of a format, except for %%.
type directive struct {
	stars      []byte // a '.' for each * that is a precision, a '*' for each that is a width
	precision  int    // -1: none
	long       bool   // l, ll, j, z, t or L
	conversion byte
}

// directives returns those of a format, up to one that is not complete.
func directives(format []byte) (list []directive) {
	for {
		i := bytes.IndexByte(format, '%')
		if i < 0 {
			return list
		}
		d := directive{precision: -1}
		dot := false
		for i++; i < len(format); i++ {
			switch ch := format[i]; {
			case ch == '*' && dot:
				d.stars = append(d.stars, '.')
			case ch == '*':
				d.stars = append(d.stars, '*')
			case ch == '.':
				dot, d.precision = true, 0
			case ch >= '0' && ch <= '9':
				if dot {
					d.precision = min(10*d.precision+int(ch-'0'), 1<<30)
				}
			case strings.IndexByte("ljztL", ch) >= 0:
				d.long = true
			case strings.IndexByte("-+ #'h", ch) < 0:
				d.conversion = ch
			}
			if d.conversion != 0 {
				break
			}
		}
		if d.conversion == 0 {
			return list
		}
		format = format[i+1:]
		if d.conversion == '%' {
			continue
		}
		for _, star := range d.stars {
			if star == '.' {
				d.precision = -1
			}
		}
		list = append(list, d)
	}
}

// read appends a call of the function that reads n bytes at p; if text is set, up to a 0.
func (c *compiler) read(f *fn, b *block, p, n ir.Operand, text bool, pos ir.Pos) {
	if _, ok := c.constant(p); ok {
		return
	}
	if c.reader == nil {
		c.reader = &ir.Func{Name: "__ravel_output"}
		c.fns[c.reader] = c.newReader()
	}
	b.instrs = append(b.instrs, instr{Instr: ir.Instr{
		Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: c.reader, Args: []ir.Operand{p, n, ir.Imm(arith.Truth(text))}, Pos: pos,
	}})
}

// newReader makes that function.
func (c *compiler) newReader() *fn {
	f := &fn{name: "__ravel_output", src: c.reader, deps: c.opts.Deps, tracksArms: c.opts.Arms, undef: c.opts.Undef}
	p, n, text := f.newReg(), f.newReg(), f.newReg()
	v, done := f.newReg(), f.newReg()
	f.params = []ir.Reg{p, n, text}
	compare := func(dst ir.Reg, a ir.Operand) instr {
		return instr{Instr: ir.Instr{Op: ir.Cmp, Pred: ir.EQ, Width: 64, Dst: dst, Dst2: ir.NoReg, A: a, B: ir.Imm(0)}}
	}
	branch := func(yes, no int) instr {
		return instr{Instr: ir.Instr{Op: ir.CondBr, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.R(done), Targets: []int{yes, no}}}
	}
	body := &block{name: "body", instrs: []instr{{Instr: ir.Instr{Op: ir.Load, Size: 1, Dst: v, Dst2: ir.NoReg, A: ir.R(p)}}}}
	c.output(body, prints, []ir.Operand{ir.R(v)}, ir.NoPos)
	body.instrs = append(body.instrs,
		compute(ir.Add, p, ir.R(p), ir.Imm(1), ir.NoPos), compute(ir.Sub, n, ir.R(n), ir.Imm(1), ir.NoPos),
		compare(done, ir.R(v)), compute(ir.And, done, ir.R(done), ir.R(text), ir.NoPos), branch(3, 1))
	f.blocks = []*block{
		{name: "entry", instrs: []instr{jump(1, ir.NoPos)}},
		{name: "loop", instrs: []instr{compare(done, ir.R(n)), branch(3, 2)}},
		body,
		{name: "end", instrs: []instr{{Instr: ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg}}}},
	}
	return f
}
