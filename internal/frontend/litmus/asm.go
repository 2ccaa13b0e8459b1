package litmus

import (
	"slices"
	"strings"

	"ravel/internal/litmus"
)

// An asm reads the instruction of one cell and emits its operations.
type asm struct {
	*lexer
	*builder
	at   int    // where the instruction begins
	name string // its mnemonic, upper case
}

// fail and refuse are those of the source for both parts.
func (a *asm) fail(off int, format string, args ...any) { a.lexer.fail(off, format, args...) }

// assembler makes the reader of a dialect from that of one instruction: columns of instructions
// between bars, rows that end with semicolons, the names of the threads in the first row.
func assembler(read func(a *asm)) func(p *parser, off int) int {
	return func(p *parser, off int) int {
		cells, off := p.row(off)
		var threads []*builder
		offs := make([][]int, len(cells))
		for _, c := range cells {
			l := newLexer(p.source, assembly, c.start, c.end)
			name := l.tok
			n, ok := threadName(strings.SplitN(name.text, ".", 2)[0])
			if !ok {
				p.fail(c.start, "the first row names the threads: P0 | P1 | … ;")
			}
			l.next()
			if strings.Contains(name.text, ".") {
				p.refuse(name.off, featFault, "the handler "+name.text)
			}
			if l.tok.kind != 0 && !l.is(":") {
				l.unexpected("the end of the name of a thread")
			}
			if len(threads) >= maxThreads || slices.ContainsFunc(threads, func(b *builder) bool { return b.th.ID == n }) {
				p.fail(name.off, "thread %s is here twice, or there are more than %d", name.text, maxThreads)
			}
			threads = append(threads, newBuilder(p, n))
		}
		for {
			off = p.skipSpace(off, len(p.text), false)
			if p.atSection(off) {
				break
			}
			cells, off = p.row(off)
			if len(cells) > len(threads) {
				p.fail(cells[len(threads)].start, "this row has more columns than there are threads")
			}
			for i, c := range cells {
				p.cell(c, threads[i], &offs[i], read)
			}
		}
		for i, b := range threads {
			b.finish(func(ins int) int { return offs[i][ins] })
		}
		return off
	}
}

type span struct{ start, end int }

// row returns the cells up to the next semicolon.
func (p *parser) row(off int) ([]span, int) {
	var cells []span
	start := off
	for i := off; i < len(p.text); {
		switch c := p.text[i]; {
		case strings.HasPrefix(p.text[i:], "(*"):
			i = p.skipComment(i, len(p.text))
			continue
		case c == '|' && !strings.HasPrefix(p.text[i:], "|=") || c == ';': // |= is an instruction of BPF
			cells = append(cells, span{start, i})
			start = i + 1
			if c == ';' {
				return cells, i + 1
			}
		}
		i++
	}
	p.fail(p.skipSpace(off, len(p.text), false), "this row of the program does not end with a semicolon")
	return nil, 0
}

// cell reads the labels and the instruction of a cell.
func (p *parser) cell(c span, b *builder, offs *[]int, read func(a *asm)) {
	l := newLexer(p.source, assembly, c.start, c.end)
	for l.tok.kind == 'i' && l.peek().text == ":" {
		b.here(l.tok.off, l.tok.text)
		l.next()
		l.next()
	}
	if l.tok.kind == 0 {
		return
	}
	b.begin(l.tok.off, p.text[l.tok.off:c.end])
	*offs = append(*offs, l.tok.off)
	a := &asm{lexer: l, builder: b, at: l.tok.off}
	if p.test.Arch != litmus.BPF { // which has no mnemonics
		a.name = strings.ToUpper(l.ident("an instruction"))
	}
	read(a)
	if l.tok.kind != 0 {
		l.unexpected("the end of the instruction")
	}
}

// unknown refuses an unknown instruction.
func (a *asm) unknown() {
	a.fail(a.at, "%s has no instruction %q that this program knows", a.p.test.Arch, a.name)
}

// imm reads an immediate, with or without # or $.
func (a *asm) imm() int64 {
	if !a.accept("#") {
		a.accept("$")
	}
	return a.number()
}

func (a *asm) atImm() bool {
	return a.is("#") || a.is("$") || a.is("-") || a.is("+") || a.tok.kind == 'n'
}

func (a *asm) comma() { a.expect(",") }

// target reads a label.
func (a *asm) target() string {
	if at := a.tok.off; a.accept(".") {
		n := a.number()
		if n%4 != 0 || a.p.test.Arch == litmus.X86 || a.p.test.Arch == litmus.X86_64 {
			a.fail(at, "there is no instruction at this distance")
		}
		return a.place(int(n / 4))
	}
	return a.ident("a label")
}

// reg reads a register with the dialect's own names.
func (a *asm) reg() litmus.Reg {
	at := a.tok.off
	if a.accept("%") {
		return litmus.Reg("%" + a.ident("the name of a register"))
	}
	if a.p.form.inline && a.p.test.Arch == litmus.PPC && a.tok.kind == 'n' { // registers of Power are numbers
		a.tok.kind, a.tok.text = 'i', "r"+a.tok.text
	}
	name := a.ident("a register")
	r, ok := a.p.dia.reg(name)
	if !ok {
		a.p.noRegister(at, name)
	}
	return r
}

// cut splits a word in an opcode that table has and a suffix that is one of those given.
func cut(word string, suffixes ...string) (string, string) {
	for _, s := range suffixes {
		if strings.HasSuffix(word, s) {
			return strings.TrimSuffix(word, s), s
		}
	}
	return word, ""
}

// An atomicOp is what a read-modify-write computes: of width bits, from what is in memory and an operand.
type atomicOp func(width int, old, x litmus.Expr) litmus.Expr

func binaryAtomic(op litmus.BinaryOp) atomicOp {
	return func(w int, old, x litmus.Expr) litmus.Expr { return bin(op, w, old, x) }
}

func pick(op litmus.BinaryOp, first bool) atomicOp {
	return func(w int, old, x litmus.Expr) litmus.Expr {
		if first {
			return sel(bin(op, w, old, x), old, x)
		}
		return sel(bin(op, w, old, x), x, old)
	}
}

var atomicOps = map[string]atomicOp{
	"ADD": binaryAtomic(litmus.Add), "SUB": binaryAtomic(litmus.Sub), "AND": binaryAtomic(litmus.And), "OR": binaryAtomic(litmus.Or), "XOR": binaryAtomic(litmus.Xor),
	"EOR": binaryAtomic(litmus.Xor), "SET": binaryAtomic(litmus.Or),
	"CLR":  func(w int, old, x litmus.Expr) litmus.Expr { return bin(litmus.And, w, old, un(litmus.Not, w, x)) },
	"SWAP": func(w int, old, x litmus.Expr) litmus.Expr { return un(litmus.Trunc, w, x) },
	"SMAX": pick(litmus.SLt, false), "SMIN": pick(litmus.SLt, true), "UMAX": pick(litmus.ULt, false), "UMIN": pick(litmus.ULt, true),
	"MAX": pick(litmus.SLt, false), "MIN": pick(litmus.SLt, true), "MAXU": pick(litmus.ULt, false), "MINU": pick(litmus.ULt, true),
}
