package machine

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// TestForecastRandom runs random programs beside a thread that writes to their variables at any time. Every access, and what is written, must have been foreseen.
func TestForecastRandom(t *testing.T) {
	n := uint64(500)
	if testing.Short() {
		n = 50
	}
	stores := []struct {
		name string
		off  uint64
		size uint8
		val  uint64
	}{{"g0", 4, 4, 7}, {"g1", 1, 1, 255}, {"g1", 8, 8, 0x500000003}}
	const other = "func other(%x) 0 {\ne:\n %p = gep @g0, 4, 1, 0\n store.4.na %p, 7\n %q = gep @g1, 1, 1, 0\n store.1.na %q, 255\n %r = gep @g1, 8, 1, 0\n store.8.na %r, 21474836483\n ret\n}\n"
	known, accesses := 0, 0
	for seed := range n {
		text := randomProgram(seed) + other
		e := &fake{p: compile(t, text, Options{plain: seed%2 == 0, zero: true}), mem: map[event.Addr]byte{}}
		p, a, r := e.p, &fakeArena, rand.New(rand.NewPCG(seed, 13))
		h := p.NewAhead()
		second := int32(slices.IndexFunc(p.funcs, func(f function) bool { return f.name == "other" }))
		may := NewForecast([]*ThreadCode{h.Code(0, []Root{{Func: h.Main()}}, nil), h.Code(1, []Root{{Func: second}}, nil)}, false)
		a.Release(0)
		var act Action
		s := p.StartMain(a, &act)
		for ok, v := true, (event.Value{}); ok; {
			if r.IntN(3) == 0 {
				w := stores[r.IntN(len(stores))]
				g := slices.IndexFunc(p.objects, func(g *ir.Global) bool { return g.Name == w.name })
				e.write(p.objects[g].Addr+event.Addr(w.off), w.size, event.Value{Lo: w.val})
			}
			pc, at := int32(a.PC(s)), At(uint64(act.Addr))
			fail := func(what string) {
				t.Fatalf("seed %d: %s of %s by the instruction at %d was not foreseen\n%s", seed, what, e.name(act.Addr), pc, text)
			}
			if op := p.code[pc].op; act.Kind == Load || act.Kind == RMW {
				list := may.readsFrom(0, pc)
				if op == opMemCpy { // of a piece
					list = append(slices.Clone(list), may.WritesTo(0, h.number[pc])...)
				}
				if !slices.ContainsFunc(list, at.Meets) {
					fail("a read")
				}
				accesses++
				if !slices.Contains(list, Anywhere) {
					known++
				}
			}
			if act.Kind == Store || act.Kind == RMW {
				if !may.MayWrite(0, h.number[pc], act.Addr) {
					fail("a write")
				}
				if act.Kind == Store && !may.MayBe(0, h.number[pc], act.Size, act.Val) {
					fail("the value of a write")
				}
			}
			if v, ok = e.do(&act); ok {
				s = p.Resume(a, s, v, &act)
			}
		}
	}
	if known*10 < accesses*9 {
		t.Errorf("of %d reads the addresses of %d were foreseen, which is too few", accesses, known)
	}
}

// TestForecast has what main may write to x, an array of four, beside a thread that sets p to 3 and n to 1.
func TestForecast(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // the offsets that main writes to, and the values
	}{
		{"a constant", "store.4.rlx @x, 5", "0=5"},
		{"what another thread writes", "%v = load.8.rlx @p\n store.4.rlx @x, %v", "0=0,3"},
		{"an index that another thread writes", "%v = load.8.rlx @p\n %q = gep @x, %v, 4, 0\n store.4.rlx %q, 1", "0,12=1"},
		{"a branch on it", "%v = load.8.rlx @p\n %c = cmp.64.eq %v, 3\n condbr %c, a, b\na:\n %q = gep @x, %v, 4, 0\n store.4.rlx %q, %v\n br b\nb:\n ret", "12=3"},
		{"its own variable", "store.4.rlx @o, 2\n %v = load.4.rlx @o\n %q = gep @x, %v, 4, 0\n store.4.rlx %q, %v", "8=2"},
		{"one of two elements of its own", "%v = load.8.rlx @n\n %q = gep @o, %v, 4, 0\n store.4.rlx %q, 9\n %w = load.4.rlx @o\n store.4.rlx @x, %w", "0=0,9"},
		{"a call", "%v = call @f(@x)\n store.4.rlx %v, 1", "4=1"},
		{"a call by address", "%g = copy @f\n %v = call %g(@x)\n store.4.rlx %v, 1", "4=1"},
		{"an exchange that never succeeds", "%a, %b = cas.8.rlx.rlx @p, 7, 1\n store.4.rlx @x, 4", "0=4"},
		{"a counter of another thread", "%v = load.8.rlx @n\n %q = gep @x, %v, 8, 4\n store.4.rlx %q, 1", "4,12=1"},
		{"a counter", "%v = load.8.rlx @k\n store.4.rlx @x, %v", "0=0,1"},
		{"a counter that it adds to", "%a = rmw.8.rlx.add @k, 2\n %v = load.8.rlx @k\n store.4.rlx @x, %v", "0=0,1,2,3"},
		{"a counter that it adds to later", "%v = load.8.rlx @k\n store.4.rlx @x, %v\n %a = rmw.8.rlx.add @k, 2", "0=0,1"},
		{"a counter by compare-and-swap", "%a = load.8.rlx @k\n %b = add.64 %a, 1\n %c, %d = cas.8.rlx.rlx @k, %a, %b\n %v = load.8.rlx @k\n store.4.rlx @x, %v", "0=0,1,2"},
		{"a counter in a loop", "br l\nl:\n %a = rmw.8.rlx.add @k, 1\n %v = load.8.rlx @k\n store.4.rlx @x, %v\n %c = load.8.rlx @p\n condbr %c, l, m\nm:\n ret", "0=0"},
		{"what is no counter", "store.8.rlx @k, 5\n %v = load.8.rlx @k\n store.4.rlx @x, %v", "0=0"},
		{"an unknown index", "%k = rmw.8.rlx.add @n, 1\n %v = load.8.rlx @n\n %q = gep @x, %v, 8, 4\n store.4.rlx %q, 1", "4..=1"},
	} {
		text := "global x 16\nglobal p 8\nglobal n 8\nglobal k 8\nglobal o 8\nfunc f(%a) 1 {\ne:\n %b = gep %a, 1, 4, 0\n ret %b\n}\n" +
			"func other(%x) 0 {\ne:\n store.8.rlx @p, 3\n %i = rmw.8.rlx.add @n, 1\n %j = rmw.8.rlx.add @n, %i\n %l = rmw.8.rlx.add @k, 1\n ret\n}\nfunc main() 0 {\ne:\n " + test.text
		if !strings.HasSuffix(text, "ret") {
			text += "\n ret"
		}
		p := compile(t, text+"\n}", Options{})
		h := p.NewAhead()
		second := int32(slices.IndexFunc(p.funcs, func(f function) bool { return f.name == "other" }))
		may := NewForecast([]*ThreadCode{h.Code(0, []Root{{Func: h.Main()}}, nil), h.Code(1, []Root{{Func: second}}, nil)}, false)
		var got strings.Builder
		may.Each(0, func(number int32, places []Place) {
			for i, q := range places {
				g, off := p.Object(event.Addr(q.Lo))
				if g == nil || g.Name != "x" {
					return
				}
				got.WriteString(map[bool]string{true: ",", false: ""}[i > 0] + strconv.FormatUint(off, 10) + map[bool]string{true: "", false: ".."}[q.IsOne()])
			}
			for i, q := range may.sets.lists[may.threads[0].vals[number]] {
				got.WriteString(map[bool]string{true: ",", false: "="}[i > 0] + strconv.FormatUint(q.Lo, 10))
			}
		})
		if got.String() != test.want {
			t.Errorf("%s: %s, want %s", test.name, got.String(), test.want)
		}
	}
}

// TestPlaces has places that meet or not, and their sums.
func TestPlaces(t *testing.T) {
	even, odd := Place{100, 200, 8}, Place{104, 200, 8}
	for _, test := range []struct {
		p, q        Place
		n, m        uint8
		some, parts bool
	}{
		{even, odd, 4, 4, false, false},
		{even, odd, 8, 4, true, true},
		{even, At(108), 8, 8, true, false},
		{even, At(108), 8, 4, true, true},
		{even, At(208), 8, 8, false, false},
		{At(96), even, 4, 4, false, false},
		{At(97), even, 4, 4, true, true},
		{Anywhere, At(0), 1, 1, true, false},
		{Anywhere, At(5), 4, 4, true, true},
		{Place{100, 200, 12}, Place{108, 200, 8}, 4, 4, true, false}, // both have 124 + 24k
	} {
		for range 2 {
			if some, parts := test.p.overlaps(test.n, test.q, test.m); some != test.some || parts != test.parts {
				t.Errorf("%d bytes of %v and %d of %v: %v, %v", test.n, test.p, test.m, test.q, some, parts)
			}
			test.p, test.q, test.n, test.m = test.q, test.p, test.m, test.n
		}
	}
}
