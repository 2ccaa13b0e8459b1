package litmus

import (
	"fmt"
	"slices"
	"strings"
)

// Compiled returns a test in C as the instructions of a processor, as C11's compilers translate its access modes: the mapping that package
// model has for programs, with its sources. The result is for an engine: its Arch is that of the processor, the rest, and what instructions are called in
// messages, is as in the test.
//
//	       AArch64          PPC                         RISCV                        X86, X86_64
//	load   acq LDAPR        acq ld; isync               acq l; fence r,rw
//	       sc  LDAR         sc  sync; ld; isync         sc  fence rw,rw; l; fence r,rw
//	store  rel STLR         rel lwsync; st              rel fence rw,w; s
//	       sc  STLR         sc  sync; st                sc  fence rw,w; s            mov; mfence
//	RMW    exclusives       exclusives                  exclusives                   locked instructions
//	       acq LDAXR        acq isync after it          acq lr.aq
//	       rel STLXR        rel lwsync before it        rel sc.rl
//	       sc  both         sc  sync before, isync      sc  lr.aqrl, sc.rl
//	                            after it
//	fence  acq DMB LD       acq, rel, acq_rel lwsync    acq r,rw   rel rw,w          sc mfence
//	       others DMB SY    sc  sync                    acq_rel tso sc rw,rw
//
// ARM has dmb for sync and lwsync and isb for isync. For PSO, X86 has sfence before stores that release and for fences that do. isync comes after a
// branch on what was read. The loop of a read-modify-write ends with a branch: on PPC and ARM on what was read, on RISCV on the result of
// the store, on AArch64 on nothing that counts as a dependency. A compare-and-swap also branches on the comparison; if it
// fails, it is an exclusive load in the mode of the failure. Dependencies are those of the source, and an if orders what follows it, too.
func (t *Test) Compiled(arch Arch) (*Test, error) {
	tg := targets[arch]
	if tg == nil || t.Arch != C {
		return nil, fmt.Errorf("%s: tests in %s are not compiled for %s", t.File, t.Arch, arch)
	}
	out := *t
	out.Arch, out.Threads = arch, nil
	for _, th := range t.Threads {
		c := &compiler{target: tg, in: th, out: &Thread{ID: th.ID, Init: th.Init, Types: th.Types, Found: th.Found, Labels: map[string]int{}}}
		if op := c.foreign(); op != nil {
			in := th.Instrs[op.Ins]
			return nil, &Error{File: t.File, Line: in.Line, Col: in.Col, Feature: "the kernel's macros on a processor", Msg: fmt.Sprintf("not supported: the kernel's macros on a processor: %s", in.Text)}
		}
		c.thread()
		out.Threads = append(out.Threads, c.out)
	}
	return &out, nil
}

// A target is how C11's modes are translated for a processor.
type target struct {
	load, store, fence map[string]around // by memory order
	locked             bool              // a read-modify-write is one instruction
	read, write        map[string]around // of a read-modify-write
	branch             string            // what the loop of a read-modify-write tests: "read", "status" or nothing
}

// An around is the sets of an access and the fences around it.
type around struct {
	sets   string
	before string
	tested bool // a branch on what was read comes before after
	after  string
}

// leading is the target of a processor that has fences only, with those before the accesses.
func leading(full, light, isync string) *target {
	acquire := around{tested: true, after: isync}
	sc := around{before: full, tested: true, after: isync}
	return &target{
		load:  map[string]around{"CON": acquire, "ACQ": acquire, "SC": sc},
		store: map[string]around{"REL": {before: light}, "SC": {before: full}},
		fence: map[string]around{"CON": {after: light}, "ACQ": {after: light}, "REL": {after: light}, "ACQ_REL": {after: light}, "SC": {after: full}},
		read: map[string]around{
			"RLX": {sets: "X EX"}, "CON": {sets: "X EX"}, "ACQ": {sets: "X EX"}, "REL": {sets: "X EX", before: light}, "ACQ_REL": {sets: "X EX", before: light},
			"SC": {sets: "X EX", before: full},
		},
		write: map[string]around{
			"RLX": {sets: "X EX"}, "REL": {sets: "X EX"}, "CON": {sets: "X EX", after: isync}, "ACQ": {sets: "X EX", after: isync},
			"ACQ_REL": {sets: "X EX", after: isync}, "SC": {sets: "X EX", after: isync},
		},
		branch: "read",
	}
}

// byRelease are the write halves of read-modify-writes of a processor that marks those that release.
func byRelease(mark string) map[string]around {
	plain, release := around{sets: "X EX"}, around{sets: mark + " X EX"}
	return map[string]around{"RLX": plain, "CON": plain, "ACQ": plain, "REL": release, "ACQ_REL": release, "SC": release}
}

var x86Target = &target{
	store:  map[string]around{"REL": {before: "SFENCE"}, "SC": {before: "SFENCE", after: "MFENCE"}},
	fence:  map[string]around{"REL": {after: "SFENCE"}, "ACQ_REL": {after: "SFENCE"}, "SC": {after: "MFENCE"}},
	locked: true,
}

var targets = map[Arch]*target{
	AArch64: {
		load:  map[string]around{"CON": {sets: "Q"}, "ACQ": {sets: "Q"}, "SC": {sets: "A"}},
		store: map[string]around{"REL": {sets: "L"}, "SC": {sets: "L"}},
		fence: map[string]around{"CON": {after: "DMB.LD"}, "ACQ": {after: "DMB.LD"}, "REL": {after: "DMB.SY"}, "ACQ_REL": {after: "DMB.SY"}, "SC": {after: "DMB.SY"}},
		read: map[string]around{
			"RLX": {sets: "X EX"}, "REL": {sets: "X EX"}, "CON": {sets: "A X EX"}, "ACQ": {sets: "A X EX"}, "ACQ_REL": {sets: "A X EX"}, "SC": {sets: "A X EX"},
		},
		write: byRelease("L"),
	},
	ARM: leading("DMB", "DMB", "ISB"),
	PPC: leading("SYNC", "LWSYNC", "ISYNC"),
	RISCV: {
		load:  map[string]around{"CON": {after: "Fence.r.rw"}, "ACQ": {after: "Fence.r.rw"}, "SC": {before: "Fence.rw.rw", after: "Fence.r.rw"}},
		store: map[string]around{"REL": {before: "Fence.rw.w"}, "SC": {before: "Fence.rw.w"}},
		fence: map[string]around{
			"CON": {after: "Fence.r.rw"}, "ACQ": {after: "Fence.r.rw"}, "REL": {after: "Fence.rw.w"}, "ACQ_REL": {after: "Fence.tso"}, "SC": {after: "Fence.rw.rw"},
		},
		read: map[string]around{
			"RLX": {sets: "X EX"}, "REL": {sets: "X EX"}, "CON": {sets: "Acq X EX"}, "ACQ": {sets: "Acq X EX"}, "ACQ_REL": {sets: "Acq X EX"}, "SC": {sets: "AcqRel X EX"},
		},
		write:  byRelease("Rel"),
		branch: "status",
	},
	X86:    x86Target,
	X86_64: x86Target,
}

// A compiler translates a thread.
type compiler struct {
	*target
	in, out *Thread
	at      []int // of each operation: where its translation begins
	temps   int
}

// c11Orders are the memory orders; a plain access has none of them.
var c11Orders = []string{"RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"}

func orderOf(sets []string) string {
	for _, s := range sets {
		if slices.Contains(c11Orders, s) {
			return s
		}
	}
	return ""
}

// foreign returns an operation that is none of C11, or nil.
func (c *compiler) foreign() *Op {
	for i := range c.in.Ops {
		op := &c.in.Ops[i]
		if (op.Kind == Load || op.Kind == Store || op.Kind == Fence) && !slices.Contains(op.Sets, "NA") && orderOf(op.Sets) == "" {
			return op
		}
	}
	return nil
}

func (c *compiler) thread() {
	last := -1
	for i := range c.in.Ops {
		op := c.in.Ops[i]
		c.at = append(c.at, len(c.out.Ops))
		if op.Ins != last {
			c.step(op.Ins)
			last = op.Ins
		}
		order := orderOf(op.Sets)
		switch {
		case op.Kind == Fence:
			c.fenced(op.Ins, c.fence[order].after, op.If)
		case op.Kind == Load && c.storeOf(i) != nil:
			c.update(op, c.storeOf(i))
		case op.Kind == Load:
			c.access(op, c.load[order])
		case op.Kind == Store && op.Pair >= 0:
			c.updated(op)
		case op.Kind == Store:
			c.access(op, c.store[order])
		default:
			op.Join = -1
			c.out.Ops = append(c.out.Ops, c.here(op))
		}
	}
	c.at = append(c.at, len(c.out.Ops))
	for i := range c.out.Ops {
		if op := &c.out.Ops[i]; op.To >= 0 && op.Kind == Branch && op.label != nextLabel {
			op.To = c.at[op.To]
		}
	}
	for l, i := range c.in.Labels {
		c.out.Labels[l] = c.at[i]
	}
}

// nextLabel marks branches that go nowhere.
const nextLabel = "$next"

// step begins an instruction.
func (c *compiler) step(ins int) { c.out.Instrs = append(c.out.Instrs, c.in.Instrs[ins]) }

// here puts an operation in the instruction that began last.
func (c *compiler) here(op Op) Op {
	op.Ins = len(c.out.Instrs) - 1
	return op
}

func (c *compiler) emit(op Op) {
	op.Pair, op.Join = -1, -1
	if op.Kind != Branch {
		op.To = -1
	}
	c.out.Ops = append(c.out.Ops, c.here(op))
}

// fenced adds a fence of its own instruction, if there is one.
func (c *compiler) fenced(ins int, name string, cond Expr) {
	if name != "" {
		c.step(ins)
		c.emit(Op{Kind: Fence, Sets: []string{name}, If: cond})
		c.step(ins)
	}
}

// branchOn adds a branch to the next instruction: what follows depends on x.
func (c *compiler) branchOn(ins int, x, cond Expr) {
	c.step(ins)
	c.emit(Op{Kind: Branch, X: bin(Ne, 64, x, x), If: cond, To: len(c.out.Ops) + 1, label: nextLabel})
	c.step(ins)
}

// access adds a load or a store with what is around it.
func (c *compiler) access(op Op, a around) {
	ins := op.Ins
	c.fenced(ins, a.before, op.If)
	op.Sets = strings.Fields(a.sets)
	c.emit(op)
	if a.tested {
		c.branchOn(ins, op.Dst, op.If)
	}
	c.fenced(ins, a.after, op.If)
}

// storeOf returns the store of the read-modify-write whose load is operation i, or nil.
func (c *compiler) storeOf(i int) *Op {
	for k := i + 1; k < len(c.in.Ops); k++ {
		if op := &c.in.Ops[k]; op.Kind == Store && op.Pair == i {
			return op
		}
	}
	return nil
}

func (c *compiler) temp() Reg {
	c.temps++
	return Reg(fmt.Sprintf("$c%d", c.temps))
}

// update adds the load of a read-modify-write. Whether a compare-and-swap succeeds decides what is before it, so that is chosen first.
func (c *compiler) update(op Op, store *Op) {
	order, ins := orderOf(op.Sets), op.Ins
	failure := orderOf(op.Else)
	op.Else = nil
	if c.locked {
		op.Sets = []string{"X"}
		c.out.Ops = append(c.out.Ops, c.here(op))
		return
	}
	op.Excl = true
	if store.If == nil {
		c.access(op, c.read[order])
		c.step(ins)
		return
	}
	ok := c.temp()
	c.emit(Op{Kind: Choose, Dst: ok})
	op.If = ok
	c.access(op, c.read[order])
	op.If = lnot(ok)
	c.access(op, c.read[failure])
	c.step(ins)
}

// updated adds the store of a read-modify-write and what comes after it.
func (c *compiler) updated(op Op) {
	load, ins, order := &c.in.Ops[op.Pair], op.Ins, orderOf(op.Sets)
	if c.locked {
		op.Sets = []string{"X"}
		op.Pair = c.find(load)
		c.out.Ops = append(c.out.Ops, c.here(op))
		return
	}
	var ok Reg
	if op.If != nil {
		ok = Reg(fmt.Sprintf("$c%d", c.temps))
		c.emit(Op{Kind: Assume, X: bin(Eq, 64, bin(Ne, 64, op.If, num(0)), ok)})
		c.branchOn(ins, op.If, nil)
		op.If = ok
	}
	w := c.write[order]
	status := c.temp()
	op.Excl, op.Dst, op.Sets = true, status, strings.Fields(w.sets)
	c.step(ins)
	c.emit(op)
	c.step(ins)
	c.emit(Op{Kind: Assume, X: lnot(status), If: op.If})
	switch c.branch {
	case "read":
		c.branchOn(ins, load.Dst, op.If)
	case "status":
		c.branchOn(ins, status, op.If)
	}
	c.fenced(ins, w.after, op.If)
	if op.If != nil && c.branch == "read" {
		c.fenced(ins, c.load[orderOf(load.Else)].after, lnot(ok))
	}
}

// find returns where the load of a locked instruction is.
func (c *compiler) find(load *Op) int {
	for i := len(c.out.Ops) - 1; i >= 0; i-- {
		if op := &c.out.Ops[i]; op.Kind == Load && op.Dst == load.Dst {
			return i
		}
	}
	return -1
}
