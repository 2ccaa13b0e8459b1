package llvm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A linker joins modules into one program. Names that are not local mean the same thing in all
// modules; a definition of the runtime library serves only names that the program leaves
// undefined. What nothing can reach (inline functions, static data, library functions that
// are not called) is left out.
type linker struct {
	prog      *ir.Program
	mods      []*Module
	defs      map[string]*symbol // definitions that other modules see
	decls     map[string]*symbol // one declaration for each name that has no definition
	work      []*symbol
	live      []*symbol // in the order of discovery
	names     map[string]int
	declared  map[*ir.Func]bool // functions without a body
	anyValues map[string]*ir.Func
	jumps     bool // the program has longjmp

	rustCatches bool             // the program catches panics of Rust
	unwinds     bool             // the program catches exceptions: see unwind.go
	unwinding   map[*symbol]bool // functions that may end by one
	wanted      []string         // functions that it has in any case
	roots       map[*symbol]bool // functions that none of the program's calls
	svcomp      bool             // the program speaks SV-COMP's language: see svcomp.go
	rust        []rustName       // the stand-ins for Rust's standard library, if ruststd.ll is among mods
	files       map[string]int

	print     *ir.Func // see printer
	rustKeeps bool     // a scope counts its threads by the handles that are dropped
}

// Library returns a program that has these functions of ravel's library, whose text module is given, and what they need.
func Library(text []byte, names []string) (*ir.Program, error) {
	m, err := Parse("ravel's runtime library", text)
	if err != nil {
		return nil, err
	}
	m.runtime = true
	return link([]*Module{m}, names...)
}

// link makes a program of modules. It has the functions of these names, and what other files could call.
func link(mods []*Module, names ...string) (prog *ir.Program, err error) {
	lk := &linker{
		prog: &ir.Program{}, mods: mods, wanted: names,
		defs: map[string]*symbol{}, decls: map[string]*symbol{}, names: map[string]int{}, files: map[string]int{},
		declared: map[*ir.Func]bool{},
	}
	lk.prog.Positions = []ir.Position{{File: -1}}
	lk.prog.Scopes = make([]ir.Scope, 1)
	if mods[0].lay.ptr == 4 {
		lk.prog.Space = event.Narrow
	}
	defer func() {
		if e, ok := recover().(bailout); ok {
			prog, err = nil, e.err
		} else if e != (bailout{}) {
			panic(e)
		}
	}()
	if usesRust(mods) {
		if err := lk.addRustStd(); err != nil {
			return nil, err
		}
	}
	for _, m := range lk.mods {
		if m.lay.ptr != mods[0].lay.ptr {
			return nil, fmt.Errorf("%s has pointers of %d bits, %s of %d: compile all files for the same target", mods[0].Name, 8*mods[0].lay.ptr, m.Name, 8*m.lay.ptr)
		}
		lk.collect(m)
	}
	lk.unwinds = lk.findCatches()
	lk.svcomp = speaksSVComp(lk.mods)
	lk.reach()
	if lk.unwinds {
		lk.findUnwinding()
		lk.findRoots()
	}
	lk.addObjects()
	lk.initialise()
	for _, s := range lk.live {
		if s.kind == symFunc && !s.decl {
			lk.lowerFunc(s)
		}
	}
	lk.entry()
	return lk.prog, nil
}

func (lk *linker) fail(s *symbol, pos int32, format string, args ...any) {
	panic(bailout{errorAt(s.mod.Name, s.mod.src, int(pos), format, args...)})
}

// rank orders definitions of one name: the higher one wins.
func rank(s *symbol) int {
	switch {
	case s.mod.runtime && (byRule[s.name] || byHeader[s.name]):
		return 5
	case s.mod.runtime:
		return 1
	case s.link == linkAvailable:
		return 2
	case s.link == linkWeak || s.link == linkOnce:
		return 3
	}
	return 4
}

// collect enters the definitions of m that other modules may see.
func (lk *linker) collect(m *Module) {
	for _, s := range m.order {
		if s.decl || s.link == linkLocal || s.link == linkAppending {
			continue
		}
		old := lk.defs[s.name]
		if old == nil || rank(s) > rank(old) {
			lk.defs[s.name] = s
		} else if rank(s) == 4 && rank(old) == 4 {
			hint := ""
			if s.name == "main" {
				hint = ": name the files of one program"
			}
			lk.fail(s, s.pos, "'%s' is defined in %s already%s", s.name, old.mod.Name, hint)
		}
	}
}

// target returns what s stands for after linking: a definition, or the one declaration of
// its name.
func (lk *linker) target(s *symbol) *symbol {
	if s.def != nil {
		return s.def
	}
	std := lk.rustStandIn(s)
	rule := cmp.Or(lk.svcompStandIn(s), lk.headerStandIn(s), lk.optional(s))
	switch {
	case rule != nil:
		s.def = rule
	case std != nil && (lk.defs[s.name] == nil || !s.decl):
		s.def = std
	case s.link == linkLocal && !s.decl || s.link == linkAppending:
		s.def = s
	case lk.defs[s.name] != nil:
		s.def = lk.defs[s.name]
	default:
		d := lk.decls[s.name]
		if d == nil || d.link == linkExternWeak && s.link != linkExternWeak {
			d = s
			lk.decls[s.name] = d
		}
		s.def = d
	}
	return s.def
}

func (s *symbol) isIntrinsic() bool { return s.decl && strings.HasPrefix(s.name, "llvm.") }

// reach finds what the program needs, beginning with what other files could call.
func (lk *linker) reach() {
	for _, name := range lk.wanted {
		lk.mark(lk.defs[name])
	}
	for _, m := range lk.mods {
		if m.runtime {
			continue
		}
		for _, s := range m.order {
			if !s.decl && (s.link == linkExternal || s.link == linkWeak) {
				lk.mark(s)
			}
		}
		for _, c := range slices.Concat(m.ctors, m.dtors) {
			lk.mark(c.fn)
		}
	}
	if lk.unwinds {
		if lk.rustCatches {
			lk.mark(lk.defs[rustTry])
		}
		for _, name := range []string{threadStart, uncaught, catches, lands, landed, isJump} {
			lk.mark(lk.defs[name])
		}
	}
	for len(lk.work) > 0 {
		s := lk.work[0]
		lk.work = lk.work[1:]
		for _, r := range s.refs {
			lk.mark(r)
		}
	}
}

func (lk *linker) mark(s *symbol) {
	if s.isIntrinsic() {
		return
	}
	s = lk.target(s)
	if s.live || s.link == linkAppending {
		return
	}
	s.live = true
	lk.live = append(lk.live, s)
	lk.work = append(lk.work, s)
}

// addObjects gives every function and variable its address.
func (lk *linker) addObjects() {
	for _, s := range lk.live {
		switch s.kind {
		case symFunc:
			lk.addFunc(s)
		case symVar:
			lk.addVar(s)
		}
	}
}

// unique returns name, with a number behind it if another symbol has it already.
func (lk *linker) unique(name string) string {
	n := lk.names[name]
	lk.names[name] = n + 1
	if n == 0 {
		return name
	}
	return lk.unique(fmt.Sprintf("%s.%d", name, n))
}

func (lk *linker) addFunc(s *symbol) {
	lay := s.mod.lay
	f := &ir.Func{
		Name: lk.unique(s.name), Variadic: s.fn.typ.variadic, Runtime: s.mod.runtime,
		Results: lk.wordCount(s, s.fn.typ.elem), Pos: lk.subprogram(s.mod, s.fn.dbg),
		Unwinds: lk.unwinds && !lk.roots[s],
	}
	f.Results += hidden(f)
	for _, t := range s.fn.typ.fields {
		lk.wordCount(s, t)
		for range lay.words(t) {
			f.Params = append(f.Params, ir.Reg(f.Regs))
			f.Regs++
		}
	}
	f.Sig = lay.signature(s.fn.typ.fields, s.fn.typ.variadic)
	if f.Variadic && !s.decl {
		f.Params = append(f.Params, ir.Reg(f.Regs)) // the address of the other arguments
		f.Regs++
	}
	if !lk.prog.AddFunc(f) {
		lk.fail(s, s.pos, "the program has too many functions and too many or too large global variables")
	}
	lk.declared[f] = s.decl
	s.irFunc = f
}

// wordCount returns the registers of a parameter or result type.
func (lk *linker) wordCount(s *symbol, t *Type) int {
	n := s.mod.lay.words(t)
	if n > maxWords {
		lk.fail(s, s.pos, "'@%s' passes a value of type '%s', which is too large", s.name, t)
	}
	return n
}

func (lk *linker) addVar(s *symbol) {
	gv := s.gv
	lay := s.mod.lay
	size := lay.allocSize(gv.typ)
	g := &ir.Global{
		Name: lk.unique(s.name), Size: size, Align: max(gv.align, gv.typ.align, 1),
		TLS: gv.tls, Const: gv.isConst, Decl: s.decl,
	}
	if s.decl && special[s.name] != 0 {
		g.Decl, g.Size = false, special[s.name]
		if g.Size >= 8 { // of pointers, or long
			g.Size = g.Size / 8 * lay.ptr
		}
		g.Align = min(g.Size, lay.ptr)
	}
	g.Pos, g.Shape = lk.variable(s.mod, gv.dbg)
	if name := s.mod.sourceName(gv.dbg); name != "" && isMangled(s.name) {
		g.Name = lk.unique(name)
	}
	space := lk.prog.Space
	if g.Align > space.MaxAlign() {
		lk.fail(s, s.pos, "'@%s' has an alignment of %d bytes: at most %d are supported", s.name, g.Align, space.MaxAlign())
	}
	if size > uint64(space.TLSSlot())*space.SlotSize() {
		lk.fail(s, s.pos, "'@%s' is too large", s.name)
	}
	if !lk.prog.AddGlobal(g) {
		lk.fail(s, s.pos, "the program has too many or too large global variables")
	}
	s.irVar = g
}

// special lists variables of the C library that programs read, with their sizes. A pointer
// among them points to itself, so that it is not null.
var special = map[string]uint64{
	"stdin": 8, "stdout": 8, "stderr": 8, "environ": 8, "__environ": 8, "optarg": 8, "optind": 4, "opterr": 4, "optopt": 4,
	"program_invocation_name": 8, "program_invocation_short_name": 8, "__stack_chk_guard": 8,
	"__dso_handle": 1, "__libc_single_threaded": 1, "timezone": 8, "daylight": 4, "tzname": 16, "signgam": 4,
}

// initialise fills the initial bytes of all variables.
func (lk *linker) initialise() {
	for _, s := range lk.live {
		g := s.irVar
		if g == nil {
			continue
		}
		if s.gv.hasInit {
			w := initWriter{lk: lk, s: s}
			w.write(s.gv.init, 0)
			g.Init = w.buf
		} else if special[s.name] == 8 {
			w := initWriter{lk: lk, s: s}
			w.put(0, lk.seen(g.Addr), int(g.Size))
			g.Init = w.buf
		}
	}
}

// mains are the names of a program's first function; the last that is defined counts. CDSChecker has a main of its own, which calls the user's, in C or C++.
var mains = []string{"_Z9user_mainv", "_Z9user_mainiPPc", "user_main", "main"}

// entry finds main, the constructors and the destructors, which run in the opposite order.
func (lk *linker) entry() {
	for _, name := range mains {
		if s := lk.defs[name]; s != nil && s.irFunc != nil && !s.mod.runtime {
			lk.prog.Main = s.irFunc
		}
	}
	var ctors, dtors []ctor
	for _, m := range lk.mods {
		if !m.runtime {
			ctors = append(ctors, m.ctors...)
			dtors = append(dtors, m.dtors...)
		}
	}
	lk.prog.Ctors = lk.byPriority(ctors)
	lk.prog.Dtors = lk.byPriority(dtors)
	slices.Reverse(lk.prog.Dtors)
}

func (lk *linker) byPriority(list []ctor) (funcs []*ir.Func) {
	slices.SortStableFunc(list, func(a, b ctor) int { return cmp.Compare(a.priority, b.priority) })
	for _, c := range list {
		if f := lk.funcOf(c.fn); f != nil {
			funcs = append(funcs, f)
		}
	}
	return funcs
}

// funcOf follows aliases from s to a function; nil if there is none.
func (lk *linker) funcOf(s *symbol) *ir.Func {
	s = lk.target(s)
	for n := 0; s.kind == symAlias && n < 100; n++ {
		v := s.aliasee
		for v.kind == vConst && v.c.kind == cExpr && v.c.expr.noop {
			v = v.c.expr.args[0]
		}
		if v.kind != vConst || v.c.kind != cGlobal {
			return nil
		}
		s = lk.target(v.c.sym)
	}
	return s.irFunc
}

// seen returns an address as the program sees it.
func (lk *linker) seen(a event.Addr) uint64 { return uint64(a &^ lk.prog.Space.Tag()) }

// address returns the address of a symbol; bad says why it has none.
func (lk *linker) address(s *symbol) (addr uint64, bad string) {
	s = lk.target(s)
	switch {
	case s.irFunc != nil:
		if s.decl && s.link == linkExternWeak && !strings.Contains(s.name, "pthread_") {
			return 0, "" // it is not defined: null
		}
		return lk.seen(s.irFunc.Addr), ""
	case s.irVar != nil:
		if s.decl && s.link == linkExternWeak {
			return 0, ""
		}
		return lk.seen(s.irVar.Addr), ""
	case s.kind == symAlias:
		if s.resolve {
			return 0, "alias of itself"
		}
		s.resolve = true
		defer func() { s.resolve = false }()
		w, bad := lk.eval(s.mod, s.aliasee)
		if bad != "" || len(w) == 0 {
			return 0, bad
		}
		return w[0], ""
	case s.kind == symIFunc:
		return 0, "ifunc '" + s.name + "'"
	case s.isIntrinsic():
		return 0, "address of intrinsic '" + s.name + "'"
	}
	return 0, "address of '" + s.name + "'"
}
