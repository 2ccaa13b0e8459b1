package jmm

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"

	"ravel/internal/lazy"
)

// The machine code that the JVM's compiler (C2) makes of a test is lifted to a litmus test of the processor: each thread is a static method of one argument, the state, whose fields
// are the variables and what is observed. So every access of memory is one of a field of the state, of the stack, or of the JVM's own data.

// JIT has the JVM compile the threads of a test, lifts the machine code to a litmus test of the processor, finds its outcomes under our model of the processor, and asks the Java model
// whether it allows each of them.
func JIT(ctx context.Context, test *litmus.Test, opts justify.Options) (*CompileReport, error) {
	start := time.Now()
	if runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("jit reads the code of x86-64, and this machine is %s: ravel jmm compile has the schemes of other processors", runtime.GOARCH)
	}
	a, err := justify.Analyse(test, opts)
	if err != nil {
		return nil, err
	}
	out, version, err := compileByJVM(ctx, test, a.Locs)
	if err != nil {
		return nil, err
	}
	text, err := liftAll(ctx, test, a.Locs, out)
	if err != nil {
		return nil, err
	}
	code, err := frontend.Parse(test.Name+"+jit.litmus", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: the machine code has what litmus tests do not: %w\n%s", test.File, err, text)
	}
	r := &CompileReport{Name: test.Name, Model: a.Model, Scheme: "jit", Target: "x86", TargetModel: "tso", Code: text, title: version}
	if err := r.compare(ctx, code, a, opts); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// jitFlags make the JVM compile the methods at once and without assumptions that could fail, and print their code.
var jitFlags = []string{
	"-XX:-BackgroundCompilation", "-XX:-TieredCompilation", "-XX:PerMethodTrapLimit=0", "-XX:PerBytecodeTrapLimit=0",
	"-XX:+UnlockDiagnosticVMOptions", "-XX:CompileCommand=quiet", "-XX:CompileCommand=print,Jit.run*", "-XX:CompileCommand=dontinline,Jit.run*",
}

// compileByJVM returns what the JVM prints of the threads' code, and its version.
func compileByJVM(ctx context.Context, test *litmus.Test, locs []litmus.Loc) (out, version string, err error) {
	javac, err := findJDK("javac")
	if err != nil {
		return "", "", err
	}
	java, err := findJDK("java")
	if err != nil {
		return "", "", err
	}
	code, err := jitProgram(test, locs)
	if err != nil {
		return "", "", err
	}
	dir, err := os.MkdirTemp("", "ravel-jit-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "Jit.java")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		return "", "", err
	}
	if _, err := run(ctx, javac, "-nowarn", "-d", dir, file); err != nil {
		return "", "", fmt.Errorf("%s: javac refuses the program: %w\n%s", test.File, err, code)
	}
	if out, err = run(ctx, java, append(jitFlags[:len(jitFlags):len(jitFlags)], "-cp", dir, "-Xmx256m", "Jit")...); err != nil {
		return "", "", fmt.Errorf("%s: the JVM does not print its code (it takes HotSpot with C2, 17 or later): %w", test.File, err)
	}
	version, err = run(ctx, java, "-version")
	return out, strings.TrimSpace(strings.SplitN(version, "\n", 2)[0]), err
}

// jitProgram writes the Java program whose methods run0, run1, … are the threads.
func jitProgram(test *litmus.Test, locs []litmus.Loc) (string, error) {
	for _, v := range test.Vars {
		if v.Array {
			return "", fmt.Errorf("%s: jit does not do arrays: %s", test.File, v.Name)
		}
	}
	for _, th := range test.Threads {
		for i := range th.Ops {
			if op := &th.Ops[i]; op.Kind == litmus.Lock || op.Kind == litmus.Unlock {
				return "", fmt.Errorf("%s: jit does not do monitors", test.File)
			}
		}
	}
	src, err := newSource("jit", test, locs)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("import java.lang.invoke.MethodHandles;\nimport java.lang.invoke.VarHandle;\nimport java.lang.reflect.Field;\n\npublic class Jit {\n    static final class State {\n%s", src.fields("        "))
	for i, l := range locs {
		if l.Thread >= 0 {
			p("        %s o%d;\n", javaType(regSize(test, l)), i)
		}
	}
	p("    }\n\n%s\n", src.handles("    ", "State"))
	for t, th := range test.Threads {
		p("    static void run%d(State s) {\n%s", t, src.bodies[t])
		for i, l := range locs {
			if l.Thread == th.ID {
				p("        s.o%d = %s;\n", i, local(l.Reg))
			}
		}
		p("    }\n\n")
	}
	p(`    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName("sun.misc.Unsafe");
        Field f = c.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        for (Field g : State.class.getDeclaredFields()) {
            System.out.println("offset " + g.getName() + " " + c.getMethod("objectFieldOffset", Field.class).invoke(f.get(null), g));
        }
        for (int i = 0; i < 60000; i++) {
            State s = new State();
`)
	for t := range test.Threads {
		for k, v := range test.Vars {
			p("            s.%s = i / %d %% 4;\n", v.Name, 1<<(2*(k%8)))
		}
		p("            run%d(s);\n", t)
	}
	p("        }\n    }\n}\n")
	return b.String(), nil
}

var (
	offsetLine = lazy.Regexp(`^offset (\w+) (\d+)$`)
	methodLine = lazy.Regexp(`^Compiled method \(c2\).* Jit::run(\d+) `)
	codeLine   = lazy.Regexp(`^\s+0x([0-9a-f]+):\s+(.*)$`)
	bytesOnly  = lazy.Regexp(`^[0-9a-f]{2,4}([ |]+[0-9a-f]{2,4})*[ |]*$`)
	disLine    = lazy.Regexp(`^\s*([0-9a-f]+):\s*(.*)$`)
	reference  = lazy.Regexp(`(-?0x[0-9a-f]+)?\((%\w+)([^)]*)\)`)
)

// An instr is a machine instruction in AT&T's syntax.
type instr struct {
	at   uint64
	text string
}

// liftAll makes a litmus test of what the JVM printed.
func liftAll(ctx context.Context, test *litmus.Test, locs []litmus.Loc, out string) (string, error) {
	l := &lifter{test: test, fields: map[int64]string{}}
	methods := map[int][]string{}
	at := -1
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if m := offsetLine().FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseInt(m[2], 10, 64)
			l.fields[n] = m[1]
		} else if m := methodLine().FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			methods[at] = nil // the last compilation counts
		} else if strings.HasPrefix(line, "[Exception Handler]") || strings.HasPrefix(line, "[/MachCode]") || strings.HasPrefix(line, "[/Disassembly]") {
			at = -1
		} else if at >= 0 && codeLine().MatchString(line) {
			methods[at] = append(methods[at], line)
		}
	}
	cols := make([][]string, len(test.Threads))
	for t := range test.Threads {
		code, err := disassemble(ctx, methods[t])
		if err != nil {
			return "", fmt.Errorf("%s: %w", test.File, err)
		}
		if len(code) == 0 {
			return "", fmt.Errorf("%s: the JVM prints no code for thread %d: it takes HotSpot with the compiler C2, 17 or later", test.File, t)
		}
		if cols[t], err = l.lift(t, code); err != nil {
			return "", fmt.Errorf("%s: thread %d: %w", test.File, t, err)
		}
	}
	return jitText(test, locs, cols), nil
}

// disassemble returns the instructions that lines of the JVM's output have. Without hsdis these are bytes, which objdump reads.
func disassemble(ctx context.Context, lines []string) (code []instr, err error) {
	var raw []byte
	var first uint64
	for _, line := range lines {
		m := codeLine().FindStringSubmatch(line)
		addr, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, err
		}
		text, _, _ := strings.Cut(m[2], ";")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if !bytesOnly().MatchString(text) { // hsdis has done it
			code = append(code, instr{addr, text})
			continue
		}
		b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(text))
		if err != nil {
			return nil, err
		}
		if raw == nil {
			first = addr
		}
		if addr != first+uint64(len(raw)) {
			return nil, fmt.Errorf("the JVM's code has a gap at %x", addr)
		}
		raw = append(raw, b...)
	}
	if raw == nil {
		return code, nil
	}
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		return nil, fmt.Errorf("the JVM prints its code as bytes, and objdump, which could read them, is not on PATH: install it (Debian: binutils), or hsdis, the JVM's disassembler (Debian: libhsdis0-fcml)")
	}
	file, err := os.CreateTemp("", "ravel-jit-*.bin")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	if _, err = file.Write(raw); err == nil {
		err = file.Close()
	}
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", fmt.Sprintf("--adjust-vma=%#x", first), file.Name())
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		if m := disLine().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && m[2] != "" {
			addr, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return nil, err
			}
			code = append(code, instr{addr, m[2]})
		}
	}
	return code, nil
}

// A lifter turns methods into threads of a litmus test.
type lifter struct {
	test   *litmus.Test
	fields map[int64]string // of the state, by offset
}

// lift returns the lines of thread t.
func (l *lifter) lift(t int, code []instr) (lines []string, err error) {
	index := map[uint64]int{}
	for i, c := range code {
		index[c.at] = i
	}
	// States are the registers that hold the state when an instruction is reached; a nil map says that it is not reached.
	states := make([]map[string]bool, len(code))
	written := make([]string, len(code))
	target := make([]int, len(code))
	work := []int{0}
	states[0] = map[string]bool{"rsi": true}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		step, err := l.step(code[i].text, states[i])
		if err != nil {
			return nil, err
		}
		written[i], target[i] = step.text, -1
		var next []int
		if step.jump != 0 {
			j, ok := index[step.jump]
			if !ok {
				return nil, fmt.Errorf("%s leaves the method", code[i].text)
			}
			target[i] = j
			next = append(next, j)
		}
		if !step.ends {
			if i+1 == len(code) {
				return nil, fmt.Errorf("%s is the last instruction", code[i].text)
			}
			next = append(next, i+1)
		}
		for _, j := range next {
			s := maps.Clone(step.state)
			if states[j] != nil {
				for r := range s {
					if !states[j][r] {
						delete(s, r)
					}
				}
				if len(s) == len(states[j]) {
					continue
				}
			}
			states[j] = s
			work = append(work, j)
		}
	}
	labels := map[int]bool{}
	for i := range code {
		if states[i] != nil && target[i] >= 0 {
			labels[target[i]] = true
		}
	}
	label := func(i int) string { return fmt.Sprintf("L%d%d", t, i) }
	ends := false
	for i, c := range code {
		if states[i] == nil {
			continue
		}
		if labels[i] {
			lines = append(lines, label(i)+":")
		}
		switch text := written[i]; {
		case text == "":
		case target[i] >= 0:
			lines = append(lines, text+" "+label(target[i]))
		case strings.HasPrefix(c.text, "ret"):
			ends = true
			lines = append(lines, "jmp E"+fmt.Sprint(t))
		default:
			lines = append(lines, text)
		}
	}
	if ends {
		lines = append(lines, "E"+fmt.Sprint(t)+":")
	}
	return lines, nil
}

// A step is what becomes of an instruction.
type step struct {
	text  string // in the litmus test, "" if nothing; of a jump without the label
	jump  uint64 // where it may go, 0 if nowhere
	ends  bool   // the next instruction is not reached from here
	state map[string]bool
}

// step lifts an instruction that is reached with the state in the given registers.
func (l *lifter) step(text string, state map[string]bool) (s step, err error) {
	s.state = maps.Clone(state)
	op, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if op == "lock" || op == "data16" || strings.HasPrefix(op, "rep") || op == "cs" {
		var name string
		name, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
		if op == "lock" {
			op = "lock " + name
		} else {
			op = name
		}
	}
	rest, _, _ = strings.Cut(rest, "#")
	args := operands(rest)
	if op == "" || strings.HasPrefix(op, "nop") || op == "endbr64" || op == "xchg" && len(args) == 2 && args[0] == args[1] {
		return s, nil
	}
	last := ""
	if len(args) > 0 {
		last = args[len(args)-1]
	}
	switch {
	case strings.HasPrefix(op, "ret"):
		s.text, s.ends = "ret", true
		return s, nil
	case op == "call" || op == "callq":
		return s, fmt.Errorf("the code calls the runtime (%s)", text)
	case strings.HasPrefix(op, "j"):
		to, err := strconv.ParseUint(strings.TrimPrefix(strings.Fields(rest)[0], "0x"), 16, 64)
		if err != nil {
			return s, fmt.Errorf("%s: a jump to what is computed", text)
		}
		switch {
		case s.state[polls] || s.state[notNull] && (op == "je" || op == "jz"):
			// The poll of a safepoint, and a check for null, fall through.
		case s.state[notNull]:
			return s, fmt.Errorf("%s: after a check for null", text)
		default:
			s.text, s.jump, s.ends = op, to, op == "jmp" || op == "jmpq"
		}
		return s, nil
	case op == "push" || op == "pop" || last == "%rsp" && !strings.HasPrefix(op, "cmp"):
		return s, nil // the frame
	}
	delete(s.state, polls)
	delete(s.state, notNull)
	if (strings.HasPrefix(op, "cmp") || strings.HasPrefix(op, "test")) && strings.Contains(rest, "(%r15)") {
		s.state[polls] = true
		return s, nil
	}
	if strings.HasPrefix(op, "test") && len(args) == 2 && args[0] == args[1] && s.state[full(args[0])] {
		s.state[notNull] = true
		return s, nil
	}
	if strings.HasPrefix(op, "lock add") && strings.Contains(rest, "(%rsp)") {
		s.text = "mfence" // a locked instruction of the stack is a fence
		return s, nil
	}
	if m := reference().FindStringSubmatch(rest); m != nil && m[2] == "%rsp" {
		if off, err := strconv.ParseInt(m[1], 0, 64); err == nil && off < -4096 && last == m[0] {
			return s, nil // the end of the stack is touched
		}
		return s, fmt.Errorf("%s: a value is kept on the stack", text)
	}
	if strings.HasPrefix(op, "mov") && len(args) == 2 && strings.HasPrefix(args[0], "%") && s.state[full(args[0])] {
		if !strings.HasPrefix(last, "%") {
			return s, fmt.Errorf("%s: the state is stored", text)
		}
		s.state[full(last)] = true
		return s, nil
	}
	for i, arg := range args {
		m := reference().FindStringSubmatch(arg)
		if m == nil || m[0] != arg {
			args[i] = decimal(arg)
			if strings.HasPrefix(arg, "%") && s.state[full(arg)] && i < len(args)-1 {
				return s, fmt.Errorf("%s: the address of the state is a value", text)
			}
			continue
		}
		if op == "lea" && !s.state[full(m[2])] {
			continue
		}
		off := int64(0)
		if m[1] != "" {
			if off, err = strconv.ParseInt(m[1], 0, 64); err != nil {
				return s, err
			}
		}
		name, ok := l.fields[off]
		if !s.state[full(m[2])] || !ok || m[3] != "" || op == "lea" {
			return s, fmt.Errorf("%s: an access to something else than the variables of the test", text)
		}
		args[i] = "(" + name + ")"
	}
	if strings.HasPrefix(last, "%") && !strings.HasPrefix(op, "cmp") && !strings.HasPrefix(op, "test") {
		delete(s.state, full(last))
	}
	s.text = sized(op, args) + " " + strings.Join(args, ",")
	return s, nil
}

// What the flags tell, beside the registers that hold the state.
const (
	polls   = "poll"
	notNull = "not null"
)

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
			if n == full(a) {
				return op + "q"
			}
			return op + "l"
		}
	}
	return op
}

// jitText puts the litmus test together. What a thread observes is a variable.
func jitText(test *litmus.Test, locs []litmus.Loc, cols [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "X86_64 %s+jit\n{\n", strings.ReplaceAll(test.Name, " ", "-"))
	typ := func(size uint8) string {
		if size == 8 {
			return "int64_t "
		}
		return ""
	}
	for _, v := range test.Vars {
		fmt.Fprintf(&b, "%s%s=%s;\n", typ(v.Type.Size), v.Name, v.Init[0])
	}
	var seen []string
	for i, l := range locs {
		name := l.Var
		if l.Thread >= 0 {
			name = fmt.Sprint("o", i)
			fmt.Fprintf(&b, "%s%s=0;\n", typ(regSize(test, l)), name)
		}
		seen = append(seen, name+";")
	}
	b.WriteString("}\n")
	writeColumns(&b, cols)
	fmt.Fprintf(&b, "locations [%s]\nexists (true)\n", strings.Join(seen, " "))
	return b.String()
}
