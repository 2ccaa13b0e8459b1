package machine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A Program is a compiled program. It never changes, so any number of workers may run it.
type Program struct {
	compiled
	src     *ir.Program
	byFunc  map[*ir.Func]int // into funcs; nil when Compile is done
	layout  *Layout
	objects []*ir.Global
	space   event.Space
	slots   []slot // of owner 0
	tls     []slot // from Space.TLSSlot on
	arms    bool   // Options.Arms
	picks   bool   // see Picks
	own     []bool // by file: it is the program's, not one of the system
}

// compiled is what Compile takes time to make: encode.go keeps it.
type compiled struct {
	code     []insn
	funcs    []function
	start    int // the function of thread 0; -1: there is no main
	wrapper  int // the library's function that runs that of a thread; -1: there is none
	calls    []call
	rets     [][]operand
	switches []switchTable
	spins    []spin
	evals    []ir.Instr
	wides    []wideOp
	arrays   []arrayOp
	actions  []Action
	builtins []*builtin
	vars     []*ir.Var  // of the objects, by opAlloca and opAlloc; some are nil
	shadows  []shadow   // by pc; nil without Options.Deps
	retDeps  [][]uint16 // as rets
	masks    []shadow   // by pc; nil without Options.Undef
	retMasks [][]uint16 // as rets
	maskOps  []maskOp
	inlined  []ir.Position // that Compile added to those of the source
}

// Picks reports whether an Action may have Picks.
func (p *Program) Picks() bool { return p.picks }

// Options say how to compile.
type Options struct {
	Unroll     int  // iterations that every loop may have; 0: any number
	SpinAssume bool // stop threads that spin
	Rounds     bool // loops that write to memory ask whether they spin (Round)
	Deps       bool // actions carry their dependencies; a Freezer can't have such a program
	Arms       bool // with Deps: actions carry OpenDep too
	Picks      bool // with Deps: selects, and comparisons of instructions, pick (shadow.go)
	Overflow   bool // signed overflow, and whatever else ir.NSW and ir.NUW promise not to happen, is an error
	Relaxed    bool // volatile accesses are relaxed atomic ones
	NoWakeups  bool // no wait ends spuriously
	Undef      bool // keep track of undefined bits in registers: to be set after an error that is Untracked
	Layout     *Layout

	plain bool      // no passes: for tests
	zero  bool      // variables on the stack begin as 0: for tests
	dump  func(*fn) // is shown every function before code is made of it: for tests
}

// A compiler holds what Compile needs only while it runs.
type compiler struct {
	*Program
	opts      Options
	named     map[string]*ir.Func // the definitions that calls of declared functions reach
	byAddr    map[event.Addr]*ir.Func
	fns       map[*ir.Func]*fn
	argv      uint64
	reader    *ir.Func               // see output.go; nil: not needed
	constants []*ir.Global           // in the order of addresses; nil: not looked for yet
	pos       map[[2]ir.Pos]ir.Pos   // inlined positions
	positions map[ir.Position]ir.Pos // of src: a program that is compiled again gets no new ones
}

// Compile compiles a linked program. It leaves p as it is except for Positions, to which it adds those of inlined code.
func Compile(p *ir.Program, opts Options) (*Program, error) {
	c := &compiler{
		Program: newProgram(p, opts), opts: opts,
		named: map[string]*ir.Func{}, byAddr: map[event.Addr]*ir.Func{}, fns: map[*ir.Func]*fn{}, pos: map[[2]ir.Pos]ir.Pos{}, positions: make(map[ir.Position]ir.Pos, len(p.Positions)),
	}
	for i, at := range p.Positions {
		c.positions[at] = ir.Pos(i)
	}
	c.start, c.wrapper, c.byFunc = -1, -1, map[*ir.Func]int{}
	known := len(p.Positions)
	if err := c.layOut(); err != nil {
		return nil, err
	}
	for _, f := range p.Funcs {
		c.byAddr[f.Addr] = f
		if old := c.named[f.Name]; len(f.Blocks) > 0 && (old == nil || old.Runtime && !f.Runtime) {
			c.named[f.Name] = f
		}
	}
	var fns []*fn
	for _, f := range p.Funcs {
		x := c.lower(f)
		c.fns[f] = x
		c.byFunc[f] = len(fns)
		x.index = len(fns)
		fns = append(fns, x)
	}
	if p.Main != nil {
		x := c.startFunc()
		c.start, x.index = len(fns), len(fns)
		fns = append(fns, x)
	}
	if c.reader != nil {
		x := c.fns[c.reader]
		x.index = len(fns)
		c.byFunc[c.reader] = len(fns)
		fns = append(fns, x)
	}
	if f := c.named["__ravel_thread_start"]; f != nil && len(f.Params) == 2 {
		c.wrapper = c.byFunc[f]
	}
	c.optimise(fns)
	c.funcs = make([]function, len(fns))
	if c.opts.dump != nil {
		for _, f := range fns {
			c.opts.dump(f)
		}
	}
	c.code = append(c.code, insn{op: opTrap, live: frameHeader, frame: frameHeader})
	if opts.Deps {
		c.shadows = []shadow{{addr: frameZero, data: frameZero, exp: frameZero, open: frameZero}}
	}
	if opts.Undef {
		c.masks = []shadow{{addr: frameZero, data: frameZero, exp: frameZero}}
	}
	for _, f := range fns {
		if !c.generate(f) {
			return nil, fmt.Errorf("function %s needs too many registers", f.name)
		}
	}
	for i := range c.code {
		if in := &c.code[i]; in.op == opCall {
			call := &c.calls[in.t]
			call.fits = call.misfit(&c.funcs[call.fn]) == ""
		}
	}
	c.inlined, c.byFunc = slices.Clip(p.Positions[known:]), nil
	return c.Program, nil
}

// newProgram returns a program without code.
func newProgram(src *ir.Program, opts Options) *Program {
	p := &Program{src: src, space: src.Space, arms: opts.Arms}
	if !opts.Layout.empty() {
		p.layout = opts.Layout
	}
	if len(src.Positions) == 0 {
		src.Positions = []ir.Position{{File: -1}}
	}
	for _, f := range src.Files {
		p.own = append(p.own, !ir.IsSystem(f))
	}
	return p
}

// WithLayout returns the program with another layout. The code is shared: it does not depend on it.
func (p *Program) WithLayout(l *Layout) *Program {
	q := *p
	q.layout = nil
	if !l.empty() {
		q.layout = l
	}
	return &q
}

// WithQuestions returns the program, but that a thread asks whether it went round (Round) in the spin loops at the given places even if it has only read.
func (p *Program) WithQuestions(at []ir.Pos) *Program {
	if len(at) == 0 {
		return p
	}
	q := *p
	q.spins = slices.Clone(p.spins)
	for i := range q.code {
		if in := &q.code[i]; in.op == opSpinCheck && slices.Contains(at, in.pos) {
			q.spins[in.t].asksAlways = true
		}
	}
	return &q
}

// MayAsk reports whether threads ask in a spin loop at the place at whether they went round, if WithQuestions says so.
func (p *Program) MayAsk(at ir.Pos) bool {
	return slices.ContainsFunc(p.code, func(in insn) bool { return in.op == opSpinCheck && in.pos == at })
}

// resolve finds the function that a call of f reaches: a definition of the program before one of
// ravel's library, and that before a builtin (which has no blocks).
func (c *compiler) resolve(f *ir.Func) *ir.Func {
	if len(f.Blocks) > 0 && !f.Runtime {
		return f
	}
	if g := c.named[f.Name]; g != nil {
		return g
	}
	return f
}

// A slot says what static object is at an address.
type slot struct {
	base   uint64
	size   uint64 // of what may be accessed: 0 for a function
	object int32  // into Program.objects, -1 for none
	fn     int32  // into Program.funcs, -1 for none
	ro     bool
}

// layOut enters the globals and the functions into the table of slots, and makes the arguments of main.
func (c *compiler) layOut() error {
	p := c.src
	top := c.space.FirstSlot() + 1
	for _, g := range p.Globals {
		if !g.TLS {
			top = max(top, g.Addr.Slot()+c.space.Slots(g.Size))
		}
	}
	for _, f := range p.Funcs {
		top = max(top, f.Addr.Slot()+1)
	}
	globals := p.Globals
	if p.Main != nil && len(p.Main.Params) > 1 {
		top = c.space.Place(top, 1)
		name := &ir.Global{Name: "argv[0]", Addr: c.space.Make(0, top), Size: 8, Init: []byte("program\x00")}
		top = c.space.Place(top+1, 1)
		argv := &ir.Global{Name: "argv", Addr: c.space.Make(0, top), Size: 2 * p.PtrSize()}
		argv.Init = binary.LittleEndian.AppendUint64(nil, c.seen(uint64(name.Addr)))[:p.PtrSize()]
		c.argv = c.seen(uint64(argv.Addr))
		top++
		globals = append(globals[:len(globals):len(globals)], name, argv)
	}
	if top > c.space.TLSSlot() {
		return fmt.Errorf("the program has too many global variables and functions (%d, of at most %d)", top, c.space.TLSSlot())
	}
	c.slots = make([]slot, top)
	for i := range c.slots {
		c.slots[i] = slot{object: -1, fn: -1}
	}
	c.objects = globals
	for i, g := range globals {
		table, first := &c.slots, g.Addr.Slot()
		if g.TLS {
			table, first = &c.tls, first-c.space.TLSSlot()
		}
		for k := range c.space.Slots(g.Size) {
			for first+k >= len(*table) {
				*table = append(*table, slot{object: -1, fn: -1})
			}
			s := slot{base: uint64(g.Addr), size: g.Size, object: int32(i), fn: -1, ro: g.Const}
			if g.Decl {
				s.size = 0
			}
			(*table)[first+k] = s
		}
	}
	if len(c.tls) > c.space.MaxSlots()-c.space.TLSSlot() {
		return fmt.Errorf("the program has too many thread-local variables")
	}
	for i, f := range p.Funcs {
		c.slots[f.Addr.Slot()] = slot{base: uint64(f.Addr), object: -1, fn: int32(i)}
	}
	return nil
}
