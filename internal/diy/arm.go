package diy

var arm = &machine{
	regs: numbered("R", 0, 12), isb: "ISB",
	load: func(w *column, n *Node, dep string) string {
		addr := armAddress(w, n, dep)
		d := w.reg()
		if n.Annot.Mode == "X" {
			st := w.reg()
			w.emit("LDREX %s,[%s]", d, addr)
			w.emit("STREX %s,%s,[%s]", st, d, addr)
			w.expect(st, 0)
			return d
		}
		w.emit("LDR %s,[%s]", d, addr)
		return d
	},
	store: func(w *column, n *Node, dep, data string) {
		addr := armAddress(w, n, dep)
		v := w.reg()
		if data == "" {
			w.emit("MOV %s,#%d", v, n.Value)
		} else {
			w.emit("EOR %s,%s,%s", v, data, data)
			w.emit("ADD %s,%s,#%d", v, v, n.Value)
		}
		if n.Annot.Mode == "X" {
			old, st := w.reg(), w.reg()
			w.emit("LDREX %s,[%s]", old, addr)
			w.emit("STREX %s,%s,[%s]", st, v, addr)
			w.expect(old, n.old)
			w.expect(st, 0)
			return
		}
		w.emit("STR %s,[%s]", v, addr)
	},
	rmw: func(w *column, _ string, _, wr *Node, dep string) string {
		addr := armAddress(w, wr, dep)
		d, v, st := w.reg(), w.reg(), w.reg()
		w.emit("MOV %s,#%d", v, wr.Value)
		w.emit("LDREX %s,[%s]", d, addr)
		w.emit("STREX %s,%s,[%s]", st, v, addr)
		w.expect(st, 0)
		return d
	},
	branch: func(w *column, reg string) {
		l := w.label()
		w.emit("CMP %s,#0", reg)
		w.emit("BNE %s", l)
		w.emit("%s:", l)
	},
}

func armAddress(w *column, n *Node, dep string) string {
	addr := w.addr(n.Loc)
	if dep == "" {
		return addr
	}
	z := w.reg()
	w.emit("EOR %s,%s,%s", z, dep, dep)
	w.emit("ADD %s,%s,%s", z, z, addr)
	return z
}
