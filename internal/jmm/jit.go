package jmm

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"

	"ravel/internal/lazy"
)

// The machine code that the JVM's compiler (C2) makes of a test is lifted to a litmus test of the processor (lift.go): each thread is a static method of one argument, the state, whose fields
// are the variables and what is observed. So every access of memory is one of a field of the state, of an array there, of the stack, or of the JVM's own data.

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
	text, traps, err := liftAll(ctx, test, a.Locs, out)
	if err != nil {
		return nil, err
	}
	code, err := frontend.Parse(test.Name+"+jit.litmus", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: the machine code has what litmus tests do not: %w\n%s", test.File, err, text)
	}
	r := &CompileReport{Name: test.Name, Model: a.Model, Scheme: "jit", Target: "x86", TargetModel: "tso", Code: text, title: version}
	if err := refuseTraps(ctx, code, traps, r.TargetModel, opts); err != nil {
		return nil, fmt.Errorf("%s: %w", test.File, err)
	}
	if err := r.compare(ctx, code, a, opts); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// refuseTraps reports an execution that comes to an instruction which is not lifted.
func refuseTraps(ctx context.Context, code *litmus.Test, traps []string, model string, opts justify.Options) error {
	if len(traps) == 0 {
		return nil
	}
	m, err := enumerate.Load(model)
	if err != nil {
		return err
	}
	at := litmus.Loc{Thread: -1, Var: trapName}
	only := *code
	only.Locations = []litmus.Observed{{Loc: at}}
	res, err := enumerate.Run(&only, m, enumerate.Options{Ctx: ctx, Unroll: max(opts.Unroll, 1)})
	if err != nil {
		return err
	}
	for _, s := range res.States {
		if n := s.Values[slices.Index(res.Locs, at)].Int; n > 0 {
			return fmt.Errorf("an execution comes to %s", traps[n-1])
		}
	}
	return nil
}

// jitFlags make the JVM compile the methods at once and without assumptions that could fail, and print their code.
var jitFlags = []string{
	"-XX:-BackgroundCompilation", "-XX:-TieredCompilation", "-XX:-UseOnStackReplacement", "-XX:PerMethodTrapLimit=0", "-XX:PerBytecodeTrapLimit=0",
	"-XX:+UnlockDiagnosticVMOptions", "-XX:CompileCommand=quiet", "-XX:CompileCommand=print,Jit.run*", "-XX:CompileCommand=dontinline,Jit.run*",
}

// compileByJVM returns what the JVM prints of the threads' code, and its version.
func compileByJVM(ctx context.Context, test *litmus.Test, locs []litmus.Loc) (out, version string, err error) {
	javac, err := findJDK("javac", "jit", 17)
	if err != nil {
		return "", "", err
	}
	java, err := findJDK("java", "jit", 17)
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
	flags := jitFlags[:len(jitFlags):len(jitFlags)]
	if hasLoops(test) {
		flags = append(flags, "-XX:CompileCommand=CompileThresholdScaling,Jit.run*,0.01")
	}
	if out, err = run(ctx, java, append(flags, "-cp", dir, "-Xmx256m", "Jit")...); err != nil {
		return "", "", fmt.Errorf("%s: the JVM does not print its code (it takes HotSpot with C2, 17 or later): %w", test.File, err)
	}
	version, err = run(ctx, java, "-version")
	return out, strings.TrimSpace(strings.SplitN(version, "\n", 2)[0]), err
}

// hasLoops reports whether a thread goes back.
func hasLoops(test *litmus.Test) bool {
	return slices.ContainsFunc(test.Threads, func(th *litmus.Thread) bool {
		for i := range th.Ops {
			if op := &th.Ops[i]; op.Kind == litmus.Branch && op.To <= i {
				return true
			}
		}
		return false
	})
}

// jitProgram writes the Java program whose methods run0, run1, … are the threads. Each is called many times with different values. If there are loops, another thread goes on to change the
// values, so that loops end. Code that does not look at them again never ends: it is left alone when it has taken a second of CPU time.
func jitProgram(test *litmus.Test, locs []litmus.Loc) (string, error) {
	src, err := newSource("jit", test, locs)
	if err != nil {
		return "", err
	}
	loops := hasLoops(test)
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
	p("    static void set(State s, int i) {\n")
	for k, v := range test.Vars {
		value := fmt.Sprintf("i / %d %% 4", 1<<(2*(k%8)))
		switch {
		case src.monitor(v):
		case v.Array:
			p("        for (int k = 0; k < s.%s.length; k++) s.%s[k] = %s;\n", v.Name, v.Name, value)
		default:
			p("        s.%s = %s;\n", v.Name, value)
		}
	}
	p("    }\n\n    static volatile State now;\n    static volatile int calls;\n\n")
	for t := range test.Threads {
		p("    static void train%d() {\n        for (int i = 0; i < %d; i++) {\n            State s = new State();\n            set(s, i);\n", t, map[bool]int{false: 60000, true: 600}[loops])
		p("            now = s;\n            calls = i;\n            try { run%d(s); } catch (IndexOutOfBoundsException e) { }\n        }\n    }\n\n", t)
	}
	if loops {
		b.WriteString(jitWatch)
	}
	b.WriteString(`    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName("sun.misc.Unsafe");
        Field f = c.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        for (Field g : State.class.getDeclaredFields()) {
            System.out.println("offset " + g.getName() + " " + c.getMethod("objectFieldOffset", Field.class).invoke(f.get(null), g));
        }
        System.out.println("elements 4 " + c.getMethod("arrayBaseOffset", Class.class).invoke(f.get(null), int[].class));
        System.out.println("elements 8 " + c.getMethod("arrayBaseOffset", Class.class).invoke(f.get(null), long[].class));
`)
	for t := range test.Threads {
		if loops {
			p("        watch(Jit::train%d);\n", t)
		} else {
			p("        train%d();\n", t)
		}
	}
	p("    }\n}\n")
	return b.String(), nil
}

const jitWatch = `    static void change() {
        for (int i = 1; !Thread.interrupted(); i++) {
            State s = now;
            if (s != null) set(s, i);
        }
    }

    static void watch(Runnable train) throws Exception {
        Thread t = new Thread(train), other = new Thread(Jit::change);
        t.setDaemon(true);
        other.setDaemon(true);
        t.start();
        other.start();
        java.lang.management.ThreadMXBean times = java.lang.management.ManagementFactory.getThreadMXBean();
        long since = 0;
        for (int last = -1; t.isAlive(); Thread.sleep(10)) {
            int n = calls;
            long cpu = times.getThreadCpuTime(t.getId());
            if (n != last) since = cpu;
            else if (cpu - since > 1_000_000_000L) break;
            last = n;
        }
        other.interrupt();
    }

`

var (
	offsetLine = lazy.Regexp(`^offset (\w+) (\d+)$`)
	firstLine  = lazy.Regexp(`^elements ([48]) (\d+)$`)
	methodLine = lazy.Regexp(`^Compiled method \(c2\).* Jit::run(\d+) `)
	codeLine   = lazy.Regexp(`^\s+0x([0-9a-f]+):\s+(.*)$`)
	bytesOnly  = lazy.Regexp(`^[0-9a-f]{2,4}([ |]+[0-9a-f]{2,4})*[ |]*$`)
	disLine    = lazy.Regexp(`^\s*([0-9a-f]+):\s*(.*)$`)
)

// An instr is a machine instruction in AT&T's syntax.
type instr struct {
	at   uint64
	text string
}

// liftAll makes a litmus test of what the JVM printed. A trap is an instruction that was not lifted.
func liftAll(ctx context.Context, test *litmus.Test, locs []litmus.Loc, out string) (text string, traps []string, err error) {
	l := &lifter{test: test, fields: map[int64]string{}, first: map[uint8]int64{}, slots: map[string]uint8{}}
	methods := map[int][]string{}
	at := -1
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if m := offsetLine().FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseInt(m[2], 10, 64)
			l.fields[n] = m[1]
		} else if m := firstLine().FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseInt(m[2], 10, 64)
			l.first[m[1][0]-'0'] = n
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
			return "", nil, fmt.Errorf("%s: %w", test.File, err)
		}
		if len(code) == 0 {
			return "", nil, fmt.Errorf("%s: the JVM prints no code for thread %d: it takes HotSpot with the compiler C2, 17 or later", test.File, t)
		}
		if cols[t], err = l.lift(t, code); err != nil {
			return "", nil, fmt.Errorf("%s: thread %d: %w", test.File, t, err)
		}
	}
	return l.text(locs, cols), l.traps, nil
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
