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
		want       bool
	}{
		{"nothing", "%v = load.4.rlx @x\n store.4.rlx @y, 1\n ret", true},
		{"an acquire", "%v = load.4.acq @x\n store.4.rlx @y, 1\n ret", false},
		{"a fence", "%v = load.4.rlx @x\n fence.sc\n store.4.rlx @y, 1\n ret", false},
		{"an acquire fence", "%v = load.4.rlx @x\n fence.acq\n store.4.rlx @y, 1\n ret", false},
		{"an acquire fence after a plain read", "%v = load.4.na @x\n fence.acq\n store.4.rlx @y, 1\n ret", true},
		{"a release fence", "%v = load.4.rlx @x\n fence.rel\n store.4.rlx @y, 1\n ret", false},
		{"a release fence before a plain write", "%v = load.4.rlx @x\n fence.rel\n store.4.na @y, 1\n ret", true},
		{"a release of something else", "%v = load.4.rlx @x\n store.4.rel @z, 1\n store.4.rlx @y, 1\n ret", true},
		{"a fence on one way", "%v = load.4.rlx @x\n condbr %v, a, b\na:\n fence.sc\n br b\nb:\n store.4.rlx @y, 1\n ret", true},
		{"a fence before", "fence.sc\n %v = load.4.rlx @x\n store.4.rlx @y, 1\n ret", true},
		{"a fence in a function that is inlined", "%v = load.4.rlx @x\n call @f()\n store.4.rlx @y, 1\n ret", false},
		{"the read of the write", "%o, %ok = cas.4.rlx.rlx @x, 0, 1\n ret", true},
		{"the acquire of the write", "%o, %ok = cas.4.acq.rlx @x, 0, 1\n ret", false},
		{"a CAS that may fail", "%o, %ok = cas.4.acq.rlx @x, 0, 1\n store.4.rlx @y, 1\n ret", true},
		{"a CAS", "%o, %ok = cas.4.acqrel.acq @x, 0, 1\n store.4.rlx @y, 1\n ret", false},
		{"an earlier read", "%v = load.4.rlx @x\n %o, %ok = cas.4.acqrel.acq @z, 0, 1\n store.4.rlx @y, 1\n ret", true}, // if the CAS fails
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
