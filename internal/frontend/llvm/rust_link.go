package llvm

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ravel/internal/lazy"
)

// ruststd.ll has functions that stand in for some of Rust's standard library: what talks to the operating
// system, prints or panics, and the slow path of Mutex, which waits in a simpler way. The mangled names
// contain hashes, so they are known by the pieces of their paths.
//
//go:embed ruststd.ll
var rustStd []byte

// A rustName maps mangled names to one of ruststd.ll. A pattern is pieces that occur in order, with * between
// them; the first one that fits wins.
type rustName struct{ pattern, name string }

var rustNames = []rustName{
	{"lang_start_internal", "rust.lang_start"},
	{"__rust_alloc_zeroed", "rust.alloc_zeroed"},
	{"__rust_alloc_error_handler", "rust.panic"},
	{"__rust_no_alloc_shim", "rust.nothing"},
	{"__rust_alloc", "rust.alloc"},
	{"__rust_dealloc", "rust.dealloc"},
	{"__rust_realloc", "rust.realloc"},
	{"5stdio*_print", "rust.nothing"},
	{"5stdio*_eprint", "rust.nothing"},
	{"3std3env*_var_os", "rust.var_os"},
	{"9yield_now", "rust.yield"},
	{"6thread*21available_parallelism", "rust.parallelism"},
	{"5futex5Mutex14lock_contended", "rust.lock_contended"},
	{"5futex*Mutex*14lock_contended", "rust.lock_contended"},
	{"5futex*Mutex4wake", "rust.nothing"},
	{"7condvar5futex*7Condvar4wait", "rust.condvar_wait"},
	{"7condvar5futex*7Condvar12wait_timeout", "rust.condvar_wait_timeout"},
	{"7condvar*7Condvar10notify_one", "rust.condvar_notify_one"},
	{"7condvar*7Condvar10notify_all", "rust.condvar_notify_all"},
	{"3std6thread*5sleep", "rust.nothing"},
	{"6random*19hashmap_random_keys", "rust.random_keys"},
	{"14stack_overflow3imp12make_handler", "rust.null"},
	{"14stack_overflow3imp12drop_handler", "rust.nothing"},
	{"7process5abort", "rust.panic"},
	{"9panicking9panic_fmt", "rust.panic_fmt"},
	{"9panicking18panic_nounwind_fmt", "rust.panic_nounwind"},
	{"3std9panicking12default_hook", "rust.nothing"},
}

// rustUntried are those for a program that does not call RwLock::try_read, rustTried those for one that may.
var (
	rustUntried = []rustName{
		{"5futex*RwLock14read_contended", "rust.read_contended"},
		{"5futex*RwLock15write_contended", "rust.write_contended"},
		{"5futex*RwLock22wake_writer_or_readers", "rust.readers_gone"},
	}
	rustTried = []rustName{
		{"5futex*RwLock14read_contended", "rust.read_tried"},
		{"5futex*RwLock15write_contended", "rust.write_tried"},
	}
)

// rustScoped are those for a program whose scopes call rust.scope_wait.
var rustScoped = []rustName{
	{"6scoped*9ScopeData29increment_num_running_threads", "rust.scope_enter"},
	{"6scoped*9ScopeData29decrement_num_running_threads", "rust.nothing"},
}

// rustBarrier is the one for std::sync::Barrier, if its fields are where rust.barrier_wait expects them.
var rustBarrier = rustName{"3std4sync*7barrier*7Barrier4wait", "rust.barrier_wait"}

// barrierFields are lines of std's own Barrier::wait: it takes the futex mutex that the barrier begins with, compares what it has counted with
// the number of threads, and tells the condition variable.
var barrierFields = []func() *regexp.Regexp{
	lazy.Regexp(`(?m)^  %\d+ = cmpxchg ptr %0, i32 0, i32 1 acquire monotonic`),
	lazy.Regexp(`(?m)^  %(\d+) = getelementptr inbounds( nuw)? i8, ptr %0, i64 24\n  %(\d+) = load i64, ptr %\d+, align 8\n  %\d+ = icmp uge i64 %\d+, %\d+\n`),
	lazy.Regexp(`(?m)^  %\d+ = getelementptr inbounds( nuw)? i8, ptr %0, i64 32\n  %\d+ = atomicrmw add ptr %\d+, i32 1 monotonic`),
}

// rustBare are those for a program whose standard library is not at hand.
var rustBare = []rustName{
	{"9panicking", "rust.panic"},
	{"_failed", "rust.panic"}, // unwrap_failed, expect_failed
	{"_index_fail", "rust.panic"},
	{"_panic", "rust.panic"},
	{"handle_alloc_error", "rust.panic"},
	{"7raw_vec12handle_error", "rust.panic"},
	{"capacity_overflow", "rust.panic"},
}

// The ends of the mangled names of functions that ruststd.ll calls: core::fmt::write, and what the first thread does
// at the start, so that it is done before there are others.
const (
	fmtWrite    = "4core3fmt5write"
	guardEnable = "12thread_local5guard3key6enable"
)

// rustOverride is a generic function that is part of the module but better replaced: it
// caches the least stack size in an atomic variable.
const rustOverride = "15spawn_unchecked28_$u7b$$u7b$closure$u7d$$u7d$17h"

// What channels do between two attempts to send or receive: they wait longer each time, and then, in Context::with, until they
// are woken. Without that they look again until they succeed, and executions don't differ by how they waited.
const (
	rustBackoff   = "4mpmc5utils*7Backoff10spin_"
	rustListWait  = "with<std::sync::mpmc::list::"
	rustArrayWait = "with<std::sync::mpmc::array::"
)

// isRust reports whether a mangled name is one of Rust's.
func isRust(name string) bool {
	return strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__rust") || strings.HasPrefix(name, "_ZN") && strings.Contains(name, "17h")
}

// usesRust reports whether a module is the work of rustc.
func usesRust(mods []*Module) bool {
	for _, m := range mods {
		for _, s := range m.order {
			if s.decl && isRust(s.name) {
				return true
			}
		}
	}
	return false
}

// rustStandIn returns the function of ruststd.ll that s should be, or nil.
func (lk *linker) rustStandIn(s *symbol) *symbol {
	if lk.rust == nil || !isRust(s.name) {
		return nil
	}
	if !s.decl {
		if s.kind == symFunc {
			name := lk.scope(s.mod, s.fn.dbg).fn
			if matchPieces(s.name, rustBackoff) || strings.HasPrefix(name, rustListWait) || strings.HasPrefix(name, rustArrayWait) || !lk.rustKeeps && rustForgets(name) {
				return lk.defs["rust.nothing"]
			}
		}
		if s.kind == symFunc && len(s.fn.params) == 0 && s.fn.typ.elem.kind == kInt && strings.Contains(s.name, rustOverride) &&
			!strings.Contains(s.name, "28_$u7b$$u7b$closure$u7d$$u7d$28_") {
			return lk.defs["rust.min_stack"]
		}
		return nil
	}
	return lk.defs[standIn(s.name, lk.rust)]
}

// tryRead is part of the mangled name of RwLock::try_read, and downgrade matches that of RwLockWriteGuard::downgrade. Debug information has the name where the function was inlined.
var (
	tryRead, debugInfo = []byte("8try_read"), []byte("!DICompileUnit(")
	downgrade          = lazy.Regexp(`RwLock(WriteGuard[\w$.]*)?9downgrade`)
)

// adaptRust adds to the text of a module what the linker needs to know about its use of std.
func adaptRust(text []byte) []byte { return noteTries(awaitScopes(text)) }

// noteTries declares rustTries in a module that may call RwLock::try_read. So it does if a lock for writing may become one for reading: others that read may wait then for a writer that waits no more.
func noteTries(text []byte) []byte {
	if bytes.Contains(text, tryRead) || bytes.Contains(text, []byte("9downgrade")) && downgrade().Match(text) || bytes.Contains(text, []byte("RwLock")) && !bytes.Contains(text, debugInfo) {
		return append(slices.Clip(text), "\ndeclare void @"+rustTries+"()\n"...)
	}
	return text
}

// rustTries is the name of a declaration that marks modules which may call RwLock::try_read.
const rustTries = "rust.tries"

// rustForgets reports whether a function drops one of the owners of what std keeps about a thread. What a thread and its handle share
// is then never freed if no thread joins this one, and executions don't differ by which of the two is the last. That
// shows only if the result of the thread has something to drop.
func rustForgets(name string) bool {
	name, ok := strings.CutPrefix(name, "drop_in_place<")
	if !ok {
		return false
	}
	name = strings.TrimSuffix(name, ">")
	if rustThread[name] {
		return true
	}
	for _, handle := range []string{"std::thread::lifecycle::JoinInner<", "std::thread::JoinInner<"} {
		if result, ok := strings.CutPrefix(name, handle); ok {
			return rustPlain().MatchString(strings.TrimSuffix(result, ">"))
		}
	}
	return false
}

var rustThread = map[string]bool{
	"std::thread::Thread":         true,
	"std::thread::thread::Thread": true,
	"alloc::sync::Arc<std::thread::scoped::ScopeData, alloc::alloc::Global>": true,
}

// rustPlain are types with nothing to drop.
var rustPlain = lazy.Regexp(`^(\b(bool|char|str|mut|const|f32|f64|[ui](8|16|32|64|128|size)|core::option::Option|core::result::Result)\b|[0-9]+|[][()<>,;&* !])*$`)

// The end of a scope, in the text of a module: it parks until it reads that the number of running threads is 0.
var (
	scopeFunc = lazy.Regexp(`(?m)^define [^@]*@[^(]*6scoped5scope[^(]*\((?s:.*?)\n}\n`)
	scopePark = "6Thread4park"
	scopeLoad = lazy.Regexp(`(call|invoke)( noundef)? i64 @"?[\w$.]*11atomic_load[\w$.]*"?\(ptr( noundef)? (%[\w.]+), i8( noundef)? 2\)|load atomic i64, ptr (%[\w.]+) acquire, align 8`)
)

// awaitScopes lets the scopes in the text of a module call rust.scope_wait, if it is seen where.
func awaitScopes(text []byte) []byte {
	if !bytes.Contains(text, []byte("6scoped5scope")) {
		return text
	}
	found, all := false, true
	out := scopeFunc().ReplaceAllFunc(text, func(f []byte) []byte {
		if !bytes.Contains(f, []byte(scopePark)) {
			return f
		}
		found, all = true, all && len(scopeLoad().FindAll(f, -1)) == 1
		return scopeLoad().ReplaceAllFunc(f, func(load []byte) []byte {
			m := scopeLoad().FindSubmatch(load)
			if len(m[1]) == 0 {
				return fmt.Appendf(nil, "call i64 @rust.scope_wait(ptr %s)", m[6])
			}
			return fmt.Appendf(nil, "%s i64 @rust.scope_wait(ptr %s)", m[1], m[4]) // an invoke if panics unwind
		})
	})
	if !found || !all {
		return text
	}
	return append(out, "\ndeclare i64 @rust.scope_wait(ptr)\n"...)
}

// standIn returns the function of ruststd.ll that stands in for the one with a mangled name, or "".
func standIn(name string, known []rustName) string {
	if !isRust(name) {
		return ""
	}
	for _, r := range known {
		if matchPieces(name, r.pattern) {
			return r.name
		}
	}
	return ""
}

func matchPieces(name, pattern string) bool {
	for piece := range strings.SplitSeq(pattern, "*") {
		i := strings.Index(name, piece)
		if i < 0 {
			return false
		}
		name = name[i+len(piece):]
	}
	return true
}
