package diy

import "strings"

var x86 = &machine{
	regs: []string{"EAX", "EBX", "ECX", "EDX", "ESI", "EDI"},
	load: func(w *column, n *Node, _ string) string {
		d := w.reg()
		w.emit("MOV %s,[%s]", d, locNames[n.Loc])
		return d
	},
	store: func(w *column, n *Node, _, _ string) { w.emit("MOV [%s],$%d", locNames[n.Loc], n.Value) },
	rmw: func(w *column, _ string, _, wr *Node, _ string) string {
		d := w.reg()
		w.emit("MOV %s,$%d", d, wr.Value)
		w.emit("XCHG [%s],%s", locNames[wr.Loc], d)
		return d
	},
}

var x86_64 = &machine{
	regs: []string{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"},
	load: func(w *column, n *Node, _ string) string {
		d := w.reg()
		w.emit("movl (%s),%s", locNames[n.Loc], word(d))
		return d
	},
	store: func(w *column, n *Node, _, _ string) { w.emit("movl $%d,(%s)", n.Value, locNames[n.Loc]) },
	rmw: func(w *column, _ string, _, wr *Node, _ string) string {
		d := w.reg()
		w.emit("movl $%d,%s", wr.Value, word(d))
		w.emit("xchgl %s,(%s)", word(d), locNames[wr.Loc])
		return d
	},
}

// word is the name of the lower half of a register, in AT&T's syntax.
func word(reg string) string {
	if strings.ContainsAny(reg, "0123456789") {
		return "%" + reg + "d"
	}
	return "%e" + reg[1:]
}
