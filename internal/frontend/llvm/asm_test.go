package llvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/arch"
	"ravel/internal/event"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/ir"
	"ravel/internal/litmus"
)

// tripleOf has a target for each processor.
var tripleOf = map[arch.Name]string{arch.X86_64: "x86_64-linux-gnu", arch.AArch64: "aarch64-linux-gnu", arch.ARM: "armv7-linux-gnueabihf", arch.PPC: "powerpc64le-linux-gnu", arch.RISCV: "riscv64-linux-gnu"}

// lowerTemplate lowers a function that is one piece of inline assembly with three inputs in registers, the last one an address.
func lowerTemplate(t *testing.T, name arch.Name, text, cons string) *ir.Func {
	t.Helper()
	args, word, layout := "", "i64", "e"
	if name == arch.ARM {
		word, layout = "i32", "e-p:32:32"
	}
	if cons != "" {
		args = word + " %a, " + word + " %b, ptr @x"
	}
	src := fmt.Sprintf("target datalayout = %q\ntarget triple = %q\n@x = global [4 x i64] zeroinitializer\ndefine i32 @main(%s %%a, %s %%b) {\n call void asm sideeffect \"%s\", %q(%s)\n ret i32 0\n}\n",
		layout, tripleOf[name], word, word, strings.ReplaceAll(text, "\n", "\\0A"), cons, args)
	m, err := Parse("a.ll", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := link([]*Module{m})
	if err != nil {
		t.Fatal(err)
	}
	return p.Main
}

// eventsOf returns the accesses and fences of a function, and the first message of something that is not supported.
func eventsOf(f *ir.Func) (events []string, bad string) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			switch in := &b.Instrs[i]; in.Op {
			case ir.Load, ir.Store:
				events = append(events, strings.TrimSpace(fmt.Sprintf("%v%d %v %v", in.Op, in.Size, in.Mode, in.Tag)))
			case ir.RMW:
				events = append(events, strings.TrimSpace(fmt.Sprintf("%v%d %v %v", in.RMW, in.Size, in.Mode, in.Tag)))
			case ir.CmpXchg:
				weak := map[bool]string{true: " weak"}[in.Weak]
				events = append(events, strings.TrimSpace(fmt.Sprintf("cas%d%s %v %v", in.Size, weak, in.Mode, in.Tag)))
			case ir.Fence:
				events = append(events, strings.TrimSpace(fmt.Sprintf("fence %v %v", in.Mode, in.Tag)))
			case ir.Unsupported:
				bad = in.Message
			}
		}
	}
	return events, bad
}

// asmInstructions are all instructions that access memory or are fences, as litmus tests write them: %0 and %1 are registers, %2 is one with an address.
var asmInstructions = map[arch.Name]struct {
	regs  [3]string // their names in a test
	small [3]string // those of 32 bits, "" if there are none
	lines []string  // w before a register: one of 32 bits; names with | are variants
}{
	arch.AArch64: {regs: [3]string{"X9", "X10", "X11"}, small: [3]string{"W9", "W10", "W11"}, lines: []string{
		"LDR %0,[%2]", "LDR w%0,[%2]", "LDRB w%0,[%2]", "LDRH w%0,[%2]", "LDRSB w%0,[%2]", "LDRSH %0,[%2]", "LDRSW %0,[%2]", "LDUR %0,[%2,#8]", "LDTR w%0,[%2]",
		"LDR %0,[%2,%1]", "LDR w%0,[%2],#4", "LDR %0,[%2,#8]!", "LDP %0,%1,[%2]", "LDP w%0,w%1,[%2]", "STP %0,%1,[%2]", "STNP %0,%1,[%2]",
		"LDAR|LDAPR|LDLAR w%0,[%2]", "LDAR|LDAPR %0,[%2]", "LDARB|LDARH|LDAPRB|LDAPRH w%0,[%2]", "LDAPUR %0,[%2,#8]",
		"STR|STUR|STTR|STLR|STLLR|STLUR %0,[%2]", "STR|STLR w%0,[%2]", "STRB|STRH|STLRB|STLRH w%0,[%2]",
		"LDXR|LDAXR %0,[%2]", "LDXR|LDAXR|LDXRB|LDAXRB|LDXRH|LDAXRH w%0,[%2]", "LDXP|LDAXP w%0,w%1,[%2]",
		"CAS|CASA|CASL|CASAL %0,%1,[%2]", "CAS|CASA|CASL|CASAL|CASB|CASAB|CASLB|CASALB|CASH|CASAH|CASLH|CASALH w%0,w%1,[%2]",
		"SWP|SWPA|SWPL|SWPAL %0,%1,[%2]", "SWPB|SWPAB|SWPLB|SWPALB|SWPH|SWPAH|SWPLH|SWPALH w%0,w%1,[%2]",
		"LDADD|LDADDA|LDADDL|LDADDAL|LDCLR|LDCLRA|LDCLRL|LDCLRAL|LDEOR|LDEORA|LDEORL|LDEORAL|LDSET|LDSETA|LDSETL|LDSETAL %0,%1,[%2]",
		"LDSMAX|LDSMAXA|LDSMAXL|LDSMAXAL|LDSMIN|LDSMINAL|LDUMAX|LDUMAXAL|LDUMIN|LDUMINAL %0,%1,[%2]", "LDADDB|LDADDAH|LDCLRALB|LDSETLH|LDSMAXB|LDUMINAH w%0,w%1,[%2]",
		"STADD|STADDL|STCLR|STCLRL|STEOR|STEORL|STSET|STSETL|STSMAX|STSMIN|STUMAX|STUMINL %0,[%2]", "STADDB|STADDLH w%0,[%2]",
		"SWPP|SWPPA|SWPPL|SWPPAL %0,%1,[%2]",
		"DMB SY|DMB ISH|DMB OSH|DMB NSH|DMB LD|DMB ISHLD|DMB OSHLD|DMB NSHLD|DMB ST|DMB ISHST|DMB OSHST|DMB NSHST",
		"DSB SY|DSB ISH|DSB OSH|DSB NSH|DSB LD|DSB ISHLD|DSB OSHLD|DSB NSHLD|DSB ST|DSB ISHST|DSB OSHST|DSB NSHST", "ISB|ISB SY",
		"NOP|YIELD|WFE|WFI|SEV|SEVL|CSDB|DGH|HINT #1", "PRFM PLDL1KEEP,[%2]", "CLREX",
	}},
	arch.ARM: {regs: [3]string{"R1", "R2", "R3"}, lines: []string{
		"LDR|LDRB|LDRH|LDRSB|LDRSH %0,[%2]", "LDR %0,[%2,#4]", "LDR %0,[%2],#4", "LDR %0,[%2,#4]!", "LDR %0,[%2,%1]", "STR|STRB|STRH %0,[%2]", "LDRD|STRD %0,%1,[%2]",
		"LDREX|LDREXB|LDREXH %0,[%2]", "LDREXD %0,%1,[%2]", "SWP|SWPB %0,%1,[%2]",
		"DMB|DMB SY|DMB ISH|DMB OSH|DMB NSH|DMB ST|DMB ISHST|DSB|DSB SY|DSB ISH|DSB ST|DSB ISHST|ISB|ISB SY", "NOP|WFE|WFI|SEV|YIELD", "PLD [%2]", "CLREX",
	}},
	arch.PPC: {regs: [3]string{"r3", "r4", "r5"}, lines: []string{
		"lbz|lhz|lha|lwz|lwa|ld %0,0(%2)", "lbzx|lhzx|lwzx|lwax|ldx %0,%1,%2", "lwzu %0,8(%2)", "stb|sth|stw|std %0,0(%2)", "stbx|sthx|stwx|stdx %0,%1,%2", "stwu %0,8(%2)",
		"lbarx|lharx|lwarx|ldarx %0,0,%2", "sync|hwsync|lwsync|eieio|isync|sync 0|sync 1", "nop",
	}},
	arch.RISCV: {regs: [3]string{"x5", "x6", "x7"}, lines: []string{
		"lb|lbu|lh|lhu|lw|lwu|ld %0,0(%2)", "lw %0,8(%2)", "sb|sh|sw|sd %0,0(%2)", "lr.w|lr.w.aq|lr.w.aqrl|lr.d|lr.d.aq|lr.d.aqrl %0,(%2)",
		"amoswap.w|amoswap.w.aq|amoswap.w.rl|amoswap.w.aqrl|amoswap.d|amoswap.d.aq|amoswap.d.rl|amoswap.d.aqrl %0,%1,(%2)",
		"amoadd.w|amoadd.d.aqrl|amoand.w.aq|amoand.d|amoor.w.rl|amoor.d|amoxor.w|amoxor.d.aqrl|amomax.w|amomax.d|amomin.w|amomin.d|amomaxu.w|amomaxu.d|amominu.w|amominu.d.aqrl %0,%1,(%2)",
		"amocas.w|amocas.w.aq|amocas.d.aqrl %0,%1,(%2)",
		"fence|fence.tso|fence.i", "fence r,r|fence r,w|fence r,rw|fence w,r|fence w,w|fence w,rw|fence rw,r|fence rw,w|fence rw,rw", "nop|pause",
	}},
	arch.X86_64: {regs: [3]string{"%r8", "%r9", "%r10"}, small: [3]string{"%r8d", "%r9d", "%r10d"}, lines: []string{
		"movb $1,(%2)", "movw $1,(%2)", "movl $1,(%2)", "movq $1,(%2)", "movq %0,(%2)", "movl w%0,8(%2)", "movl (%2),w%0", "movq (%2),%0", "movq (%2,%1,8),%0",
		"movzbl (%2),w%0", "movswl (%2),w%0", "movslq (%2),%0",
		"xchgl w%0,(%2)", "xchgq %0,(%2)", "lock xaddl w%0,(%2)", "xaddl w%0,(%2)", "lock cmpxchgl w%0,(%2)", "lock cmpxchgq %0,(%2)", "cmpxchgl w%0,(%2)",
		"lock incl (%2)", "incl (%2)", "lock decq (%2)", "lock notl (%2)", "lock addl $5,(%2)", "lock addb $5,(%2)", "addl $5,(%2)", "lock subw $5,(%2)", "lock andl w%0,(%2)", "lock orq %0,(%2)", "lock xorl $1,(%2)",
		"lock adcl $5,(%2)", "lock sbbl $5,(%2)", "lock btsl $3,(%2)", "lock btrq %0,(%2)", "lock btcl w%0,(%2)", "btl $3,(%2)", "btsl $3,(%2)",
		"cmpl $1,(%2)", "testl $1,(%2)", "addl (%2),w%0", "shll $1,(%2)", "bsrl (%2),w%0", "bsfq (%2),%0", "popcntq (%2),%0", "tzcntl (%2),w%0", "lzcntl (%2),w%0",
		"lock cmpxchg8b (%2)", "lock cmpxchg16b (%2)", "sete (%2)", "cmovel (%2),w%0",
		"mfence", "lfence", "sfence", "pause", "nop", "prefetcht0 (%2)", "prefetchw (%2)",
	}},
}

// TestAsmEvents checks for every instruction that inline assembly of it has the events that a litmus test with it has: kinds, sizes, which halves are one
// read-modify-write, orders and fences. What an order is to models is asmOrders.
func TestAsmEvents(t *testing.T) {
	for name, table := range asmInstructions {
		for _, line := range table.lines {
			ops, operands, _ := strings.Cut(line, " ")
			if strings.Contains(line, "|") && !strings.Contains(line, "%") { // fences and hints with their options
				ops, operands = line, ""
			}
			for op := range strings.SplitSeq(ops, "|") {
				if operands != "" {
					op += " " + operands
				}
				if name == arch.X86_64 && strings.HasPrefix(line, "lock") {
					op = line
				}
				regs := []string{}
				for i := range 3 {
					if table.small[i] != "" {
						regs = append(regs, "w%"+fmt.Sprint(i), table.small[i])
					}
				}
				for i := range 3 {
					regs = append(regs, "%"+fmt.Sprint(i), table.regs[i])
				}
				text := strings.NewReplacer(regs...).Replace(op)
				test, err := frontend.Parse("a.litmus", []byte(fmt.Sprintf("%s a\n{}\n P0 ;\n %s ;\nexists (true)\n", name, text)))
				if err != nil {
					t.Errorf("%s: %s: %v", name, text, err)
					continue
				}
				want := litmusEvents(name, test.Threads[0])
				cons := ""
				for i, r := range table.regs {
					cons += fmt.Sprintf("%.*s{%s}", i, ",", strings.ToLower(strings.TrimPrefix(r, "%")))
				}
				if !strings.Contains(op, "%") {
					cons = ""
				}
				got, bad := eventsOf(lowerTemplate(t, name, strings.ReplaceAll(text, "$", "$$"), cons))
				if bad != "" || !slices.Equal(got, want) {
					t.Errorf("%s: %s: %v %s, want %v", name, text, got, bad, want)
				}
			}
		}
	}
}

// asmOrders are the marks of package litmus as C11's modes and as tags: of a load, of a store, of both.
var asmOrders = map[arch.Name]map[string]string{
	arch.X86_64: {"load": "acq", "store": "rel", "load X": "sc", "store X": "sc", "both X X": "sc"},
	arch.AArch64: {
		"load": "rlx", "store": "rlx", "load A": "sc A", "load Q": "acq Q", "store L": "sc L", "load X EX": "rlx", "load A X EX": "sc A",
		"both X X": "rlx", "both A X X": "acq A", "both X L X": "rel L", "both A X L X": "sc aqrl", "both X NoRet X": "rlx noreturn", "both X NoRet L X": "rel noreturn",
	},
	arch.ARM: {"load": "rlx", "store": "rlx", "load X EX": "rlx", "both X X": "rlx"},
	arch.PPC: {"load": "rlx", "store": "rlx", "load X EX": "rlx"},
	arch.RISCV: {
		"load": "rlx", "store": "rlx", "load X EX": "rlx", "load X EX Acq": "acq A", "load X EX AcqRel": "acq A",
		"both X X": "rlx plain", "both X Acq X Acq": "acq A", "both X Rel X Rel": "rel L", "both X AcqRel X AcqRel": "sc aqrl",
	},
}

// litmusEvents returns the events of micro code as eventsOf has them.
func litmusEvents(name arch.Name, th *litmus.Thread) (events []string) {
	updates, _ := th.Updates()
	skip := map[int]bool{}
	order := func(kind string, sets ...string) string {
		o, ok := asmOrders[name][strings.TrimSpace(kind+" "+strings.Join(sets, " "))]
		if !ok {
			o = fmt.Sprintf("%s %v is no order that is known", kind, sets)
		}
		return o
	}
	for i := range th.Ops {
		op := &th.Ops[i]
		if skip[i] {
			continue
		}
		k := slices.IndexFunc(updates, func(u litmus.Update) bool { return u.Load == i })
		switch {
		case op.Kind == litmus.Fence:
			tag := asmFence(name, op.Sets[0])
			events = append(events, fmt.Sprintf("fence %v %v", tag.Mode(), tag))
		case k >= 0:
			u := updates[k]
			size := op.Size
			skip[u.Store], skip[u.Load2], skip[u.Store2] = true, true, true
			if u.Load2 >= 0 {
				size *= 2
			}
			events = append(events, fmt.Sprintf("%v%d %s", u.RMW, size, order("both", append(slices.Clone(op.Sets), th.Ops[u.Store].Sets...)...)))
		case op.Kind == litmus.Load:
			size := op.Size
			if op.Excl && i+1 < len(th.Ops) && th.Ops[i+1].Kind == litmus.Load {
				size, skip[i+1] = 2*size, true
			}
			events = append(events, fmt.Sprintf("load%d %s", size, order("load", op.Sets...)))
		case op.Kind == litmus.Store:
			events = append(events, fmt.Sprintf("store%d %s", op.Size, order("store", op.Sets...)))
		}
	}
	return events
}

// TestAsmLoops checks loops of exclusives: one read-modify-write where the loop is one, else a compare-and-swap with what the load found.
func TestAsmLoops(t *testing.T) {
	for _, c := range []struct {
		name arch.Name
		text string
		want string
	}{
		{arch.AArch64, "1: ldxr x0,[$2]\nadd x0,x0,$0\nstxr w1,x0,[$2]\ncbnz w1,1b", "add8 rlx"},
		{arch.AArch64, "prfm pstl1strm,[$2]\n1: ldaxr w0,[$2]\nbic w0,w0,${0:w}\nstlxr w1,w0,[$2]\ncbnz w1,1b\ndmb ish", "and4 sc, fence sc dmb.sy"},
		{arch.AArch64, "1: ldxr w0,[$2]\nstxr w1,${0:w},[$2]\ncbnz w1,1b", "xchg4 rlx"},
		{arch.AArch64, "1: ldxr w0,[$2]\neor w3,w0,${0:w}\ncbnz w3,2f\nstlxr w1,${1:w},[$2]\ncbnz w1,1b\ndmb ish\n2:", "cas4 rel, fence sc dmb.sy"},
		{arch.AArch64, "1: ldaxr w0,[$2]\ncmp w0,${0:w}\nb.ne 2f\nstxr w1,${1:w},[$2]\ncbnz w1,1b\n2: clrex", "cas4 acq"},
		{arch.AArch64, "sevl\n2: wfe\n1: ldaxr w0,[$2]\ncbnz w0,2b\nstxr w1,${1:w},[$2]\ncbnz w1,2b", "cas4 acq"},
		{arch.AArch64, "1: ldxp x0,x1,[$2]\nstxp w3,$0,$1,[$2]\ncbnz w3,1b", "xchg16 rlx"},
		// One try may fail.
		{arch.AArch64, "ldaxr w0,[$2]\ncbnz w0,1f\nstxr w1,${1:w},[$2]\n1:", "load4 sc A, cas4 weak acq"},
		// What is stored is not an operation of one step, or there are two ways out.
		{arch.AArch64, "1: ldxr w0,[$2]\nlsl w0,w0,#1\nstxr w1,w0,[$2]\ncbnz w1,1b", "load4 rlx, cas4 rlx"},
		{arch.AArch64, "1: ldxr w0,[$2]\nsubs w0,w0,#1\nb.mi 2f\nstxr w1,w0,[$2]\ncbnz w1,1b\n2:", "load4 rlx, cas4 rlx"},
		{arch.AArch64, "1: ldxr w0,[$2]\ncbz w0,2f\ncmp w0,#7\nb.eq 2f\nstxr w1,${0:w},[$2]\ncbnz w1,1b\n2:", "load4 rlx, cas4 rlx"},
		// The loop counts its tries: those that fail are not nothing.
		{arch.AArch64, "mov w5,#0\n1: ldxr w0,[$2]\nadd w5,w5,#1\nadd w0,w0,w5\nstxr w1,w0,[$2]\ncbnz w1,1b", "load4 rlx, cas4 weak rlx"},
		{arch.ARM, "1: ldrex r0,[$2]\nadd r0,r0,$0\nstrex r1,r0,[$2]\nteq r1,#0\nbne 1b", "add4 rlx"},
		{arch.ARM, "1: ldrex r1,[$2]\nmov r0,#0\nteq r1,$0\nstrexeq r0,$1,[$2]\nteq r0,#0\nbne 1b", "cas4 rlx"},
		{arch.PPC, "1: lwarx 6,0,$2\nadd 6,6,$0\nstwcx. 6,0,$2\nbne- 1b\nisync", "add4 rlx, fence rlx isync"},
		{arch.PPC, "lwsync\n1: ldarx 6,0,$2\ncmpd 0,6,$0\nbne- 2f\nstdcx. $1,0,$2\nbne- 1b\nisync\n2:", "fence acqrel lwsync, cas8 rlx, fence rlx isync"},
		{arch.RISCV, "0: lr.d t0,($2)\nadd t1,t0,$0\nsc.d.rl t1,t1,($2)\nbnez t1,0b\nfence rw,rw", "add8 rel, fence sc fence.rw.rw"},
		{arch.RISCV, "0: lr.w.aq t0,($2)\nbne t0,$0,1f\nsc.w.rl t1,$1,($2)\nbnez t1,0b\n1:", "cas4 acqrel, load4 acq A"},
	} {
		got, bad := eventsOf(lowerTemplate(t, c.name, c.text, "r,r,r"))
		if bad != "" && !strings.Contains(bad, "without an exclusive load") || strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q: %v %s, want %s", c.name, c.text, got, bad, c.want)
		}
	}
}

// TestAsmFences checks fences of all processors in a program for x86: a program may have those of the model that it is checked under.
func TestAsmFences(t *testing.T) {
	one := func(tag event.Tag) []event.Tag { return []event.Tag{tag} }
	for text, want := range map[string][]event.Tag{
		"":                       nil,
		" # nothing\n":           nil,
		"SFENCE # stores":        one(event.SFENCE),
		"lock; addl $$0,0(%rsp)": one(event.MFENCE),
		"lock orq $$0x0, (%rsp)": one(event.MFENCE),
		"rep; nop":               nil,
		".pushsection a; .long 1b; .popsection\n mfence": one(event.MFENCE),
		"or 27, 27, 27":        nil,
		"fence iorw , iorw":    one(event.FenceMM),
		"fence io,io":          nil,
		"fence ow,ir":          one(event.FenceWR),
		"dmb #9":               one(event.DMBLD),
		"dsb #0xa // ishst":    one(event.DSBST),
		"dmb":                  one(event.DMBSY),
		"dmb ish\n\tisb":       {event.DMBSY, event.ISB},
		"dmb ishld; dmb ishst": {event.DMBLD, event.DMBST},
		"smp_mb":               one(event.SmpMB),
	} {
		f := lowerTemplate(t, arch.X86_64, text, "")
		var got []event.Tag
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if in := &b.Instrs[i]; in.Op == ir.Fence {
					got = append(got, in.Tag)
				}
			}
		}
		if _, bad := eventsOf(f); bad != "" || !slices.Equal(got, want) {
			t.Errorf("%q: %v %s, want %v", text, got, bad, want)
		}
	}
}

// TestAsmRefused checks what is said of templates that are not understood: where, and what to do.
func TestAsmRefused(t *testing.T) {
	for _, c := range []struct {
		name             arch.Name
		text, cons, want string
	}{
		{arch.X86_64, "nop\n  frob $0", "r,r,r", `line 2, column 3 of the template, "frob %r16": X86_64 has no instruction "FROB"`},
		{arch.X86_64, "movl $0,${1:y}", "r,r,r", `line 1, column 9 of the template: operand 1: modifier "y" of a register`},
		{arch.X86_64, "movl $7,$1", "r,r,r", "there is no operand 7"},
		{arch.X86_64, "movl x(%rip),%eax", "r,r,r", `the template names "x": make it an operand`},
		{arch.X86_64, "nop", "r,r,?", `operand 2: constraint "?" is not known; r, m and i are`},
		{arch.X86_64, "nop", "i,r,r", `operand 0: constraint "i" needs a constant`},
		{arch.X86_64, "lock negl ($2)", "r,r,r", `"lock negl (%r18)": no atomic operation`},
		{arch.X86_64, "movnti $0,($2)", "r,r,r", "not temporal"},
		{arch.X86_64, "movl %gs:4,%eax", "r,r,r", "there are no segments"},
		{arch.X86_64, "pushq %rax", "r,r,r", `no instruction "PUSHQ"`},
		{arch.X86_64, "movq (%rsp),%rax", "r,r,r", "it accesses the stack"},
		{arch.X86_64, "syscall", "r,r,r", "not supported: exceptions"},
		{arch.X86_64, ".byte 0x0f,0x0b", "r,r,r", "directive .byte"},
		{arch.X86_64, "jmp 1f", "r,r,r", "no label 1 in that direction"},
		{arch.X86_64, "jmp out", "r,r,r", `there is no label "out"`},
		{arch.X86_64, "lock", "", `"lock" is before no instruction`},
		{arch.X86_64, "incl ($2)\nincl 8($2); inc ($2)", "r,r,r", "INC of how many bytes?"},
		{arch.AArch64, "mrs x0, daif", "r,r,r", "not supported: system registers"},
		{arch.AArch64, "br x3", "r,r,r", "a jump to an address"},
		{arch.AArch64, "1: ldxp x0,x1,[$2]\ncmp x0,$0\nb.ne 2f\nstxp w3,$0,$1,[$2]\ncbnz w3,1b\n2:", "r,r,r", "may read the two registers at different times"},
		{arch.AArch64, "ldxp x0,x1,[$2]", "r,r,r", "may read the two registers at different times"},
		{arch.ARM, "lda r0,[$2]", "r,r,r", "ARMv7 does not have it: compile for AArch64"},
		{arch.RISCV, "csrw satp,$0", "r,r,r", "not supported: system registers"},
	} {
		if _, bad := eventsOf(lowerTemplate(t, c.name, c.text, c.cons)); !strings.Contains(bad, c.want) || !strings.HasPrefix(bad, "inline assembly ") {
			t.Errorf("%s: %q, %q: %q, want %q", c.name, c.text, c.cons, bad, c.want)
		}
	}
}

// TestModuleAsm checks that sections without code, and what linkers are told about symbols, are ignored.
func TestModuleAsm(t *testing.T) {
	for _, text := range []string{
		`module asm ".globl x"`,
		`module asm ".section .llvmbc,\22e\22,@progbits"` + "\n" + `module asm ".byte 66, 67"` + "\n" + `module asm ".section .llvmcmd,\22e\22"` + "\n" + `module asm ".asciz \22-O2\22"`,
		`module asm ".pushsection .note.stapsdt,\22\22,\22note\22\0A.balign 4\0A1: .4byte 3\0A.popsection"`,
		`module asm ".symver old, new@VERS_1"`,
		`module asm ".data\0Ax: .long 5\0A.text"`,
	} {
		if _, err := Parse("a.ll", []byte(text+"\ndefine i32 @main() {\n ret i32 0\n}\n")); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
