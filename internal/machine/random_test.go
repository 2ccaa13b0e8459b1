package machine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A writer makes up a program, in the notation of parse, that ends and never lets an address be seen.
type writer struct {
	*rand.Rand
	strings.Builder
	regs   int
	ints   []string // registers with 32-bit values
	ptrs   []string // registers that point to 16 bytes
	slots  []string // stack objects that hold such a pointer
	arrays []string // stack objects of 16 bytes that are accessed by words of 4
	labels int
	callee int // functions below this one may be called
	budget int
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }

func (w *writer) reg() string {
	w.regs++
	return fmt.Sprintf("%%r%d", w.regs)
}

func (w *writer) value() string {
	if len(w.ints) == 0 || w.IntN(4) == 0 {
		return fmt.Sprint([]int{0, 1, 2, 7, 255, 1 << 30}[w.IntN(6)])
	}
	return w.ints[w.IntN(len(w.ints))]
}

func (w *writer) pointer() string {
	if w.IntN(3) == 0 {
		return fmt.Sprintf("@g%d", w.IntN(2))
	}
	return w.ptrs[w.IntN(len(w.ptrs))]
}

// target is the register to assign: mostly a new one.
func (w *writer) target() string {
	if len(w.ints) > 0 && w.IntN(3) == 0 {
		return w.ints[w.IntN(len(w.ints))]
	}
	r := w.reg()
	w.ints = append(w.ints, r)
	return r
}

// place is the address of n bytes of an object.
func (w *writer) place(n int) string {
	r := w.reg()
	w.line("%s = gep %s, %d, %d, 0", r, w.pointer(), w.IntN(16/n), n)
	return r
}

func (w *writer) statement(depth int) {
	if w.budget--; w.budget < 0 {
		return
	}
	switch w.IntN(21) {
	case 0, 1, 2:
		n := []int{1, 2, 4}[w.IntN(3)]
		p := w.place(n)
		w.line("%s = load.%d.na %s", w.target(), n, p)
	case 3, 4, 5:
		n := []int{1, 2, 4}[w.IntN(3)]
		p, v, t := w.place(n), w.value(), w.reg()
		w.line("%s = trunc.32.%d %s", t, 8*n, v)
		w.line("store.%d.na %s, %s", n, p, t)
	case 6:
		p, t := w.place(8), w.reg()
		w.line("%s = load.8.na %s", t, p)
		if q := w.place(8); w.IntN(2) == 0 {
			w.line("store.8.na %s, %s", q, t)
		}
		w.line("%s = trunc.64.32 %s", w.target(), t)
	case 7:
		op := []string{"add", "sub", "mul", "xor", "and", "or", "shl", "lshr", "ashr", "umin", "smax"}[w.IntN(11)]
		a, b := w.value(), w.value()
		w.line("%s = %s.32 %s, %s", w.target(), op, a, b)
	case 8:
		a, b, c := w.value(), w.value(), w.reg()
		w.line("%s = cmp.32.%s %s, %s", c, []string{"eq", "ne", "ult", "sge"}[w.IntN(4)], a, b)
		if w.IntN(2) == 0 {
			w.line("%s = xor.1 %s, 1", c, c)
		}
		a, b = w.value(), w.value()
		w.line("%s = select %s, %s, %s", w.target(), c, a, b)
	case 9:
		n := []int{1, 3, 4, 8, 12, 16}[w.IntN(6)]
		w.line("memcpy %s, %s, %d", w.pointer(), w.pointer(), n)
	case 10:
		w.line("memset %s, %s, %d", w.pointer(), w.value(), w.IntN(17))
	case 11, 12:
		if w.callee > 0 {
			p, a := w.pointer(), w.value()
			w.line("%s = call @f%d(%s, %s)", w.target(), w.IntN(w.callee), p, a)
		}
	case 13: // through a slot
		s := w.slots[w.IntN(len(w.slots))]
		if w.IntN(2) == 0 {
			w.line("store.8.na %s, %s", s, w.ptrs[w.IntN(len(w.ptrs))])
		} else {
			q, c, r := w.reg(), w.reg(), w.reg()
			w.line("%s = load.8.na %s", q, s)
			w.line("%s = cmp.64.eq %s, 0", c, q)
			w.line("%s = select %s, @g0, %s", r, c, q)
			w.line("%s = load.4.na %s", w.target(), r)
		}
	case 14:
		if depth > 0 {
			w.labels++
			l := w.labels
			c := w.reg()
			w.line("%s = cmp.32.ult %s, %s", c, w.value(), w.value())
			w.line("condbr %s, then%d, else%d", c, l, l)
			fmt.Fprintf(w, "then%d:\n", l)
			w.statements(1+w.IntN(4), depth-1)
			w.line("br join%d", l)
			fmt.Fprintf(w, "else%d:\n", l)
			w.statements(w.IntN(4), depth-1)
			w.line("br join%d", l)
			fmt.Fprintf(w, "join%d:\n", l)
		}
	case 15:
		if depth > 0 {
			w.labels++
			l := w.labels
			i, c := w.reg(), w.reg()
			w.line("%s = copy 0", i)
			w.line("br head%d", l)
			fmt.Fprintf(w, "head%d:\n", l)
			w.line("%s = cmp.32.ult %s, %d", c, i, w.IntN(4))
			w.line("condbr %s, body%d, done%d", c, l, l)
			fmt.Fprintf(w, "body%d:\n", l)
			w.statements(1+w.IntN(4), depth-1)
			w.line("%s = add.32 %s, 1", i, i)
			w.line("br head%d", l)
			fmt.Fprintf(w, "done%d:\n", l)
		}
	case 17:
		if depth > 0 {
			w.labels++
			l := w.labels
			w.line("switch.32 %s, 0:case%d_0, 1:case%d_1, case%d_2", w.value(), l, l, l)
			for i := range 3 {
				fmt.Fprintf(w, "case%d_%d:\n", l, i)
				w.statements(w.IntN(3), depth-1)
				w.line("br end%d", l)
			}
			fmt.Fprintf(w, "end%d:\n", l)
		}
	case 18, 19, 20:
		w.element()
	case 16:
		w.line("%s = rmw.4.sc.add @g%d, %s", w.target(), w.IntN(2), w.value())
	}
}

// element accesses an element of an array, mostly at a computed index, now and then all of them or two at once.
func (w *writer) element() {
	i, p := w.reg(), w.reg()
	w.line("%s = and.32 %s, 3", i, w.value())
	w.line("%s = gep %s, %s, 4, 0", p, w.arrays[w.IntN(len(w.arrays))], i)
	switch w.IntN(12) {
	case 0:
		w.line("memset %s, %s, 16", w.arrays[0], w.value())
	case 1:
		w.line("memcpy %s, @g%d, 8", w.arrays[0], w.IntN(2))
	case 2:
		if w.IntN(4) == 0 {
			w.line("store.8.na %s, 5", w.arrays[0])
		}
	case 3:
		w.line("store.4.na %s, %s", w.arrays[w.IntN(len(w.arrays))], w.value())
	case 4:
		q := w.reg()
		w.line("%s = copy %s", q, p)
		w.line("%s = load.4.na %s", w.target(), q)
	case 5, 6, 7, 8:
		w.line("%s = load.4.na %s", w.target(), p)
	default:
		w.line("store.4.na %s, %s", p, w.value())
	}
}

func (w *writer) statements(n, depth int) {
	for range n {
		w.statement(depth)
	}
}

func randomProgram(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.WriteString("global g0 16 = 1 2 3 4 5 6 7 8 9 10\nglobal g1 16 = 200 201 202 203\n")
	for f := range 4 {
		w.ints, w.ptrs, w.slots, w.callee, w.budget = []string{"%a"}, []string{"%p"}, nil, f, 40
		name := fmt.Sprintf("f%d(%%p, %%a)", f)
		if f == 3 {
			name = "main()"
			w.ints, w.ptrs = nil, nil
		}
		fmt.Fprintf(w, "func %s 1 {\nentry:\n", name)
		for range 1 + w.IntN(3) {
			r := w.reg()
			w.line("%s = alloca 16", r)
			w.ptrs = append(w.ptrs, r)
		}
		for range 2 {
			r := w.reg()
			w.line("%s = alloca 8", r)
			w.slots = append(w.slots, r)
		}
		w.arrays = nil
		for range 2 {
			r := w.reg()
			w.line("%s = alloca 16", r)
			w.arrays = append(w.arrays, r)
		}
		w.statements(6+w.IntN(10), 2)
		w.line("ret %s", w.value())
		w.WriteString("}\n")
	}
	return w.String()
}

// TestRandom compares programs as they are with what the passes make of them.
func TestRandom(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		text := randomProgram(seed)
		var traces [2]string
		for i := range traces {
			e := &fake{p: compile(t, text, Options{plain: i == 1, zero: true})}
			traces[i] = heapOnly(e.run(t))
		}
		if traces[0] != traces[1] {
			t.Fatalf("seed %d\n%s\nwith passes:    %s\nwithout passes: %s", seed, text, traces[0], traces[1])
		}
	}
}
