package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
)

func TestMemCpy(t *testing.T) {
	const prog = `
global x 32 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
global y 32
func main() 1 {
e:
  %s
  ret 0
}`
	for _, test := range []struct{ name, instr, want string }{
		{"none", "memcpy @y, @x, 0", "exit 0"},
		{"aligned", "memcpy @y, @x, 12", "R8 x=578437695752307201; W8 y=578437695752307201; R4 x+8=202050057; W4 y+8=202050057; exit 0"},
		{"halves", "memcpy @y+4, @x, 8", "R4 x=67305985; W4 y+4=67305985; R4 x+4=134678021; W4 y+8=134678021; exit 0"},
		{"bytes", "memcpy @y+1, @x, 2", "R1 x=1; W1 y+1=1; R1 x+1=2; W1 y+2=2; exit 0"},
		{"up", "memcpy @x+4, @x, 8", "R4 x+4=134678021; W4 x+8=134678021; R4 x=67305985; W4 x+4=67305985; exit 0"},
		{"down", "memcpy @x, @x+4, 8", "R4 x+4=134678021; W4 x=134678021; R4 x+8=202050057; W4 x+4=202050057; exit 0"},
		{"up by one", "memcpy @x+1, @x, 3", "R1 x+2=3; W1 x+3=3; R1 x+1=2; W1 x+2=2; R1 x=1; W1 x+1=1; exit 0"},
		{"bounds", "memcpy @y, @x+24, 16", "R8 x+24=0; W8 y=0; memory: read of 8 bytes at offset 32 of `x`, which has 32 bytes"},
		{"null", "memcpy 0, @x, 1", "R1 x=1; memory: null pointer dereference: write of 1 bytes at 0x0"},
		{"set", "memset @y+2, 0x17f, 7", "W2 y+2=32639; W4 y+4=2139062143; W1 y+8=127; exit 0"},
		{"set none", "memset 0, 1, 0", "exit 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := trace(t, fmt.Sprintf(prog, test.instr), Options{}, nil); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.instr, got, test.want)
			}
		})
	}
}

func TestLayoutSet(t *testing.T) {
	type g struct {
		Addr event.Addr
		Size uint8
	}
	for _, test := range []struct{ add, want []g }{
		{[]g{{8, 4}}, []g{{8, 4}}},
		{[]g{{8, 4}, {12, 4}, {0, 8}}, []g{{0, 8}, {8, 4}, {12, 4}}},
		{[]g{{8, 8}, {12, 4}}, []g{{8, 4}, {12, 4}}},
		{[]g{{8, 8}, {13, 1}}, []g{{8, 4}, {12, 1}, {13, 1}, {14, 2}}},
		{[]g{{12, 2}, {8, 8}}, []g{{8, 4}, {12, 2}, {14, 2}}},
		{[]g{{8, 8}, {8, 8}}, []g{{8, 8}}},
		{[]g{{0, 16}, {8, 8}}, []g{{0, 8}, {8, 8}}},
		{[]g{{6, 4}}, []g{{6, 2}, {8, 2}}},
	} {
		var l Layout
		for _, x := range test.add {
			l.Add(x.Addr, x.Size, 0)
		}
		var got []g
		for _, x := range l.Clone().Granules() {
			got = append(got, g{x.Addr, x.Size})
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.add, got, test.want)
		}
	}
	var l Layout
	l.Add(8, 4, 0)
	l.Add(16, 8, 0)
	for _, test := range []struct {
		addr event.Addr
		max  uint8
		want uint8
	}{{8, 8, 4}, {8, 2, 2}, {10, 8, 2}, {0, 8, 8}, {0, 16, 8}, {4, 8, 4}, {12, 8, 4}, {16, 8, 8}, {16, 16, 8}, {20, 8, 4}, {24, 8, 8}, {25, 8, 1}, {32, 16, 16}} {
		if got := l.Piece(test.addr, test.max); got != test.want {
			t.Errorf("Piece(%d, %d) = %d, want %d", test.addr, test.max, got, test.want)
		}
	}
	if got := (*Layout)(nil).Piece(4, 8); got != 4 {
		t.Errorf("nil: %d", got)
	}
}

func TestLayout(t *testing.T) {
	const prog = `
global x 32 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
global y 32
func main() 1 {
e:
  %s
  ret %%v
}`
	type g struct {
		Addr event.Addr
		Size uint8
	}
	for _, test := range []struct {
		name, instr string
		x, y        []g // offsets
		want        string
	}{
		{"split load", "%v = load.8.na @x", []g{{0, 4}, {4, 4}}, nil, "R4 x=67305985; R4 x+4=134678021; exit 578437695752307201"},
		{"split at one", "%v = load.8.na @x", []g{{4, 2}}, nil, "R4 x=67305985; R2 x+4=1541; R2 x+6=2055; exit 578437695752307201"},
		{"part", "%v = load.2.na @x+4", []g{{0, 8}}, nil, "R8 x=578437695752307201; exit 1541"},
		{"byte through a register", "%p = load.8.na @y\n  %q = gep %p, @x+7, 1, 0\n  %v = load.1.na %q", []g{{4, 4}}, nil, "R8 y=0; R4 x+4=134678021; exit 8"},
		{"part of 16", "%v = load.4.na @x+10", []g{{0, 16}}, nil, "R16 x=0x100f0e0d0c0b0a090807060504030201; exit 235736075"},
		{"two parts", "%v = load.8.na @x+4", []g{{0, 8}, {8, 8}}, nil, "R8 x=578437695752307201; R8 x+8=1157159078456920585; exit 867798387104613893"},
		{"exact", "%v = load.8.na @x", []g{{0, 8}}, nil, "R8 x=578437695752307201; exit 578437695752307201"},
		{"elsewhere", "%v = load.8.na @x", []g{{8, 4}}, nil, "R8 x=578437695752307201; exit 578437695752307201"},
		{"split store", "store.8.na @x, 0x200000001", []g{{0, 4}, {4, 4}}, nil, "W4 x=1; W4 x+4=2; exit 0"},
		{"store of a part", "store.4.na @x, 1", []g{{0, 8}}, nil, "W4 x=1; exit 0"},                       // the engine's to see
		{"store of a part of a whole", "store.4.na @x+4, 1", []g{{0, 8}}, nil, "W8 x=4294967296; exit 0"}, // the engine's to complete
		{"copy to parts of a whole", "memcpy @y, @x, 8", nil, []g{{0, 16}}, "R8 x=578437695752307201; W16 y=578437695752307201; exit 0"},
		{"atomic", "%v = load.8.rlx @x", []g{{0, 4}}, nil, "unsupported: mixed-size atomic access: 8 bytes at `x`+0, which are accessed as 4 bytes at `x`+0 elsewhere"},
		{"atomic part", "%v = rmw.4.rlx.add @x+4, 1", []g{{0, 8}}, nil, "U4 x+4=134678021→134678022; exit 134678021"}, // the engine's to see
		{"atomic exact", "%v = rmw.4.rlx.add @x, 1", []g{{0, 4}}, nil, "U4 x=67305985→67305986; exit 67305985"},
		{"copy", "memcpy @y, @x, 8", []g{{0, 4}}, nil, "R4 x=67305985; R4 x+4=134678021; W8 y=578437695752307201; exit 0"},
		{"copy to pieces", "memcpy @y, @x, 8", nil, []g{{0, 4}, {4, 4}}, "R4 x=67305985; W4 y=67305985; R4 x+4=134678021; W4 y+4=134678021; exit 0"},
		{"copy of a part", "memcpy @y, @x, 4", []g{{0, 8}}, nil, "R8 x=578437695752307201; W4 y=67305985; exit 0"},
		{
			"copy backwards", "memcpy @x+8, @x, 16",
			[]g{{8, 4}},
			nil,
			"R4 x+8=202050057; R4 x+12=269422093; W8 x+16=1157159078456920585; R4 x+4=134678021; W4 x+12=134678021; R4 x=67305985; W4 x+8=67305985; exit 0",
		},
		{"set", "memset @y, 1, 8", nil, []g{{4, 2}}, "W4 y=16843009; W2 y+4=257; W2 y+6=257; exit 0"},
		{"misaligned into a granule", "memcpy @y, @x+2, 8", nil, []g{{0, 8}}, "R2 x+2=1027; R4 x+4=134678021; R2 x+8=2569; W8 y=723118041428460547; exit 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := fmt.Sprintf(prog, test.instr)
			p := parse(t, text)
			l := &Layout{}
			for i, list := range [][]g{test.x, test.y} {
				for _, g := range list {
					if strings.Contains(test.name, "whole") {
						l.AddWhole(p.Globals[i].Addr+g.Addr, g.Size, 0)
					} else {
						l.Add(p.Globals[i].Addr+g.Addr, g.Size, 0)
					}
				}
			}
			if got := trace(t, text, Options{Layout: l}, nil); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.instr, got, test.want)
			}
		})
	}
}
