package llvm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ravel/internal/arch"
	frontend "ravel/internal/frontend/litmus"
)

// A template is the text of inline assembly, as LLVM has it: $0 and ${0:w} are operands, $( … $| … $) variants of the syntax.
type template struct {
	code  *asmCode
	text  string
	intel bool

	stmts     []frontend.Statement
	cur       strings.Builder
	line, col int // where cur begins
	prefix    string
	elsewhere int // how many sections deep we are out of the code
}

// statements returns the instructions of the template, with labels that package litmus can read.
func (t *template) statements() ([]frontend.Statement, error) {
	line, col := 1, 1
	variant, inVariant := 0, false
	want := 0
	if t.intel {
		want = 1
	}
	t.line, t.col = 1, 1
	for i := 0; i < len(t.text); {
		c, rest := t.text[i], t.text[i:]
		n := 1
		skip := inVariant && variant != want
		switch {
		case strings.HasPrefix(rest, "$("):
			inVariant, variant, n = true, 0, 2
		case strings.HasPrefix(rest, "$|"):
			variant++
			n = 2
		case strings.HasPrefix(rest, "$)"):
			inVariant, n = false, 2
		case skip:
		case strings.HasPrefix(rest, "$$"):
			t.put("$", line, col)
			n = 2
		case c == '$':
			text, size, err := t.reference(rest)
			if err != nil {
				return nil, asmFail("line %d, column %d of the template: %v", line, col, err)
			}
			t.put(text, line, col)
			n = size
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return nil, asmFail("line %d, column %d of the template: this comment has no end", line, col)
			}
			n = end + 2
			if strings.Contains(rest[:n], "\n") {
				line += strings.Count(rest[:n], "\n")
			}
		case strings.HasPrefix(rest, "//") || t.code.proc.comment != "" && strings.HasPrefix(rest, t.code.proc.comment) || c == '#' && strings.TrimSpace(t.cur.String()) == "":
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
		case c == '\n' || c == ';':
			if err := t.end(); err != nil {
				return nil, err
			}
		default:
			t.put(string(c), line, col)
		}
		for _, b := range []byte(rest[:n]) {
			if col++; b == '\n' {
				line, col = line+1, 1
			}
		}
		i += n
	}
	if err := t.end(); err != nil {
		return nil, err
	}
	if t.prefix != "" {
		return nil, asmFail("%q is before no instruction", t.prefix)
	}
	return t.stmts, t.resolve()
}

func (t *template) put(s string, line, col int) {
	if t.cur.Len() == 0 {
		if strings.TrimSpace(s) == "" {
			return
		}
		t.line, t.col = line, col
	}
	t.cur.WriteString(s)
}

// reference reads $0 or ${0:mod} at the beginning of s, and returns the text of the operand and how long the reference is.
func (t *template) reference(s string) (text string, n int, err error) {
	name, mod := "", ""
	if strings.HasPrefix(s, "${") {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return "", 0, fmt.Errorf("${ without }")
		}
		name, mod, _ = strings.Cut(s[2:end], ":")
		n = end + 1
	} else {
		for n = 1; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		}
		name = s[1:n]
	}
	if name == "" {
		switch mod {
		case "uid":
			return "1", n, nil
		case "private":
			return "L", n, nil
		case "comment":
			return t.code.proc.comment, n, nil
		}
		return "", 0, fmt.Errorf("%q is no operand", s[:n])
	}
	i, err := strconv.Atoi(name)
	if err != nil || i >= len(t.code.ops) {
		return "", 0, fmt.Errorf("there is no operand %s", name)
	}
	text, err = t.code.write(&t.code.ops[i], mod)
	if err != nil {
		err = fmt.Errorf("operand %d: %w", i, err)
	}
	return text, n, err
}

// asmIgnored are directives that say nothing about what is done.
var asmIgnored = []string{".align", ".p2align", ".balign", ".arch", ".cpu", ".fpu", ".syntax", ".thumb", ".arm", ".code", ".option", ".cfi_", ".loc", ".machine", ".ltorg", ".pool", ".att_syntax"}

// end ends a statement: a label, a directive or an instruction.
func (t *template) end() error {
	text := strings.TrimSpace(t.cur.String())
	t.cur.Reset()
	if text == "" {
		return nil
	}
	word, rest, _ := strings.Cut(strings.ToLower(text), " ")
	if strings.HasPrefix(word, ".") && !strings.HasSuffix(word, ":") {
		return t.directive(word, rest)
	}
	if t.elsewhere > 0 {
		return nil
	}
	for {
		i := strings.IndexByte(text, ':')
		if i < 0 || strings.ContainsAny(text[:i], " \t,%[(") {
			break
		}
		t.stmts = append(t.stmts, frontend.Statement{Text: text[:i+1], Line: t.line, Col: t.col})
		if text = strings.TrimSpace(text[i+1:]); text == "" {
			return nil
		}
	}
	switch strings.ToLower(text) {
	case "lock", "rep":
		t.prefix = text
		return nil
	}
	if t.prefix != "" {
		text, t.prefix = t.prefix+" "+text, ""
	}
	t.stmts = append(t.stmts, frontend.Statement{Text: text, Line: t.line, Col: t.col})
	return nil
}

func (t *template) directive(word, args string) error {
	switch word {
	case ".pushsection":
		t.elsewhere++
		return nil
	case ".popsection":
		t.elsewhere = max(t.elsewhere-1, 0)
		return nil
	case ".section", ".subsection", ".data":
		t.elsewhere = max(t.elsewhere, 1)
		return nil
	case ".previous", ".text":
		t.elsewhere = 0
		return nil
	}
	args = strings.ReplaceAll(args, " ", "")
	if t.elsewhere > 0 || slices.ContainsFunc(asmIgnored, func(s string) bool { return strings.HasPrefix(word, s) }) ||
		word == ".byte" && args == "0xf3,0x90" || (word == ".word" || word == ".4byte" || word == ".insn") && args == "0x0100000f" { // pause
		return nil
	}
	return asmFail("line %d, column %d of the template: directive %s", t.line, t.col, word)
}

// resolve gives labels names that are unique and those of words: 1b and 1f are the nearest labels 1 before and after.
func (t *template) resolve() error {
	type def struct {
		name string
		at   int
	}
	defs := map[string][]def{}
	for i := range t.stmts {
		s := &t.stmts[i]
		if name, ok := strings.CutSuffix(s.Text, ":"); ok {
			d := def{fmt.Sprintf("L%d", i), i}
			defs[name] = append(defs[name], d)
			s.Text = d.name + ":"
		}
	}
	for i := range t.stmts {
		s := &t.stmts[i]
		at := strings.LastIndexAny(s.Text, " \t,") + 1
		if at == 0 || strings.HasSuffix(s.Text, ":") {
			continue
		}
		ref := s.Text[at:]
		if d := defs[ref]; len(d) == 1 && strings.Trim(ref, "0123456789") != "" {
			s.Text = s.Text[:at] + d[0].name
			continue
		}
		num := strings.TrimRight(ref, "bfBF")
		if len(num) != len(ref)-1 || strings.Trim(num, "0123456789") != "" || num == "" {
			continue
		}
		found := ""
		for _, d := range defs[num] {
			if ref[len(num)]|0x20 == 'b' && d.at < i {
				found = d.name
			}
			if ref[len(num)]|0x20 == 'f' && d.at > i && found == "" {
				found = d.name
			}
		}
		if found == "" {
			return asmFail("line %d, column %d of the template, %q: there is no label %s in that direction", s.Line, s.Col, s.Text, num)
		}
		s.Text = s.Text[:at] + found
	}
	return nil
}

// write returns an operand as it is written in an instruction, with a modifier.
func (a *asmCode) write(op *asmOperand, mod string) (string, error) {
	if op.label >= 0 {
		return gotoLabel(op.label), nil
	}
	if op.cond != "" {
		return "", fmt.Errorf("a flag is no operand of an instruction")
	}
	x86 := a.proc.arch == arch.X86_64
	intel := a.intel
	if op.imm {
		text := strconv.FormatInt(int64(op.number), 10)
		switch {
		case mod == "n":
			return strconv.FormatInt(-int64(op.number), 10), nil
		case mod == "I" || mod == "i":
			return "i", nil
		case mod == "z" && op.number == 0 && a.proc.arch == arch.RISCV:
			return "zero", nil
		case (mod == "w" || mod == "x") && op.number == 0 && a.proc.arch == arch.AArch64:
			return mod + "zr", nil
		case mod == "" && a.proc.arch == arch.AArch64 && a.onlyZero(op.con):
			return "xzr", nil
		case x86 && !intel && mod != "c" && mod != "P" && mod != "p":
			return "$" + text, nil
		}
		return text, nil
	}
	if op.memory {
		reg := op.regs[0]
		switch mod {
		case "", "b", "w", "k", "q", "P", "p":
			if x86 && intel {
				return "[" + reg + "]", nil
			}
			return fmt.Sprintf(a.proc.mem, reg), nil
		case "H":
			if x86 {
				return "8" + fmt.Sprintf(a.proc.mem, reg), nil
			}
		case "U", "X":
			return "", nil
		case "y":
			return "0," + reg, nil
		case "m":
			return reg, nil
		case "z":
			if x86 {
				return "", fmt.Errorf("modifier %q of an operand in memory: write the size", mod)
			}
			return fmt.Sprintf(a.proc.mem, reg), nil
		}
		return "", fmt.Errorf("modifier %q of an operand in memory", mod)
	}
	switch a.proc.arch {
	case arch.X86_64:
		return a.writeX86(op, mod)
	case arch.AArch64:
		name := op.regs[0][1:]
		switch mod {
		case "", "x":
			return "x" + name, nil
		case "w":
			return "w" + name, nil
		case "H":
			if len(op.regs) == 2 {
				return op.regs[1], nil
			}
		case "a":
			return "[x" + name + "]", nil
		}
	case arch.ARM:
		switch {
		case mod == "", mod == "Q":
			return op.regs[0], nil
		case (mod == "R" || mod == "H") && len(op.regs) == 2:
			return op.regs[1], nil
		case mod == "a":
			return "[" + op.regs[0] + "]", nil
		}
	case arch.PPC:
		switch mod {
		case "":
			return op.regs[0], nil
		case "I":
			return "", nil
		}
	case arch.RISCV:
		switch mod {
		case "", "z":
			return op.regs[0], nil
		case "i":
			return "", nil
		}
	}
	return "", fmt.Errorf("modifier %q of a register", mod)
}

// writeX86 writes a register of the size of the operand, or of the modifier.
func (a *asmCode) writeX86(op *asmOperand, mod string) (string, error) {
	bits := int(op.typ.size) * 8
	percent := "%"
	if a.intel {
		percent = ""
	}
	switch mod {
	case "":
	case "b":
		bits = 8
	case "w":
		bits = 16
	case "k", "e":
		bits = 32
	case "q", "r":
		bits = 64
	case "V":
		percent = ""
	case "l":
		bits = 8
	case "a", "P", "p":
		if a.intel {
			return "[" + x86Part(op.regs[0], 64) + "]", nil
		}
		return "(%" + x86Part(op.regs[0], 64) + ")", nil
	case "z":
		return map[int]string{8: "b", 16: "w", 32: "l", 64: "q"}[bits], nil
	default:
		return "", fmt.Errorf("modifier %q of a register", mod)
	}
	return percent + x86Part(op.regs[0], bits), nil
}

// x86Part returns the name of the lower bits of a register.
func x86Part(name string, bits int) string {
	r, _, _ := frontend.Register(arch.X86_64, name)
	full := strings.ToLower(string(r))
	isNumber := full[1] >= '0' && full[1] <= '9'
	switch {
	case bits > 32:
		return full
	case isNumber:
		return full + map[int]string{8: "b", 16: "w", 32: "d"}[bits]
	case bits == 32:
		return "e" + full[1:]
	case bits == 16:
		return full[1:]
	case strings.HasSuffix(full, "x"):
		return full[1:2] + "l"
	}
	return full[1:] + "l"
}
