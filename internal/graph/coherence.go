package graph

// MinCo returns the least co index that an access of location loc may read, or be placed after,
// when it follows pred in its thread: the co-latest write that is in hb(pred), or that a
// read in hb(pred) reads from. Coherence (irreflexive hb;eco) forbids anything below.
func (g *Graph) MinCo(loc int32, pred *Event) int32 {
	l := &g.Locs[loc]
	if latest := len(l.Co) - 1; g.InHB(l.Co[latest], pred) {
		return int32(latest)
	}
	least := int32(0)
	for t := range l.Last {
		last := &l.Last[t]
		if last.Read == None && last.Write == None {
			continue
		}
		n := pred.Index + 1
		if int32(t) != pred.Thread {
			n = g.Count(pred.HB, int32(t))
		}
		for w := last.Write; w != None; w = g.Events[w].Prev {
			if e := &g.Events[w]; e.Index < n {
				least = max(least, e.Co)
				break
			}
		}
		for r := last.Read; r != None; r = g.Events[r].Prev {
			if e := &g.Events[r]; e.Index < n {
				least = max(least, g.Events[e.RF].Co)
				break
			}
		}
	}
	return least
}

// Key orders the accesses of one location: eco(x, y) iff Key(x) < Key(y).
// A write at co index p has key 2p, its readers 2p+1.
func (g *Graph) Key(e *Event) int32 {
	if e.Kind == Read {
		return 2*g.Events[e.RF].Co + 1
	}
	return 2 * e.Co
}

// CoIndex returns the place of the write id in co: that of the initial write is 0.
func (g *Graph) CoIndex(id ID) int32 { return g.Events[id].Co }

// CoMaximal reports whether e has no co- or fr-successor.
func (g *Graph) CoMaximal(e *Event) bool {
	co := e.Co
	if e.Kind == Read {
		co = g.CoIndex(e.RF)
	}
	return int(co) == len(g.Locs[e.Loc].Co)-1
}
