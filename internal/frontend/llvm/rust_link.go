package llvm

import (
	_ "embed"
	"strings"
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
	{"5futex5Mutex14lock_contended", "rust.lock_contended"},
	{"5futex*Mutex*14lock_contended", "rust.lock_contended"},
	{"5futex*Mutex4wake", "rust.nothing"},
	{"5futex*RwLock14read_contended", "rust.read_contended"},
	{"5futex*RwLock15write_contended", "rust.write_contended"},
	{"3std6thread*5sleep", "rust.nothing"},
	{"6random*19hashmap_random_keys", "rust.random_keys"},
	{"14stack_overflow3imp12make_handler", "rust.null"},
	{"14stack_overflow3imp12drop_handler", "rust.nothing"},
	{"7process5abort", "rust.panic"},
	{"9panicking9panic_fmt", "rust.panic_fmt"},
	{"9panicking18panic_nounwind_fmt", "rust.panic_fmt"},
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
		if s.kind == symFunc && len(s.fn.params) == 0 && s.fn.typ.elem.kind == kInt && strings.Contains(s.name, rustOverride) &&
			!strings.Contains(s.name, "28_$u7b$$u7b$closure$u7d$$u7d$28_") {
			return lk.defs["rust.min_stack"]
		}
		return nil
	}
	return lk.defs[standIn(s.name, lk.rust)]
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
