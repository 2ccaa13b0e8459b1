package ir

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// The serialised form of a program is
//
//	magic  format  body  SHA-256 of all before
//
// The body lists every field in a fixed order: integers as zigzag varints, strings by their number after their first use, pointers
// as indices into tables. It has no maps, so equal programs have equal bytes. A coder walks a program in both directions, so
// that each field is named once.
//
// A file of another format is refused, never converted: it is a cache, or travels between processes of one version of ravel.

const magic = "ravel-ir"

// Format numbers the serialised form. It changes whenever the fields of a program do.
const Format = 3

// Encode returns the serialised form of p. It fails if p calls a function, or names a variable, that it does not have.
func (p *Program) Encode() ([]byte, error) {
	c := &coder{out: binary.AppendUvarint([]byte(magic), Format), strings: map[string]uint64{}}
	c.collect(p)
	c.program(p)
	if c.err != nil {
		return nil, c.err
	}
	sum := sha256.Sum256(c.out)
	return append(c.out, sum[:]...), nil
}

// Decode returns the program that data is the serialised form of. All indices are in range; Check says whether the rest is right.
func Decode(data []byte) (*Program, error) {
	n := len(data) - sha256.Size
	if n < len(magic) || string(data[:len(magic)]) != magic {
		return nil, errors.New("not a serialised program")
	}
	if sum := sha256.Sum256(data[:n]); string(sum[:]) != string(data[n:]) {
		return nil, errors.New("a serialised program is damaged: its checksum is wrong")
	}
	c := &coder{decoding: true, in: string(data[len(magic):n])}
	if f := c.uvarint(); f != Format {
		return nil, fmt.Errorf("a serialised program has format %d, not %d", f, Format)
	}
	p := &Program{}
	c.program(p)
	if c.err == nil && len(c.in) > 0 {
		c.bad("%d bytes too many", len(c.in))
	}
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

// A coder writes a program, or reads one.
type coder struct {
	decoding bool
	out      []byte
	in       string // what is left
	err      error

	strings map[string]uint64 // encoding: the numbers of strings that were written
	known   []string          // decoding: the strings that were read

	// Tables of what pointers point to, and when encoding their inverses.
	globals   []*Global
	funcs     []*Func
	shapes    []*Shape
	vars      []*Var
	globalNum map[*Global]int
	funcNum   map[*Func]int
	shapeNum  map[*Shape]int
	varNum    map[*Var]int
	positions int
}

func (c *coder) bad(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("a serialised program is wrong: "+format, args...)
	}
	c.in = ""
}

// collect makes the tables of p.
func (c *coder) collect(p *Program) {
	c.globalNum, c.funcNum = map[*Global]int{}, map[*Func]int{}
	c.shapeNum, c.varNum = map[*Shape]int{}, map[*Var]int{}
	for i, g := range p.Globals {
		c.globalNum[g] = i
		c.collectShape(g.Shape)
	}
	for i, f := range p.Funcs {
		c.funcNum[f] = i
		for _, b := range f.Blocks {
			for j := range b.Instrs {
				v := b.Instrs[j].Var
				if v == nil {
					continue
				}
				if _, known := c.varNum[v]; !known {
					c.varNum[v] = len(c.vars)
					c.vars = append(c.vars, v)
					c.collectShape(v.Shape)
				}
			}
		}
	}
}

func (c *coder) collectShape(s *Shape) {
	for todo := []*Shape{s}; len(todo) > 0; {
		s, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if _, known := c.shapeNum[s]; known || s == nil {
			continue
		}
		c.shapeNum[s] = len(c.shapes)
		c.shapes = append(c.shapes, s)
		todo = append(todo, s.Elem, s.Ptr)
		for i := range s.Fields {
			todo = append(todo, s.Fields[i].Type)
		}
	}
}

func (c *coder) program(p *Program) {
	num(c, &p.Space)
	c.flags(&p.Managed)
	list(c, &p.Files, func(s *string) { c.str(s) })
	list(c, &p.Scopes, func(s *Scope) { num(c, &s.Parent) })
	list(c, &p.Positions, func(q *Position) {
		c.positions = len(p.Positions)
		c.position(p, q)
	})
	list(c, &p.Warnings, func(s *string) { c.str(s) })
	list(c, &p.Said, func(s *string) { c.str(s) })
	list(c, &p.Assembly, c.assembly)
	list(c, &p.Barriers, c.assembly)
	num(c, &p.nextSlot)
	num(c, &p.nextTLS)

	table(c, &c.shapes)
	table(c, &c.vars)
	c.globals, c.funcs = p.Globals, p.Funcs
	table(c, &c.globals)
	table(c, &c.funcs)
	p.Globals, p.Funcs = c.globals, c.funcs
	for _, s := range c.shapes {
		c.shape(s)
	}
	for _, v := range c.vars {
		c.variable(v)
	}
	for _, g := range c.globals {
		c.global(g)
	}
	for _, f := range c.funcs {
		c.function(f)
	}
	list(c, &p.Ctors, func(f **Func) { ref(c, f, c.funcs, c.funcNum) })
	list(c, &p.Dtors, func(f **Func) { ref(c, f, c.funcs, c.funcNum) })
	ref(c, &p.Main, c.funcs, c.funcNum)
}

func (c *coder) position(p *Program, q *Position) {
	num(c, &q.File)
	num(c, &q.Line)
	num(c, &q.Col)
	c.str(&q.Func)
	c.pos(&q.InlinedAt)
	num(c, &q.Scope)
	if q.File < -1 || q.File >= len(p.Files) {
		c.bad("file %d of %d", q.File, len(p.Files))
	}
	if q.Scope < 0 || q.Scope > 0 && q.Scope >= len(p.Scopes) {
		c.bad("scope %d of %d", q.Scope, len(p.Scopes))
	}
}

func (c *coder) assembly(a *Assembly) {
	c.pos(&a.Pos)
	list(c, &a.For, func(s *string) { c.str(s) })
}

func (c *coder) shape(s *Shape) {
	c.str(&s.Name)
	list(c, &s.Fields, func(f *Field) {
		c.str(&f.Name)
		num(c, &f.Offset)
		ref(c, &f.Type, c.shapes, c.shapeNum)
	})
	ref(c, &s.Elem, c.shapes, c.shapeNum)
	num(c, &s.Size)
	c.flags(&s.Signed, &s.Char, &s.IsPtr, &s.Halves)
	ref(c, &s.Ptr, c.shapes, c.shapeNum)
}

func (c *coder) variable(v *Var) {
	c.str(&v.Name)
	c.pos(&v.Pos)
	ref(c, &v.Shape, c.shapes, c.shapeNum)
	c.flags(&v.Result)
}

func (c *coder) global(g *Global) {
	c.str(&g.Name)
	num(c, &g.Addr)
	num(c, &g.Size)
	num(c, &g.Align)
	c.bytes(&g.Init)
	c.flags(&g.TLS, &g.Const, &g.Decl)
	c.pos(&g.Pos)
	ref(c, &g.Shape, c.shapes, c.shapeNum)
}

func (c *coder) function(f *Func) {
	c.str(&f.Name)
	num(c, &f.Addr)
	list(c, &f.Params, func(r *Reg) { num(c, r) })
	num(c, &f.Regs)
	num(c, &f.Results)
	c.pos(&f.Pos)
	c.flags(&f.Variadic, &f.Runtime, &f.Unwinds)
	c.str(&f.Sig)
	list(c, &f.Blocks, func(b **Block) {
		if c.decoding {
			*b = &Block{}
		}
		c.str(&(*b).Name)
		list(c, &(*b).Instrs, c.instr)
	})
}

// instr codes an instruction. Most fields of most instructions have their zero values, so a mask says which have others.
func (c *coder) instr(in *Instr) {
	var mask uint32
	zero := Imm(0)
	if !c.decoding {
		for i, set := range [...]bool{
			in.Width != 0, in.To != 0, in.Pred != 0, in.Size != 0, in.Mode != 0, in.Fail != 0, in.RMW != 0, in.Tag != 0,
			in.Check != 0, in.Dst != NoReg, in.Dst2 != NoReg, in.A != zero, in.B != zero, in.C != zero,
			in.Scale != 0, in.Off != 0, in.Align != 0, in.Global != nil, in.Var != nil, in.Callee != nil,
			in.Args != nil, in.ArgTypes != nil, in.Sig != "", in.Results != nil, in.Targets != nil, in.Cases != nil,
			in.Message != "", in.Pos != NoPos, in.Volatile, in.Weak, in.Picks,
		} {
			if set {
				mask |= 1 << i
			}
		}
	} else {
		in.Dst, in.Dst2, in.A, in.B, in.C = NoReg, NoReg, zero, zero, zero
	}
	num(c, &in.Op)
	num(c, &mask)
	bit := uint32(1)
	next := func() bool {
		set := mask&bit != 0
		bit <<= 1
		return set
	}
	some(c, next(), &in.Width)
	some(c, next(), &in.To)
	some(c, next(), &in.Pred)
	some(c, next(), &in.Size)
	some(c, next(), &in.Mode)
	some(c, next(), &in.Fail)
	some(c, next(), &in.RMW)
	some(c, next(), &in.Tag)
	some(c, next(), &in.Check)
	some(c, next(), &in.Dst)
	some(c, next(), &in.Dst2)
	for _, o := range [...]*Operand{&in.A, &in.B, &in.C} {
		if next() {
			c.operand(o)
		}
	}
	some(c, next(), &in.Scale)
	some(c, next(), &in.Off)
	some(c, next(), &in.Align)
	if next() {
		ref(c, &in.Global, c.globals, c.globalNum)
	}
	if next() {
		ref(c, &in.Var, c.vars, c.varNum)
	}
	if next() {
		ref(c, &in.Callee, c.funcs, c.funcNum)
	}
	if next() {
		list(c, &in.Args, c.operand)
	}
	if next() {
		list(c, &in.ArgTypes, func(t *ArgType) { num(c, t) })
	}
	if next() {
		c.str(&in.Sig)
	}
	if next() {
		list(c, &in.Results, func(r *Reg) { num(c, r) })
	}
	if next() {
		list(c, &in.Targets, func(t *int) { num(c, t) })
	}
	if next() {
		list(c, &in.Cases, func(v *uint64) { num(c, v) })
	}
	if next() {
		c.str(&in.Message)
	}
	if next() {
		c.pos(&in.Pos)
	}
	in.Volatile = next()
	in.Weak = next()
	in.Picks = next()
}

func (c *coder) operand(o *Operand) {
	num(c, &o.Reg)
	if o.Reg == NoReg {
		num(c, &o.Imm)
	}
}

// pos codes the number of a position.
func (c *coder) pos(p *Pos) {
	num(c, p)
	if *p < 0 || *p > 0 && int(*p) >= c.positions {
		c.bad("position %d of %d", *p, c.positions)
	}
}

type integer interface {
	~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// num codes an integer.
func num[T integer](c *coder, v *T) {
	if !c.decoding {
		x := int64(*v)
		c.out = binary.AppendUvarint(c.out, uint64(x<<1)^uint64(x>>63))
		return
	}
	u := c.uvarint()
	x := int64(u>>1) ^ -int64(u&1)
	if *v = T(x); int64(*v) != x {
		c.bad("the number %d is too large", x)
	}
}

// some codes an integer that is not zero.
func some[T integer](c *coder, set bool, v *T) {
	if set {
		num(c, v)
	}
}

func (c *coder) uvarint() uint64 {
	if len(c.in) > 0 && c.in[0] < 0x80 {
		x := c.in[0]
		c.in = c.in[1:]
		return uint64(x)
	}
	var x uint64
	for i := 0; i < len(c.in) && i < binary.MaxVarintLen64; i++ {
		b := c.in[i]
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.in = c.in[i+1:]
			return x
		}
	}
	c.bad("it ends in a number")
	return 0
}

// length codes how many elements follow, -1 for none and a nil slice. Each has at least one byte.
func (c *coder) length(n int, isNil bool) int {
	if isNil {
		n = -1
	}
	num(c, &n)
	if c.decoding && n > len(c.in) {
		c.bad("%d elements in %d bytes", n, len(c.in))
		return -1
	}
	return n
}

// list codes a slice. An empty one and nil are different.
func list[T any](c *coder, s *[]T, each func(*T)) {
	n := c.length(len(*s), *s == nil)
	if c.decoding && n >= 0 {
		*s = make([]T, n)
	}
	for i := range *s {
		each(&(*s)[i])
	}
}

// table codes how long a table is, and when decoding makes its elements.
func table[T any](c *coder, s *[]*T) {
	n := c.length(len(*s), *s == nil)
	if !c.decoding || n < 0 {
		return
	}
	*s = make([]*T, n)
	all := make([]T, n)
	for i := range all {
		(*s)[i] = &all[i]
	}
}

// ref codes a pointer to an element of a table.
func ref[T any](c *coder, p **T, elems []*T, nums map[*T]int) {
	i := -1
	if !c.decoding && *p != nil {
		var ok bool
		if i, ok = nums[*p]; !ok {
			c.bad("it has no %T %v", **p, *p)
		}
	}
	num(c, &i)
	if !c.decoding || i == -1 {
		return
	}
	if i < 0 || i >= len(elems) {
		c.bad("element %d of %d", i, len(elems))
		return
	}
	*p = elems[i]
}

// str codes a string: the number of an earlier one, or the next number and the bytes.
func (c *coder) str(s *string) {
	if !c.decoding {
		if i, ok := c.strings[*s]; ok {
			c.out = binary.AppendUvarint(c.out, i)
			return
		}
		i := uint64(len(c.strings))
		c.strings[*s] = i
		c.out = binary.AppendUvarint(c.out, i)
		c.out = binary.AppendUvarint(c.out, uint64(len(*s)))
		c.out = append(c.out, *s...)
		return
	}
	switch i := c.uvarint(); {
	case i < uint64(len(c.known)):
		*s = c.known[i]
	case i == uint64(len(c.known)):
		*s = c.raw()
		c.known = append(c.known, *s)
	default:
		c.bad("string %d of %d", i, len(c.known))
	}
}

// raw reads a length and so many bytes.
func (c *coder) raw() string {
	n := c.uvarint()
	if n > uint64(len(c.in)) {
		c.bad("%d bytes of %d", n, len(c.in))
		return ""
	}
	s := c.in[:n]
	c.in = c.in[n:]
	return s
}

// bytes codes bytes; empty ones and nil are different.
func (c *coder) bytes(b *[]byte) {
	n := c.length(len(*b), *b == nil)
	switch {
	case n < 0:
	case c.decoding:
		*b = []byte(c.in[:n])
		c.in = c.in[n:]
	default:
		c.out = append(c.out, *b...)
	}
}

// flags codes up to seven booleans in a byte.
func (c *coder) flags(fs ...*bool) {
	var x uint8
	for i, f := range fs {
		if *f {
			x |= 1 << i
		}
	}
	num(c, &x)
	for i, f := range fs {
		*f = x&(1<<i) != 0
	}
}
