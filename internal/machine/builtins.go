package machine

import (
	"math"
	"sync"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A builtin is a function that the machine itself provides. These are the intrinsics that ravel's
// C library is written with, and functions of which only the result matters. A function that the
// program or the library defines under the same name wins.
type builtin struct {
	name   string
	code   opcode // the instruction that performs it; opNop: none
	args   int    // how many it needs
	stops  bool   // performs an action
	pure   bool
	ret    uint64  // opNop: what it returns
	n      uint64  // opCAS: 1 if it is of a long; opAssume: 1 if it counts as one of a single load; opSRCU: the tag; opSize: 1 if the object is never freed, so that it always has this size; midFail: the argument to quote, counted from 1
	nondet *nondet // opChoose: the type of which it returns a value
	weak   bool    // opChoose: of a spurious wake-up
	kind   ErrorKind
	text   string                                 // midFail: the message
	words  func(p *Program, args []uint64) uint64 // opWords
	math1  func(x float64) float64
	math2  func(x, y float64) float64
	f32    bool
}

// builtins returns all of them, by name.
var builtins = sync.OnceValue(func() map[string]*builtin {
	all := map[string]*builtin{}
	add := func(b builtin, names ...string) {
		for _, n := range names {
			b := b
			b.name = n
			all[n] = &b
		}
	}
	action := func(name string, code opcode, args int) { add(builtin{code: code, args: args, stops: true}, name) }
	action("__ravel_create", opCreate, 2)
	action("__ravel_next", opNext, 0)
	action("__ravel_join", opJoin, 1)
	action("__ravel_exit", opExit, 1)
	action("__ravel_assume", opAssume, 1)
	add(builtin{code: opAssume, stops: true, n: 1}, "__ravel_redundant")
	action("__ravel_spin_end", opSpinEnd, 1)
	action("__ravel_retry", opRetry, 0)
	action("__ravel_arrive", opRMW, 2)
	action("__ravel_add_unless", opCAS, 3)
	add(builtin{code: opCAS, args: 3, stops: true, n: 1}, "__ravel_add_unless_long")
	action("__ravel_choose", opChoose, 1)
	add(builtin{code: opChoose, args: 1, stops: true, weak: true}, "__ravel_spurious")
	add(builtin{code: opChoose, args: 1, stops: true, weak: true, n: 1}, "__ravel_timed")
	action("__ravel_alloc", opAlloc, 2)
	action("__ravel_alloc_aligned", opAlloc, 3)
	action("__ravel_free", opFree, 1)
	action("__ravel_size", opSize, 1)
	add(builtin{code: opSize, args: 1, stops: true, n: 1}, "__ravel_length")
	add(builtin{code: opSRCU, args: 1, stops: true, n: uint64(event.SRCULock)}, "__ravel_srcu_read_lock")
	add(builtin{code: opSRCU, args: 2, stops: true, n: uint64(event.SRCUUnlock)}, "__ravel_srcu_read_unlock")
	add(builtin{code: opSRCU, args: 1, stops: true, n: uint64(event.SyncSRCU)}, "__ravel_synchronize_srcu")
	action("__ravel_error", opError, 2)
	action("__ravel_error_at", opError, 3)
	action("__ravel_error_text", opErrorText, 3)
	add(builtin{code: opSelf, pure: true}, "__ravel_self")
	add(builtin{code: opOwner, pure: true}, "__ravel_owner")
	add(builtin{code: opWords, args: 3, pure: true, words: formatWord}, "__ravel_format")
	add(builtin{code: opWords, args: 2, pure: true, words: parseNumber}, "__ravel_parse")
	add(builtin{code: opWords, args: 1, pure: true, words: constantByte}, "__ravel_constant")

	add(builtin{}, "__ravel_if_cancellable", "__ravel_if_cancelled", "__ravel_if_cleanups") // of programs that do not have them (frontend/llvm/optional.go)
	add(builtin{}, "__ravel_print", "__ravel_put", "fflush", "perror", "setbuf", "setvbuf", "usleep", "sleep", "nanosleep", "clock_nanosleep", "sched_yield", "pthread_yield", "thrd_yield", "thrd_sleep",
		"getenv", "secure_getenv")
	add(builtin{code: opEnded, stops: true}, "exit", "_exit", "_Exit", "quick_exit")

	fail := func(kind ErrorKind, text string, quote uint64, names ...string) {
		add(builtin{code: opFailCall, stops: true, kind: kind, text: text, n: quote}, names...)
	}
	fail(AssertionError, "abort() was called", 0, "abort")
	fail(AssertionError, "assertion `%s` failed", 1, "__assert_fail", "_assert", "__assert", "__assert_perror_fail")
	fail(AssertionError, "assertion `%s` failed", 4, "__assert_rtn")
	fail(AssertionError, "assertion `%s` failed", 4, "__assert_func")
	fail(AssertionError, "__VERIFIER_error() was called", 0, "__VERIFIER_error", "reach_error")
	for _, n := range []string{
		"open", "open64", "creat", "close", "pread", "pwrite", "lseek", "truncate", "ftruncate", "link", "unlink", "rename", "fsync", "fdatasync", "sync",
		"fopen", "fclose", "fread", "getline", "stat", "fstat", "ioctl", "fcntl",
		"mremap", "socket", "pipe", "epoll_wait", "fork", "execve", "waitpid", "system",
	} {
		fail(Unsupported, n+"() is not modelled: programs have memory and threads, but no files, devices or other processes", 0, n)
	}
	for _, n := range []string{"raise", "kill", "killpg", "sigqueue", "setitimer", "timer_settime", "sigwait", "sigwaitinfo", "sigsuspend", "pause", "signalfd"} {
		fail(Unsupported, n+"() is not modelled: programs have no signals", 0, n)
	}
	for t, n := range nondets {
		add(builtin{code: opChoose, stops: true, nondet: &n}, "__VERIFIER_nondet_"+t)
	}
	for f, n := range randoms {
		add(builtin{code: opChoose, stops: true, nondet: &n}, f)
	}

	for n, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "fabs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "round": math.Round,
		"rint": math.RoundToEven, "nearbyint": math.RoundToEven, "exp": math.Exp, "exp2": math.Exp2, "log": math.Log, "log2": math.Log2,
		"log10": math.Log10, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"cbrt": math.Cbrt, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
		"expm1": math.Expm1, "log1p": math.Log1p, "erf": math.Erf, "erfc": math.Erfc, "tgamma": math.Gamma,
	} {
		add(builtin{code: opMath, args: 1, pure: true, math1: f}, n)
		add(builtin{code: opMath, args: 1, pure: true, math1: f, f32: true}, n+"f")
		add(builtin{code: opMath, args: 1, pure: true, math1: f}, n+"l") // a long double is a double
	}
	for n, f := range map[string]func(x, y float64) float64{
		"pow": math.Pow, "fmod": math.Mod, "fmin": fmin, "fmax": fmax, "atan2": math.Atan2, "hypot": math.Hypot, "copysign": math.Copysign,
		"fdim": math.Dim, "remainder": math.Remainder,
	} {
		add(builtin{code: opMath, args: 2, pure: true, math2: f}, n)
		add(builtin{code: opMath, args: 2, pure: true, math2: f, f32: true}, n+"f")
		add(builtin{code: opMath, args: 2, pure: true, math2: f}, n+"l")
	}
	return all
})

// IsBuiltin reports whether the machine provides a function of this name.
func IsBuiltin(name string) bool { return builtins()[name] != nil || memFunctions[name] != ir.Invalid }

// fmin and fmax ignore a NaN, as C says; Go's don't.
func fmin(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Min(x, y)
}

func fmax(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Max(x, y)
}

// math computes a mathematical function on IEEE bits.
func (b *builtin) math(x, y uint64) uint64 {
	get, put := math.Float64frombits, math.Float64bits
	if b.f32 {
		get = func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }
		put = func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	}
	if b.math1 != nil {
		return put(b.math1(get(x)))
	}
	return put(b.math2(get(x), get(y)))
}
