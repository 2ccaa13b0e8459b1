package jmm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ravel/internal/lazy"
	"ravel/internal/litmus"
)

// A lifter turns methods into threads of a litmus test. It follows the instructions from the first one on, and knows at each of them which registers and words of the stack hold the state, an
// array, a monitor, or an address of the JVM's. Polls of safepoints and checks for null do nothing. The words of the stack and the lengths of arrays are variables of the test.
//
// An instruction that is not lifted, such as a call of the runtime after a check of an index, becomes a trap: it notes its number and ends the thread. The test is refused if an execution comes
// to one (refuseTraps), and only then.
type lifter struct {
	test   *litmus.Test
	fields map[int64]string // of the state, by offset
	first  map[uint8]int64  // the offset of the first element of arrays, by the size of their elements
	slots  map[string]uint8 // the sizes of variables that are words of the stack
	traps  []string
	waits  bool // a thread may have to wait for a monitor
}

// Variables of the lifted test: the number of a trap that a thread came to, and whether one has waited for a monitor.
const (
	trapName  = "jit_trap"
	waitsName = "jit_waits"
)

// known is what registers and words of the stack hold, and what the flags tell, by name.
type known map[string]string

const (
	isState = "state"
	isStack = "stack" // an address in the stack
	isJVM   = "jvm"   // an address of data of the JVM

	flags    = "flags" // tell one of these
	fromPoll = "poll"
	notNull  = "not null"
)

// isRef, isField and isElement say that a register holds the reference of an array or a monitor, the address of a field of the state, or of an element of an array.
func isRef(name string) string     { return "ref " + name }
func isField(name string) string   { return "field " + name }
func isElement(name string) string { return "element " + name }

// held is the name for whether the thread holds a monitor.
func held(monitor string) string { return "held " + monitor }

// A step is what becomes of an instruction, or of several.
type step struct {
	lines []string // in the litmus test; the last one lacks its label if there is a jump
	jump  int      // where it may go, -1 if nowhere
	next  int      // where else, -1 if nowhere
	known known
}

// lift returns the lines of thread t.
func (l *lifter) lift(t int, code []instr) (lines []string, err error) {
	index := map[uint64]int{}
	for i, c := range code {
		index[c.at] = i
	}
	states := make([]known, len(code)) // what is known when an instruction is reached; nil says that it is not reached
	steps := make([]step, len(code))
	trapped := make([]error, len(code))
	work := []int{0}
	states[0] = known{"rsi": isState}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		var s step
		s, trapped[i] = l.step(t, code, index, i, states[i])
		if trapped[i] == nil && s.next == len(code) {
			trapped[i] = fmt.Errorf("%s: the last instruction", code[i].text)
		}
		if steps[i] = s; trapped[i] != nil {
			continue
		}
		for _, j := range [2]int{s.jump, s.next} {
			if j < 0 {
				continue
			}
			k := maps.Clone(s.known)
			if states[j] != nil {
				maps.DeleteFunc(k, func(name, value string) bool { return states[j][name] != value })
				if len(k) == len(states[j]) {
					continue
				}
			}
			states[j] = k
			work = append(work, j)
		}
	}
	labels := map[int]bool{}
	for i := range code {
		if states[i] != nil && trapped[i] == nil && steps[i].jump >= 0 {
			labels[steps[i].jump] = true
		}
	}
	label := func(i int) string { return fmt.Sprintf("L%d%d", t, i) }
	end := fmt.Sprint("E", t)
	ends, after := false, -1
	for i := range code {
		if states[i] == nil {
			continue
		}
		if after > i {
			return nil, fmt.Errorf("%s: a jump into a monitor's code", code[i].text)
		}
		if labels[i] {
			lines = append(lines, label(i)+":")
		}
		s := steps[i]
		switch after = s.next; {
		case trapped[i] != nil:
			l.traps = append(l.traps, trapped[i].Error())
			ends, after = true, -1
			lines = append(lines, fmt.Sprintf("movl $%d,(%s)", len(l.traps), trapName), "jmp "+end)
		case s.jump >= 0:
			lines = append(lines, s.lines[0]+" "+label(s.jump))
		case s.next < 0:
			ends = true
			lines = append(lines, "jmp "+end)
		default:
			lines = append(lines, s.lines...)
			ends = ends || slices.Contains(s.lines, "jmp "+end)
		}
	}
	if ends {
		lines = append(lines, end+":")
	}
	return lines, nil
}

var reference = lazy.Regexp(`(-?0x[0-9a-f]+)?\((%\w+)((?:,[^)]*)?)\)`)

// step lifts instruction i, which is reached with what is known.
func (l *lifter) step(t int, code []instr, index map[uint64]int, i int, in known) (s step, err error) {
	text := code[i].text
	s = step{jump: -1, next: i + 1, known: maps.Clone(in)}
	op, args := parseInstr(text)
	nothing := s
	if op == "" || strings.HasPrefix(op, "nop") || op == "endbr64" || op == "xchg" && len(args) == 2 && args[0] == args[1] {
		return nothing, nil
	}
	last := ""
	if len(args) > 0 {
		last = args[len(args)-1]
	}
	switch {
	case strings.HasPrefix(op, "ret"):
		s.next = -1
		return s, nil
	case strings.HasPrefix(op, "call"):
		return s, fmt.Errorf("%s: the code calls the runtime", text)
	case strings.HasPrefix(op, "j"):
		return s, s.jumps(text, op, args, index)
	case op == "pop":
		delete(s.known, full(last))
		return s, nil
	case op == "push" || last == "%rsp" && !strings.HasPrefix(op, "cmp"):
		return s, nil // the frame
	case (strings.HasPrefix(op, "set") || strings.HasPrefix(op, "cmov")) && in[flags] != "":
		return s, fmt.Errorf("%s: after a poll or a check for null", text)
	}
	if !strings.HasPrefix(op, "mov") && op != "lea" {
		delete(s.known, flags)
	}
	if ok, err := l.monitor(t, code, index, i, &s); ok || err != nil {
		return s, err
	}
	if (strings.HasPrefix(op, "cmp") || strings.HasPrefix(op, "test")) && strings.Contains(text, "(%r15)") {
		s.known[flags] = fromPoll
		return s, nil
	}
	if strings.HasPrefix(op, "test") && len(args) == 2 {
		m := reference().FindStringSubmatch(last)
		switch {
		case m != nil && s.known[full(m[2])] == isJVM:
			return s, nil // a poll that reads a page
		case args[0] == last && (s.known[full(last)] == isState || strings.HasPrefix(s.known[full(last)], isRef(""))):
			s.known[flags] = notNull
			return s, nil
		}
	}
	if strings.HasPrefix(op, "lock add") && strings.Contains(last, "(%rsp)") {
		s.lines = []string{"mfence"} // a locked instruction of the stack is a fence
		return s, nil
	}
	if len(args) == 2 && (op == "lea" || strings.HasPrefix(op, "mov")) {
		done, err := l.moves(t, text, op, args, &s)
		if done || err != nil {
			return s, err
		}
	}
	return s, l.other(t, text, op, args, &s)
}

// parseInstr takes an instruction apart. A prefix that makes no difference is dropped.
func parseInstr(text string) (op string, args []string) {
	text, _, _ = strings.Cut(text, "#")
	op, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	lock := ""
	for op == "lock" || op == "data16" || strings.HasPrefix(op, "rep") || op == "cs" {
		if op == "lock" {
			lock = "lock "
		}
		op, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
	}
	op = lock + op
	return op, operands(rest)
}

// jumps lifts a jump. The poll of a safepoint falls through, and nothing is null.
func (s *step) jumps(text, op string, args []string, index map[uint64]int) error {
	where := s.known[flags]
	switch {
	case where == fromPoll, where == notNull && (op == "je" || op == "jz"):
		return nil
	case where == notNull && (op == "jne" || op == "jnz"):
		op = "jmp"
	case where == notNull && op != "jmp":
		return fmt.Errorf("%s: after a check for null", text)
	}
	if len(args) == 0 {
		return fmt.Errorf("%s: a jump to nowhere", text)
	}
	to, err := strconv.ParseUint(strings.TrimPrefix(strings.Fields(args[0])[0], "0x"), 16, 64)
	if err != nil {
		return fmt.Errorf("%s: a jump to what is computed", text)
	}
	j, ok := index[to]
	if !ok {
		return fmt.Errorf("%s: it leaves the method", text)
	}
	if s.jump = j; op == "jmp" || op == "jmpq" {
		op, s.next = "jmp", -1
	}
	s.lines = []string{op}
	return nil
}

// moves lifts an instruction that moves an address. It reports whether that is one.
func (l *lifter) moves(t int, text, op string, args []string, s *step) (done bool, err error) {
	from, to := args[0], args[1]
	hold := func(value string) {
		delete(s.known, full(to))
		if s.known[full(to)] = value; strings.HasPrefix(value, isRef("")) {
			if name := value[len(isRef("")):]; l.test.Var(name).Array {
				s.lines = []string{fmt.Sprintf("movq $%s,%%%s", name, full(to))}
			}
		}
	}
	m := reference().FindStringSubmatch(from)
	toReg := strings.HasPrefix(to, "%")
	switch {
	case m != nil && m[0] == from && toReg:
		base, off := s.known[full(m[2])], offset(m[1])
		switch {
		case m[2] == "%rsp" && op == "lea":
			hold(isStack)
		case m[2] == "%rsp" && s.known[slot(t, off)] != "":
			hold(s.known[slot(t, off)])
		case m[2] == "%r15":
			hold(isJVM)
		case base == isState && m[3] == "":
			name, ok := l.fields[off]
			v := l.test.Var(name)
			switch {
			case !ok:
				return false, nil
			case op == "lea":
				hold(isField(name))
			case v != nil && (v.Array || l.locked(name)):
				hold(isRef(name))
			default:
				return false, nil
			}
		case op == "lea" && strings.HasPrefix(base, isRef("")):
			name := base[len(isRef("")):]
			at, err := l.element(text, name, m)
			if err != nil {
				return true, err
			}
			s.lines = []string{fmt.Sprintf("leaq %s,%%%s", at, full(to))}
			s.known[full(to)] = isElement(name)
		default:
			return false, nil
		}
		return true, nil
	case strings.HasPrefix(from, "%") && s.known[full(from)] != "":
		value := s.known[full(from)]
		if toReg {
			if hold(value); strings.HasPrefix(value, isElement("")) {
				s.lines = []string{fmt.Sprintf("movq %%%s,%%%s", full(from), full(to))}
			}
			return true, nil
		}
		if m := reference().FindStringSubmatch(to); m != nil && m[2] == "%rsp" && m[3] == "" && !strings.HasPrefix(value, isElement("")) {
			s.known[slot(t, offset(m[1]))] = value
			return true, nil
		}
		return true, fmt.Errorf("%s: an address is stored", text)
	}
	return false, nil
}

// other lifts an instruction that computes, or accesses the variables of the test.
func (l *lifter) other(t int, text, op string, args []string, s *step) error {
	var size uint8
	name := sized(op, args)
	switch name[len(name)-1] {
	case 'l':
		size = 4
	case 'q':
		size = 8
	}
	written := !strings.HasPrefix(op, "cmp") && !strings.HasPrefix(op, "test")
	for i, arg := range args {
		m := reference().FindStringSubmatch(arg)
		if m == nil || m[0] != arg {
			args[i] = decimal(arg)
			if strings.HasPrefix(arg, "%") && s.known[full(arg)] != "" && (i < len(args)-1 || !strings.HasPrefix(op, "mov") && op != "lea") {
				return fmt.Errorf("%s: an address is a value", text)
			}
			continue
		}
		base, off := s.known[full(m[2])], offset(m[1])
		ofState, ok := l.fields[off]
		switch {
		case m[2] == "%rsp" && m[3] == "":
			if off < -4096 && i == len(args)-1 {
				s.lines = nil
				return nil // the end of the stack is touched
			}
			if args[i] = "(" + slot(t, off) + ")"; s.known[slot(t, off)] != "" && (i < len(args)-1 || op != "mov" && op != "movl" && op != "movq") {
				return fmt.Errorf("%s: an address is a value", text)
			}
			delete(s.known, slot(t, off))
			if old := l.slots[slot(t, off)]; size == 0 || old != 0 && old != size {
				return fmt.Errorf("%s: a word of the stack has two sizes", text)
			}
			l.slots[slot(t, off)] = size
		case op == "lea" && base == "":
			args[i] = fmt.Sprintf("%d(%s%s)", off, m[2], m[3]) // arithmetic
		case base == isState && ok && m[3] == "" && (l.test.Var(ofState) == nil || !l.test.Var(ofState).Array && !l.locked(ofState)):
			args[i] = "(" + ofState + ")"
		case strings.HasPrefix(base, isField("")) && off == 0 && m[3] == "":
			args[i] = "(" + base[len(isField("")):] + ")"
		case strings.HasPrefix(base, isElement("")) && off == 0 && m[3] == "":
			args[i] = "(" + m[2] + ")"
		case strings.HasPrefix(base, isRef("")):
			var err error
			if args[i], err = l.element(text, base[len(isRef("")):], m); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: an access to something else than the variables of the test", text)
		}
	}
	for i, arg := range args {
		if strings.HasPrefix(arg, "%") && (i == len(args)-1 && written || strings.Contains(op, "xchg") || strings.Contains(op, "xadd")) {
			delete(s.known, full(arg))
		}
	}
	if strings.Contains(op, "cmpxchg") || strings.Contains(op, "mul") || strings.Contains(op, "div") || strings.HasPrefix(op, "c") && len(args) == 0 {
		delete(s.known, "rax")
		delete(s.known, "rdx")
	}
	s.lines = []string{strings.TrimSpace(name + " " + strings.Join(args, ","))}
	return nil
}

// element returns the operand for an element of an array, whose address is in the base register, or for its length.
func (l *lifter) element(text, name string, m []string) (string, error) {
	v := l.test.Var(name)
	if !v.Array {
		return "", fmt.Errorf("%s: the monitor %s is used in a way that is not known; what is known is the stack locking of JDK 17", text, name)
	}
	off, first := offset(m[1]), l.first[v.Type.Size]
	switch {
	case first > 0 && off == first-4 && m[3] == "":
		return "(" + lengthOf(name) + ")", nil
	case first > 0 && off >= first && (m[3] == "" && (off-first)%int64(v.Type.Size) == 0 && off-first < int64(v.Size()) || strings.HasSuffix(m[3], fmt.Sprint(",", v.Type.Size))):
		return fmt.Sprintf("%d(%s%s)", off-first, m[2], m[3]), nil
	}
	return "", fmt.Errorf("%s: an access to something else than the elements of %s", text, name)
}

// lengthOf is the variable that is the length of an array. Nothing writes it.
func lengthOf(array string) string { return array + "_length" }

// slot is the variable that is a word of the stack of thread t.
func slot(t int, off int64) string { return fmt.Sprintf("jit_s%d_%d", t, off) }

// locked reports whether a variable is a monitor.
func (l *lifter) locked(name string) bool {
	v := l.test.Var(name)
	return v != nil && (&source{test: l.test}).monitor(v)
}

func offset(text string) int64 {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return 0 // there is none
	}
	return n
}

// operands splits operands at commas outside of parentheses.
func operands(text string) (args []string) {
	depth, from := 0, 0
	text = strings.TrimSpace(text)
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	if text != "" {
		args = append(args, strings.TrimSpace(text[from:]))
	}
	return args
}

// full returns the register of 64 bits that %name is part of.
func full(name string) string {
	n := strings.TrimPrefix(name, "%")
	switch {
	case strings.HasPrefix(n, "r") && len(n) > 1 && n[1] >= '0' && n[1] <= '9':
		return strings.TrimRight(n, "dwb")
	case strings.HasPrefix(n, "e"):
		return "r" + n[1:]
	case len(n) == 2 && n[1] == 'l':
		return "r" + n[:1] + "x"
	}
	return n
}

// decimal writes a constant in decimal, as a signed number of 32 bits if it is one.
func decimal(arg string) string {
	text, ok := strings.CutPrefix(arg, "$")
	if !ok {
		return arg
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return arg
	}
	if n>>32 == 0 {
		return fmt.Sprint("$", int32(uint32(n)))
	}
	return fmt.Sprint("$", int64(n))
}

// sized adds the size to an instruction that moves or computes 4 or 8 bytes, where only the register tells it.
func sized(op string, args []string) string {
	if !slices.Contains([]string{"mov", "add", "sub", "and", "or", "xor", "cmp", "test", "xchg", "lock xadd", "lock cmpxchg", "lock add", "lock and", "lock or", "lock xor"}, op) {
		return op
	}
	for _, a := range args {
		if n := strings.TrimPrefix(a, "%"); n != a {
			switch {
			case n == full(a):
				return op + "q"
			case n[0] == 'e' || n[len(n)-1] == 'd':
				return op + "l"
			}
			return op
		}
	}
	return op
}

// text puts the litmus test together. What a thread observes is a variable.
func (l *lifter) text(locs []litmus.Loc, cols [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "X86_64 %s+jit\n{\n", strings.ReplaceAll(l.test.Name, " ", "-"))
	typ := func(size uint8) string {
		if size == 8 {
			return "int64_t "
		}
		return ""
	}
	for _, v := range l.test.Vars {
		if !v.Array {
			fmt.Fprintf(&b, "%s%s=%s;\n", typ(v.Type.Size), v.Name, v.Init[0])
			continue
		}
		var elems []string
		for _, x := range v.Init {
			elems = append(elems, x.String())
		}
		element := "int "
		if v.Type.Size == 8 {
			element = "int64_t "
		}
		fmt.Fprintf(&b, "%s%s[%d]={%s};\n%s=%d;\n", element, v.Name, len(v.Init), strings.Join(elems, ","), lengthOf(v.Name), len(v.Init))
	}
	var seen []string
	for i, o := range locs {
		name := o.Var
		if o.Thread >= 0 {
			name = fmt.Sprint("o", i)
			fmt.Fprintf(&b, "%s%s=0;\n", typ(regSize(l.test, o)), name)
		} else if v := l.test.Var(o.Var); v.Array {
			name = fmt.Sprintf("%s[%d]", o.Var, o.Index)
		}
		seen = append(seen, name+";")
	}
	for _, name := range slices.Sorted(maps.Keys(l.slots)) {
		fmt.Fprintf(&b, "%s%s=0;\n", typ(l.slots[name]), name)
	}
	if len(l.traps) > 0 {
		fmt.Fprintf(&b, "%s=0;\n", trapName)
	}
	if l.waits {
		fmt.Fprintf(&b, "%s=0;\n", waitsName)
	}
	b.WriteString("}\n")
	writeColumns(&b, cols)
	fmt.Fprintf(&b, "locations [%s]\n", strings.Join(seen, " "))
	if l.waits {
		fmt.Fprintf(&b, "filter (%s=0)\n", waitsName)
	}
	b.WriteString("exists (true)\n")
	return b.String()
}
