package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// Atomic sections of LLMC (llmc_atomic_begin): while a thread is in one, no other thread moves, nor do the entries of their buffers. As in an atomic sequence of Promela,
// others go on if the thread can't. The library keeps the thread that is in a section in a variable (runtime/src/verifier.c), so the section ends when memory has what its end
// stores. By then memory has all that the section stores, as its end is a release (unless Options.Raw).
//
// The begin and the end of a section conflict with all moves of others. So each state explores all threads (exploreOnce), and nothing is merged with accesses to the variable (run.watched).
// What else goOn merges commutes with all moves of others.

// sectionOf returns the variable of atomic sections if they keep others from moving, 0 otherwise: those of ravel.h and of SV-COMP only exclude each other.
func sectionOf(p *ir.Program) event.Addr {
	if !slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool { return f.Runtime && f.Name == "llmc_atomic_begin" }) {
		return 0
	}
	for _, f := range p.Funcs {
		if f.Name != "__ravel_section_begin" {
			continue
		}
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if in := &b.Instrs[i]; in.Op == ir.CmpXchg && in.A.IsConst() {
					return event.Addr(in.A.Imm)
				}
			}
		}
	}
	return 0
}

// alone returns the thread that is in an atomic section, if it can go on; -1 otherwise.
func (w *worker) alone() int32 {
	if w.section == 0 {
		return -1
	}
	t := int32(w.value(w.pageLeaf(w.section), w.section, 4).Lo) - 1
	if t < 0 {
		return -1
	}
	can := false
	w.movesOfThread(t, whole, func(m move) {
		if !can {
			can = w.perform(m) && len(w.changes) > 0 || w.fault != nil
			w.undo()
		}
	})
	if can {
		return t
	}
	return -1
}
