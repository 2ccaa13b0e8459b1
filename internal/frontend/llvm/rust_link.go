package llvm

import (
	"strings"

	"ravel/internal/ir"
)

// Rust's standard library comes as machine code, so what a program calls of it beyond generic
// and inline functions has no body. The few functions that almost every program needs get
// one here; their mangled names end in a hash or begin with one, so they are known by a part.
//
//	std::rt::lang_start_internal   calls the closure that runs the program's main
//	__rust_alloc and its family    malloc, calloc, realloc, free
//	panics of all kinds            abort
//	print!, eprint!                nothing
var rustShims = []struct {
	part string // of the mangled name
	args int    // words
	body func(*shim)
}{
	{"lang_start_internal", 5, func(s *shim) {
		// A &dyn Fn() -> i32 is two words; Fn::call is the sixth entry of its table.
		slot, fn, r := s.reg(), s.reg(), s.reg()
		s.gep(slot, ir.R(1), 40)
		s.load(fn, ir.R(slot))
		c := newInstr(ir.Call)
		c.A, c.Args, c.Results = ir.R(fn), []ir.Operand{ir.R(0)}, []ir.Reg{r}
		s.emit(c)
		x := newInstr(ir.SExt)
		x.Width, x.To, x.Dst, x.A = 32, 64, r, ir.R(r)
		s.emit(x)
		s.ret(ir.R(r))
	}},
	{"__rust_alloc_zeroed", 2, func(s *shim) { s.ret(s.call("calloc", 1, ir.R(0), ir.Imm(1))...) }},
	{"__rust_no_alloc_shim", 0, func(s *shim) { s.ret() }},
	{"__rust_alloc_error_handler", 2, (*shim).abort},
	{"__rust_alloc", 2, func(s *shim) { s.ret(s.call("malloc", 1, ir.R(0))...) }},
	{"__rust_dealloc", 3, func(s *shim) { s.call("free", 0, ir.R(0)); s.ret() }},
	{"__rust_realloc", 4, func(s *shim) { s.ret(s.call("realloc", 1, ir.R(0), ir.R(3))...) }},
	{"5stdio6__print", -1, func(s *shim) { s.ret() }},
	{"5stdio7__eprint", -1, func(s *shim) { s.ret() }},
	{"5stdio6_print", -1, func(s *shim) { s.ret() }},
	{"5stdio7_eprint", -1, func(s *shim) { s.ret() }},
	{"9panicking", -1, (*shim).abort},
	{"_failed", -1, (*shim).abort}, // unwrap_failed, expect_failed
	{"_index_fail", -1, (*shim).abort},
	{"_panic", -1, (*shim).abort},
	{"panic_already", -1, (*shim).abort},
	{"handle_alloc_error", -1, (*shim).abort},
	{"7raw_vec12handle_error", -1, (*shim).abort},
	{"capacity_overflow", -1, (*shim).abort},
	{"7process5abort", -1, (*shim).abort},
}

// A shim is a function being made by hand.
type shim struct {
	lk *linker
	f  *ir.Func
	b  *ir.Block
}

// isRust reports whether a mangled name is one of Rust's.
func isRust(name string) bool {
	return strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__rust") || strings.HasPrefix(name, "_ZN") && strings.Contains(name, "17h")
}

// addShims gives bodies to declared Rust functions. It runs before anything is lowered,
// because it may add declarations.
func (lk *linker) addShims() {
	for _, s := range lk.live {
		if s.kind != symFunc || !s.decl || !isRust(s.name) {
			continue
		}
		for _, r := range rustShims {
			if strings.Contains(s.name, r.part) && (r.args < 0 || r.args == len(s.irFunc.Params)) {
				sh := &shim{lk: lk, f: s.irFunc, b: &ir.Block{Name: "shim"}}
				s.irFunc.Blocks = []*ir.Block{sh.b}
				s.irFunc.Runtime = true
				lk.declared[s.irFunc] = false
				r.body(sh)
				break
			}
		}
	}
}

func (s *shim) emit(in ir.Instr) { s.b.Instrs = append(s.b.Instrs, in) }

func (s *shim) reg() ir.Reg {
	s.f.Regs++
	return ir.Reg(s.f.Regs - 1)
}

func (s *shim) gep(dst ir.Reg, a ir.Operand, off int64) {
	in := newInstr(ir.Gep)
	in.Dst, in.A, in.Off = dst, a, off
	s.emit(in)
}

func (s *shim) load(dst ir.Reg, a ir.Operand) {
	in := newInstr(ir.Load)
	in.Dst, in.A, in.Size = dst, a, 8
	s.emit(in)
}

// call calls a C function; results are in fresh registers.
func (s *shim) call(name string, results int, args ...ir.Operand) []ir.Operand {
	in := newInstr(ir.Call)
	in.Callee, in.Args = s.lk.libFunc(name, len(args), results), args
	var out []ir.Operand
	for range results {
		r := s.reg()
		in.Results = append(in.Results, r)
		out = append(out, ir.R(r))
	}
	s.emit(in)
	return out
}

func (s *shim) ret(args ...ir.Operand) {
	in := newInstr(ir.Ret)
	in.Args = args[:min(len(args), s.f.Results)]
	s.emit(in)
}

func (s *shim) abort() {
	s.call("abort", 0)
	s.emit(newInstr(ir.Unreachable))
}

// libFunc returns the function of a C name: one the program has, or a new declaration.
func (lk *linker) libFunc(name string, params, results int) *ir.Func {
	if s := lk.defs[name]; s != nil && s.irFunc != nil {
		return s.irFunc
	}
	if s := lk.decls[name]; s != nil && s.irFunc != nil {
		return s.irFunc
	}
	if f := lk.shimFuncs[name]; f != nil {
		return f
	}
	f := &ir.Func{Name: lk.unique(name), Results: results, Regs: params}
	for i := range params {
		f.Params = append(f.Params, ir.Reg(i))
	}
	lk.slots++
	lk.prog.AddFunc(f)
	lk.declared[f] = true
	lk.shimFuncs[name] = f
	return f
}
