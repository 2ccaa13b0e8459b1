package graph

// CopyFrom makes g a copy of src that shares nothing with it, without what src remembers of its cuts.
func (g *Graph) CopyFrom(src *Graph) {
	g.stride = src.stride
	g.Events = append(g.Events[:0], src.Events...)
	g.views = append(g.views[:0], src.views...)
	g.Trail = append(g.Trail[:0], src.Trail...)
	g.NumSC = src.NumSC
	g.Heap, g.Holes = src.Heap, src.Holes
	g.removed = g.removed[:0]
	for t := range src.Threads {
		g.Threads[t] = append(g.Threads[t][:0], src.Threads[t]...)
		g.SC[t] = append(g.SC[t][:0], src.SC[t]...)
		g.Ghosts[t] = append(g.Ghosts[t][:0], src.Ghosts[t]...)
	}
	for i := range src.Locs {
		if i == len(g.Locs) {
			g.Locs = append(g.Locs, Loc{})
		}
		l, s := &g.Locs[i], &src.Locs[i]
		co, last, rival := l.Co, l.Last, l.Rival
		*l = *s
		l.Co = append(co[:0], s.Co...)
		l.Last = append(last[:0], s.Last...)
		l.Rival = append(rival[:0], s.Rival...)
	}
	g.Locs = g.Locs[:len(src.Locs)]
	g.byAddr.keys = append(g.byAddr.keys[:0], src.byAddr.keys...)
	g.byAddr.vals = append(g.byAddr.vals[:0], src.byAddr.vals...)
	g.byAddr.n = src.byAddr.n
}
