package diy

var ppc = &machine{
	regs: numbered("r", 1, 30), isb: "isync",
	load: func(w *column, n *Node, dep string) string {
		addr, d := w.addr(n.Loc), w.reg()
		if dep == "" {
			w.emit("lwz %s,0(%s)", d, addr)
			return d
		}
		z := w.reg()
		w.emit("xor %s,%s,%s", z, dep, dep)
		w.emit("lwzx %s,%s,%s", d, z, addr)
		return d
	},
	store: func(w *column, n *Node, dep, data string) {
		addr, v := w.addr(n.Loc), w.reg()
		if data == "" {
			w.emit("li %s,%d", v, n.Value)
		} else {
			w.emit("xor %s,%s,%s", v, data, data)
			w.emit("addi %s,%s,%d", v, v, n.Value)
		}
		if dep == "" {
			w.emit("stw %s,0(%s)", v, addr)
			return
		}
		z := w.reg()
		w.emit("xor %s,%s,%s", z, dep, dep)
		w.emit("stwx %s,%s,%s", v, z, addr)
	},
	branch: func(w *column, reg string) {
		l := w.label()
		w.emit("cmpwi %s,0", reg)
		w.emit("bne %s", l)
		w.emit("%s:", l)
	},
}
