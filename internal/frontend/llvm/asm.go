package llvm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/event"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/ir"
	"ravel/internal/litmus"
)

// Inline assembly is read in three steps. The constraints say what the operands are (this file); the template becomes statements with operands that have names
// of registers (asm_template.go); package litmus, which knows the instructions, makes micro code of them, and that becomes ir (asm_code.go).

// asmAccess begins the statement with which lkmm.h says what the atomic access after it is to the kernel.
const asmAccess = "ravel_access "

// kernelFences are the templates of lkmm.h that are fences of the kernel.
var kernelFences = map[string]event.Tag{}

func init() {
	for t := event.SmpMB; t <= event.SyncRCU; t++ {
		kernelFences[t.String()] = t
	}
	for _, p := range processors {
		p.name = arch.Of(p.arch).Title
	}
}

// A processor is what inline assembly is for.
type processor struct {
	name    string // as its makers write it
	arch    arch.Name
	triples []string // how the names of targets begin
	word    int      // bits of a register
	pool    []string // registers for operands, the first choice first
	mem     string   // how an operand in memory is written, of a register
	signed  bool     // registers hold the integers that are smaller with their sign
	comment string   // what begins a comment, beside //
}

func numberedRegs(prefix string, from, to int) []string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprint(prefix, i))
	}
	return names
}

var processors = []*processor{
	{arch: arch.X86_64, triples: []string{"x86_64", "i386", "i486", "i586", "i686", "amd64"}, word: 64, pool: numberedRegs("r", 16, 55), mem: "(%%%s)", comment: "#"},
	{arch: arch.AArch64, triples: []string{"aarch64", "arm64"}, word: 64, pool: numberedRegs("x", 9, 28), mem: "[%s]", comment: ""},
	{arch: arch.ARM, triples: []string{"arm", "thumb"}, word: 32, pool: numberedRegs("r", 0, 12), mem: "[%s]", comment: "@"},
	{arch: arch.PPC, triples: []string{"powerpc", "ppc"}, word: 64, pool: numberedRegs("r", 3, 31), mem: "0(%s)", comment: "#"},
	{arch: arch.RISCV, triples: []string{"riscv"}, word: 64, pool: numberedRegs("x", 5, 31), mem: "0(%s)", signed: true, comment: "#"},
}

// processorOf returns the processor of a target, or nil.
func processorOf(triple string) *processor {
	for _, p := range []int{1, 0, 2, 3, 4} { // arm64 before arm
		for _, t := range processors[p].triples {
			if strings.HasPrefix(triple, t) {
				return processors[p]
			}
		}
	}
	return nil
}

// An asmOperand is what $0, $1 and so on stand for.
type asmOperand struct {
	con    string // the constraint, without = and such
	val    value  // what goes in; of an operand in memory its address
	in     bool   // val is there
	memory bool
	label  int // of asm goto: which label it is, or -1
	result int // which of the results it is, or -1
	typ    *Type
	cond   string       // the condition that a flag output is
	imm    bool         // a constant, written as a number
	number uint64       // that
	regs   []string     // the names of its registers, as wide as they are
	micro  []litmus.Reg // and what package litmus calls them
}

// asmError is what is wrong with inline assembly.
type asmError struct{ text string }

func (e *asmError) Error() string { return e.text }

func asmFail(format string, args ...any) error { return &asmError{fmt.Sprintf(format, args...)} }

// immediates are the letters of constraints that constants fit, registers and memory those of others. g and X are any operand.
const (
	asmImmediates = "inesEFIJKLMNOPGHTWZ"
	asmRegisters  = "rqQRlabcdSDyhkwbjgXp"
)

// asmOperands reads the constraints of inline assembly; labels is how many labels an asm goto has.
func (l *lowerer) asmOperands(cons string, args []value, results []*Type, labels int) (ops []asmOperand, err error) {
	list := strings.Split(cons, ",")
	if cons == "" {
		list = nil
	}
	inputs, label := len(args), 0
	for _, con := range list {
		if strings.HasPrefix(con, "~") {
			continue
		}
		op := asmOperand{label: -1, result: -1}
		if strings.HasPrefix(con, "!") {
			op.label = label
			label++
			ops = append(ops, op)
			continue
		}
		rest, isOut := strings.CutPrefix(con, "=")
		indirect := false
		for {
			if r, ok := strings.CutPrefix(rest, "*"); ok {
				rest, indirect = r, true
			} else if r, ok := strings.CutPrefix(rest, "&"); ok {
				rest = r
			} else if r, ok := strings.CutPrefix(rest, "%"); ok {
				rest = r
			} else {
				break
			}
		}
		op.con, op.memory = rest, indirect
		if isOut && !indirect {
			n := 0
			for i := range ops {
				if ops[i].result >= 0 {
					n++
				}
			}
			if n >= len(results) {
				return nil, asmFail("constraint %q has no result", con)
			}
			op.result, op.typ = n, results[n]
			if c, ok := strings.CutPrefix(rest, "{@cc"); ok {
				op.cond = strings.TrimSuffix(c, "}")
			}
			ops = append(ops, op)
			continue
		}
		if len(args) == 0 {
			return nil, asmFail("constraint %q has no operand", con)
		}
		op.val, op.in, op.typ = args[0], true, args[0].typ
		args = args[1:]
		if label < labels && inputs-len(args) > inputs-labels && !strings.Contains(cons, "!") { // as clang up to 14 passes labels
			op.label = label
			label++
			ops = append(ops, op)
			continue
		}
		if n, tied := metaNumber(rest); tied {
			if int(n) >= len(ops) || ops[n].result < 0 && !ops[n].memory {
				return nil, asmFail("constraint %q is that of no output", con)
			}
			if !ops[n].memory {
				ops[n].val, ops[n].in = op.val, true
			}
		}
		ops = append(ops, op)
	}
	if len(args) > 0 {
		return nil, asmFail("%d operands have no constraint", len(args))
	}
	return ops, nil
}

// lowerAsm lowers inline assembly. An instruction or constraint that is not known is an error when it is reached.
func (l *lowerer) lowerAsm(in *inst, c *constant, args []value) {
	text := strings.TrimSpace(c.text)
	if name, ok := strings.CutPrefix(text, asmAccess); ok {
		for t := event.Full; t <= event.Unlock; t++ {
			if t.String() == name {
				l.nextTag = t
				return
			}
		}
	}
	if tag, ok := kernelFences[text]; ok {
		l.fence(tag.Mode(), tag)
		return
	}
	if err := l.tryAsm(in, c, args); err != nil {
		var e *asmError
		if !errors.As(err, &e) {
			e = &asmError{err.Error()}
		}
		bad := newInstr(ir.Unsupported)
		bad.Message = fmt.Sprintf("inline assembly %s: %s", quoteAsm(text), e.text)
		l.emit(bad)
	}
}

// quoteAsm shortens a template for a message.
func quoteAsm(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 60 {
		text = text[:57] + "…"
	}
	return "\"" + text + "\""
}

// tryAsm reads inline assembly for the processor of the module. Statements without operands may be of any: programs have fences of the processor whose
// model they are checked under.
func (l *lowerer) tryAsm(in *inst, c *constant, args []value) error {
	own := processorOf(l.mod.triple)
	labels := max(len(in.blocks)-1, 0)
	var results []*Type
	switch t := in.typ; t.kind {
	case kVoid:
	case kStruct:
		results = t.fields
	default:
		results = []*Type{t}
	}
	var first error
	found := false
	var code *asmCode
	var names []string
	for _, p := range append([]*processor{own}, processors...) {
		if p == nil || found && p == own {
			continue
		}
		a, err := l.readAsm(p, in, c, args, results, labels)
		switch {
		case err != nil && first == nil:
			first = err
		case err != nil:
		case !found:
			found, code, names = true, a, []string{p.name}
		case !slices.Contains(names, p.name):
			names = append(names, p.name)
		}
		if p == own && (len(args) > 0 || len(results) > 0 || labels > 0 || found && !code.hasEvents()) {
			break
		}
	}
	if !found {
		return first
	}
	if code.hasEvents() {
		l.lk.prog.Assembly = append(l.lk.prog.Assembly, ir.Assembly{Pos: l.pos, For: names})
	} else if own != nil && len(code.ops) == 0 && strings.TrimSpace(c.text) == "" && strings.Contains(c.cons, "~{memory}") && !l.mod.runtime {
		l.lk.prog.Barriers = append(l.lk.prog.Barriers, ir.Assembly{Pos: l.pos, For: []string{own.name}})
	}
	return code.lower()
}

// readAsm reads inline assembly as one of a processor.
func (l *lowerer) readAsm(p *processor, in *inst, c *constant, args []value, results []*Type, labels int) (*asmCode, error) {
	ops, err := l.asmOperands(c.cons, args, results, labels)
	if err != nil {
		return nil, err
	}
	code := &asmCode{lowerer: l, proc: p, in: in, ops: ops, results: results, labels: labels, intel: c.intel}
	if err := code.place(c.text); err != nil {
		return nil, err
	}
	t := template{code: code, text: c.text, intel: c.intel}
	stmts, err := t.statements()
	if err != nil {
		return nil, err
	}
	var gotos []string
	for i := range labels {
		gotos = append(gotos, gotoLabel(i))
	}
	code.th, err = frontend.Inline(p.arch, c.intel, stmts, gotos)
	var bad *litmus.Error
	if errors.As(err, &bad) {
		return nil, asmFail("line %d, column %d of the template, %q: %s; write it with __atomic builtins or in C", bad.Line, bad.Col, bad.Source, bad.Msg)
	}
	if err != nil {
		return nil, err
	}
	for i := range ops {
		if o := &ops[i]; o.cond != "" {
			if _, ok := frontend.Condition(p.arch, o.cond); !ok {
				return nil, asmFail("operand %d: %s has no condition %q", i, p.name, o.cond)
			}
		}
	}
	return code, code.check()
}

func gotoLabel(i int) string { return fmt.Sprint("goto_", i) }

// place gives each operand a register, or a number.
func (a *asmCode) place(text string) error {
	taken := map[string]bool{}
	lower := strings.ToLower(text)
	names := strings.FieldsFunc(lower, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	take := func(name string) {
		if r, _, ok := frontend.Register(a.proc.arch, name); ok {
			taken[string(r)] = true
		}
	}
	for _, n := range names {
		take(n)
	}
	for i := range a.ops {
		if n, ok := strings.CutPrefix(a.ops[i].con, "{"); ok {
			take(strings.TrimSuffix(n, "}"))
		}
	}
	fresh := func() (string, error) {
		for _, n := range a.proc.pool {
			r, _, ok := frontend.Register(a.proc.arch, n)
			if ok && !taken[string(r)] {
				taken[string(r)] = true
				return n, nil
			}
		}
		return "", asmFail("%s has too few registers for the operands", a.proc.name)
	}
	for i := range a.ops {
		if err := a.placeOne(&a.ops[i], i, fresh); err != nil {
			return err
		}
	}
	return nil
}

func (a *asmCode) placeOne(op *asmOperand, i int, fresh func() (string, error)) error {
	if op.label >= 0 || op.cond != "" {
		return nil
	}
	if n, tied := metaNumber(op.con); tied {
		op.regs, op.micro, op.memory = a.ops[n].regs, a.ops[n].micro, a.ops[n].memory
		return nil
	}
	set := func(name string) error {
		r, _, ok := frontend.Register(a.proc.arch, name)
		if !ok {
			return asmFail("operand %d: %s has no register %q", i, a.proc.name, name)
		}
		op.regs, op.micro = append(op.regs, name), append(op.micro, r)
		return nil
	}
	words := 1
	if !op.memory {
		a.lay.lay(op.typ)
		if !op.typ.isScalar() || op.typ.scalar().isFloat() {
			return asmFail("operand %d is of type '%s': it can be an integer or a pointer", i, op.typ)
		}
		if words = (int(op.typ.size)*8 + a.proc.word - 1) / a.proc.word; words > 2 || words == 2 && a.proc.arch == arch.X86_64 {
			return asmFail("operand %d of %d bytes", i, op.typ.size)
		}
	}
	if name, ok := strings.CutPrefix(op.con, "{"); ok && !op.memory {
		name = strings.TrimSuffix(name, "}")
		if words > 1 {
			return asmFail("operand %d is larger than the register %s", i, name)
		}
		return set(name)
	}
	if !op.memory {
		con, _, _ := strings.Cut(op.con, "|")
		isImm, isReg := strings.ContainsAny(con, asmImmediates+"gX"), strings.ContainsAny(con, asmRegisters+"mo")
		if !isImm && !isReg {
			return asmFail("operand %d: constraint %q is not known; r, m and i are", i, op.con)
		}
		if isImm && op.in && op.result < 0 && a.asmConstant(op) && (!isReg || op.number == 0 || !a.onlyZero(con)) {
			op.imm = true
			return nil
		}
		if !isReg && !(strings.ContainsAny(con, "JP") && a.proc.arch == arch.RISCV) {
			return asmFail("operand %d: constraint %q needs a constant", i, op.con)
		}
	} else {
		for j := range i { // the same address is in the same register
			if o := &a.ops[j]; o.memory && o.in && sameValue(o.val, op.val) {
				op.regs, op.micro = o.regs, o.micro
				return nil
			}
		}
	}
	for range words {
		name, err := fresh()
		if err != nil {
			return err
		}
		if err := set(name); err != nil {
			return err
		}
	}
	return nil
}

// onlyZero reports whether 0 is the only constant that a constraint allows besides registers.
func (a *asmCode) onlyZero(con string) bool {
	zero := map[arch.Name]string{arch.RISCV: "J", arch.AArch64: "Z"}[a.proc.arch]
	return zero != "" && strings.Contains(con, zero) && !strings.ContainsAny(strings.ReplaceAll(con, zero, ""), asmImmediates+"gX")
}

// sameValue reports whether two values are seen to be the same.
func sameValue(x, y value) bool {
	switch {
	case x.kind != y.kind:
		return false
	case x.kind == vLocal:
		return x.id == y.id
	}
	return x.kind == vConst && x.c.kind == cGlobal && y.c.kind == cGlobal && x.c.sym == y.c.sym
}

// asmConstant sets the number of an operand that is one.
func (a *asmCode) asmConstant(op *asmOperand) bool {
	switch op.val.kind {
	case vInt:
		op.number = signExtend(op.val.bits, min(op.typ.scalarBits(), 64))
		return true
	case vZero:
		return true
	}
	return false
}
