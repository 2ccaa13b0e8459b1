package states

import (
	"fmt"
	"strings"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// llvmModes are the words of LLVM for access modes.
var llvmModes = map[event.Mode]string{
	event.Rlx: "monotonic", event.Acq: "acquire", event.Rel: "release", event.AcqRel: "acq_rel", event.SC: "seq_cst",
}

// access returns an LLVM instruction that accesses memory: its name, with atomic, then the rest, then the mode.
func llvmAccess(name, rest string, mode event.Mode) string {
	if mode == event.NA {
		return name + " " + rest
	}
	return fmt.Sprintf("%s atomic %s %s", name, rest, llvmModes[mode])
}

func llvmType(size uint8) string { return fmt.Sprintf("i%d", 8*int(size)) }

// instruction says what a move does in the words of LLVM IR, in the state that the worker holds: what a thread performs, and what leaves its
// buffer. Its own computations go with that.
func (w *worker) instruction(m move) string {
	n := w.namer
	if m.kind == leave {
		e := w.buffer(m.thread)[m.arg]
		switch e.kind {
		case read:
			return fmt.Sprintf("; load %s, ptr @%s leaves the buffer", llvmType(e.size), n.Loc(e.addr, e.size))
		case rmw:
			return fmt.Sprintf("; atomicrmw %v %s, ptr @%s leaves the buffer", e.op, llvmType(e.size), n.Loc(e.addr, e.size))
		}
		return fmt.Sprintf("; store %s %s, ptr @%s leaves the buffer", llvmType(e.size), n.Value(e.addr, e.size, e.val), n.Loc(e.addr, e.size))
	}
	l := w.locals.at(w.leaf(localLeaf(m.thread))).local
	a := &l.act
	if a.Kind == waitKind && m.kind == choose {
		return fmt.Sprintf("; br is guessed to go way %d", m.arg)
	}
	if l.issue != nil {
		a = l.issue
	}
	loc := "?"
	if l.missing&missingAddr == 0 {
		loc = n.Loc(a.Addr, a.Size)
	}
	ptr := "ptr @" + loc
	value := func(v event.Value, part int) string {
		if l.missing>>part&1 != 0 {
			return llvmType(a.Size) + " ?"
		}
		return llvmType(a.Size) + " " + n.Value(a.Addr, a.Size, v)
	}
	switch a.Kind {
	case machine.Load:
		return llvmAccess("load", llvmType(a.Size)+", "+ptr, a.Mode)
	case machine.Store:
		return llvmAccess("store", value(a.Val, machine.PartVal)+", "+ptr, a.Mode)
	case machine.RMW:
		if a.RMW != event.CAS {
			return fmt.Sprintf("atomicrmw %v %s, %s %s", a.RMW, ptr, value(a.Val, machine.PartVal), llvmModes[a.Mode])
		}
		weak := ""
		if a.Weak {
			weak = "weak "
		}
		text := fmt.Sprintf("cmpxchg %s%s, %s, %s %s %s", weak, ptr, value(a.Exp, machine.PartExp), value(a.Val, machine.PartVal), llvmModes[a.Mode], llvmModes[a.Fail])
		if m.kind == spurious {
			text += " ; fails spuriously"
		}
		return text
	case machine.Fence:
		return "fence " + llvmModes[a.Mode]
	case machine.Choice:
		if text := a.Wakeup(uint64(m.arg)); text != "" {
			return fmt.Sprintf("call spurious(%d) ; %s", a.N, text)
		}
		return fmt.Sprintf("call choose(%d) ; %d", a.N, a.Chosen(uint64(m.arg)))
	case machine.Create:
		return fmt.Sprintf("call create(ptr @%s)", n.Loc(a.Addr, 1))
	case machine.Join:
		return fmt.Sprintf("call join(%d)", a.Val.Lo)
	}
	return "call " + strings.Fields(w.moveWords(m))[0] + "(" + ptr + ")"
}
