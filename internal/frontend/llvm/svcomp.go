package llvm

import (
	"strings"

	"ravel/internal/ir"
)

// The rules of SV-COMP that go by the names of functions which programs define themselves:
//
//   - a call of reach_error is an error, whatever the body does;
//   - __VERIFIER_assume and assume_abort_if_not leave executions out, however they are spelled;
//   - in a program that knows reach_error or __VERIFIER_error, abort only ends the execution: no error comes after
//     it, so it is left out as well;
//   - functions whose names begin with __VERIFIER_atomic_ are atomic sections.

// byRule lists the functions that are the library's even if the program defines them.
var byRule = map[string]bool{"reach_error": true, "__VERIFIER_assume": true, "assume_abort_if_not": true, "assume_cycle_if_not": true}

// The library's functions around the body of an atomic function, and its abort.
const (
	sectionBegin = "__ravel_section_begin"
	sectionEnd   = "__ravel_section_end"
	abortEnds    = "__ravel_abort_ends"
)

// isAtomicFunction reports whether a function of this name is an atomic section.
func isAtomicFunction(name string) bool {
	rest, ok := strings.CutPrefix(name, "__VERIFIER_atomic_")
	return ok && rest != "begin" && rest != "end"
}

// speaksSVComp reports whether an error is a call of reach_error or __VERIFIER_error in one of the modules.
func speaksSVComp(mods []*Module) bool {
	for _, m := range mods {
		if !m.runtime && (m.syms["reach_error"] != nil || m.syms["__VERIFIER_error"] != nil) {
			return true
		}
	}
	return false
}

// svcompStandIn returns the library's definition that the rules put in the place of s; nil if there is none.
func (lk *linker) svcompStandIn(s *symbol) *symbol {
	name := s.name
	switch {
	case s.kind != symFunc || s.mod.runtime:
		return nil
	case name == "abort" && s.decl && lk.svcomp:
		name = abortEnds
	case !byRule[name]:
		return nil
	}
	if d := lk.defs[name]; d != nil && d.mod.runtime {
		return d
	}
	return nil
}

// beginSection opens the section of an atomic function, which may be inside of another one.
func (l *lowerer) beginSection() {
	if !isAtomicFunction(l.s.name) || l.mod.runtime {
		return
	}
	l.section = l.temp(1)
	c := newInstr(ir.Call)
	c.Callee, c.Results = l.lk.funcOf(l.mod.syms[sectionBegin]), []ir.Reg{l.section}
	l.emit(c)
}

// endSection closes what beginSection opened.
func (l *lowerer) endSection() {
	if l.section == ir.NoReg {
		return
	}
	c := newInstr(ir.Call)
	c.Callee, c.Args = l.lk.funcOf(l.mod.syms[sectionEnd]), []ir.Operand{ir.R(l.section)}
	l.emit(c)
}
