package llvm

import (
	"strconv"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// asmTable maps instructions, without their operands where those do not matter, to the fence that each is; NoTag: it
// means nothing for memory. dmb, dsb and fence are in asmFence.
var asmTable = map[string]event.Tag{
	// x86
	"mfence": event.MFENCE, "sfence": event.SFENCE, "lfence": event.LFENCE,
	"pause": event.NoTag, "rep nop": event.NoTag, "nop": event.NoTag,
	// ARM
	"isb": event.ISB, "isb sy": event.ISB, "isb #15": event.ISB, "isb #0xf": event.ISB,
	"yield": event.NoTag, "wfe": event.NoTag, "wfi": event.NoTag, "sev": event.NoTag, "sevl": event.NoTag,
	// POWER; the others are hints on the priority of the thread
	"sync": event.SYNC, "sync 0": event.SYNC, "hwsync": event.SYNC, "sync 1": event.LWSYNC, "lwsync": event.LWSYNC,
	"isync": event.ISYNC, "eieio": event.EIEIO,
	"or 1,1,1": event.NoTag, "or 2,2,2": event.NoTag, "or 27,27,27": event.NoTag, "or 31,31,31": event.NoTag,
	// RISC-V
	"fence": event.FenceMM, "fence.tso": event.FenceTSO, "fence.i": event.FenceI,
}

// asmAccess begins the statement with which lkmm.h says what the atomic access after it is to the kernel.
const asmAccess = "ravel_access "

func init() {
	for t := event.SmpMB; t <= event.SyncRCU; t++ {
		asmTable[t.String()] = t
	}
}

// asmEffects returns the fences of a template, and false if it holds an instruction that is
// not known.
func asmEffects(template string) ([]event.Tag, bool) {
	var out []event.Tag
	prefix := ""
	for stmt := range strings.FieldsFuncSeq(template, func(r rune) bool { return r == '\n' || r == ';' }) {
		stmt = asmStatement(stmt)
		if stmt == "" || strings.HasPrefix(stmt, ".") && !strings.ContainsAny(stmt, "%$") { // a directive
			continue
		}
		if stmt == "lock" || stmt == "rep" {
			prefix = stmt + " "
			continue
		}
		tag, ok := asmFence(prefix + stmt)
		if !ok {
			return nil, false
		}
		prefix = ""
		if tag != event.NoTag {
			out = append(out, tag)
		}
	}
	return out, prefix == ""
}

// asmStatement returns a statement in small letters, without comments and needless blanks.
func asmStatement(s string) string {
	if i := strings.Index(s, "//"); i >= 0 {
		s = s[:i]
	}
	// On ARM # begins an immediate, elsewhere a comment.
	for i := range len(s) {
		if s[i] == '#' && (i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9') {
			s = s[:i]
			break
		}
	}
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.ReplaceAll(strings.ReplaceAll(s, " ,", ","), ", ", ",")
}

// asmFence returns the fence that a statement is, and false if the statement is not known.
func asmFence(s string) (event.Tag, bool) {
	if tag, ok := asmTable[s]; ok {
		return tag, true
	}
	if isLockedNothing(s) {
		return event.MFENCE, true
	}
	switch op, arg, _ := strings.Cut(s, " "); op {
	case "dmb":
		return armFence(arg, event.DMBSY, event.DMBLD, event.DMBST)
	case "dsb":
		return armFence(arg, event.DSBSY, event.DSBLD, event.DSBST)
	case "hint": // yield and its like
		return event.NoTag, true
	case "fence":
		return riscvFence(arg)
	}
	return event.NoTag, false
}

// armFence returns the fence with an option: the domain, which is that of all threads for us, and ld or st. A number has
// these in its lower two bits.
func armFence(option string, all, ld, st event.Tag) (event.Tag, bool) {
	if num, ok := strings.CutPrefix(option, "#"); ok {
		n, err := strconv.ParseUint(num, 0, 8)
		if err != nil || n > 15 {
			return event.NoTag, false
		}
		return [...]event.Tag{all, ld, st, all}[n&3], true
	}
	for _, domain := range [...]string{"ish", "osh", "nsh", ""} {
		kind, ok := strings.CutPrefix(option, domain)
		if !ok {
			continue
		}
		switch kind {
		case "ld":
			return ld, true
		case "st":
			return st, true
		case "":
			return all, true
		}
	}
	switch option {
	case "sy", "un", "unst", "sh", "shst": // old names
		if strings.HasSuffix(option, "st") {
			return st, true
		}
		return all, true
	}
	return event.NoTag, false
}

// riscvFence returns the fence pred,succ. Device input and output, i and o, are nothing to us.
func riscvFence(arg string) (event.Tag, bool) {
	pred, succ, _ := strings.Cut(arg, ",")
	p, ok1 := memorySet(pred)
	s, ok2 := memorySet(succ)
	if p == 0 || s == 0 {
		return event.NoTag, ok1 && ok2
	}
	return [3][3]event.Tag{
		{event.FenceRR, event.FenceRW, event.FenceRM},
		{event.FenceWR, event.FenceWW, event.FenceWM},
		{event.FenceMR, event.FenceMW, event.FenceMM},
	}[p-1][s-1], ok1 && ok2
}

// memorySet returns which of r (1) and w (2) a set of RISC-V, letters of iorw in this order, has.
func memorySet(s string) (set int, ok bool) {
	rest := s
	for i, letter := range [...]string{"i", "o", "r", "w"} {
		if after, has := strings.CutPrefix(rest, letter); has {
			rest = after
			set |= [...]int{0, 0, 1, 2}[i]
		}
	}
	return set, rest == "" && s != ""
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

// lowerAsm lowers inline assembly that is a barrier or a locked instruction. An empty template may have operands: an
// output that is tied to an input is a copy of it.
func (l *lowerer) lowerAsm(in *inst, c *constant, args []value) {
	if name, ok := strings.CutPrefix(c.text, asmAccess); ok {
		for t := event.Full; t <= event.Unlock; t++ {
			if t.String() == name {
				l.nextTag = t
				return
			}
		}
	}
	if l.lowerLocked(in, c, args) {
		return
	}
	tags, ok := asmEffects(c.text)
	if !ok {
		l.unsupported("inline assembly \"" + strings.TrimSpace(c.text) + "\"")
		return
	}
	for _, tag := range tags {
		l.fence(tag.Mode(), tag)
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
