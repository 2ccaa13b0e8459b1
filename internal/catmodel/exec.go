package catmodel

import (
	"ravel/internal/cat"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
	"ravel/internal/relation"
)

// vocabulary is what executions of graphs define.
var vocabulary = cat.NewVocabulary(setNames(), []string{"po", "rf", "co", "fr", "loc", "int", "rmw", "addr", "data", "ctrl", "casdep", "si", syncName})

// syncName is the relation of what is ordered by the creation, start, end and join of threads: every event with those, and what
// comes before them with what comes after them. All orders contain it (cat.Options.Order).
const syncName = "thread-order"

func setNames() []string {
	names := []string{"R", "W", "F", "IW", "FW", "RMW", "X", "EX", "A", "Q", "L", "Acq", "Rel", "AcqRel", "Sc", "DMB", "DSB"}
	names = append(names, modeSets[:]...)
	for t := event.MFENCE; t <= event.FenceI; t++ {
		names = append(names, fenceSets[t])
	}
	return names
}

var setIndex = func() map[string]int {
	m := map[string]int{}
	for i, name := range vocabulary.Sets {
		m[name] = i
	}
	return m
}()

// An exec is a graph as an execution of cat. Its memory is used again for the next graph.
//
// The initial writes of the locations that have events come first, then the events thread after thread in program
// order, with the barriers of the compilation mapping.
type exec struct {
	d    *dialect
	uses map[string]bool // relations
	x    *cat.Exec
	g    *graph.Graph

	ids     []graph.ID // by number; Init for what is not in the graph
	loc     []int32    // by number; -1 if none
	thread  []int32    // by number; -1 for initial writes
	num     []int32    // by graph.ID
	initial []int32    // by location: the number of its initial write, -1 if it has no events
	first   []int32    // by thread: the number of its first event
	sets    map[class][]int
	order   []int32 // numbers, such that po goes forward
	bars    []model.Barrier
	byPlace []relation.Set
	across  relation.Rel // po that goes on from the creation of a thread to its start, and from its end to the join
}

func newExec(d *dialect, uses map[string]bool) *exec {
	return &exec{d: d, uses: uses, x: cat.NewExec(vocabulary, 0), sets: map[class][]int{}}
}

// read makes x the execution of g.
func (x *exec) read(g *graph.Graph) *cat.Exec {
	x.g = g
	x.number()
	x.x.Reset(len(x.ids))
	for n, id := range x.ids {
		if id != graph.Init || x.thread[n] < 0 {
			x.classify(n, x.d.classOf(&g.Events[id]))
		}
	}
	for t := range g.Threads {
		x.events(int32(t))
	}
	x.programOrder()
	x.coherence()
	if x.uses["si"] { // an instruction is one access, or its two halves are ordered otherwise
		x.x.Rel("si").IdentityAll()
	}
	if x.uses["int"] {
		x.same(x.x.Rel("int"), x.thread, len(g.Threads))
	}
	if x.uses["loc"] {
		x.same(x.x.Rel("loc"), x.loc, len(g.Locs))
	}
	return x.x
}

// number gives numbers to the events.
func (x *exec) number() {
	g := x.g
	x.ids, x.loc, x.thread, x.initial, x.first = x.ids[:0], x.loc[:0], x.thread[:0], x.initial[:0], x.first[:0]
	if len(x.num) < len(g.Events) {
		x.num = make([]int32, 2*len(g.Events))
	}
	for l := range g.Locs {
		x.initial = append(x.initial, -1)
		if g.Locs[l].Size > 0 && !g.Locs[l].Empty() {
			x.initial[l] = int32(len(x.ids))
			x.add(graph.Init, int32(l), -1)
		}
	}
	for t := range g.Threads {
		x.first = append(x.first, int32(len(x.ids)))
		x.numberThread(int32(t))
	}
	x.first = append(x.first, int32(len(x.ids)))
}

func (x *exec) numberThread(t int32) {
	g := x.g
	x.bars = x.d.barriers(g, t, x.bars[:0])
	bars := x.bars
	for i, id := range g.Threads[t] {
		for len(bars) > 0 && bars[0].Before <= i {
			x.addBarrier(t)
			bars = bars[1:]
		}
		if id == graph.Init {
			continue
		}
		e := &g.Events[id]
		x.num[id] = int32(len(x.ids))
		loc := int32(-1)
		if e.Kind == graph.Read || e.Kind == graph.Write {
			loc = e.Loc
		}
		x.add(id, loc, t)
	}
	for range bars {
		x.addBarrier(t)
	}
}

func (x *exec) add(id graph.ID, loc, thread int32) {
	x.ids, x.loc, x.thread = append(x.ids, id), append(x.loc, loc), append(x.thread, thread)
}

func (x *exec) addBarrier(t int32) { x.add(graph.Init, -1, t) }

// classify puts event n into its sets.
func (x *exec) classify(n int, c class) {
	list, ok := x.sets[c]
	if !ok {
		x.d.sets(c, func(name string) {
			if i, ok := setIndex[name]; ok {
				list = append(list, i)
			}
		})
		x.sets[c] = list
	}
	for _, i := range list {
		x.x.Sets[i].Add(n)
	}
}

// events adds rf, rmw and dependencies of a thread, and the sets of its added barriers.
func (x *exec) events(t int32) {
	g := x.g
	rf, rmw := x.x.Rel("rf"), x.x.Rel("rmw")
	evs := g.Threads[t]
	for i, id := range evs {
		if id == graph.Init {
			continue
		}
		e := &g.Events[id]
		n := int(x.num[id])
		switch e.Kind {
		case graph.Read:
			rf.Add(x.numOf(e.RF, e.Loc), n)
		case graph.Write:
			if e.Flags&graph.RMWPart != 0 && evs[i-1] != graph.Init {
				rmw.Add(int(x.num[evs[i-1]]), n)
			}
		}
		x.deps("addr", e.Addr, evs, n)
		x.deps("data", e.Data, evs, n)
		x.deps("ctrl", e.Ctrl, evs, n)
		x.deps("casdep", e.Exp, evs, n)
	}
	x.bars = x.d.barriers(g, t, x.bars[:0])
	bars := x.bars
	for n := x.first[t]; n < x.first[t+1]; n++ {
		if x.ids[n] != graph.Init {
			continue
		}
		x.classify(int(n), class{kind: added, tag: bars[0].Tag})
		bars = bars[1:]
	}
	if x.d.arch != nil && x.uses["ctrl"] {
		x.branches(t)
	}
}

// branches adds the control dependencies of the branches that the compilation mapping adds, and those of the barriers
// behind them: a barrier depends on what the event before it does.
func (x *exec) branches(t int32) {
	ctrl := x.x.Rel("ctrl")
	for n := x.first[t]; n < x.first[t+1]; n++ {
		id := x.ids[n]
		if id == graph.Init {
			if n > x.first[t] {
				for k := x.first[t]; k < n-1; k++ {
					if ctrl.Has(int(k), int(n)-1) {
						ctrl.Add(int(k), int(n))
					}
				}
			}
			continue
		}
		if e := &x.g.Events[id]; (e.Kind == graph.Read || e.Kind == graph.Write) && x.d.arch.Branches(e) {
			for k := n + 1; k < x.first[t+1]; k++ {
				ctrl.Add(int(n), int(k))
			}
		}
	}
}

func (x *exec) deps(rel string, s event.DepSet, evs []graph.ID, n int) {
	if s == 0 || !x.uses[rel] {
		return
	}
	r := x.x.Rel(rel)
	for _, i := range x.g.Deps.Members(s) {
		if int(i) < len(evs) && evs[i] != graph.Init && int(x.num[evs[i]]) != n {
			r.Add(int(x.num[evs[i]]), n)
		}
	}
}

// numOf returns the number of a write of location loc.
func (x *exec) numOf(id graph.ID, loc int32) int {
	if id == graph.Init {
		return int(x.initial[loc])
	}
	return int(x.num[id])
}

// programOrder makes po and the order of threads, from the last events back: what comes after an event is what comes after
// the next one, and that. On hardware, po goes on across threads: their creation is a barrier there.
func (x *exec) programOrder() {
	x.sort()
	g := x.g
	po, sync := x.x.Rel("po"), x.x.Rel(syncName)
	x.across.Reset(len(x.ids))
	for i := len(x.order) - 1; i >= 0; i-- {
		n := int(x.order[i])
		isSync := false
		if id := x.ids[n]; id != graph.Init {
			e := &g.Events[id]
			isSync = isThreadEvent(e)
			switch {
			case e.Kind == graph.Create:
				if evs := g.Threads[e.Val.Lo]; len(evs) > 0 && evs[0] != graph.Init && g.Events[evs[0]].RF == id {
					addAfter(&x.across, n, int(x.num[evs[0]]))
				}
			case e.Kind == graph.End && e.Co > 0:
				x.joined(id, func(j int) { addAfter(&x.across, n, j) })
			}
		}
		next := n + 1
		last := next == int(x.first[x.thread[n]+1])
		if !last {
			addAfter(&x.across, n, next)
			addAfter(po, n, next)
		}
		switch {
		case isSync:
			copyRow(sync, n, &x.across, n)
		case !last && x.ids[next] != graph.Init && isThreadEvent(&g.Events[x.ids[next]]):
			copyRow(sync, n, &x.across, n)
		case !last:
			copyRow(sync, n, sync, next)
		}
	}
	if x.d.full != nil {
		po.Copy(&x.across)
	}
}

// addAfter relates n to next and what that is related to.
func addAfter(r *relation.Rel, n, next int) {
	row, from := r.From(n), r.From(next)
	row.Union(&row, &from)
	row.Add(next)
}

func copyRow(to *relation.Rel, n int, from *relation.Rel, m int) {
	row, src := to.From(n), from.From(m)
	row.Union(&src, &src)
}

// isThreadEvent reports whether e orders all that comes before it with all that comes after it.
func isThreadEvent(e *graph.Event) bool {
	switch e.Kind {
	case graph.Start, graph.End, graph.Create, graph.Join:
		return true
	}
	return false
}

// joined calls f with the numbers of the joins of an end.
func (x *exec) joined(end graph.ID, f func(int)) {
	for n := x.first[0]; int(n) < len(x.ids); n++ {
		if id := x.ids[n]; id != graph.Init && x.g.Events[id].Kind == graph.Join && x.g.Events[id].RF == end {
			f(int(n))
		}
	}
}

// sort puts the numbers of events into an order that follows po.
func (x *exec) sort() {
	g := x.g
	x.order = x.order[:0]
	done := g.Scratch(0, 0)
	for t := range done {
		done[t] = x.first[t]
	}
	for again := true; again; {
		again = false
		for t := range g.Threads {
			for done[t] < x.first[t+1] {
				n := done[t]
				if id := x.ids[n]; id != graph.Init {
					if e := &g.Events[id]; (e.Kind == graph.Start || e.Kind == graph.Join) && e.RF != graph.Init {
						if src := &g.Events[e.RF]; x.num[e.RF] >= done[src.Thread] {
							break
						}
					}
				}
				x.order = append(x.order, n)
				done[t]++
				again = true
			}
		}
	}
}

// coherence makes co, fr and FW.
func (x *exec) coherence() {
	g := x.g
	co, fr, last := x.x.Rel("co"), x.x.Rel("fr"), x.x.Set("FW")
	for l := range g.Locs {
		if x.initial[l] < 0 {
			continue
		}
		ws := g.Locs[l].Co
		for i := len(ws) - 2; i >= 0; i-- {
			next := x.numOf(ws[i+1], int32(l))
			addAfter(co, x.numOf(ws[i], int32(l)), next)
		}
		last.Add(x.numOf(ws[len(ws)-1], int32(l)))
	}
	if !x.uses["fr"] {
		return
	}
	for n, id := range x.ids {
		if id != graph.Init && g.Events[id].Kind == graph.Read {
			e := &g.Events[id]
			copyRow(fr, n, co, x.numOf(e.RF, e.Loc))
		}
	}
}

// same relates events with the same key, which is not negative.
func (x *exec) same(r *relation.Rel, key []int32, keys int) {
	for len(x.byPlace) < keys {
		x.byPlace = append(x.byPlace, relation.Set{})
	}
	for i := range keys {
		x.byPlace[i].Reset(len(x.ids))
	}
	for n, k := range key {
		if k >= 0 {
			x.byPlace[k].Add(n)
		}
	}
	for n, k := range key {
		if k >= 0 {
			row := r.From(n)
			row.Union(&row, &x.byPlace[k])
		}
	}
}
