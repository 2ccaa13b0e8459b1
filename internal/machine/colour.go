package machine

import (
	"cmp"
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// A segment is a stretch of the linear code in which a register is live. Instruction k reads at
// time 2k and writes at time 2k+1, so a result may take the place of an operand that dies.
type segment struct{ from, to int32 }

// noColour marks a register that is never live.
const noColour = 0

// colour gives each register a word of the frame such that registers that are live at the same
// time have different ones. Those live across most stops come first: a stopped frame ends with
// the last word that is still needed.
func (f *fn) colour() (colours []uint16, ok bool) {
	segs, stops, hints := f.segments()
	header := f.header()
	colours = make([]uint16, f.regs)
	order := make([]ir.Reg, 0, f.regs)
	for r := range segs {
		if len(segs[r]) > 0 {
			order = append(order, ir.Reg(r))
		}
	}
	slices.SortStableFunc(order, func(a, b ir.Reg) int {
		if c := cmp.Compare(stops[b], stops[a]); c != 0 {
			return c
		}
		return cmp.Compare(segs[a][0].from, segs[b][0].from)
	})
	var taken [][]segment
	for _, r := range order {
		c := -1
		for _, h := range hints[r] {
			if k := int(colours[h]) - header; k >= 0 && free(taken[k], segs[r]) {
				c = k
				break
			}
		}
		for k := 0; c < 0; k++ {
			if k == len(taken) {
				taken = append(taken, nil)
			}
			if free(taken[k], segs[r]) {
				c = k
			}
		}
		for _, s := range segs[r] {
			i := searchSegment(taken[c], s.from)
			taken[c] = slices.Insert(taken[c], i, s)
		}
		if c+header >= window-1 {
			return nil, false
		}
		colours[r] = uint16(c + header)
	}
	return colours, true
}

// searchSegment returns the index of the first segment that ends after t.
func searchSegment(taken []segment, t int32) int {
	i, _ := slices.BinarySearchFunc(taken, t, func(s segment, t int32) int {
		if s.to <= t {
			return -1
		}
		return 1
	})
	return i
}

func free(taken, segs []segment) bool {
	for _, s := range segs {
		if i := searchSegment(taken, s.from); i < len(taken) && taken[i].from < s.to {
			return false
		}
	}
	return true
}

// segments returns for each register where it is live, how many stops that crosses, and the
// registers it is copied from or to.
func (f *fn) segments() (segs [][]segment, stops []int, hints [][]ir.Reg) {
	_, out := f.liveness()
	segs = make([][]segment, f.regs)
	hints = make([][]ir.Reg, f.regs)
	stops = make([]int, f.regs)
	end := make([]int32, f.regs) // of the segment being built; 0: not live
	stopsBefore := []int32{0}    // at each time
	k := 0
	for _, b := range f.blocks {
		for i := range b.instrs {
			n := stopsBefore[2*k]
			stopsBefore = append(stopsBefore, n)
			if b.instrs[i].stops() {
				n++
			}
			stopsBefore = append(stopsBefore, n)
			k++
		}
	}
	for bi := len(f.blocks) - 1; bi >= 0; bi-- {
		b := f.blocks[bi]
		last := int32(2 * k)
		live := bitset.New[ir.Reg](f.regs)
		out[bi].Each(func(r ir.Reg) { end[r] = last; live.Add(r) })
		for i := len(b.instrs) - 1; i >= 0; i-- {
			k--
			x := &b.instrs[i]
			at := int32(2*k + 1)
			x.defs(func(r ir.Reg) {
				if end[r] == 0 {
					end[r] = at + 1
				}
				segs[r] = append(segs[r], segment{at, end[r]})
				end[r] = 0
				live.Remove(r)
			})
			use := at
			if x.holds() || x.Op == midSpin || x.Op == midUnroll || x.Op == ir.Alloca && x.deps != nil { // an Alloca has its result before its shadows are read
				use = at + 1
			}
			x.uses(func(r ir.Reg) {
				if end[r] == 0 {
					end[r] = use
					if x.assigns(r) {
						end[r] = at // the result's own segment goes on
					}
					live.Add(r)
				}
			})
			if x.Op == ir.Copy && x.A.Reg != ir.NoReg && x.A.Imm == 0 {
				hints[x.Dst] = append(hints[x.Dst], x.A.Reg)
				hints[x.A.Reg] = append(hints[x.A.Reg], x.Dst)
			}
		}
		first := int32(2 * k)
		live.Each(func(r ir.Reg) {
			segs[r] = append(segs[r], segment{first, end[r]})
			end[r] = 0
		})
	}
	for r := range segs {
		slices.Reverse(segs[r])
		for _, s := range segs[r] {
			stops[r] += int(stopsBefore[s.to-1] - stopsBefore[s.from])
		}
	}
	return segs, stops, hints
}
