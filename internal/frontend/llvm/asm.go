package llvm

import (
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// An asmEffect is what an assembly instruction means for memory.
type asmEffect struct {
	fence bool
	mode  event.Mode
}

var (
	asmNothing = asmEffect{}
	asmSC      = asmEffect{true, event.SC}
	asmAcqRel  = asmEffect{true, event.AcqRel}
	asmAcq     = asmEffect{true, event.Acq}
	asmRel     = asmEffect{true, event.Rel}
)

// asmTable maps an instruction, with its operands where they matter, to its effect. It is
// coarse: later each barrier gets a kind of its own.
var asmTable = map[string]asmEffect{
	// x86
	"mfence": asmSC, "sfence": asmRel, "lfence": asmAcq, "pause": asmNothing, "rep nop": asmNothing, "nop": asmNothing,
	// ARM
	"dmb": asmSC, "dmb sy": asmSC, "dmb ish": asmSC, "dmb osh": asmSC, "dmb nsh": asmSC,
	"dmb ld": asmAcq, "dmb ishld": asmAcq, "dmb oshld": asmAcq, "dmb nshld": asmAcq,
	"dmb st": asmRel, "dmb ishst": asmRel, "dmb oshst": asmRel, "dmb nshst": asmRel,
	"dsb": asmSC, "dsb sy": asmSC, "dsb ish": asmSC, "dsb osh": asmSC, "dsb nsh": asmSC,
	"dsb ld": asmAcq, "dsb ishld": asmAcq, "dsb st": asmRel, "dsb ishst": asmRel,
	"isb": asmNothing, "isb sy": asmNothing, "yield": asmNothing, "wfe": asmNothing, "sev": asmNothing, "hint": asmNothing,
	// POWER
	"sync": asmSC, "hwsync": asmSC, "lwsync": asmAcqRel, "isync": asmNothing, "eieio": asmRel,
	// RISC-V
	"fence": asmSC, "fence iorw,iorw": asmSC, "fence rw,rw": asmSC, "fence.tso": asmAcqRel, "fence.i": asmNothing,
	"fence r,rw": asmAcq, "fence rw,w": asmRel, "fence r,r": asmAcq, "fence w,w": asmRel, "fence w,r": asmSC,
	"fence ir,ir": asmAcq, "fence ow,ow": asmRel, "fence ir,iorw": asmAcq, "fence iorw,ow": asmRel,
}

// asmEffects returns the effects of a template, and false if it holds an instruction that is
// not in the table.
func asmEffects(template string) ([]asmEffect, bool) {
	var out []asmEffect
	prefix := ""
	for stmt := range strings.FieldsFuncSeq(template, func(r rune) bool { return r == '\n' || r == ';' }) {
		if i := strings.Index(stmt, "//"); i >= 0 {
			stmt = stmt[:i]
		}
		if i := strings.IndexByte(stmt, '#'); i >= 0 {
			stmt = stmt[:i]
		}
		stmt = strings.ToLower(strings.Join(strings.Fields(stmt), " "))
		if stmt == "" || strings.HasPrefix(stmt, ".") && !strings.ContainsAny(stmt, "%$") { // a directive
			continue
		}
		if stmt == "lock" || stmt == "rep" {
			prefix = stmt + " "
			continue
		}
		stmt = strings.ReplaceAll(prefix+stmt, ", ", ",")
		prefix = ""
		e, ok := asmTable[stmt]
		if !ok && isLockedNothing(stmt) {
			e, ok = asmSC, true
		}
		if !ok {
			return nil, false
		}
		out = append(out, e)
	}
	return out, prefix == ""
}

// isLockedNothing reports whether s is x86's other full fence: a locked instruction that
// adds zero to the top of the stack.
func isLockedNothing(s string) bool {
	rest, ok := strings.CutPrefix(s, "lock ")
	if !ok {
		return false
	}
	op, args, _ := strings.Cut(rest, " ")
	switch strings.TrimRight(op, "bwlq") {
	case "add", "or", "xor":
	default:
		return false
	}
	val, addr, _ := strings.Cut(args, ",")
	val = strings.TrimLeft(val, "$")
	return (val == "0" || val == "0x0") && (strings.HasSuffix(addr, "(%rsp)") || strings.HasSuffix(addr, "(%esp)"))
}

// lowerAsm lowers inline assembly that is a barrier. An empty template may have operands: an
// output that is tied to an input is a copy of it.
func (l *lowerer) lowerAsm(in *inst, c *constant, args []value) {
	effects, ok := asmEffects(c.text)
	if !ok {
		l.unsupported("inline assembly \"" + strings.TrimSpace(c.text) + "\"")
		return
	}
	for _, e := range effects {
		if e.fence {
			l.fence(e.mode)
		}
	}
	if words := l.lay.words(in.typ); words > 0 {
		l.asmOutputs(in, c, args, words)
	}
}

func (l *lowerer) asmOutputs(in *inst, c *constant, args []value, words int) {
	outs := make([]ir.Operand, words)
	for i := range outs {
		outs[i] = ir.Imm(0)
	}
	k := 0 // next argument
	for con := range strings.SplitSeq(c.cons, ",") {
		indirect := strings.Contains(con, "*")
		if strings.HasPrefix(con, "~") || strings.HasPrefix(con, "!") || strings.HasPrefix(con, "=") && !indirect {
			continue
		}
		if k >= len(args) {
			break
		}
		a := args[k]
		k++
		if n, ok := metaNumber(con); ok && int(n) < words && l.lay.words(a.typ) == 1 && a.typ.isScalar() {
			outs[n] = l.operand(a, 0)
		}
	}
	for i, o := range outs {
		l.copy(l.dst+ir.Reg(i), o)
	}
}
