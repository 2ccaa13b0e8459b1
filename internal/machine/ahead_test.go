package machine

import (
	"slices"
	"testing"

	"ravel/internal/event"
)

// TestLoose has a write of y after a read of x, with what is between them, and whether rpo (docs/xmm.md) orders the two on all ways.
func TestLoose(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Looseness
	}{
		{"nothing", "%v = load.4.rlx @x\n store.4.rlx @y, 1\n ret", LooseAny},
		{"an acquire", "%v = load.4.acq @x\n store.4.rlx @y, 1\n ret", LooseNone},
		{"a fence", "%v = load.4.rlx @x\n fence.sc\n store.4.rlx @y, 1\n ret", LooseNone},
		{"an acquire fence", "%v = load.4.rlx @x\n fence.acq\n store.4.rlx @y, 1\n ret", LooseNone},
		{"an acquire fence after a plain read", "%v = load.4.na @x\n fence.acq\n store.4.rlx @y, 1\n ret", LooseAny},
		{"a release fence", "%v = load.4.rlx @x\n fence.rel\n store.4.rlx @y, 1\n ret", LooseNone},
		{"a release fence before a plain write", "%v = load.4.rlx @x\n fence.rel\n store.4.na @y, 1\n ret", LooseAny},
		{"nothing, but the write is a release", "%v = load.4.rlx @x\n store.4.rel @y, 1\n ret", LooseNone},
		{"a release of something else", "%v = load.4.rlx @x\n store.4.rel @z, 1\n store.4.rlx @y, 1\n ret", LooseAny},
		{"a fence on one way", "%v = load.4.rlx @x\n condbr %v, a, b\na:\n fence.sc\n br b\nb:\n store.4.rlx @y, 1\n ret", LooseAny},
		{"a fence before", "fence.sc\n %v = load.4.rlx @x\n store.4.rlx @y, 1\n ret", LooseAny},
		{"a fence in a function that is inlined", "%v = load.4.rlx @x\n call @f()\n store.4.rlx @y, 1\n ret", LooseNone},
		{"the read of the write", "%o, %ok = cas.4.rlx.rlx @x, 0, 1\n ret", LooseOwn},
		{"the read of the write, after a fence", "%v = load.4.rlx @x\n fence.acqrel\n %o, %ok = cas.4.rlx.rlx @x, 0, 1\n ret", LooseOwn},
		{"the read of the write and another one", "%v = load.4.rlx @y\n %o, %ok = cas.4.rlx.rlx @x, 0, 1\n ret", LooseAny},
		{"the acquire of the write", "%o, %ok = cas.4.acq.rlx @x, 0, 1\n ret", LooseNone},
		{"a CAS that may fail", "%o, %ok = cas.4.acq.rlx @x, 0, 1\n store.4.rlx @y, 1\n ret", LooseAny},
		{"a CAS", "%o, %ok = cas.4.acqrel.acq @x, 0, 1\n store.4.rlx @y, 1\n ret", LooseNone},
		{"an earlier read", "%v = load.4.rlx @x\n %o, %ok = cas.4.acqrel.acq @z, 0, 1\n store.4.rlx @y, 1\n ret", LooseAny}, // if the CAS fails
	} {
		p := compile(t, "global x 4\nglobal y 4\nglobal z 4\nfunc f() 0 {\ne:\n fence.sc\n ret\n}\nfunc main() 0 {\ne:\n "+test.text+"\n}", Options{})
		h := p.NewAhead()
		last := slices.MaxFunc(h.pcs, func(a, b int32) int { return int(h.number[a] - h.number[b]) })
		if got := h.Loose(h.number[last]); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestAhead runs a thread past its write of x. Then only that of y is ahead.
func TestAhead(t *testing.T) {
	p := compile(t, "global x 4\nglobal y 4\nfunc main() 0 {\ne:\n store.4.rlx @x, 1\n %v = load.4.rlx @y\n condbr %v, a, b\na:\n store.4.rlx @y, 1\n br b\nb:\n ret\n}", Options{})
	h := p.NewAhead()
	var a Arena
	var act Action
	s := p.StartMain(&a, &act)
	x := h.NewSet()
	x.Add(h.At(&a, s))
	all := h.NewSet()
	for i := range int32(len(h.pcs)) {
		all.Add(i)
	}
	for step, want := range []struct{ x, rest bool }{{true, true}, {false, true}, {false, false}} {
		if h.May(&a, s, x, all) != want.x || h.May(&a, s, h.NewSet(), x) != want.rest {
			t.Errorf("step %d: not %v", step, want)
		}
		if act.Kind != Exit {
			s = p.Resume(&a, s, event.Value{}, &act)
		}
	}
}

// TestReleases has one instruction of each kind that writes.
func TestReleases(t *testing.T) {
	text := "store.4.rlx @x, 1\n store.4.rel @x, 2\n store.4.sc @x, 3\n %o, %ok = cas.4.acq.rlx @x, 0, 1\n %p, %pk = cas.4.acqrel.rlx @x, 0, 1\n ret"
	h := compile(t, "global x 4\nfunc main() 0 {\ne:\n "+text+"\n}", Options{}).NewAhead()
	set := h.Releases()
	for number, want := range []bool{false, true, true, false, true} {
		if got := set.Has(int32(number)); got != want {
			t.Errorf("write %d: %v", number, got)
		}
	}
}

// TestMayNear has ways to a write of y, and whether it comes before a barrier, or before an acquire fence, on one of them.
func TestMayNear(t *testing.T) {
	for _, test := range []struct {
		name, text     string
		near, unfenced bool
	}{
		{"nothing", "store.4.rlx @y, 1\n ret", true, true},
		{"a fence", "fence.sc\n store.4.rlx @y, 1\n ret", false, false},
		{"an acquire fence", "fence.acq\n store.4.rlx @y, 1\n ret", true, false},
		{"a release fence", "fence.rel\n store.4.rlx @y, 1\n ret", true, true},
		{"a fence on one way", "condbr %v, a, b\na:\n fence.sc\n br b\nb:\n store.4.rlx @y, 1\n ret", true, true},
		{"a fence on both ways", "condbr %v, a, b\na:\n fence.sc\n br c\nb:\n fence.acqrel\n br c\nc:\n store.4.rlx @y, 1\n ret", false, false},
		{"a CAS that may fail", "%o, %ok = cas.4.sc.rlx @x, 0, 1\n store.4.rlx @y, 1\n ret", true, true},
		{"a fence in a function", "call @f()\n store.4.rlx @y, 1\n ret", false, false},
		{"a fence on one way in a function", "call @g()\n store.4.rlx @y, 1\n ret", true, true},
	} {
		text := "global x 4\nglobal y 4\nfunc f() 0 {\ne:\n fence.sc\n ret\n}\nfunc g() 0 {\ne:\n %v = load.4.rlx @x\n condbr %v, a, b\na:\n fence.sc\n br b\nb:\n ret\n}\n"
		p := compile(t, text+"func main() 0 {\ne:\n %v = load.4.rlx @x\n "+test.text+"\n}", Options{plain: true})
		h := p.NewAhead()
		var a Arena
		var act Action
		s := p.StartMain(&a, &act)
		last, all := h.NewSet(), h.NewSet()
		last.Add(int32(len(h.pcs) - 1))
		for i := range int32(len(h.pcs)) {
			all.Add(i)
		}
		if !h.May(&a, s, last, all) || h.MayNear(&a, s, last, all) != test.near || h.MayUnfenced(&a, s, last, all) != test.unfenced {
			t.Errorf("%s: not %v and %v", test.name, test.near, test.unfenced)
		}
	}
}

// TestUnlike has the instructions that may write 1 with relaxed order.
func TestUnlike(t *testing.T) {
	text := "%v = load.4.rlx @x\n store.4.rlx @x, 1\n store.4.rlx @x, 2\n store.4.rlx @x, %v\n store.4.rel @x, 1\n %o, %ok = cas.4.rlx.rlx @x, 0, 1\n %q, %qk = cas.4.rlx.rlx @x, 0, 2\n ret"
	h := compile(t, "global x 4\nfunc main() 0 {\ne:\n "+text+"\n}", Options{}).NewAhead()
	for rmw, want := range map[bool][]bool{false: {false, true, false, true, true, true}, true: {true, true, true, true, false, true}} {
		set := h.Unlike(event.Rlx, rmw, 4, event.Value{Lo: 1})
		for number, unlike := range want {
			if set.Has(int32(number)) != unlike {
				t.Errorf("rmw %v: instruction %d: not %v", rmw, number, unlike)
			}
		}
	}
}

// TestMayFeed has a store of 0, and a compare-and-swap that may read it or not.
func TestMayFeed(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"the constant is expected", "%o, %ok = cas.8.rlx.rlx @x, 0, 1", true},
		{"another constant is expected", "%o, %ok = cas.8.rlx.rlx @x, 2, 1", false},
		{"a pointer that was not followed", "%p = load.8.rlx @y\n %o, %ok = cas.8.rlx.rlx @x, %p, 1", true},
		{"a pointer that was followed", "%p = load.8.rlx @y\n %q = add.64 %p, 8\n %v = load.8.rlx %q\n %o, %ok = cas.8.rlx.rlx @x, %p, 1", false},
		{"a pointer that was followed before a fence", "%p = load.8.rlx @y\n %v = load.8.rlx %p\n fence.sc\n condbr %v, a, b\na:\n br b\nb:\n %o, %ok = cas.8.rlx.rlx @x, %p, 1", false},
		{"a pointer that was followed on one way", "%p = load.8.rlx @y\n %c = load.8.rlx @x\n condbr %c, a, b\na:\n %v = load.8.rlx %p\n br b\nb:\n %o, %ok = cas.8.rlx.rlx @x, %p, 1", true},
		{"another pointer was followed", "%p = load.8.rlx @y\n %r = load.8.rlx @y\n %v = load.8.rlx %r\n %o, %ok = cas.8.rlx.rlx @x, %p, 1", true},
		{"a place behind the pointer is expected", "%p = load.8.rlx @y\n %v = load.8.rlx %p\n %q = sub.64 %p, @y\n %o, %ok = cas.8.rlx.rlx @x, %q, 1", true},
		{"an exchange", "%o = rmw.8.rlx.xchg @x, 1", true},
	} {
		h := compile(t, "global x 8\nglobal y 8\nfunc main() 0 {\ne:\n store.8.rlx @x, 0\n "+test.text+"\n ret\n}", Options{}).NewAhead()
		last := int32(len(h.pcs) - 1)
		if got := h.MayFeed(0, last); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestBeforeWrite has a write of y after reads of x and z, and one of x after reads of all three: only the latter is of what was read before.
func TestBeforeWrite(t *testing.T) {
	h := compile(t, "global x 4\nglobal y 4\nglobal z 4\nfunc main() 0 {\ne:\n %v = load.4.rlx @x\n condbr %v, a, b\na:\n %w = load.4.rlx @z\n store.4.rlx @y, 1\n br b\nb:\n %u = load.4.rlx @y\n store.4.rlx @x, 1\n ret\n}", Options{}).NewAhead()
	c := h.Code(0, []Root{{Func: h.Main()}}, nil)
	may := NewForecast([]*ThreadCode{c}, true)
	for number := range int32(2) {
		b, at := c.BeforeWrite(number), may.WritesTo(0, number)[0]
		if want := map[bool]int{true: 3, false: 2}[b.Meets(at)]; !at.IsOne() || len(b.Reads) != want {
			t.Errorf("%d addresses are read before the write of %x, want %d", len(b.Reads), at.Lo, want)
		}
	}
}
