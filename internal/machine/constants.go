package machine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// foldConstants replaces plain loads of constant variables by what these have, as of the initial value of a local variable that is copied from one: nobody
// can change it, so the load orders nothing and nobody sees it. It reports whether there were any.
func (c *compiler) foldConstants(f *fn) (changed bool) {
	if c.constants == nil {
		c.constants = []*ir.Global{}
		for _, g := range c.src.Globals {
			if g.Const && !g.Decl && !g.TLS {
				c.constants = append(c.constants, g)
			}
		}
		slices.SortFunc(c.constants, func(a, b *ir.Global) int { return cmp.Compare(a.Addr, b.Addr) })
	}
	for _, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op != ir.Load || x.Mode != event.NA || x.Volatile || x.Size > 8 || !x.A.IsConst() {
				continue
			}
			if v, ok := c.constantAt(c.Pointer(x.A.Imm), uint64(x.Size)); ok {
				*x = copyTo(x.Dst, ir.Imm(v), x.Pos)
				changed = true
			}
		}
	}
	return changed
}

// constantAt returns what the size bytes at an address are, if they are of a constant variable.
func (c *compiler) constantAt(a event.Addr, size uint64) (uint64, bool) {
	i, found := slices.BinarySearchFunc(c.constants, a, func(g *ir.Global, a event.Addr) int { return cmp.Compare(g.Addr, a) })
	if !found {
		i--
	}
	if i < 0 {
		return 0, false
	}
	g := c.constants[i]
	at := uint64(a - g.Addr)
	if at >= g.Size || size > g.Size-at {
		return 0, false
	}
	var word [8]byte
	if at < uint64(len(g.Init)) {
		copy(word[:size], g.Init[at:])
	}
	return binary.LittleEndian.Uint64(word[:]), true
}
