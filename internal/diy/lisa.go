package diy

import (
	"fmt"
	"strings"
)

var lisa = &machine{
	regs: numbered("r", 0, 30),
	load: func(w *column, n *Node, dep string) string {
		addr := lisaAddress(w, n, dep)
		d := w.reg()
		w.emit("r[%s] %s %s", lisaTag(n), d, addr)
		return d
	},
	store: func(w *column, n *Node, dep, data string) {
		v := fmt.Sprint(n.Value)
		if data != "" {
			z := w.reg()
			v = w.reg()
			w.emit("mov %s (xor %s %s)", z, data, data)
			w.emit("mov %s (add %s %d)", v, z, n.Value)
		}
		w.emit("w[%s] %s %s", lisaTag(n), lisaAddress(w, n, dep), v)
	},
	branch: func(w *column, reg string) {
		l, c := w.label(), w.reg()
		w.emit("mov %s (neq %s 0)", c, reg)
		w.emit("b[] %s %s", c, l)
		w.emit("%s:", l)
	},
}

func lisaTag(n *Node) string {
	if n.Annot.Mode == "" {
		return "once"
	}
	return strings.ToLower(n.Annot.Mode)
}

func lisaAddress(w *column, n *Node, dep string) string {
	if dep == "" {
		return locNames[n.Loc]
	}
	z := w.reg()
	w.emit("mov %s (xor %s %s)", z, dep, dep)
	return locNames[n.Loc] + "+" + z
}
