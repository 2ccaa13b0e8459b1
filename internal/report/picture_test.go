package report

import (
	"bytes"
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
		golden(t, c.name+".svg", render(t, func(b *bytes.Buffer) error { return WriteSVG(b, c.title, c.x) }))
		golden(t, c.name+".dot", render(t, func(b *bytes.Buffer) error { return WriteDOT(b, c.title, c.x) }))
	}
}
