package diy

import (
	"fmt"
	"strings"
)

// A language writes statements; reg and the values it gets are expressions.
type language struct {
	header func(w *function) (open string) // of a thread
	fence  string                          // a format for what Arch.fence has
	load   func(n *Node, addr string) string
	store  func(n *Node, addr, value string) string
	rmw    func(mode, addr string, v uint64) string
	addr   func(loc int, dep string) string
	obs    string // the mode of reads that only observe
}

// A function is a thread of C or Java while it is written.
type function struct {
	t     *text
	l     *language
	id    int
	regs  int
	body  []string
	depth int   // of blocks
	locs  []int // that it uses
}

func (w *function) emit(format string, args ...any) {
	w.body = append(w.body, strings.Repeat("  ", w.depth+1)+fmt.Sprintf(format, args...))
}

func (w *function) use(n *Node) {
	for _, l := range w.locs {
		if l == n.Loc {
			return
		}
	}
	w.locs = append(w.locs, n.Loc)
}

// writeFunctions writes tests whose threads are functions.
func writeFunctions(l *language) func(c *Cycle, t *text) {
	return func(c *Cycle, t *text) {
		var list []*function
		begin := func() *function {
			w := &function{t: t, l: l, id: len(list)}
			list = append(list, w)
			return w
		}
		for _, list := range c.threads() {
			begin().thread(c, list)
		}
		obs := c.observers()
		for _, loc := range sortedKeys(obs) {
			w := begin()
			for _, v := range obs[loc] {
				n := &Node{Dir: R, Loc: loc, Value: v, Annot: Annot{Mode: l.obs}}
				w.read(l.load(n, l.addr(loc, "")), n)
			}
		}
		for _, w := range list {
			t.program.WriteString(l.header(w))
			for k := range w.regs {
				fmt.Fprintf(&t.program, "  int r%d = 0;\n", k)
			}
			t.program.WriteString(strings.Join(w.body, "\n"))
			for d := w.depth; d >= 0; d-- {
				t.program.WriteString("\n" + strings.Repeat("  ", d) + "}")
			}
			t.program.WriteString("\n\n")
		}
	}
}

// read writes r = expr, with the value that the condition expects.
func (w *function) read(expr string, n *Node) string {
	r := fmt.Sprintf("r%d", w.regs)
	w.regs++
	w.use(n)
	w.emit("%s = %s;", r, expr)
	if w.t.c.observed(n) {
		w.t.cond = append(w.t.cond, fmt.Sprintf("%d:%s=%d", w.id, r, n.Value))
	}
	return r
}

// thread writes the accesses of a thread; after a control dependency, all is in a block.
func (w *function) thread(c *Cycle, list []int) {
	prev, last := "", uint64(0)
	for k := 0; k < len(list); k++ {
		i := list[k]
		n := &c.Nodes[i]
		dep, value := "", fmt.Sprint(n.Value)
		if k > 0 {
			switch e := &c.Edges[i-1]; {
			case e.Kind == Fenced:
				w.emit(w.l.fence, c.Arch.fence[e.Via])
			case e.Kind != Dep:
			case e.Via == "Addr":
				dep = prev
			case e.Via == "Data":
				value = fmt.Sprintf("%d + (%s ^ %s)", n.Value, prev, prev)
			default:
				w.emit("if (%s == %d) {", prev, last)
				w.depth++
			}
		}
		addr := w.l.addr(n.Loc, dep)
		switch {
		case n.Dir == W:
			w.use(n)
			w.emit("%s;", w.l.store(n, addr, value))
			continue
		case c.Edges[i].Kind == Rmw && k+1 < len(list):
			prev = w.read(w.l.rmw(c.Arch.rmwMode(n.Annot, c.Nodes[i+1].Annot), addr, c.Nodes[i+1].Value), n)
			k++
		default:
			prev = w.read(w.l.load(n, addr), n)
		}
		last = n.Value
	}
}

// params are the parameters of a thread of C. A location without atomic accesses is not atomic.
func (w *function) params(typ string) string {
	var list []string
	for _, l := range w.locs {
		t := "int"
		for _, i := range w.t.c.order[l] {
			if w.t.c.Nodes[i].Annot.Mode != "Na" {
				t = typ
			}
		}
		list = append(list, t+" *"+locNames[l])
	}
	return fmt.Sprintf("P%d(%s) {\n", w.id, strings.Join(list, ", "))
}

func cAddr(loc int, dep string) string {
	if dep == "" {
		return locNames[loc]
	}
	return fmt.Sprintf("%s + (%s ^ %s)", locNames[loc], dep, dep)
}

// star is what an address points to.
func star(addr string) string {
	if strings.Contains(addr, " ") {
		return "*(" + addr + ")"
	}
	return "*" + addr
}

var cModes = map[string]string{
	"": "relaxed", "Rlx": "relaxed", "Con": "consume", "Acq": "acquire", "Rel": "release", "AcqRel": "acq_rel", "Sc": "seq_cst",
}

var c11 = &language{
	header: func(w *function) string { return w.params("atomic_int") },
	fence:  "atomic_thread_fence(%s);",
	load: func(n *Node, addr string) string {
		if n.Annot.Mode == "Na" {
			return star(addr)
		}
		return fmt.Sprintf("atomic_load_explicit(%s, memory_order_%s)", addr, cModes[n.Annot.Mode])
	},
	store: func(n *Node, addr, value string) string {
		if n.Annot.Mode == "Na" {
			return fmt.Sprintf("%s = %s", star(addr), value)
		}
		return fmt.Sprintf("atomic_store_explicit(%s, %s, memory_order_%s)", addr, value, cModes[n.Annot.Mode])
	},
	rmw: func(mode, addr string, v uint64) string {
		return fmt.Sprintf("atomic_exchange_explicit(%s, %d, memory_order_%s)", addr, v, cModes[mode])
	},
	addr: cAddr,
}

var lkmm = &language{
	header: func(w *function) string { return w.params("int") },
	fence:  "%s;",
	load: func(n *Node, addr string) string {
		switch n.Annot.Mode {
		case "Plain":
			return star(addr)
		case "Acquire":
			return fmt.Sprintf("smp_load_acquire(%s)", addr)
		}
		return fmt.Sprintf("READ_ONCE(%s)", star(addr))
	},
	store: func(n *Node, addr, value string) string {
		switch n.Annot.Mode {
		case "Plain":
			return fmt.Sprintf("%s = %s", star(addr), value)
		case "Release":
			return fmt.Sprintf("smp_store_release(%s, %s)", addr, value)
		}
		return fmt.Sprintf("WRITE_ONCE(%s, %s)", star(addr), value)
	},
	rmw: func(mode, addr string, v uint64) string {
		return fmt.Sprintf("xchg_%s(%s, %d)", mode, addr, v)
	},
	addr: cAddr,
}

var java = &language{
	header: func(w *function) string {
		var list []string
		for _, l := range w.locs {
			list = append(list, fmt.Sprintf("%d:%s=%s;", w.id, strings.ToUpper(locNames[l]), locNames[l]))
		}
		w.t.init = append(w.t.init, strings.Join(list, " "))
		return fmt.Sprintf("Thread%d {\n", w.id)
	},
	fence: "%s;",
	load: func(n *Node, addr string) string {
		return fmt.Sprintf("%s.get%s()", addr, strings.TrimPrefix(n.Annot.Mode, "Plain"))
	},
	store: func(n *Node, addr, value string) string {
		return fmt.Sprintf("%s.set%s(%s)", addr, strings.TrimPrefix(n.Annot.Mode, "Plain"), value)
	},
	rmw: func(mode, addr string, v uint64) string {
		return fmt.Sprintf("%s.getAndSet%s(%d)", addr, strings.TrimPrefix(mode, "Volatile"), v)
	},
	addr: func(loc int, _ string) string { return strings.ToUpper(locNames[loc]) },
	obs:  "Opaque", // plain reads of the same location may be out of order
}

// rmwMode is the mode of a read-modify-write of a language whose halves have these modes, or "".
func (a *Arch) rmwMode(r, w Annot) string { return a.rmwModes[a.annotName(r)+" "+a.annotName(w)] }
