package enumerate

import (
	"slices"

	"ravel/internal/litmus"
	"ravel/internal/litmus/symbolic"
)

// Accesses of different sizes to the same bytes are taken apart: a variable is cut where an access or an element
// begins or ends, and an access is one event for each of the cells it covers. The relation si has the
// events of one access, which are performed at once (Flur et al., "Mixed-size concurrency: ARM, POWER,
// C/C++11, and SC", POPL'17).

// cells are where each variable that needs it is cut, in bytes from its beginning, the end included.
type cells map[string][]int64

// findCells looks at all accesses. One whose address depends on what is read may be to any variable of
// numbers that is at least as large, at multiples of its size.
func findCells(t *litmus.Test, paths [][]*path) cells {
	type span struct{ from, to int64 }
	spans := map[string][]span{}
	add := func(name string, from int64, size uint8) {
		if s := (span{from, from + int64(size)}); !slices.Contains(spans[name], s) {
			spans[name] = append(spans[name], s)
		}
	}
	var unknown []uint8 // sizes of accesses to unknown addresses
	for _, list := range paths {
		for _, p := range list {
			for i := range p.events {
				e := &p.events[i]
				if e.kind >= fence {
					continue
				}
				if a, ok := e.addr.(litmus.Value); !ok {
					unknown = append(unknown, e.size)
				} else if a.Kind == litmus.Addr {
					add(a.Sym, int64(a.Int), e.size)
				}
			}
		}
	}
	for _, size := range unknown {
		for _, a := range places(t, size) {
			add(a.Sym, int64(a.Int), size)
		}
	}
	var out cells
	for name, list := range spans {
		v := t.Var(name)
		if v == nil {
			continue
		}
		size := int64(v.Type.Size)
		for i := range v.Init {
			elem := span{int64(i) * size, int64(i+1) * size}
			if !v.Array && slices.ContainsFunc(list, func(s span) bool { return s.from == 0 && s.to > size }) {
				continue // its type is not told: it is as large as what accesses it
			}
			if !slices.Contains(list, elem) {
				list = append(list, elem)
			}
		}
		apart := true
		for i, a := range list {
			for _, b := range list[:i] {
				apart = apart && (a.to <= b.from || b.to <= a.from)
			}
		}
		if apart {
			continue
		}
		var cuts []int64
		for _, s := range list {
			cuts = append(cuts, s.from, s.to)
		}
		slices.Sort(cuts)
		if out == nil {
			out = cells{}
		}
		out[name] = slices.Compact(cuts)
	}
	return out
}

// places are the addresses that an access of a size may have when nothing is known: where it does not
// cover all of a variable. Variables that hold addresses are not taken apart.
func places(t *litmus.Test, size uint8) []litmus.Value {
	var out []litmus.Value
	if t.Arch == litmus.C {
		return nil // a pointer is to what its type says
	}
	for _, v := range t.Vars {
		if v.Type.Size <= size || slices.ContainsFunc(v.Init, func(x litmus.Value) bool { return x.Kind != litmus.Int }) {
			continue
		}
		for off := int64(0); off+int64(size) <= int64(v.Size()); off += int64(size) {
			out = append(out, litmus.AddrOf(v.Name, off))
		}
	}
	return out
}

// A part is one cell of an access.
type part struct {
	off  int64 // from the beginning of the access
	size uint8
}

// parts returns the cells that an access covers; one without a size of its own if its variable is not cut.
func (c cells) parts(addr litmus.Expr, size uint8) []part {
	a, ok := addr.(litmus.Value)
	if !ok || c[a.Sym] == nil {
		return []part{{0, size}}
	}
	var out []part
	from, end := int64(a.Int), int64(a.Int)+int64(size)
	for i, cut := range c[a.Sym][:len(c[a.Sym])-1] {
		if cut >= from && cut < end {
			out = append(out, part{cut - from, uint8(c[a.Sym][i+1] - cut)})
		}
	}
	return out
}

// cellSize is the size of the cell at a location, 0 if its variable is not cut.
func (c cells) cellSize(name string, off int64) uint8 {
	if i, ok := slices.BinarySearch(c[name], off); ok && i+1 < len(c[name]) {
		return uint8(c[name][i+1] - off)
	}
	return 0
}

func offset(addr litmus.Expr, n int64) litmus.Expr {
	if n == 0 {
		return addr
	}
	return symbolic.Binary(litmus.Add, 64, addr, litmus.Number(n))
}

// cutOut is the part of a value.
func cutOut(x litmus.Expr, p part) litmus.Expr {
	x = symbolic.Binary(litmus.LShr, 64, x, litmus.Number(8*p.off))
	return symbolic.Unary(litmus.Trunc, 8*p.size, x)
}

// join puts a part in its place in a value.
func join(x, v litmus.Expr, p part) litmus.Expr {
	v = symbolic.Binary(litmus.Shl, 64, v, litmus.Number(8*p.off))
	return symbolic.Binary(litmus.Or, 64, x, v)
}

// elementValue is the final value of an element of a variable, put together from its cells.
func (s *search) elementValue(name string, index int) litmus.Value {
	size := int64(s.test.Var(name).Type.Size)
	from := int64(index) * size
	cuts := s.cells[name]
	if cuts == nil {
		return s.locationValue(location{name, from})
	}
	x := litmus.Expr(litmus.Value{})
	for _, c := range cuts {
		if c >= from && c < from+size {
			x = join(x, s.locationValue(location{name, c}), part{off: c - from})
		}
	}
	return x.(litmus.Value)
}

func (s *search) locationValue(l location) litmus.Value {
	if k := slices.Index(s.locs, l); k >= 0 {
		return s.vals[s.last(k)].v
	}
	return s.initial(l)
}
