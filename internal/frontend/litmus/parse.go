package litmus

import (
	"slices"
	"strings"

	"ravel/internal/litmus"
)

// A dialect reads the program of a test, from the end of the initial state on, and returns where it ends.
type dialect struct {
	names []string // in the first line; the first one is ours
	read  func(p *parser, off int) int
	ins   func(a *asm)                         // reads one instruction; nil for languages
	reg   func(name string) (litmus.Reg, bool) // the register that a name means, nil: any name is one
}

var dialects = map[litmus.Arch]*dialect{}

// register makes a dialect known. Each has a call of it in the file with its reader; others are more names of it.
func register(a litmus.Arch, d dialect, others ...string) {
	d.names = append([]string{string(a)}, others...)
	if d.ins != nil {
		d.read = assembler(d.ins)
	}
	dialects[a] = &d
}

// dialectNames lists the dialects for a message.
func dialectNames() string {
	var names []string
	for a := range dialects {
		names = append(names, string(a))
	}
	slices.Sort(names)
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Limits keep a hostile file from taking long.
const (
	maxThreads = 64
	maxArray   = 1 << 12
	maxDepth   = 200
)

type parser struct {
	*source
	test *litmus.Test
	dia  *dialect
	vars map[string]*litmus.Var
	regs []threadReg // initial values of registers
	form asmForm
}

type threadReg struct {
	thread int // -1: every thread that has it
	init   litmus.RegInit
}

// Parse reads a test. The error is an *Error; name is what its messages call the file.
func Parse(name string, src []byte) (test *litmus.Test, err error) {
	text := strings.TrimPrefix(string(src), "\ufeff") // what some editors put there
	p := &parser{source: newSource(name, text), vars: map[string]*litmus.Var{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *litmus.Error:
			test, err = nil, r
		default:
			panic(r)
		}
	}()
	p.test = &litmus.Test{File: name}
	off := p.header()
	off = p.initial(off)
	off = p.dia.read(p, off)
	p.registers()
	p.shareCode()
	p.codeAsData()
	p.condition(off)
	return p.test, nil
}

// header reads up to the brace of the initial state and returns where it is.
func (p *parser) header() int {
	off := p.skipSpace(0, len(p.text), false)
	first, next := p.line(off)
	words := strings.Fields(first)
	if len(words) == 0 {
		p.fail(off, "a test begins with an architecture and a name")
	}
	arch := words[0]
	for a, d := range dialects {
		for _, n := range d.names {
			if strings.EqualFold(n, arch) {
				p.test.Arch, p.dia = a, d
			}
		}
	}
	if p.dia == nil {
		p.fail(off, "no architecture is called %q; there are %s", arch, dialectNames())
	}
	rest := strings.TrimSpace(first[len(arch):])
	if i := strings.IndexByte(rest, '{'); i >= 0 { // all in one line
		next = off + strings.IndexByte(first, '{')
		rest = strings.TrimSpace(rest[:i])
	}
	if i := strings.IndexByte(rest, '"'); i >= 0 {
		p.test.Doc = strings.Trim(rest[i:], "\"")
		rest = strings.TrimSpace(rest[:i])
	}
	if i := strings.Index(rest, "(*"); i >= 0 {
		rest = strings.TrimSpace(rest[:i])
	}
	p.test.Name = rest
	for off = next; ; {
		off = p.skipSpace(off, len(p.text), false)
		switch {
		case off >= len(p.text):
			p.fail(off, "there is no initial state: { … }")
		case p.text[off] == '{':
			return off
		case p.text[off] == '"':
			n := strings.IndexByte(p.text[off+1:], '"')
			if n < 0 {
				p.fail(off, "this string has no end")
			}
			p.test.Doc = p.text[off+1 : off+1+n]
			off += n + 2
			continue
		}
		line, next := p.line(off)
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if !ok || strings.ContainsAny(key, " \t{}") || key == "" {
			p.fail(off, "a line key=value or the initial state { … } should be here")
		}
		p.test.Info = append(p.test.Info, litmus.Info{Key: key, Value: strings.TrimSpace(value)})
		p.variants(off, key, value)
		off = next
	}
}

// variants refuses tests that ask for a part of the architecture that is missing.
func (p *parser) variants(off int, key, value string) {
	if strings.EqualFold(key, "TTHM") || strings.EqualFold(key, "EL0") {
		p.refuse(off, featVM, key+"="+value)
	}
	if !strings.EqualFold(key, "variant") {
		return
	}
	for _, v := range strings.FieldsFunc(strings.ToLower(value), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' }) {
		features := map[string]string{
			"memtag": featTags, "mte": featTags, "pac": featPAC, "pauth": featPAC, "fpac": featPAC, "const-pac-field": featPAC,
			"neon": featVector, "sve": featVector, "sme": featVector, "morello": featMorello, "vmsa": featVM, "kvm": featVM,
			"ifetch": featCode, "self": featCode, "gcs": featGCS, "nv2": featNV, "exc": featFault, "fatal": featFault,
			"handled": featFault, "skip": featFault,
		}
		if f := features[v]; f != "" {
			p.refuse(off, f, key+"="+strings.TrimSpace(value))
		}
	}
}

// line returns the text from off to the end of its line, and where the next one begins.
func (s *source) line(off int) (string, int) {
	rest := s.text[off:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return strings.TrimRight(rest[:i], "\r"), off + i + 1
	}
	return rest, len(s.text)
}

// variable returns the variable with a name, which is an int unless someone says more.
func (p *parser) variable(off int, name string) *litmus.Var {
	if v := p.vars[name]; v != nil {
		return v
	}
	if strings.HasPrefix(name, "pte_") || strings.HasPrefix(name, "phy_") {
		p.refuse(off, featVM, name)
	}
	v := &litmus.Var{Name: name, Type: intType, Init: []litmus.Value{{}}}
	if p.test.Arch == litmus.BPF {
		v.Type.Size = bpfSize
	}
	p.vars[name] = v
	p.test.Vars = append(p.test.Vars, v)
	return v
}

// addr is the address of a variable that the program names.
func (p *parser) addr(off int, name string) litmus.Value {
	p.variable(off, name)
	return litmus.AddrOf(name, 0)
}

// registers gives threads the registers of the initial state; of two values the last one counts.
func (p *parser) registers() {
	if len(p.regs) == 0 {
		return
	}
	for _, t := range p.test.Threads {
		has := map[litmus.Reg]bool{}
		for _, r := range t.Regs() {
			has[r] = true
		}
		at := map[litmus.Reg]int{}
		for _, r := range p.regs {
			if r.thread != t.ID && !(r.thread < 0 && has[r.init.Reg]) {
				continue
			}
			if r.init.Type.Name != "" {
				t.Types[r.init.Reg] = r.init.Type
			}
			if i, ok := at[r.init.Reg]; ok {
				t.Init[i] = r.init
				continue
			}
			at[r.init.Reg] = len(t.Init)
			t.Init = append(t.Init, r.init)
		}
	}
}

// codeAsData refuses tests that load or store instructions by way of a label in a register.
func (p *parser) codeAsData() {
	for _, t := range p.test.Threads {
		code := map[litmus.Reg]litmus.Value{}
		for _, i := range t.Init {
			if i.Value.Kind == litmus.Code {
				code[i.Reg] = i.Value
			}
		}
		for i := range t.Ops {
			if v, ok := t.Ops[i].X.(litmus.Value); ok && t.Ops[i].Kind == litmus.Set && v.Kind == litmus.Code {
				code[t.Ops[i].Dst] = v
			}
		}
		for i := range t.Ops { // what else is put in a register may be an address
			if v, ok := t.Ops[i].X.(litmus.Value); t.Ops[i].Kind == litmus.Load || t.Ops[i].Kind == litmus.Set && !(ok && v.Kind == litmus.Code) {
				delete(code, t.Ops[i].Dst)
			}
		}
		if len(code) == 0 {
			continue
		}
		for i := range t.Ops {
			for _, r := range litmus.Uses(t.Ops[i].Addr) {
				if v, ok := code[r]; ok {
					p.refuse(t.Instrs[t.Ops[i].Ins].Off, featCode, "an access to "+v.String())
				}
			}
		}
	}
}
