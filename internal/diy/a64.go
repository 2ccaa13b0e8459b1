package diy

import (
	"fmt"
	"strings"
)

var a64 = &machine{
	regs: numbered("X", 0, 28), isb: "ISB",
	load: func(w *column, n *Node, dep string) string {
		addr, d := a64Address(w, n, dep), ""
		d = w.reg()
		suffix, view := a64Size(n)
		switch m := n.Annot.Mode; m {
		case "X", "XA":
			st := w.reg()
			w.emit("LD%sXR%s %s%s,[%s]", strings.TrimPrefix(m, "X"), suffix, view, d[1:], addr)
			w.emit("STXR%s W%s,%s%s,[%s]", suffix, st[1:], view, d[1:], addr)
			w.expect(st, 0)
		default:
			w.emit("%s%s %s%s,%s", map[string]string{"": "LDR", "A": "LDAR", "Q": "LDAPR"}[m], suffix, view, d[1:], a64Operand(n, addr))
		}
		return d
	},
	store: func(w *column, n *Node, dep, data string) {
		addr := a64Address(w, n, dep)
		v := a64Value(w, n, data)
		suffix, view := a64Size(n)
		switch m := n.Annot.Mode; m {
		case "X", "XL":
			old, st := w.reg(), w.reg()
			w.emit("LDXR%s %s%s,[%s]", suffix, view, old[1:], addr)
			w.emit("ST%sXR%s W%s,%s%s,[%s]", strings.TrimPrefix(m, "X"), suffix, st[1:], view, v[1:], addr)
			w.expect(old, n.old)
			w.expect(st, 0)
		default:
			w.emit("%s%s %s%s,%s", map[string]string{"": "STR", "L": "STLR"}[m], suffix, view, v[1:], a64Operand(n, addr))
		}
	},
	rmw: func(w *column, via string, r, wr *Node, dep string) string {
		addr := a64Address(w, r, dep)
		d := w.reg()
		acq, rel := "", ""
		if r.Annot.Mode != "" {
			acq = "A"
		}
		if wr.Annot.Mode != "" {
			rel = "L"
		}
		constant := func(v uint64) string {
			k := w.reg()
			w.emit("MOV W%s,#%d", k[1:], int64(v))
			return k
		}
		switch via {
		case "Amo.Swp":
			v := constant(wr.Value)
			w.emit("SWP%s%s W%s,W%s,[%s]", acq, rel, v[1:], d[1:], addr)
		case "Amo.LdAdd":
			v := constant(wr.Value - r.Value)
			w.emit("LDADD%s%s W%s,W%s,[%s]", acq, rel, v[1:], d[1:], addr)
		case "Amo.Cas":
			w.emit("MOV W%s,#%d", d[1:], r.Value)
			v := constant(wr.Value)
			w.emit("CAS%s%s W%s,W%s,[%s]", acq, rel, d[1:], v[1:], addr)
		default:
			v, st := constant(wr.Value), w.reg()
			w.emit("LD%sXR W%s,[%s]", acq, d[1:], addr)
			w.emit("ST%sXR W%s,W%s,[%s]", rel, st[1:], v[1:], addr)
			w.expect(st, 0)
		}
		return d
	},
	branch: func(w *column, reg string) {
		l := w.label()
		w.emit("CBNZ W%s,%s", reg[1:], l)
		w.emit("%s:", l)
	},
}

// a64Size is the end of the instruction's name for the size of an access, and the letter of the register.
func a64Size(n *Node) (suffix, view string) {
	switch size, _ := n.Annot.extent(); size {
	case 1:
		return "B", "W"
	case 2:
		return "H", "W"
	case 8:
		return "", "X"
	}
	return "", "W"
}

// a64Address is a register that holds the address: that of the location, unless it depends on another one, or
// has an offset that the instruction cannot have.
func a64Address(w *column, n *Node, dep string) string {
	addr := w.addr(n.Loc)
	if dep != "" {
		z, sum := w.reg(), w.reg()
		w.emit("EOR W%s,W%s,W%s", z[1:], dep[1:], dep[1:])
		w.emit("ADD %s,%s,W%s,SXTW", sum, addr, z[1:])
		addr = sum
	}
	if n.Annot.Mode != "" && n.Annot.Off > 0 {
		sum := w.reg()
		w.emit("ADD %s,%s,#%d", sum, addr, n.Annot.Off)
		addr = sum
	}
	return addr
}

func a64Operand(n *Node, addr string) string {
	if n.Annot.Mode != "" || n.Annot.Off == 0 {
		return "[" + addr + "]"
	}
	return fmt.Sprintf("[%s,#%d]", addr, n.Annot.Off)
}

// a64Value is a register with the value of a write.
func a64Value(w *column, n *Node, data string) string {
	v := w.reg()
	if w.t.c.mixed { // too wide for a MOV
		w.init = append(w.init, fmt.Sprintf("%d:%s=%#x;", w.id, v, n.Value))
		if data == "" {
			return v
		}
		z, sum := w.reg(), w.reg()
		w.emit("EOR X%s,X%s,X%s", z[1:], data[1:], data[1:])
		w.emit("ADD X%s,X%s,X%s", sum[1:], z[1:], v[1:])
		return sum
	}
	if data == "" {
		w.emit("MOV W%s,#%d", v[1:], n.Value)
		return v
	}
	w.emit("EOR W%s,W%s,W%s", v[1:], data[1:], data[1:])
	w.emit("ADD W%s,W%s,#%d", v[1:], v[1:], n.Value)
	return v
}
