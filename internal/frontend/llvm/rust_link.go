package llvm

import (
	_ "embed"
	"strings"
)

// Rust's standard library comes as machine code, so what a program calls of it beyond generic
// and inline functions has no body. ruststd.ll has bodies for what most programs need: start
// and panic, memory, threads, the slow path of Mutex. The mangled names contain hashes, so
// they are known by the pieces of their paths.
//
//go:embed ruststd.ll
var rustStd []byte

// rustNames maps mangled names to those of ruststd.ll. A pattern is pieces that occur in
// order, with * between them; the first one that fits wins.
var rustNames = []struct{ pattern, name string }{
	{"lang_start_internal", "rust.lang_start"},
	{"__rust_alloc_zeroed", "rust.alloc_zeroed"},
	{"__rust_alloc_error_handler", "rust.panic"},
	{"__rust_no_alloc_shim", "rust.nothing"},
	{"__rust_alloc", "rust.alloc"},
	{"__rust_dealloc", "rust.dealloc"},
	{"__rust_realloc", "rust.realloc"},
	{"GLOBAL_PANIC_COUNT", "rust.panic_count"},
	{"is_zero_slow_path", "rust.true"},
	{"5stdio*_print", "rust.nothing"},
	{"5stdio*_eprint", "rust.nothing"},
	{"3std3env*_var_os", "rust.var_os"},
	{"3sys*6Thread3new", "rust.thread_create"},
	{"3sys*6Thread4join", "rust.thread_join"},
	{"3sys*6Thread*4Drop4drop", "rust.thread_detach"},
	{"9yield_now", "rust.yield"},
	{"6thread*8ThreadId3new", "rust.thread_id"},
	{"6thread*6Thread3new", "rust.thread_handle"},
	{"6thread*5Inner*9drop_slow", "rust.drop_handle"},
	{"15run_spawn_hooks", "rust.spawn_hooks"},
	{"15ChildSpawnHooks3run", "rust.nothing"},
	{"10SpawnHooks*4Drop4drop", "rust.nothing"},
	{"29increment_num_running_threads", "rust.scope_enter"},
	{"29decrement_num_running_threads", "rust.scope_leave"},
	{"5futex5Mutex14lock_contended", "rust.lock_contended"},
	{"5futex*Mutex*14lock_contended", "rust.lock_contended"},
	{"5futex*Mutex4wake", "rust.nothing"},
	{"6thread*5sleep", "rust.nothing"},
	{"6thread*6Thread4park", "rust.yield"},
	{"6thread*6Thread6unpark", "rust.nothing"},
	{"6thread*18current_or_unnamed", "rust.current"},
	{"6thread7current7current", "rust.current"},
	{"5panic13resume_unwind", "rust.panic"},
	{"9panicking", "rust.panic"},
	{"_failed", "rust.panic"}, // unwrap_failed, expect_failed
	{"_index_fail", "rust.panic"},
	{"_panic", "rust.panic"},
	{"panic_already", "rust.panic"},
	{"handle_alloc_error", "rust.panic"},
	{"7raw_vec12handle_error", "rust.panic"},
	{"capacity_overflow", "rust.panic"},
	{"7process5abort", "rust.panic"},
}

// rustOverride is a generic function that is part of the module but better replaced: it
// caches the least stack size in an atomic variable.
const rustOverride = "15spawn_unchecked28_$u7b$$u7b$closure$u7d$$u7d$17h"

// isRust reports whether a mangled name is one of Rust's.
func isRust(name string) bool {
	return strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__rust") || strings.HasPrefix(name, "_ZN") && strings.Contains(name, "17h")
}

// rustStandIn returns the function of ruststd.ll that s should be, or nil.
func (lk *linker) rustStandIn(s *symbol) *symbol {
	if !lk.rust || !isRust(s.name) {
		return nil
	}
	if !s.decl {
		if s.kind == symFunc && len(s.fn.params) == 0 && s.fn.typ.elem.kind == kInt && strings.Contains(s.name, rustOverride) &&
			!strings.Contains(s.name, "28_$u7b$$u7b$closure$u7d$$u7d$28_") {
			return lk.defs["rust.min_stack"]
		}
		return nil
	}
	for _, r := range rustNames {
		if matchPieces(s.name, r.pattern) {
			return lk.defs[r.name]
		}
	}
	return nil
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
