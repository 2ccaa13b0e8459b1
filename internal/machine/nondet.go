package machine

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// Values are what a Choice action chooses from, if that is not the numbers below N.
type Values struct {
	Name    string   // the function that was called, or what it reads
	List    []uint64 // N of them
	Some    bool     // there are values that they don't stand for
	Integer bool
}

// Chosen returns the value of alternative i of a Choice action.
func (a *Action) Chosen(i uint64) uint64 {
	if a.Values == nil {
		return i
	}
	return a.Values.List[i]
}

// Wakeup says what alternative i of a Choice means for a wait that may end without a signal; "" if that is not what the choice is about.
func (a *Action) Wakeup(i uint64) string {
	switch {
	case !a.Weak:
		return ""
	case a.N == 1:
		return "awake without a signal"
	case i == 0:
		return "waits for a signal"
	case a.N == 3 && i == 1:
		return "will time out"
	}
	return "will wake up without a signal"
}

// Untried says what the alternatives don't stand for; at is where they are chosen from.
func (v *Values) Untried(at any) string {
	text := fmt.Sprintf("only %d of the values of %s at %v were tried", len(v.List), v.Name, at)
	if v.Integer {
		text += "; ravel_range(low, high) of ravel.h returns all from low to high"
	}
	return text
}

// A nondet is a type of which __VERIFIER_nondet_T() returns any value. Integers and pointers have bits. Samples are what is tried of other
// types, and of pointers of which more matters than whether they are null.
type nondet struct {
	bits      uint8
	word      bool // as many bits as a pointer
	samples   []uint64
	byteOrEnd bool   // only -1 and the numbers below 256
	what      string // the values, in messages; "": those of the function
}

// somePointer is not null, and no object is there.
const somePointer = nullPage << 4

var inputs = nondet{bits: 32, byteOrEnd: true}

var pointers = nondet{bits: 64, word: true, samples: []uint64{0, somePointer}}

// nondets are the types of SV-COMP.
var nondets = map[string]nondet{
	"bool": {bits: 1}, "_Bool": {bits: 1},
	"char": {bits: 8}, "schar": {bits: 8}, "uchar": {bits: 8}, "unsigned_char": {bits: 8}, "u8": {bits: 8},
	"short": {bits: 16}, "ushort": {bits: 16}, "u16": {bits: 16},
	"int": {bits: 32}, "uint": {bits: 32}, "unsigned": {bits: 32}, "unsigned_int": {bits: 32}, "u32": {bits: 32}, "S32": {bits: 32}, "U32": {bits: 32},
	"long": {bits: 64, word: true}, "ulong": {bits: 64, word: true}, "longlong": {bits: 64}, "ulonglong": {bits: 64}, "u64": {bits: 64},
	"size_t": {bits: 64, word: true}, "loff_t": {bits: 64}, "sector_t": {bits: 64, word: true},
	"pointer": pointers, "pchar": pointers, "charp": pointers,
	"float": {samples: floats(32)}, "double": {samples: floats(64)},
}

// randoms are the functions of the C library that return random numbers: any that they may return.
var randoms = map[string]nondet{
	"rand": {bits: 31}, "random": {bits: 31}, "rand_r": {bits: 31}, "lrand48": {bits: 31}, "arc4random": {bits: 32},
	"getchar": inputs, "getchar_unlocked": inputs, "fgetc": inputs, "getc": inputs, "fgetc_unlocked": inputs, "getc_unlocked": inputs, "_IO_getc": inputs,
	"__ravel_input": {samples: []uint64{'\n', ' ', '-', '0', '1', 'a'}, what: "the input"},
	"__ravel_any8":  {bits: 8, what: "inline assembly"}, "__ravel_any32": {bits: 32, what: "inline assembly"}, "__ravel_any64": {bits: 64, what: "inline assembly"},
	"drand48": {samples: []uint64{0, arith.FromFloat(0.5, 64)}},
}

// choosesValue reports whether the instruction does nothing but choose a number: it is no input, of which there may be an end.
func (in *instr) choosesValue() bool {
	return in.Op == midBuiltin && in.bi.nondet != nil && in.bi.nondet.bits > 0 && !in.bi.nondet.byteOrEnd
}

func floats(width uint8) []uint64 {
	return []uint64{0, arith.FromFloat(1, width), arith.FromFloat(-1, width), arith.FromFloat(0.5, width), arith.FromFloat(math.Inf(1), width)}
}

// enough is how many values of one call are all explored, where they can't stand for each other.
const enough = 256

// findChoices decides which values the program's calls of __VERIFIER_nondet_T() return.
func (f *fn) findChoices() {
	for bi, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op != midBuiltin || x.bi.nondet == nil {
				continue
			}
			name := x.bi.name + "()"
			if x.bi.nondet.what != "" {
				name = x.bi.nondet.what
			}
			x.values = &Values{Name: name, List: x.bi.nondet.samples, Some: true, Integer: x.bi.nondet.samples == nil}
			if x.bi.nondet.bits > 0 {
				of := *x.bi.nondet
				if of.word {
					of.bits = min(of.bits, f.word)
				}
				x.values.List, x.values.Some = f.choices(bi, i, &of)
			}
		}
	}
}

// choices returns values that stand for all that the call at instruction i of block bi may return. Values stand for each
// other if the program only compares them with constants, and in the same way. Where it does anything else, each
// stands for itself, and some says that there are too many.
func (f *fn) choices(bi, i int, of *nondet) (values []uint64, some bool) {
	x := &f.blocks[bi].instrs[i]
	bits := of.bits
	if len(x.Results) == 0 {
		return []uint64{0}, false
	}
	c := &chooser{f: f, bits: bits, pointer: of.samples != nil, cuts: map[uint64]bool{}}
	if of.byteOrEnd {
		c.cuts[arith.Mask(bits)], c.cuts[256] = true, true
	}
	c.flow(bi, i)
	if c.period > 0 {
		if len(c.cuts) == 0 && !c.other {
			return c.residues(), false
		}
		c.other = true
	}
	spans := slices.DeleteFunc(c.spans(), func(s span) bool {
		v := s.some(bits)
		return of.byteOrEnd && v > 255 && v != arith.Mask(bits) || c.rejected(bi, i, v)
	})
	if len(spans) == 0 {
		return []uint64{0}, false // whatever it is, the program does not want it
	}
	if !c.other {
		for _, s := range spans {
			v := s.some(bits)
			if c.pointer && v != 0 && s.has(somePointer) {
				v = somePointer
			}
			values = append(values, v)
		}
		return values, false
	}
	if of.samples != nil {
		return of.samples, true
	}
	total := uint64(0)
	for _, s := range spans {
		if total += min((s.last-s.first)&arith.Mask(bits), enough) + 1; total > enough {
			return c.sample(spans), true
		}
	}
	for _, s := range spans {
		for v := s.first; ; v = (v + 1) & arith.Mask(bits) {
			values = append(values, v)
			if v == s.last {
				break
			}
		}
	}
	return values, false
}

// A chooser follows what becomes of a value of bits bits.
type chooser struct {
	f        *fn
	bits     uint8
	pointer  bool            // to no object: an access through it is an error, whatever it is
	held     map[ir.Reg]held // the registers that hold it
	got      []ir.Reg        // those that do after the instruction at hand, and how
	gotAs    []held
	cuts     map[uint64]bool // first values of spans
	period   uint64          // the value counts modulo this only, if not 0
	mask     bool            // … or rather, only these bits of it do
	negative bool            // remainders of negative numbers count
	other    bool            // there are uses other than comparisons with constants
}

// held says how a register holds the value: extended to width bits. The zero value says that it holds it in several ways.
type held struct {
	width  uint8
	signed bool
}

// as makes h what an instruction of this width sees: a register is zero above its width.
func (h *held) as(width uint8) bool {
	if !h.signed && width > h.width {
		h.width = width
	}
	return h.width == width
}

// flow follows the value that the call at instruction i of block bi returns to all its uses.
func (c *chooser) flow(bi, i int) {
	in := make([]map[ir.Reg]held, len(c.f.blocks)) // nil: the value does not come there
	in[bi] = map[ir.Reg]held{}
	for work := []int{bi}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		c.held = maps.Clone(in[at])
		b := c.f.blocks[at]
		for k := range b.instrs {
			c.other = !c.step(&b.instrs[k]) || c.other
			if at == bi && k == i {
				c.held[b.instrs[k].Results[0]] = held{width: c.bits}
			}
		}
		for _, s := range b.succs() {
			grown := in[s] == nil
			if grown {
				in[s] = map[ir.Reg]held{}
			}
			for r, h := range c.held {
				old, ok := in[s][r]
				if ok && old != h && old.width != 0 {
					h = held{} // in more than one way
				}
				if !ok || old != h && old.width != 0 {
					in[s][r], grown = h, true
				}
			}
			if grown {
				work = append(work, s)
			}
		}
	}
}

func (c *chooser) hold(r ir.Reg, h held) { c.got, c.gotAs = append(c.got, r), append(c.gotAs, h) }

// extend returns what a register that is h has in it.
func (c *chooser) extend(v uint64, h held) uint64 {
	if h.signed {
		return uint64(arith.Signed(v, c.bits)) & arith.Mask(h.width)
	}
	return v
}

// compared notes a comparison of what is held as h with k. One for order begins where the least number is: at 0, or at the
// least negative one. An unsigned comparison of a number that was extended with its sign tells these two places apart.
func (c *chooser) compared(h held, k uint64, p ir.Pred) {
	order, isSigned := p != ir.EQ && p != ir.NE, p == ir.SLT || p == ir.SLE || p == ir.SGT || p == ir.SGE
	extended := h.width > c.bits
	if order && (!isSigned || extended && !h.signed) {
		c.cuts[0] = true
	}
	if order && (isSigned && !(extended && !h.signed) || extended && h.signed) {
		c.cuts[1<<(c.bits-1)] = true
	}
	if v := k & arith.Mask(c.bits); c.extend(v, h) == k {
		c.cuts[v] = true
		c.cuts[(v+1)&arith.Mask(c.bits)] = true
	}
}

// step follows the value through one instruction. It returns false if that does more with it than to copy, extend or compare it.
func (c *chooser) step(x *instr) bool {
	uses, ok := false, true
	x.uses(func(r ir.Reg) {
		_, holds := c.held[r]
		uses = uses || holds
	})
	c.got, c.gotAs = c.got[:0], c.gotAs[:0]
	if uses {
		ok = c.follow(x)
	}
	x.defs(func(r ir.Reg) { delete(c.held, r) })
	for i, r := range c.got {
		c.held[r] = c.gotAs[i]
	}
	return ok
}

// is reports whether o is a register that holds the value.
func (c *chooser) is(o ir.Operand) (held, bool) {
	h, ok := c.held[o.Reg]
	return h, ok && h.width > 0 && o.Imm == 0
}

// follow is step for an instruction that uses the value.
func (c *chooser) follow(x *instr) bool {
	if x.isWide() {
		return false
	}
	h, isA := c.is(x.A)
	switch x.Op {
	case ir.Copy:
		if isA {
			c.hold(x.Dst, h)
		}
		return isA
	case ir.ZExt, ir.SExt:
		if !isA || !h.as(x.Width) || x.Op == ir.ZExt && h.signed {
			return false
		}
		if h.width == c.bits {
			h.signed = x.Op == ir.SExt
		}
		c.hold(x.Dst, held{x.To, h.signed})
		return true
	case ir.Trunc:
		if !isA || !h.as(x.Width) || x.To < c.bits {
			return false
		}
		c.hold(x.Dst, held{x.To, h.signed && x.To > c.bits})
		return true
	case ir.Cmp:
		k := x.B
		if !isA {
			h, isA = c.is(x.B)
			k = x.A
		}
		if !isA || !k.IsConst() || !h.as(x.Width) {
			return false
		}
		c.compared(h, k.Imm&arith.Mask(x.Width), x.Pred)
		return true
	case ir.Select:
		if isA {
			c.compared(h, 0, ir.EQ)
		}
		for _, o := range []ir.Operand{x.B, x.C} {
			if h, ok := c.is(o); ok && (len(c.gotAs) == 0 || c.gotAs[0] == h) {
				c.hold(x.Dst, h)
			} else if _, ok := c.held[o.Reg]; ok {
				return false
			}
		}
		_, some := c.held[x.A.Reg]
		return isA || !some
	case ir.CondBr:
		if isA {
			c.compared(h, 0, ir.EQ)
		}
		return isA
	case ir.Switch:
		if !isA || !h.as(x.Width) {
			return false
		}
		for _, k := range x.Cases {
			c.compared(h, k&arith.Mask(x.Width), ir.EQ)
		}
		return true
	case ir.URem, ir.SRem, ir.And:
		return c.divided(x)
	case ir.Load:
		return c.pointer
	case ir.Store:
		_, stored := c.held[x.B.Reg]
		return c.pointer && !stored
	case midBuiltin:
		if x.bi.code != opAssume || len(x.Args) != 1 {
			return false
		}
		h, ok := c.is(x.Args[0])
		if ok && h.width <= 32 {
			c.compared(h, 0, ir.EQ)
			return true
		}
	}
	return false
}

// divided notes that only a remainder of the value is used, or some of its bits.
func (c *chooser) divided(x *instr) bool {
	h, ok := c.is(x.A)
	if !ok || h.width != c.bits || !x.B.IsConst() || x.B.Imm == 0 || x.B.Imm > enough/2 {
		return false
	}
	isMask := x.Op == ir.And
	if c.period != 0 && (c.period != x.B.Imm || c.mask != isMask) {
		return false
	}
	c.period, c.mask = x.B.Imm, isMask
	c.negative = c.negative || x.Op == ir.SRem && x.Width <= h.width
	return true
}

// residues returns values with all the remainders that divided has found.
func (c *chooser) residues() (values []uint64) {
	if c.mask {
		for v := range c.period + 1 {
			if v&^c.period == 0 {
				values = append(values, v)
			}
		}
		return values
	}
	for v := range c.period {
		values = append(values, v)
	}
	if c.negative { // as unsigned numbers, these have some remainder as well
		for v := uint64(1); v < c.period; v++ {
			values = append(values, -v&arith.Mask(c.bits))
		}
	}
	return values
}

// A span is the values from first to last, which compare alike. After the largest number comes 0.
type span struct{ first, last uint64 }

func (s span) has(v uint64) bool {
	if s.first > s.last {
		return v >= s.first || v <= s.last
	}
	return v >= s.first && v <= s.last
}

// some returns a value of the span: the one that is nearest to zero.
func (s span) some(bits uint8) uint64 {
	switch {
	case s.has(0):
		return 0
	case arith.Signed(s.first, bits) < 0:
		return s.last
	}
	return s.first
}

func (c *chooser) spans() (spans []span) {
	if len(c.cuts) == 0 {
		return []span{{0, arith.Mask(c.bits)}}
	}
	firsts := slices.Sorted(maps.Keys(c.cuts))
	for i, v := range firsts {
		next := firsts[(i+1)%len(firsts)]
		spans = append(spans, span{v, (next - 1) & arith.Mask(c.bits)})
	}
	return spans
}

// sample returns some values: small ones, and those next to what the program compares with.
func (c *chooser) sample(spans []span) (values []uint64) {
	add := func(v uint64) {
		v &= arith.Mask(c.bits)
		in := slices.ContainsFunc(spans, func(s span) bool { return s.has(v) })
		if n := arith.Signed(v, c.bits); in && n >= -1024 && n <= 1024 && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	for _, v := range []int64{0, 1, 2, -1} {
		add(uint64(v))
	}
	for _, s := range spans {
		add(s.first)
		add(s.last)
	}
	if len(values) == 0 {
		values = []uint64{spans[0].some(c.bits)}
	}
	return values
}

// rejected reports whether the program goes from the call at instruction i of block bi to an assumption that v does not
// fulfil, with nothing in between but comparisons of v with constants. Then so does every value that compares like v.
func (c *chooser) rejected(bi, i int, v uint64) bool {
	result := c.f.blocks[bi].instrs[i].Results[0]
	known := map[ir.Reg]uint64{result: v}
	path := &chooser{f: c.f, bits: c.bits, held: map[ir.Reg]held{result: {width: c.bits}}, cuts: map[uint64]bool{}}
	value := func(o ir.Operand) (uint64, bool) {
		if o.IsConst() {
			return o.Imm, true
		}
		k, ok := known[o.Reg]
		return k + o.Imm, ok
	}
	for range 10000 {
		i++
		x := &c.f.blocks[bi].instrs[i]
		if !path.step(x) || path.period != 0 {
			return false
		}
		next := -1
		switch x.Op {
		case ir.Br:
			next = x.Targets[0]
		case ir.CondBr:
			k, ok := value(x.A)
			if !ok {
				return false
			}
			next = x.Targets[0]
			if k == 0 {
				next = x.Targets[1]
			}
		case ir.Switch:
			k, ok := value(x.A)
			if !ok {
				return false
			}
			at := slices.Index(x.Cases, k)
			if at < 0 {
				at = len(x.Targets) - 1
			}
			next = x.Targets[at]
		case midBuiltin:
			if x.bi.code != opAssume || len(x.Args) != 1 {
				return false
			}
			if k, ok := value(x.Args[0]); ok && uint32(k) == 0 {
				return true
			}
		default:
			if !x.pure() {
				return false
			}
			a, okA := value(x.A)
			b, okB := value(x.B)
			k, okC := value(x.C)
			needA, needB, needC := x.operands()
			r, r2, fault := uint64(0), uint64(0), "wide"
			if !x.isWide() && (okA || !needA) && (okB || !needB) && (okC || !needC) {
				r, r2, fault = arith.Eval(&x.Instr, a, b, k)
			}
			x.defs(func(d ir.Reg) { delete(known, d) })
			if fault == "" {
				if known[x.Dst] = r; x.Dst2 != ir.NoReg {
					known[x.Dst2] = r2
				}
			}
		}
		if next >= 0 {
			bi, i = next, -1
		}
	}
	return false
}
