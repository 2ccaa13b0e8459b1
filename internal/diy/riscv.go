package diy

import "strings"

var riscv = &machine{
	regs: numbered("x", 5, 31), isb: "fence.i",
	load: func(w *column, n *Node, dep string) string {
		addr := riscvAddress(w, n, dep)
		d := w.reg()
		if m, ok := strings.CutPrefix(n.Annot.Mode, "X"); ok {
			st := w.reg()
			w.emit("lr.w%s %s,0(%s)", riscvOrder(m), d, addr)
			w.emit("sc.w %s,%s,0(%s)", st, d, addr)
			w.expect(st, 0)
			return d
		}
		w.emit("lw%s %s,0(%s)", riscvOrder(n.Annot.Mode), d, addr)
		return d
	},
	store: func(w *column, n *Node, dep, data string) {
		addr := riscvAddress(w, n, dep)
		v := w.reg()
		if data == "" {
			w.emit("ori %s,x0,%d", v, n.Value)
		} else {
			w.emit("xor %s,%s,%s", v, data, data)
			w.emit("ori %s,%s,%d", v, v, n.Value)
		}
		if m, ok := strings.CutPrefix(n.Annot.Mode, "X"); ok {
			old, st := w.reg(), w.reg()
			w.emit("lr.w %s,0(%s)", old, addr)
			w.emit("sc.w%s %s,%s,0(%s)", riscvOrder(m), st, v, addr)
			w.expect(old, n.old)
			w.expect(st, 0)
			return
		}
		w.emit("sw%s %s,0(%s)", riscvOrder(n.Annot.Mode), v, addr)
	},
	rmw: func(w *column, via string, r, wr *Node, dep string) string {
		addr := riscvAddress(w, r, dep)
		d, v := w.reg(), w.reg()
		w.emit("ori %s,x0,%d", v, wr.Value)
		if via == "Amo.Swap" {
			order := riscvOrder(r.Annot.Mode)
			if order != riscvOrder(wr.Annot.Mode) {
				order = "." + strings.TrimPrefix(order, ".") + strings.TrimPrefix(riscvOrder(wr.Annot.Mode), ".")
			}
			w.emit("amoswap.w%s %s,%s,(%s)", strings.Replace(order, ".aqrl", ".aq.rl", 1), d, v, addr)
			return d
		}
		st := w.reg()
		w.emit("lr.w%s %s,0(%s)", riscvOrder(r.Annot.Mode), d, addr)
		w.emit("sc.w%s %s,%s,0(%s)", riscvOrder(wr.Annot.Mode), st, v, addr)
		w.expect(st, 0)
		return d
	},
	branch: func(w *column, reg string) {
		l := w.label()
		w.emit("bne %s,x0,%s", reg, l)
		w.emit("%s:", l)
	},
}

func riscvOrder(mode string) string {
	return map[string]string{"Aq": ".aq", "Rl": ".rl", "AR": ".aq.rl"}[mode]
}

func riscvAddress(w *column, n *Node, dep string) string {
	addr := w.addr(n.Loc)
	if dep == "" {
		return addr
	}
	z := w.reg()
	w.emit("xor %s,%s,%s", z, dep, dep)
	w.emit("add %s,%s,%s", z, z, addr)
	return z
}
