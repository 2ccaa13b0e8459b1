package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A world is a program with one variable of every sort.
type world struct {
	*ir.Program
	vars  map[string]event.Addr
	funcs map[string]event.Addr
}

var (
	i32    = &ir.Shape{Name: "int", Size: 4, Signed: true}
	u64    = &ir.Shape{Name: "unsigned long", Size: 8}
	char   = &ir.Shape{Name: "char", Size: 1, Char: true, Signed: true}
	flag8  = &ir.Shape{Name: "_Bool", Size: 1}
	double = &ir.Shape{Name: "double", Size: 8}
)

func pointerTo(s *ir.Shape) *ir.Shape { return &ir.Shape{Size: 8, IsPtr: true, Ptr: s} }

func arrayOf(s *ir.Shape, n uint64) *ir.Shape { return &ir.Shape{Elem: s, Size: n * s.Size} }

func newWorld() *world {
	w := &world{Program: &ir.Program{}, vars: map[string]event.Addr{}, funcs: map[string]event.Addr{}}
	global := func(name string, size uint64, shape *ir.Shape, tls bool) {
		g := &ir.Global{Name: name, Size: size, Shape: shape, TLS: tls}
		w.AddGlobal(g)
		w.vars[name] = g.Addr
	}
	node := &ir.Shape{Name: "node", Size: 16}
	node.Fields = []ir.Field{{Name: "value", Offset: 0, Type: i32}, {Name: "next", Offset: 8, Type: pointerTo(node)}}
	queue := &ir.Shape{Name: "queue", Size: 80, Fields: []ir.Field{
		{Name: "head", Offset: 0, Type: pointerTo(node)},
		{Name: "count", Offset: 8, Type: i32},
		{Name: "nodes", Offset: 16, Type: arrayOf(node, 4)},
	}}
	global("x", 4, i32, false)
	global("buf", 10, arrayOf(char, 10), false)
	global("q", 80, queue, false)
	global("top", 8, pointerTo(node), false)
	global("both", 16, &ir.Shape{Name: "tagged", Size: 16, Fields: []ir.Field{
		{Name: "ptr", Offset: 0, Type: pointerTo(node)}, {Name: "count", Offset: 8, Type: u64},
	}}, false)
	global("u", 8, &ir.Shape{Name: "either", Size: 8, Fields: []ir.Field{{Name: "whole", Type: u64}, {Name: "half", Type: i32}, {Name: "byte", Type: char}}}, false)
	global("atom", 4, &ir.Shape{Name: "std::atomic<int>", Size: 4, Fields: []ir.Field{
		{Type: &ir.Shape{Name: "__atomic_base<int>", Size: 4, Fields: []ir.Field{{Name: "_M_i", Type: i32}}}},
	}}, false)
	global("plain", 8, nil, false)
	global("huge", 3<<20, nil, false)
	global("after", 4, i32, false)
	global("ok", 1, flag8, false)
	global("d", 8, double, false)
	global("fp", 8, pointerTo(nil), false)
	global("msg", 8, pointerTo(&ir.Shape{Name: "msg", Size: 4, Fields: []ir.Field{
		{Name: "n", Type: i32}, {Name: "data", Offset: 4, Type: &ir.Shape{Elem: char}},
	}}), false)
	global("tls1", 4, i32, true)
	global("tls2", 16, node, true)
	w.Files = []string{"a.c", "/usr/include/c++/14/atomic"}
	pos := w.AddPos(ir.Position{File: 0, Line: 3, Col: 1, Func: "push(int)"})
	for _, f := range []*ir.Func{{Name: "main"}, {Name: "_Z4pushi", Pos: pos}} {
		w.AddFunc(f)
		w.funcs[f.Name] = f.Addr
	}
	return w
}

func TestNamerLoc(t *testing.T) {
	w := newWorld()
	n := NewNamer(w.Program)
	heap := event.MakeAddr(1, 5)   // of main
	heap2 := event.MakeAddr(1, 9)  // of main
	mine := event.MakeAddr(3, 1)   // of thread 2
	array := event.MakeAddr(3, 2)  // of thread 2
	local := event.MakeAddr(3, 3)  // of thread 2
	opened := event.MakeAddr(3, 4) // of thread 2
	n.Alloc(heap2, 16, false)
	n.Alloc(heap, 24, false)
	n.Alloc(local, 8, true)
	n.Alloc(mine, 16, false)
	n.Alloc(array, 64, false)
	n.Alloc(opened, 40, false)
	// The list mine → heap2 is only known once mine is known to be a node.
	n.Store(mine+8, event.Value{Lo: uint64(heap2)})
	n.Store(w.vars["top"], event.Value{Lo: uint64(mine)})
	n.Store(w.vars["q"], event.Value{Lo: uint64(array) | 7<<48})
	n.Store(w.vars["msg"], event.Value{Lo: uint64(opened)})
	for _, c := range []struct {
		a    event.Addr
		size uint8
		want string
	}{
		{w.vars["x"], 4, "x"},
		{w.vars["x"] + 2, 2, "x+2"},
		{w.vars["x"] + 4, 4, "x+4"},
		{w.vars["buf"], 1, "buf[0]"},
		{w.vars["buf"] + 3, 1, "buf[3]"},
		{w.vars["buf"] + 10, 1, "buf[10]"},
		{w.vars["buf"] - 1, 1, "buf[-1]"},
		{w.vars["buf"], 8, "buf"},
		{w.vars["q"], 8, "q.head"},
		{w.vars["q"] + 8, 4, "q.count"},
		{w.vars["q"] + 12, 4, "q+12"},
		{w.vars["q"] + 16 + 2*16 + 8, 8, "q.nodes[2].next"},
		{w.vars["q"] + 16 + 2*16, 4, "q.nodes[2].value"},
		{w.vars["q"] + 16 + 2*16, 16, "q.nodes[2]"},
		{w.vars["q"] + 80, 8, "q+80"},
		{w.vars["both"], 16, "both"},
		{w.vars["both"] + 8, 8, "both.count"},
		{w.vars["u"], 8, "u.whole"},
		{w.vars["u"], 4, "u.half"},
		{w.vars["u"], 1, "u.byte"},
		{w.vars["u"] + 5, 1, "u.whole+5"},
		{w.vars["atom"], 4, "atom"},
		{w.vars["plain"] + 4, 4, "plain+4"},
		{w.vars["huge"] + 2<<20 + 5, 1, "huge+2097157"},
		{w.vars["after"], 4, "after"},
		{w.vars["after"] - 8, 4, "after-8"},
		{event.MakeAddr(1, w.vars["tls1"].Slot()), 4, "tls1(T0)"},
		{event.MakeAddr(4, w.vars["tls2"].Slot()) + 8, 8, "tls2(T3).next"},
		{0, 4, "null"},
		{24, 4, "null+24"},
		{w.funcs["main"], 1, "main"},
		{heap, 8, "heap#1"},
		{heap + 8, 8, "heap#1+8"},
		{heap2 + 8, 8, "node#1.next"},
		{mine, 4, "node#1(T2).value"},
		{array + 16 + 8, 8, "node#2(T2)[1].next"},
		{array + 64, 4, "node#2(T2)[4].value"},
		{opened + 4 + 7, 1, "heap#3(T2).data[7]"},
		{local, 4, "stack#1(T2)"},
		{event.MakeAddr(3, 77) + 4, 4, "object#77(T2)+4"},
		{event.MakeAddr(0, 5000), 4, "0x13c80000"},
	} {
		if got := n.Loc(c.a, c.size); got != c.want {
			t.Errorf("%#x, %d bytes: got %s, want %s", uint64(c.a), c.size, got, c.want)
		}
	}
	n.Reset()
	if got := n.Loc(heap+8, 8); got != "object#5(T0)+8" {
		t.Errorf("after Reset: %s", got)
	}
}

func TestNamerLocals(t *testing.T) {
	w := newWorld()
	inPush := w.AddPos(ir.Position{File: 0, Line: 3, Func: "push"})
	inPop := w.AddPos(ir.Position{File: 0, Line: 9, Func: "pop"})
	node := &ir.Shape{Name: "node", Size: 16, Fields: []ir.Field{{Name: "value", Type: i32}, {Name: "next", Offset: 8, Type: pointerTo(nil)}}}
	n := NewNamer(w.Program)
	alloc := func(owner, slot int, name string, pos ir.Pos, shape *ir.Shape) event.Addr {
		a := event.MakeAddr(owner, slot)
		size := uint64(16)
		if shape != nil {
			size = shape.Size
		}
		n.Alloc(a, size, true)
		if name != "" {
			n.Variable(a, &ir.Var{Name: name, Pos: pos, Shape: shape})
		}
		return a
	}
	for _, c := range []struct {
		a    event.Addr
		size uint8
		want string
	}{
		{alloc(1, 1, "a", inPush, arrayOf(i32, 4)) + 16, 4, "a[4]"},
		{alloc(1, 2, "", 0, nil), 4, "stack#2"},
		{alloc(2, 1, "mine", inPush, node) + 8, 8, "mine(T1).next"},
		{alloc(3, 1, "mine", inPush, node), 4, "mine(T2).value"},
		{alloc(1, 3, "node", inPush, node) + 8, 8, "node(push).next"},
		{alloc(2, 2, "node", inPop, node) + 8, 8, "node(pop, T1).next"},
		{alloc(1, 4, "x", inPop, i32), 4, "x(pop)"}, // there is a global variable x
		{alloc(1, 5, "deep", inPop, i32), 4, "deep#1"},
		{alloc(1, 6, "deep", inPop, i32), 4, "deep#2"},
		{alloc(1, 7, "bare", ir.NoPos, nil) + 4, 4, "bare+4"},
	} {
		defer func() {
			if got := n.Loc(c.a, c.size); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		}()
	}
}

func TestNamerValue(t *testing.T) {
	w := newWorld()
	n := NewNamer(w.Program)
	heap := event.MakeAddr(2, 1)
	n.Alloc(heap, 16, false)
	n.Store(w.vars["top"], event.Value{Lo: uint64(heap)})
	for _, c := range []struct {
		at    string
		off   event.Addr
		size  uint8
		value event.Value
		want  string
	}{
		{"x", 0, 4, event.Value{Lo: 0xffffffff}, "-1"},
		{"x", 0, 4, event.Value{Lo: 42}, "42"},
		{"buf", 1, 1, event.Value{Lo: 'a'}, "'a'"},
		{"buf", 1, 1, event.Value{Lo: '\n'}, `'\n'`},
		{"buf", 1, 1, event.Value{Lo: '\''}, `'\''`},
		{"buf", 1, 1, event.Value{Lo: 0}, "0"},
		{"buf", 1, 1, event.Value{Lo: 0xff}, "-1"},
		{"top", 0, 8, event.Value{}, "null"},
		{"top", 0, 8, event.Value{Lo: uint64(heap)}, "&node#1(T1)"},
		{"top", 0, 8, event.Value{Lo: uint64(w.vars["q"]) + 16 + 32}, "&q.nodes[2]"},
		{"top", 0, 8, event.Value{Lo: uint64(w.vars["q"]) + 16}, "&q.nodes[0]"},
		{"top", 0, 8, event.Value{Lo: uint64(w.vars["q"])}, "&q"},
		{"top", 0, 8, event.Value{Lo: uint64(w.vars["q"]) + 16 | 1}, "&q.nodes[0]|1"},
		{"top", 0, 8, event.Value{Lo: uint64(w.vars["x"]) | 3<<48}, "&x|3<<48"},
		{"top", 0, 8, event.Value{Lo: 1}, "1"},
		{"top", 0, 8, event.Value{Lo: math.MaxUint64}, "-1"},
		{"top", 0, 8, event.Value{Lo: 0xdead000000000000}, "0xdead000000000000"},
		{"fp", 0, 8, event.Value{Lo: uint64(w.funcs["_Z4pushi"])}, "push(int)"},
		{"both", 0, 16, event.Value{Lo: uint64(heap), Hi: 7}, "{&node#1(T1), 7}"},
		{"u", 0, 8, event.Value{Lo: 1 << 50}, "0x4000000000000"},
		{"u", 0, 8, event.Value{Lo: uint64(w.vars["x"])}, "4259840"},
		{"atom", 0, 4, event.Value{Lo: 0xfffffffe}, "-2"},
		{"plain", 0, 8, event.Value{Lo: uint64(w.vars["x"])}, "&x"},
		{"plain", 0, 8, event.Value{Lo: math.MaxUint64 - 1}, "-2"},
		{"plain", 0, 4, event.Value{Lo: 7}, "7"},
		{"ok", 0, 1, event.Value{Lo: 1}, "true"},
		{"ok", 0, 1, event.Value{Lo: 2}, "2"},
		{"d", 0, 8, event.Value{Lo: math.Float64bits(-1.5)}, "-1.5"},
		{"huge", 0, 16, event.Value{Lo: 1, Hi: 2}, "0x20000000000000001"},
	} {
		if got := n.Value(w.vars[c.at]+c.off, c.size, c.value); got != c.want {
			t.Errorf("%s = %#x: got %s, want %s", c.at, c.value.Lo, got, c.want)
		}
	}
}

// Integers hold pointers too, also with tags above and below the address. A member that begins where an integer points is not a tag.
func TestNamerInteger(t *testing.T) {
	w := newWorld()
	number := u64
	uintptr := &ir.Shape{Name: "uintptr_t", Size: 8}
	node := &ir.Shape{Name: "node", Size: 24, Fields: []ir.Field{
		{Name: "a", Type: i32}, {Name: "b", Offset: 4, Type: i32}, {Name: "next", Offset: 8, Type: pointerTo(nil)}, {Name: "buf", Offset: 16, Type: arrayOf(char, 8)},
	}}
	n := NewNamer(w.Program)
	heap := event.MakeAddr(2, 1)
	n.Alloc(heap, 24, false)
	n.index()
	o, _ := n.find(heap)
	o.shape, o.name = node, "node#1(T1)"
	for _, c := range []struct {
		shape *ir.Shape
		value uint64
		want  string
	}{
		{number, uint64(heap), "&node#1(T1)"},
		{number, uint64(heap) + 8, "&node#1(T1).next"},
		{number, uint64(heap) + 4, "&node#1(T1).b"},
		{number, uint64(heap) + 19, "&node#1(T1).buf[3]"},
		{number, uint64(heap) | 1, "&node#1(T1)|1"},
		{number, uint64(heap) + 8 | 1, "&node#1(T1).next|1"},
		{number, uint64(heap) + 8 | 5<<48, "&node#1(T1).next|5<<48"},
		{number, uint64(heap) + 24, "&node#1(T1)+24"},
		{number, uint64(w.vars["q"]) + 8, "4390920"},
		{number, 0x9e3779b97f4a7c15, "0x9e3779b97f4a7c15"},
		{uintptr, uint64(w.vars["q"]) + 8, "&q.count"},
		{uintptr, uint64(w.vars["q"]) + 8 | 1, "&q.count|1"},
		{pointerTo(node), uint64(heap) | 4, "&node#1(T1)|4"}, // no node begins there
		{pointerTo(node), uint64(heap) + 8, "&node#1(T1).next"},
	} {
		if got := n.render(c.shape, 8, event.Value{Lo: c.value}); got != c.want {
			t.Errorf("%s %#x: got %s, want %s", c.shape.Name, c.value, got, c.want)
		}
	}
}

func TestNamerLocation(t *testing.T) {
	w := newWorld()
	caller := w.AddPos(ir.Position{File: 0, Line: 7, Col: 2, Func: "push"})
	inlined := w.AddPos(ir.Position{File: 1, Line: 400, Col: 9, Func: "store", InlinedAt: caller})
	alone := w.AddPos(ir.Position{File: 1, Line: 400, Col: 9, Func: "store"})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	w.Files = append(w.Files, filepath.Join(dir, "sub", "b.c"), filepath.Join(filepath.Dir(dir), "c.c"))
	below := w.AddPos(ir.Position{File: 2, Line: 1})
	above := w.AddPos(ir.Position{File: 3, Line: 1})
	n := NewNamer(w.Program)
	for pos, want := range map[ir.Pos]Location{
		inlined:  {"a.c", 7, 2, "push"},
		alone:    {"/usr/include/c++/14/atomic", 400, 9, "store"},
		below:    {File: filepath.Join("sub", "b.c"), Line: 1},
		above:    {File: filepath.Join(filepath.Dir(dir), "c.c"), Line: 1},
		ir.NoPos: {},
		9999:     {},
	} {
		if got := n.Location(pos); got != want {
			t.Errorf("%d: got %+v, want %+v", pos, got, want)
		}
	}
}
