package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestPictures(t *testing.T) {
	cases := []struct {
		name  string
		title string
		x     *Execution
	}{
		{"mp", "data race on `data`", messagePassing().Errors[0].Execution},
		{"sb", "assertion failed: r1 == 1 || r2 == 1 (rc11)", storeBuffering().Errors[0].Execution},
		{"treiber", "data race on `heap#1(T2).value`", treiber().Errors[0].Execution},
		{"lb", "load buffering", loadBuffering()},
		{"random-20", "random, 20 events", random(1, 3, 20)},
		{"random-60", "random, 60 events", random(2, 4, 60)},
		{"empty", "nothing <&>", &Execution{}},
	}
	for _, c := range cases {
		golden(t, c.name+".svg", render(t, func(b *bytes.Buffer) error { return WriteSVG(b, c.title, c.x, Options{}) }))
		golden(t, c.name+".dot", render(t, func(b *bytes.Buffer) error { return WriteDOT(b, c.title, c.x, Options{}) }))
	}
}

// allForms prints r in every form and fails if one can't be printed.
func allForms(t *testing.T, r *Result) {
	t.Helper()
	x := r.Errors[0].Execution
	for _, f := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return WriteText(b, r, testOptions(80)) },
		func(b *bytes.Buffer) error { return WriteJSON(b, r) },
		func(b *bytes.Buffer) error { return WriteSARIF(b, r, testOptions(0)) },
		func(b *bytes.Buffer) error { return WriteHTML(b, r, testOptions(0)) },
		func(b *bytes.Buffer) error { return WriteDOT(b, "title", x, Options{}) },
		func(b *bytes.Buffer) error { return WriteSVG(b, "title", x, Options{}) },
	} {
		render(t, f)
	}
}

func TestSVGIsXML(t *testing.T) {
	x := random(5, 3, 30)
	x.Threads[0].Name = "a<b>&\"c\x01"
	d := xml.NewDecoder(bytes.NewReader(render(t, func(b *bytes.Buffer) error { return WriteSVG(b, "1 < 2 && \x02", x, Options{}) })))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// No edge crosses a box, no two boxes overlap, everything is inside the picture, and names of
// edges are apart.
func TestPictureGeometry(t *testing.T) {
	for seed := range uint64(60) {
		x := random(seed, 2+int(seed%3), 5+int(seed))
		p := newDrawing(newTrace(x, false), "title", "", true)
		for i, b := range p.boxes {
			if b.x < 0 || b.y < p.top || b.x+b.w > p.w || b.y+b.h > p.h {
				t.Fatalf("seed %d: box outside: %+v", seed, b)
			}
			for _, o := range p.boxes[:i] {
				if b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h {
					t.Fatalf("seed %d: boxes overlap", seed)
				}
			}
		}
		for _, r := range p.routes {
			pts := p.corners(r)
			for i := 0; i+1 < len(pts); i++ {
				checkClear(t, p, pts[i], pts[i+1])
			}
		}
		missing := 0
		places := p.labelPlaces()
		for i, a := range places {
			if a == nil {
				missing++
				continue
			}
			for _, b := range places[:i] {
				if b != nil && math.Abs(a.x-b.x) < 15 && math.Abs(a.y-b.y) < 10 {
					t.Errorf("seed %d: names of edges overlap", seed)
				}
			}
		}
		if missing*5 > len(p.routes) {
			t.Errorf("seed %d: %d of %d edges have no name", seed, missing, len(p.routes))
		}
	}
}

// checkClear checks that the line from a to b stays out of all boxes.
func checkClear(t *testing.T, p *picture, a, b point) {
	t.Helper()
	const eps = 0.5
	for _, o := range p.boxes {
		if max(a.x, b.x) > o.x+eps && min(a.x, b.x) < o.x+o.w-eps && max(a.y, b.y) > o.y+eps && min(a.y, b.y) < o.y+o.h-eps {
			t.Fatalf("an edge crosses a box: %v–%v, %+v", a, b, o)
		}
	}
	if min(a.x, b.x) < 0 || max(a.x, b.x) > p.w || min(a.y, b.y) < 0 || max(a.y, b.y) > p.h {
		t.Fatalf("an edge leaves the picture: %v–%v", a, b)
	}
}

// TestLargeExecution writes all reports of an execution with 3,000 events. A layout that compares all pairs of events would not end soon.
func TestLargeExecution(t *testing.T) {
	allForms(t, &Result{Errors: []Error{{Kind: "race", Execution: random(1, 8, 3000)}}})
}

// With --full-trace, a picture shows every event; without, it folds those far from the error.
func TestFullPictures(t *testing.T) {
	x := random(1, 3, 300)
	x.Threads[0].Events[3].Mark = "here"
	r := &Result{Errors: []Error{{Kind: "race", Execution: x}}}
	count := func(name, each string, full bool) int {
		for _, f := range Formats() {
			if f.Name == name {
				return strings.Count(string(render(t, func(b *bytes.Buffer) error { return f.Write(b, r, Options{Full: full}) })), each)
			}
		}
		t.Fatalf("no format %s", name)
		return 0
	}
	all := len(newTrace(x, true).rows)
	for name, each := range map[string]string{"svg": `<g class="rv-event`, "html": `<g class="rv-event`, "dot": "\n    e"} {
		if short, long := count(name, each, false), count(name, each, true); long < all || short >= all/2 {
			t.Errorf("%s: %d events, in full %d, want %d", name, short, long, all)
		}
	}
}
