package catmodel

import (
	"slices"

	"ravel/internal/arch"
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
	names := []string{"R", "W", "F", "IW", "FW", "RMW", "AMO", "X", "EX", "A", "Q", "L", "Acq", "Rel", "AcqRel", "Sc"}
	names = append(names, modeSets[:]...)
	for _, d := range arch.Dialects {
		for _, f := range d.Fences {
			if f.Tag != event.NoTag && !slices.Contains(names, f.Set) {
				names = append(names, f.Set)
			}
		}
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
// order, with the barriers of the compilation mapping. Actions that no model mentions are not events: allocations, choices and, unless they are
// barriers, the creation, start, end and join of threads.
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
	bars    []model.Barrier
	byPlace []relation.Set

	entries []entry // thread after thread
	begins  []int32 // by thread: its first entry
	at      []int32 // by graph.ID: its entry
	order   []entry // such that po goes forward, across threads too
	flows   []flow  // by thread
}

// An entry is what program order is made of: an event or a barrier of the compilation mapping, with its number, or something that
// orders threads but is not an event, with the number -1.
type entry struct {
	id        graph.ID // Init for a barrier
	n, thread int32
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
	x.entries, x.begins = x.entries[:0], x.begins[:0]
	if len(x.num) < len(g.Events) {
		x.num, x.at = make([]int32, 2*len(g.Events)), make([]int32, 2*len(g.Events))
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
		x.begins = append(x.begins, int32(len(x.entries)))
		x.numberThread(int32(t))
	}
	x.first = append(x.first, int32(len(x.ids)))
	x.begins = append(x.begins, int32(len(x.entries)))
}

func (x *exec) numberThread(t int32) {
	g := x.g
	hides := x.d.hides()
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
		x.at[id] = int32(len(x.entries))
		if hides.has(e) {
			x.num[id] = -1
			if isThreadEvent(e) {
				x.entries = append(x.entries, entry{id, -1, t})
			}
			continue
		}
		x.num[id] = int32(len(x.ids))
		x.entries = append(x.entries, entry{id, x.num[id], t})
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

func (x *exec) addBarrier(t int32) {
	x.entries = append(x.entries, entry{graph.Init, int32(len(x.ids)), t})
	x.add(graph.Init, -1, t)
}

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
		if n < 0 {
			continue
		}
		switch e.Kind {
		case graph.Read:
			rf.Add(x.numOf(e.RF, e.Loc), n)
		case graph.Write:
			if e.Flags&graph.RMWPart != 0 && evs[i-1] != graph.Hole {
				rmw.Add(int(x.num[evs[i-1]]), n)
			}
		}
		x.deps("addr", e.Addr, evs, n)
		if x.d.arch != nil || e.Kind != graph.Write || e.Flags&graph.RMWPart == 0 {
			x.deps("data", e.Data, evs, n)
		} else { // in C the write of an update depends on its read by rmw
			x.deps("data", e.Data, evs[:i-1], n)
		}
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
		if int(i) < len(evs) && evs[i] != graph.Hole && x.num[evs[i]] >= 0 && int(x.num[evs[i]]) != n {
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

// programOrder makes po and the order of threads, from the last events back. On hardware, po goes on across threads: their creation
// is a barrier there.
func (x *exec) programOrder() {
	g := x.g
	x.sort()
	for len(x.flows) < len(g.Threads) {
		x.flows = append(x.flows, flow{})
	}
	for t := range g.Threads {
		x.flows[t].reset(len(x.ids))
	}
	po, sync := x.x.Rel("po"), x.x.Rel(syncName)
	for i := len(x.order) - 1; i >= 0; i-- {
		p := x.order[i]
		f := &x.flows[p.thread]
		e := x.eventOf(p)
		switch {
		case e == nil:
		case e.Kind == graph.Create:
			child := g.Threads[e.Val.Lo]
			if len(child) > 0 && child[0] != graph.Init && g.Events[child[0]].RF == p.id {
				f.after.Union(&f.after, &x.flows[e.Val.Lo].start)
			}
		case e.Kind == graph.End:
			f.after.Union(&f.after, &f.joined)
		}
		if n := int(p.n); n >= 0 {
			to := &f.own
			if x.d.full != nil {
				to = &f.after
			}
			copySet(po, n, to)
			copySet(sync, n, &f.sync)
			if e != nil && isThreadEvent(e) {
				copySet(sync, n, &f.after)
			}
			f.own.Add(n)
			f.after.Add(n)
		}
		if e == nil || !isThreadEvent(e) {
			continue
		}
		f.sync.Copy(&f.after)
		switch {
		case e.Kind == graph.Start:
			f.start.Copy(&f.after)
		case e.Kind == graph.Join && e.RF != graph.Init:
			end := &x.flows[g.Events[e.RF].Thread]
			end.joined.Union(&end.joined, &f.after)
		}
	}
}

// A flow is what comes after a place of a thread.
type flow struct {
	own    relation.Set // in the thread
	after  relation.Set // there, and in threads that are created, or that join this one
	sync   relation.Set // after the next event of threads
	start  relation.Set // after the start of the thread
	joined relation.Set // after what joins the thread
}

func (f *flow) reset(n int) {
	for _, s := range [...]*relation.Set{&f.own, &f.after, &f.sync, &f.start, &f.joined} {
		s.Reset(n)
	}
}

// eventOf returns the event of an entry, nil for a barrier of the compilation mapping.
func (x *exec) eventOf(p entry) *graph.Event {
	if p.id == graph.None {
		return nil
	}
	return &x.g.Events[p.id]
}

func copySet(r *relation.Rel, n int, s *relation.Set) {
	row := r.From(n)
	row.Union(s, s)
}

// addAfter relates n to next and what that is related to.
func addAfter(r *relation.Rel, n, next int) {
	row, from := r.From(n), r.From(next)
	row.Union(&row, &from)
	row.Add(next)
}

func copyRow(to *relation.Rel, n int, from *relation.Rel, m int) {
	src := from.From(m)
	copySet(to, n, &src)
}

// isThreadEvent reports whether e orders all that comes before it with all that comes after it.
func isThreadEvent(e *graph.Event) bool {
	switch e.Kind {
	case graph.Start, graph.End, graph.Create, graph.Join:
		return true
	}
	return false
}

// sort puts the entries into an order that follows po, and the creation and join of threads.
func (x *exec) sort() {
	g := x.g
	x.order = x.order[:0]
	done := g.Scratch(0, 0)
	for t := range g.Threads {
		done[t] = x.begins[t]
	}
	for again := true; again; {
		again = false
		for t := range g.Threads {
			for ; done[t] < x.begins[t+1]; done[t]++ {
				p := x.entries[done[t]]
				if e := x.eventOf(p); e != nil && (e.Kind == graph.Start || e.Kind == graph.Join) && e.RF != graph.Init {
					src := &g.Events[e.RF]
					if x.at[e.RF] >= done[src.Thread] {
						break
					}
				}
				x.order = append(x.order, p)
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
