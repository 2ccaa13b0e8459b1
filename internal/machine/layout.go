package machine

import (
	"cmp"
	"slices"

	"ravel/internal/event"
)

// A Layout is a set of granules: byte ranges that are accessed as one location, though the program
// has accesses of other sizes there too. A plain access that covers several granules is performed
// in pieces. The engine finds out which granules there are, and starts again with them.
//
// The address of an object on the stack or the heap depends on how many objects its thread has allocated before. In another execution
// there may be an object of another kind at the address, for which the granules are wrong. So a granule names the site of its object,
// and an allocation at another site goes to the next slot without such granules.
type Layout struct {
	granules []Granule // sorted, disjoint
}

// A Granule is a range of bytes. A whole one has atomic accesses of all of it, and stays as it is: plain accesses of parts are accesses of
// the granule.
type Granule struct {
	Addr  event.Addr
	Size  uint8
	Whole bool
	Site  uint32 `json:",omitempty"` // Action.Site of the Alloc of its object; 0 if the object is always at this address
}

func (g Granule) end() event.Addr { return g.Addr + event.Addr(g.Size) }

// Add adds the granule [addr, addr+size) of an object of the given site. Where it overlaps others the finer boundaries win:
// a larger granule is cut, and a smaller one stays.
func (l *Layout) Add(addr event.Addr, size uint8, site uint32) {
	end := addr + event.Addr(size)
	for at := addr; at < end; at++ {
		if g, ok := l.At(at); ok && g.Whole {
			return
		}
	}
	cuts := []event.Addr{addr, end}
	lo := l.search(addr)
	hi := lo
	for hi < len(l.granules) && l.granules[hi].Addr < end {
		cuts = append(cuts, l.granules[hi].Addr, l.granules[hi].end())
		hi++
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var pieces []Granule
	for i, from := range cuts[:len(cuts)-1] {
		for to := cuts[i+1]; from < to; {
			n := natural(from, 16, uint64(to-from))
			pieces = append(pieces, Granule{Addr: from, Size: n, Site: site})
			from += event.Addr(n)
		}
	}
	l.granules = slices.Replace(l.granules, lo, hi, pieces...)
}

// AddWhole makes [addr, addr+size) one whole granule. It returns false if that cuts another one.
func (l *Layout) AddWhole(addr event.Addr, size uint8, site uint32) bool {
	end := addr + event.Addr(size)
	lo := l.search(addr)
	hi := lo
	for ; hi < len(l.granules) && l.granules[hi].Addr < end; hi++ {
		if g := l.granules[hi]; g.Addr < addr || g.end() > end {
			return false
		}
	}
	l.granules = slices.Replace(l.granules, lo, hi, Granule{addr, size, true, site})
	return true
}

// search returns the index of the first granule that ends after addr.
func (l *Layout) search(addr event.Addr) int {
	i, _ := slices.BinarySearchFunc(l.granules, addr, func(g Granule, a event.Addr) int {
		if g.end() <= a {
			return -1
		}
		return cmp.Compare(1, 0)
	})
	return i
}

// At returns the granule that holds the byte at addr.
func (l *Layout) At(addr event.Addr) (Granule, bool) {
	if l == nil {
		return Granule{}, false
	}
	if i := l.search(addr); i < len(l.granules) && l.granules[i].Addr <= addr {
		return l.granules[i], true
	}
	return Granule{}, false
}

// foreign reports whether there is a granule in [addr, end) of an object of another site.
func (l *Layout) foreign(addr, end event.Addr, site uint32) bool {
	for i := l.search(addr); i < len(l.granules) && l.granules[i].Addr < end; i++ {
		if s := l.granules[i].Site; s != 0 && s != site {
			return true
		}
	}
	return false
}

// Piece returns the size of the piece of at most max bytes that begins at addr: to the end of its granule,
// or as much as is aligned and meets no granule where nothing is known.
func (l *Layout) Piece(addr event.Addr, max uint8) uint8 {
	n := natural(addr, max, uint64(max))
	if l == nil {
		return n
	}
	i := l.search(addr)
	if i == len(l.granules) {
		return n
	}
	g := l.granules[i]
	if g.Addr <= addr {
		return natural(addr, n, uint64(g.end()-addr))
	}
	return natural(addr, n, uint64(g.Addr-addr))
}

// natural returns the largest power of two that is at most max and left, and divides addr.
func natural(addr event.Addr, max uint8, left uint64) uint8 {
	n := uint8(16)
	for n > max || uint64(n) > left || addr&event.Addr(n-1) != 0 {
		n /= 2
	}
	return n
}

// Granules returns the granules in the order of their addresses.
func (l *Layout) Granules() []Granule {
	if l == nil {
		return nil
	}
	return slices.Clone(l.granules)
}

// Clone returns a copy. The clone of a nil Layout is an empty one.
func (l *Layout) Clone() *Layout { return &Layout{granules: l.Granules()} }

// empty reports whether nothing is known of any address.
func (l *Layout) empty() bool { return l == nil || len(l.granules) == 0 }

// NewLayout returns a layout with these granules, which are sorted and disjoint.
func NewLayout(granules []Granule) *Layout { return &Layout{granules: granules} }
