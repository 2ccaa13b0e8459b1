package diy

import (
	"fmt"
	"sort"
	"strings"
)

// A machine is an assembly language: how it writes what a thread does. Registers are named as in conditions.
type machine struct {
	regs   []string
	load   func(w *column, n *Node, dep string) string // dep: a register that the address depends on, or ""
	store  func(w *column, n *Node, dep, data string)  // data: a register that the value depends on, or ""
	rmw    func(w *column, via string, r, wr *Node, dep string) string
	branch func(w *column, reg string) // depends on reg, goes to the next instruction
	isb    string                      // the fence of a control dependency with one
}

// A column is a thread while it is written.
type column struct {
	t      *text
	m      *machine
	id     int
	lines  []string
	used   int
	labels int
	base   map[int]string // the registers that hold addresses
	init   []string
}

func (w *column) emit(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

// reg allots a register.
func (w *column) reg() string {
	if w.used == len(w.m.regs) {
		if w.t.err == nil {
			w.t.err = fmt.Errorf("%s: thread %d needs more than the %d registers that tests of %s use", w.t.c, w.id, len(w.m.regs), w.t.c.Arch.Name)
		}
		w.used = 0
	}
	w.used++
	return w.m.regs[w.used-1]
}

// addr is the register that holds the address of a location.
func (w *column) addr(loc int) string {
	r, ok := w.base[loc]
	if !ok {
		r = w.reg()
		w.base[loc] = r
		w.init = append(w.init, fmt.Sprintf("%d:%s=%s;", w.id, r, locNames[loc]))
	}
	return r
}

func (w *column) label() string {
	w.labels++
	return fmt.Sprintf("LC%d%d", w.id, w.labels-1)
}

// expect adds to the condition that a register has a value at the end.
func (w *column) expect(reg string, v uint64) {
	w.t.cond = append(w.t.cond, fmt.Sprintf("%d:%s=%s", w.id, reg, w.t.c.number(v)))
}

// writeColumns writes tests whose threads are columns of instructions.
func writeColumns(m *machine) func(c *Cycle, t *text) {
	return func(c *Cycle, t *text) {
		var cols []*column
		begin := func() *column {
			w := &column{t: t, m: m, id: len(cols), base: map[int]string{}}
			cols = append(cols, w)
			return w
		}
		for _, list := range c.threads() {
			begin().thread(c, list)
		}
		obs := c.observers()
		for _, l := range sortedKeys(obs) {
			w := begin()
			for _, v := range obs[l] {
				n := &Node{Dir: R, Loc: l}
				if c.mixed {
					n.Annot.Size = 8
				}
				w.expect(m.load(w, n, ""), v)
			}
		}
		if c.mixed {
			for l := range c.Locations {
				t.init = append(t.init, fmt.Sprintf("uint64_t %s;", locNames[l]))
			}
		}
		for _, w := range cols {
			if len(w.init) > 0 {
				t.init = append(t.init, strings.Join(w.init, " "))
			}
		}
		table(&t.program, cols)
	}
}

// thread writes the accesses of a thread of the cycle.
func (w *column) thread(c *Cycle, list []int) {
	prev := "" // the register of the access before
	for k := 0; k < len(list); k++ {
		i := list[k]
		n := &c.Nodes[i]
		dep, data := "", ""
		if k > 0 {
			switch e := &c.Edges[i-1]; {
			case e.Kind == Fenced:
				w.emit("%s", c.Arch.fence[e.Via])
			case e.Kind != Dep:
			case e.Via == "Addr":
				dep = prev
			case e.Via == "Data":
				data = prev
			default:
				w.m.branch(w, prev)
				if e.Via != "Ctrl" {
					w.emit("%s", w.m.isb)
				}
			}
		}
		switch {
		case n.Dir == W:
			w.m.store(w, n, dep, data)
			continue
		case c.Edges[i].Kind == Rmw && k+1 < len(list):
			prev = w.m.rmw(w, c.Edges[i].Via, n, &c.Nodes[i+1], dep)
			k++
		default:
			prev = w.m.load(w, n, dep)
		}
		if c.observed(n) {
			w.expect(prev, n.Value)
		}
	}
}

// table prints columns side by side.
func table(b *strings.Builder, cols []*column) {
	rows, widths := 0, make([]int, len(cols))
	for k, w := range cols {
		w.lines = append([]string{fmt.Sprintf("P%d", w.id)}, w.lines...)
		rows = max(rows, len(w.lines))
		for _, line := range w.lines {
			widths[k] = max(widths[k], len(line))
		}
	}
	for r := range rows {
		for k, w := range cols {
			cell, sep := "", " |"
			if r < len(w.lines) {
				cell = w.lines[r]
			}
			if k == len(cols)-1 {
				sep = " ;\n"
			}
			fmt.Fprintf(b, " %-*s%s", widths[k], cell, sep)
		}
	}
}

func sortedKeys(m map[int][]uint64) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	return keys
}

// numbered are registers with a prefix, from lo to hi.
func numbered(prefix string, lo, hi int) (list []string) {
	for k := lo; k <= hi; k++ {
		list = append(list, fmt.Sprintf("%s%d", prefix, k))
	}
	return list
}

// checkRmw refuses the annotations of a read-modify-write that no instruction has.
func (a *Arch) checkRmw(e *Edge) error {
	from, to := e.From.Mode, e.To.Mode
	if strings.HasPrefix(from, "X") || strings.HasPrefix(to, "X") || e.From.Size > 0 || e.To.Size > 0 {
		return fmt.Errorf("the accesses of a read-modify-write have no annotation X and no size")
	}
	wrong := a.rmwModes != nil && a.rmwMode(e.From, e.To) == "" ||
		from == "Q" || e.Via == "Amo.Swap" && (from == "AR" || to == "AR")
	if wrong {
		return fmt.Errorf("no read-modify-write of %s is %s and %s", a.Name, a.annotName(e.From), a.annotName(e.To))
	}
	return nil
}
