package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/arch"
	"ravel/internal/engine"
	"ravel/internal/enumerate"
	"ravel/internal/explore"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
	"ravel/internal/model"
	"ravel/internal/report"
)

// TestAsmLitmus makes a program of each litmus test of a processor: the code of a thread is one piece of inline assembly. The program may end as the
// condition says, under the native model, if and only if the test may under the model in cat. The two share how instructions are read, and nothing else.
func TestAsmLitmus(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all litmus tests of six processors")
	}
	for name, min := range map[arch.Name]int{arch.AArch64: 150, arch.ARM: 60, arch.PPC: 140, arch.RISCV: 110, arch.X86_64: 35, arch.X86: 35} {
		t.Run(string(name), func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(corpus, "litmus", string(name), "*.litmus"))
			if err != nil {
				t.Fatal(err)
			}
			compared := 0
			for _, file := range files {
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				test, err := frontend.Parse(file, src)
				if err != nil {
					t.Fatal(err)
				}
				p := asmProgram{test: test}
				text, ok := p.module()
				if !ok {
					continue
				}
				cat, err := enumerate.Load(arch.Of(name).Model)
				if err != nil {
					t.Fatal(err)
				}
				want, err := enumerate.Run(test, cat, enumerate.Options{})
				if err != nil || !want.Decided() {
					continue
				}
				path := filepath.Join(t.TempDir(), "a.ll")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				m, err := model.Get(arch.Of(name).Model, model.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := Run(Config{Files: []string{path}, Explore: explore.Options{Model: m, Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Timeout: 10 * time.Second}}})
				if err != nil {
					if strings.Contains(err.Error(), "not temporal") || strings.Contains(err.Error(), "without an exclusive load from there") {
						continue // refused
					}
					t.Errorf("%s: %v", filepath.Base(file), err)
					continue
				}
				if got.Verdict == report.Bounded {
					t.Logf("%s: bounded", filepath.Base(file))
					continue
				}
				compared++
				if wrong := len(got.Errors) > 0; wrong != (want.Positive > 0 || filepath.Base(file) == falseAlarm) {
					t.Errorf("%s: the test %v, the program %v\n%s", filepath.Base(file), want.Observation(), got.Verdict, text)
				}
			}
			t.Logf("%d of %d tests compared", compared, len(files))
			if compared < min {
				t.Errorf("%d of %d tests compared, want at least %d", compared, len(files), min)
			}
		})
	}
}

var asmPrograms = flag.Int("asm-programs", 300, "random programs in the assembly of AArch64")

// TestAsmRandom does so for random tests of AArch64 with selects and compare-and-swaps. Where the register that a CAS compares depends on a read, only what may be missed is looked for.
func TestAsmRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("explores hundreds of programs")
	}
	cat, err := enumerate.Load("armv8")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Get("armv8", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sometimes, bounded, approximate int
	for seed := range uint64(*asmPrograms) {
		g := asmRandom{r: rand.New(rand.NewPCG(seed, 23))}
		src := g.test()
		test, err := frontend.Parse("random.litmus", []byte(src))
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		p := asmProgram{test: test}
		text, ok := p.module()
		if !ok {
			t.Fatalf("seed %d: no program\n%s", seed, src)
		}
		want, err := enumerate.Run(test, cat, enumerate.Options{})
		if err != nil || !want.Decided() {
			continue
		}
		path := filepath.Join(t.TempDir(), "a.ll")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Run(Config{Files: []string{path}, Explore: explore.Options{Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Timeout: time.Minute}}})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		may, wrong := want.Positive > 0, len(got.Errors) > 0
		switch {
		case may && !wrong && got.Verdict == report.Bounded:
			bounded++
		case may && !wrong:
			t.Errorf("seed %d: missed, and the verdict is %v\n%s", seed, got.Verdict, src)
		case !may && wrong && g.approximate:
			approximate++
		case !may && wrong:
			t.Errorf("seed %d: never, and the verdict is %v\n%s", seed, got.Verdict, src)
		case may:
			sometimes++
		}
	}
	t.Logf("%d programs, %d may end so; %d bounded, %d false alarms", *asmPrograms, sometimes, bounded, approximate)
}

// An asmRandom makes a random test of two threads.
type asmRandom struct {
	r           *rand.Rand
	approximate bool // the register that a CAS compares depends on a read
	conds       []string
}

func (g *asmRandom) test() string {
	var threads [2][]string
	for t := range threads {
		threads[t] = g.thread(t)
	}
	var b strings.Builder
	b.WriteString("AArch64 random\n{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }\n P0 | P1 ;\n")
	for i := range max(len(threads[0]), len(threads[1])) {
		var row [2]string
		for t := range row {
			if i < len(threads[t]) {
				row[t] = threads[t][i]
			}
		}
		fmt.Fprintf(&b, " %s | %s ;\n", row[0], row[1])
	}
	for _, v := range "xy" {
		if g.r.IntN(3) == 0 || len(g.conds) == 0 {
			g.conds = append(g.conds, fmt.Sprintf("%c=%d", v, g.r.IntN(3)))
		}
	}
	fmt.Fprintf(&b, "exists (%s)\n", strings.Join(g.conds, " /\\ "))
	return b.String()
}

// thread returns the instructions of a thread. Its registers from W3 on are what was read, in order, or picked.
func (g *asmRandom) thread(t int) (code []string) {
	next, read := 3, []int{}
	reg := func() int { next++; return next - 1 }
	old := func() int { return read[g.r.IntN(len(read))] }
	addr := func() string {
		base := 1 + g.r.IntN(2)
		if len(read) == 0 || g.r.IntN(2) == 0 {
			return fmt.Sprintf("[X%d]", base)
		}
		d := reg()
		code = append(code, fmt.Sprintf("EOR W%d,W%d,W%[2]d", d, old()))
		return fmt.Sprintf("[X%d,W%d,SXTW]", base, d)
	}
	value := func() int {
		if len(read) > 0 && g.r.IntN(3) > 0 {
			return old()
		}
		d := reg()
		code = append(code, fmt.Sprintf("MOV W%d,#%d", d, 1+g.r.IntN(2)))
		return d
	}
	see := func(d int) {
		read = append(read, d)
		if g.r.IntN(3) > 0 {
			g.conds = append(g.conds, fmt.Sprintf("%d:X%d=%d", t, d, g.r.IntN(3)))
		}
	}
	for n := 2 + g.r.IntN(3); n > 0; n-- {
		switch k := g.r.IntN(8); {
		case k < 2:
			a, d := addr(), reg()
			code = append(code, fmt.Sprintf("LDR W%d,%s", d, a))
			see(d)
		case k < 4:
			a, v := addr(), value()
			code = append(code, fmt.Sprintf("STR W%d,%s", v, a))
		case k == 4:
			v := value()
			code = append(code, fmt.Sprintf("STLR W%d,[X%d]", v, 1+g.r.IntN(2)))
		case k < 7:
			compared := reg()
			if len(read) > 0 && g.r.IntN(4) == 0 {
				g.approximate = true
				code = append(code, fmt.Sprintf("MOV W%d,W%d", compared, old()))
			} else {
				code = append(code, fmt.Sprintf("MOV W%d,#%d", compared, g.r.IntN(2)))
			}
			v := value()
			code = append(code, fmt.Sprintf("CAS%s W%d,W%d,[X%d]", []string{"", "", "A", "L"}[g.r.IntN(4)], compared, v, 1+g.r.IntN(2)))
			see(compared)
		case len(read) > 0:
			tested, a, b := old(), value(), value()
			d := reg()
			code = append(code, fmt.Sprintf("CMP W%d,#1", tested), fmt.Sprintf("CSEL W%d,W%d,W%d,EQ", d, a, b))
			read = append(read, d)
		}
	}
	return code
}

// falseAlarm is a test that is forbidden though the program may end as it says: where the register that a CAS compares depends on a read, its result depends on neither the register nor memory
// (machine/shadow.go), and here both would order it.
const falseAlarm = "CAS+both.litmus"

// An asmProgram makes text IR of a litmus test.
type asmProgram struct {
	test *litmus.Test
	out  strings.Builder
	temp int
	bad  bool
}

func (p *asmProgram) word() string {
	if p.test.Arch == arch.ARM {
		return "i32"
	}
	return "i64"
}

func (p *asmProgram) module() (string, bool) {
	layout, triple := "e", map[arch.Name]string{arch.AArch64: "aarch64", arch.ARM: "armv7", arch.PPC: "powerpc64le", arch.RISCV: "riscv64", arch.X86: "x86_64", arch.X86_64: "x86_64"}[p.test.Arch]
	if p.test.Arch == arch.ARM {
		layout = "e-p:32:32"
	}
	fmt.Fprintf(&p.out, "target datalayout = %q\ntarget triple = \"%s-linux-gnu\"\ndeclare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(%s, ptr)\ndeclare void @__VERIFIER_assert(i32)\n", layout, triple, p.word())
	for _, v := range p.test.Vars {
		var values []string
		for _, x := range v.Init {
			switch {
			case x.Kind == litmus.Int:
				values = append(values, fmt.Sprintf("i%d %d", 8*v.Type.Size, int64(x.Int)))
			case x.Kind == litmus.Addr && x.Int == 0 && len(v.Init) == 1:
				values = append(values, "ptr @"+x.Sym)
			default:
				return "", false
			}
		}
		typ, _, _ := strings.Cut(values[0], " ")
		fmt.Fprintf(&p.out, "@%s = global [%d x %s] [%s]\n", v.Name, len(values), typ, strings.Join(values, ", "))
	}
	for _, th := range p.test.Threads {
		p.thread(th)
	}
	p.main()
	return p.out.String(), !p.bad
}

// observed returns the registers of a thread that the condition asks for.
func (p *asmProgram) observed(id int) (regs []litmus.Reg) {
	for _, l := range p.test.Observed() {
		if l.Thread == id {
			regs = append(regs, l.Reg)
		}
	}
	return regs
}

var x86Variable = regexp.MustCompile(`\((\w+)\)|\[(\w+)\]`)

func (p *asmProgram) thread(th *litmus.Thread) {
	var lines, cons, args []string
	spare := 12
	variables := map[string]string{}
	for n, in := range th.Instrs {
		for label, at := range th.Labels {
			if first := slices.IndexFunc(th.Ops, func(op litmus.Op) bool { return op.Ins == n }); first >= 0 && first == at {
				lines = append(lines, label+":")
			}
		}
		text := in.Text
		if p.test.Arch == arch.X86 || p.test.Arch == arch.X86_64 {
			text = x86Variable.ReplaceAllStringFunc(text, func(s string) string {
				name := s[1 : len(s)-1]
				if p.test.Var(name) == nil {
					return s
				}
				if variables[name] == "" {
					variables[name] = fmt.Sprint("r", spare)
					spare++
				}
				if p.test.Arch == arch.X86 {
					return "dword ptr [" + variables[name] + "]"
				}
				return "(%" + variables[name] + ")"
			})
		}
		lines = append(lines, text)
	}
	for label, at := range th.Labels {
		if at == len(th.Ops) {
			lines = append(lines, label+":")
		}
	}
	regs := p.observed(th.ID)
	for _, r := range regs {
		cons = append(cons, "={"+strings.ToLower(string(r))+"}")
	}
	for _, r := range th.Init {
		cons = append(cons, "{"+strings.ToLower(string(r.Reg))+"}")
		switch r.Value.Kind {
		case litmus.Int:
			args = append(args, fmt.Sprintf("%s %d", p.word(), int64(r.Value.Int)))
		case litmus.Addr:
			args = append(args, fmt.Sprintf("ptr getelementptr (i8, ptr @%s, i64 %d)", r.Value.Sym, int64(r.Value.Int)))
		default:
			p.bad = true
		}
	}
	for name, r := range variables {
		cons = append(cons, "{"+r+"}")
		args = append(args, "ptr @"+name)
	}
	for _, r := range regs {
		fmt.Fprintf(&p.out, "@r.%d.%s = global %s 0\n", th.ID, r, p.word())
	}
	typ := "void"
	switch len(regs) {
	case 0:
	case 1:
		typ = p.word()
	default:
		typ = "{ " + strings.Repeat(p.word()+", ", len(regs)-1) + p.word() + " }"
	}
	dialect := ""
	if p.test.Arch == arch.X86 {
		dialect = " inteldialect"
	}
	fmt.Fprintf(&p.out, "define ptr @P%d(ptr %%arg) {\n", th.ID)
	if len(regs) > 0 {
		p.out.WriteString(" %r =")
	}
	fmt.Fprintf(&p.out, " call %s asm sideeffect%s \"%s\", %q(%s)\n", typ, dialect, strings.ReplaceAll(strings.Join(lines, `\0A`), "$", "$$"), strings.Join(cons, ","), strings.Join(args, ", "))
	for i, r := range regs {
		v := "%r"
		if len(regs) > 1 {
			v = fmt.Sprintf("%%r%d", i)
			fmt.Fprintf(&p.out, " %s = extractvalue %s %%r, %d\n", v, typ, i)
		}
		fmt.Fprintf(&p.out, " store %s %s, ptr @r.%d.%s\n", p.word(), v, th.ID, r)
	}
	p.out.WriteString(" ret ptr null\n}\n")
}

func (p *asmProgram) main() {
	p.out.WriteString("define i32 @main() {\n")
	for _, th := range p.test.Threads {
		fmt.Fprintf(&p.out, " %%t%d = alloca %s\n call i32 @pthread_create(ptr %%t%d, ptr null, ptr @P%d, ptr null)\n", th.ID, p.word(), th.ID, th.ID)
	}
	for _, th := range p.test.Threads {
		fmt.Fprintf(&p.out, " %%id%d = load %s, ptr %%t%d\n call i32 @pthread_join(%s %%id%d, ptr null)\n", th.ID, p.word(), th.ID, p.word(), th.ID)
	}
	fmt.Fprintf(&p.out, " br i1 %s, label %%yes, label %%no\nyes:\n call void @__VERIFIER_assert(i32 0)\n ret i32 1\nno:\n ret i32 0\n}\n", p.prop(p.test.Cond.Prop))
}

func (p *asmProgram) fresh() string {
	p.temp++
	return fmt.Sprintf("%%v%d", p.temp)
}

// prop computes a proposition.
func (p *asmProgram) prop(x *litmus.Prop) string {
	switch x.Kind {
	case litmus.PTrue:
		return "true"
	case litmus.PFalse:
		return "false"
	case litmus.PAtom:
		return p.atom(x.Atom)
	}
	v := p.prop(x.Args[0])
	if x.Kind == litmus.PNot || x.Kind == litmus.PImplies {
		r := p.fresh()
		fmt.Fprintf(&p.out, " %s = xor i1 %s, true\n", r, v)
		v = r
	}
	for _, a := range x.Args[1:] {
		w, r := p.prop(a), p.fresh()
		fmt.Fprintf(&p.out, " %s = %s i1 %s, %s\n", r, map[bool]string{true: "and", false: "or"}[x.Kind == litmus.PAnd], v, w)
		v = r
	}
	return v
}

func (p *asmProgram) atom(a *litmus.Atom) string {
	if a.Elems != nil {
		p.bad = true
		return "true"
	}
	size := max(a.Type.Size, 1)
	x, y := p.load(a.Loc, size), fmt.Sprint(int64(a.Value.Int))
	if a.Other != nil {
		y = p.load(*a.Other, size)
	} else if a.Value.Kind != litmus.Int {
		p.bad = true
	}
	r := p.fresh()
	fmt.Fprintf(&p.out, " %s = icmp %s i%d %s, %s\n", r, map[bool]string{true: "ne", false: "eq"}[a.NotEqual], 8*size, x, y)
	return r
}

// load returns the value of a location, of so many bytes.
func (p *asmProgram) load(l litmus.Loc, size uint8) string {
	r := p.fresh()
	if l.Thread < 0 {
		v := p.test.Var(l.Var)
		if v.Type.Size != size || l.Index > 0 {
			p.bad = true
		}
		fmt.Fprintf(&p.out, " %s = load i%d, ptr @%s\n", r, 8*size, l.Var)
		return r
	}
	fmt.Fprintf(&p.out, " %s = load i%d, ptr @r.%d.%s\n", r, 8*size, l.Thread, l.Reg)
	return r
}
