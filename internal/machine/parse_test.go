package machine

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// parse reads a program in a small notation, for tests:
//
//	global x 4 = 1          const s "text"     tls t 4
//	func f(%a, %b) 1 {      runtime func g() 0 {      declare abort(%a) 0
//	entry:
//	  %v = load.4.acq @x
//	  %w! = add.128 %u!, %v!            a register pair
//	  %old, %ok = cas.4.sc.rlx @x, 0, 1
//	  condbr %ok, next, entry
//	  ...
//	}
func parse(t testing.TB, text string) *ir.Program {
	t.Helper()
	p := &ir.Program{Positions: []ir.Position{{File: -1}}}
	ps := &parser{t: t, p: p, funcs: map[string]*ir.Func{}, globals: map[string]*ir.Global{}}
	lines := strings.Split(text, "\n")
	for pass := range 2 { // names first
		for i := 0; i < len(lines); i++ {
			ps.line = lines[i]
			ps.n = i + 1
			l := strings.TrimSpace(strings.Split(ps.line, ";")[0])
			if l == "" {
				continue
			}
			w := strings.Fields(l)
			if strings.Contains(l, "func ") {
				end := i + 1
				for strings.TrimSpace(lines[end]) != "}" {
					end++
				}
				if pass == 0 {
					ps.header(l)
				} else {
					ps.body(l, lines[i+1:end], i+1)
				}
				i = end
				continue
			}
			if pass == 1 {
				continue
			}
			if w[0] == "declare" {
				ps.header(strings.TrimPrefix(l, "declare "))
				continue
			}
			ps.global(l, w)
		}
	}
	p.Main = ps.funcs["main"]
	return p
}

type parser struct {
	t       testing.TB
	p       *ir.Program
	funcs   map[string]*ir.Func
	globals map[string]*ir.Global
	regs    map[string]ir.Reg
	f       *ir.Func
	labels  map[string]int
	line    string
	n       int
}

func (ps *parser) fail(format string, args ...any) {
	ps.t.Helper()
	ps.t.Fatalf("line %d: %s: %s", ps.n, strings.TrimSpace(ps.line), fmt.Sprintf(format, args...))
}

func (ps *parser) num(s string) uint64 {
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		return n
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		ps.fail("%v", err)
	}
	return uint64(n)
}

func (ps *parser) global(l string, w []string) {
	g := &ir.Global{Name: w[1], TLS: w[0] == "tls", Const: w[0] == "const"}
	if g.Const {
		s, err := strconv.Unquote(l[strings.Index(l, `"`):])
		if err != nil {
			ps.fail("%v", err)
		}
		g.Init = append([]byte(s), 0)
		g.Size = uint64(len(g.Init))
	} else {
		g.Size = ps.num(w[2])
		for _, b := range w[min(4, len(w)):] {
			g.Init = append(g.Init, byte(ps.num(b)))
		}
	}
	ps.p.AddGlobal(g)
	ps.globals[g.Name] = g
}

func (ps *parser) header(l string) {
	runtime := strings.HasPrefix(l, "runtime ")
	l = strings.TrimPrefix(strings.TrimPrefix(l, "runtime "), "func ")
	open, end := strings.Index(l, "("), strings.Index(l, ")")
	f := &ir.Func{Name: strings.TrimSpace(l[:open]), Runtime: runtime}
	for range split(l[open+1 : end]) {
		f.Params = append(f.Params, ir.Reg(len(f.Params)))
	}
	f.Regs = len(f.Params)
	f.Results = int(ps.num(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(l[end+1:]), "{"))))
	f.Pos = ps.p.AddPos(ir.Position{Line: ps.n, Func: f.Name})
	ps.p.AddFunc(f)
	ps.funcs[f.Name] = f
}

func split(s string) []string {
	var parts []string
	for _, x := range strings.Split(s, ",") {
		if x = strings.TrimSpace(x); x != "" {
			parts = append(parts, x)
		}
	}
	return parts
}

func (ps *parser) body(head string, lines []string, first int) {
	open, end := strings.Index(head, "("), strings.Index(head, ")")
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(head[:open], "runtime "), "func "))
	ps.f = ps.funcs[name]
	ps.regs, ps.labels = map[string]ir.Reg{}, map[string]int{}
	for i, r := range split(head[open+1 : end]) {
		ps.regs[r] = ir.Reg(i)
	}
	for _, l := range lines {
		if l = strings.TrimSpace(strings.Split(l, ";")[0]); strings.HasSuffix(l, ":") {
			ps.labels[strings.TrimSuffix(l, ":")] = len(ps.f.Blocks)
			ps.f.Blocks = append(ps.f.Blocks, &ir.Block{Name: strings.TrimSuffix(l, ":")})
		}
	}
	b := -1
	for i, l := range lines {
		ps.line, ps.n = l, first+i+1
		l = strings.TrimSpace(strings.Split(l, ";")[0])
		switch {
		case l == "":
		case strings.HasSuffix(l, ":"):
			b++
		default:
			ps.f.Blocks[b].Instrs = append(ps.f.Blocks[b].Instrs, ps.instr(l))
		}
	}
}

func (ps *parser) reg(s string) ir.Reg {
	if s == "_" {
		return ir.NoReg
	}
	if !strings.HasPrefix(s, "%") {
		ps.fail("%q is no register", s)
	}
	if r, ok := ps.regs[s]; ok {
		return r
	}
	r := ir.Reg(ps.f.Regs)
	ps.regs[s] = r
	ps.f.Regs++
	if strings.HasSuffix(s, "!") {
		name := strings.TrimSuffix(s, "!")
		ps.regs[name+".lo"], ps.regs[name+".hi"] = r, r+1
		ps.f.Regs++
	}
	return r
}

func (ps *parser) operand(s string) ir.Operand {
	switch s[0] {
	case '%':
		return ir.R(ps.reg(s))
	case '@':
		name, off, _ := strings.Cut(s[1:], "+")
		n := uint64(0)
		if off != "" {
			n = ps.num(off)
		}
		if g := ps.globals[name]; g != nil {
			return ir.Imm(uint64(g.Addr) + n)
		}
		if f := ps.funcs[name]; f != nil {
			return ir.Imm(uint64(f.Addr) + n)
		}
		ps.fail("no %q", name)
	}
	return ir.Imm(ps.num(s))
}

var (
	modeOf = map[string]event.Mode{"na": event.NA, "rlx": event.Rlx, "acq": event.Acq, "rel": event.Rel, "acqrel": event.AcqRel, "sc": event.SC}
	predOf = map[string]ir.Pred{
		"eq": ir.EQ, "ne": ir.NE, "ult": ir.ULT, "ule": ir.ULE, "ugt": ir.UGT, "uge": ir.UGE,
		"slt": ir.SLT, "sle": ir.SLE, "sgt": ir.SGT, "sge": ir.SGE, "foeq": ir.FOEQ, "folt": ir.FOLT, "fune": ir.FUNE,
	}
	opOf = map[string]ir.Op{}
)

func init() {
	for op := ir.Copy; op <= ir.Unsupported; op++ {
		opOf[op.String()] = op
	}
	opOf["cas"] = ir.CmpXchg
}

func (ps *parser) instr(l string) ir.Instr {
	in := ir.Instr{Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(0), B: ir.Imm(0), C: ir.Imm(0), Width: 64}
	in.Pos = ps.p.AddPos(ir.Position{Line: ps.n, Func: ps.f.Name})
	left, rest, ok := strings.Cut(l, " = ")
	if !ok {
		left, rest = "", l
	}
	name, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	attrs := strings.Split(name, ".")
	in.Op = opOf[attrs[0]]
	if in.Op == ir.Invalid {
		ps.fail("no operation %q", attrs[0])
	}
	modes := 0
	for i, a := range attrs[1:] {
		if n, err := strconv.Atoi(a); err == nil {
			switch {
			case in.Op >= ir.Load && in.Op <= ir.CmpXchg:
				in.Size = uint8(n)
			case i == 0:
				in.Width = uint8(n)
			default:
				in.To = uint8(n)
			}
		} else if m, ok := modeOf[a]; ok {
			if modes++; modes == 1 {
				in.Mode = m
			} else {
				in.Fail = m
			}
		} else if pr, ok := predOf[a]; ok {
			in.Pred = pr
		} else if a == "weak" {
			in.Weak = true
		} else {
			for op := event.Xchg; op <= event.CAS; op++ {
				if op.String() == a {
					in.RMW = op
				}
			}
		}
	}
	if in.Op == ir.Call {
		ps.call(&in, left, rest)
		return in
	}
	for i, d := range split(left) {
		if i == 0 {
			in.Dst = ps.reg(d)
		} else {
			in.Dst2 = ps.reg(d)
		}
	}
	args := split(rest)
	label := func(s string) int {
		n, ok := ps.labels[s]
		if !ok {
			ps.fail("no label %q", s)
		}
		return n
	}
	switch in.Op {
	case ir.Ret:
		for _, a := range args {
			in.Args = append(in.Args, ps.operand(a))
		}
	case ir.Br:
		in.Targets = []int{label(args[0])}
	case ir.CondBr:
		in.A = ps.operand(args[0])
		in.Targets = []int{label(args[1]), label(args[2])}
	case ir.Switch:
		in.A = ps.operand(args[0])
		for _, a := range args[1:] {
			c, l, ok := strings.Cut(a, ":")
			if ok {
				in.Cases = append(in.Cases, ps.num(c))
			} else {
				l = c
			}
			in.Targets = append(in.Targets, label(l))
		}
	case ir.TLSAddr:
		in.Global = ps.globals[args[0][1:]]
	case ir.Gep:
		in.A, in.B, in.Scale, in.Off = ps.operand(args[0]), ps.operand(args[1]), int64(ps.num(args[2])), int64(ps.num(args[3]))
	case ir.Unsupported:
		in.Message = rest
	default:
		for i, a := range args {
			*[]*ir.Operand{&in.A, &in.B, &in.C}[i] = ps.operand(a)
		}
	}
	return in
}

func (ps *parser) call(in *ir.Instr, left, rest string) {
	for _, d := range split(left) {
		in.Results = append(in.Results, ps.reg(d))
	}
	open := strings.Index(rest, "(")
	callee := strings.TrimSpace(rest[:open])
	if callee[0] == '@' && ps.funcs[callee[1:]] != nil {
		in.Callee = ps.funcs[callee[1:]]
	} else if callee[0] == '@' {
		ps.fail("no function %q", callee)
	} else {
		in.A = ps.operand(callee)
	}
	for _, a := range split(rest[open+1 : strings.LastIndex(rest, ")")]) {
		in.Args = append(in.Args, ps.operand(a))
	}
}
