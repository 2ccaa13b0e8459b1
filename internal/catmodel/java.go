package catmodel

import (
	"fmt"
	"slices"
	locks "sync"
	"sync/atomic"

	"ravel/internal/cat"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
	"ravel/internal/relation"
)

// A model in cat is like Java's if it was not shown to be coherent, or to forbid cycles in po ∪ rf or of dependencies, and all of the following was shown of it. Then it is explored as Java's models are, cycles included: by re-execution, with
// the definition of docs/jam21.md, where the relation visible of the model says what does not race.
//
// Definition. M is the model, and M' is M with empty choices and without FW (cat.Model.Weaken). M is like Java's if
//
//	(1) it defines visible, and has no flags and no dependencies;
//	(2) M implies M', as shown by Weaken;
//	(3) the constraints of M' are monotone, and take nothing away that depends on what is between two events;
//	(4) M' forbids each of the small graphs of eachIncoherence, those with read-modify-writes apart.
//
// Where programs have read-modify-writes, more is needed:
//
//	(5) M' forbids these small graphs as well, or the derived order relates the write that an update reads to that of the update, and is closed for updates (cat.Model.Closed).
//
// Many models of Java do not speak of co. They derive an order of the writes of a location and want it to be acyclic. For such a model, M⁺ is M with co joined to the one acyclic relation that has only pairs of writes
// of one location in all the small graphs. If it turns out to have other pairs in an execution, the exploration gives up. If M speaks of FW, that relation must lead to the last write from all others. For other
// models, M⁺ is M.
//
// Lemma 1. M and M⁺ allow the same rf and last writes.
//
// Proof. M⁺ is stronger. Conversely, let < be the derived order of the writes of a location, which is acyclic. It can be extended to a total one, in which the last write is last, or does not matter. So M⁺
// allows the execution with that co. By (5), each update can come right after what it reads: let a block be a write, the update that reads it, the update that reads that, and so on. If w < v and u reads w, then u < v, so
// no other update reads w: each would be before the other. If a write of a block is before a write of another one, then so is the last of the block, and hence before the last of the other one. A cycle of blocks
// would be one of their last writes. So the blocks can be put in an order. ∎
//
// Lemma 2. What M⁺ allows is explored: it is coherent by the rules of explore/backward.go, and the writes of read-modify-writes come right after what they read. Initial writes count as opaque there.
//
// Proof. Each violation of these rules is by at most two accesses of a thread, or two that are ordered by the creation and joining of threads, the writes that they read, and one write in between. These events
// alone are a graph of eachIncoherence, but for the numbers of threads. (4) says that M' forbids it, and by (3) it forbids every graph that has it. By (2), M does. ∎
//
// So the executions of M⁺ are those of the exploration that it finds consistent when they are complete (explore/late.go). A core that M' forbids is part of no execution, by (2) and (3).
type javaLike struct {
	strong  *cat.Program // M⁺
	weak    *cat.Program // M'
	visible *cat.Constraint
	updates bool // (5) holds
}

const (
	visibleName = "visible"
	outsideName = "not an order of the writes of a location"
)

// findJava finds out whether the model is like Java's.
func (m *Model) findJava() {
	if m.engine != PorfEngine || m.Missing(true) == "" || !m.d.isC() || m.usesDeps() || slices.ContainsFunc(m.checks, func(c *check) bool { return c.Mode != cat.Require }) {
		return
	}
	flat := m.File.Flat()
	if flat == nil {
		return
	}
	weak := flat.Weaken(visibleName, false, "co")
	if weak == nil {
		return
	}
	first, err := compile(weak)
	if err != nil || !first.Straight() {
		return
	}
	uses := m.uses
	m.uses = map[string]bool{}
	for _, name := range vocabulary.Rels {
		m.uses[name] = true
	}
	at := map[cat.Pos]bool{}
	j := &javaLike{}
	if !uses["co"] && !uses["fr"] && !flat.Speaks("co", "fr") {
		for _, k := range first.Checks {
			if k.Mode == cat.Require && k.Kind == cat.Acyclic && !k.Not && m.ofWrites(first, k) {
				at[k.Pos] = true
				j.updates = j.updates || flat.Closed(k.Expr) && m.ordersUpdates(first, k)
			}
		}
	}
	if len(at) > 1 || len(at) == 1 && flat.Speaks("FW") && !m.ordersLast(flat, at) {
		m.uses = uses
		return
	}
	if j.strong, err = compile(flat.Join("co", outsideName, at)); err == nil {
		// The flag of Join is none of the weaker model.
		j.weak, err = compile(weak.Join("co", outsideName, at))
	}
	if err != nil || !j.weak.Straight() || !m.isJava(j) {
		m.uses = uses
		return
	}
	m.java = j
}

// compile compiles a model in which the order of threads is only where the text has it.
func compile(f *cat.Model) (*cat.Program, error) {
	return cat.Compile(f, vocabulary, cat.Options{Given: []string{"co"}, Hint: foreign})
}

// ofWrites reports whether the relation of a constraint has only pairs of writes in all small graphs.
func (m *Model) ofWrites(p *cat.Program, k *cat.Constraint) bool {
	machine, x, ok := p.NewMachine(), newExec(m.d, m.uses), true
	eachIncoherence(func(g *graph.Graph, _ bool) bool {
		machine.Begin(x.read(g))
		for a, b := range machine.Relation(k).Pairs() {
			ok = ok && x.isWrite(a) && x.isWrite(b)
		}
		return ok
	})
	return ok
}

// ordersLast reports whether the acyclic relation at a place has, in all small graphs, the pairs of the other writes and the last one, whatever is chosen.
func (m *Model) ordersLast(flat *cat.Model, at map[cat.Pos]bool) bool {
	p, err := compile(flat.Weaken(visibleName, true, "co"))
	if err != nil || !p.Straight() {
		return false
	}
	machine, x, ok := p.NewMachine(), newExec(m.d, m.uses), true
	for _, k := range p.Checks {
		if k.Mode != cat.Require || !at[k.Pos] {
			continue
		}
		eachIncoherence(func(g *graph.Graph, _ bool) bool {
			machine.Begin(x.read(g))
			r, co := machine.Relation(k), g.Locs[0].Co
			for _, w := range co[:len(co)-1] {
				ok = ok && r.Has(x.numOf(w, 0), x.numOf(co[len(co)-1], 0))
			}
			return ok
		})
	}
	return ok
}

// ordersUpdates reports whether the relation of a constraint has, in all small graphs, the pair of the write that an update reads and that of the update.
func (m *Model) ordersUpdates(p *cat.Program, k *cat.Constraint) bool {
	machine, x, ok := p.NewMachine(), newExec(m.d, m.uses), true
	eachIncoherence(func(g *graph.Graph, update bool) bool {
		if update {
			machine.Begin(x.read(g))
			read := &g.Events[g.Trail[0]]
			ok = machine.Relation(k).Has(x.numOf(read.RF, read.Loc), int(x.num[g.Trail[1]]))
		}
		return ok
	})
	return ok
}

// isWrite reports whether event n is a write.
func (x *exec) isWrite(n int) bool {
	id := x.ids[n]
	return x.thread[n] < 0 || id != graph.Init && x.g.Events[id].Kind == graph.Write
}

// isJava reports whether (3) and (4) hold.
func (m *Model) isJava(j *javaLike) bool {
	for _, k := range j.weak.Checks {
		switch {
		case k.Mode == cat.Flag && k.Name == visibleName:
			j.visible = k
		case k.Mode != cat.Require:
			continue
		}
		if k.Mode == cat.Require && !j.weak.Safety(k).Monotone {
			return false
		}
		if _, _, found := j.weak.Between(k, false); found {
			return false
		}
	}
	machine, x, ok, updates := j.weak.NewMachine(), newExec(m.d, m.uses), true, true
	eachIncoherence(func(g *graph.Graph, update bool) bool {
		machine.Begin(x.read(g))
		switch allowed := j.allows(machine); {
		case update:
			updates = updates && !allowed
		default:
			ok = !allowed
		}
		return ok
	})
	j.updates = j.updates || updates
	return ok && j.visible != nil
}

// allows reports whether M', with co joined as in M⁺, allows the graph that the machine has begun with. If what co is joined to is no order of writes there, it does: Complete will say so.
func (j *javaLike) allows(machine *cat.Machine) bool {
	allowed := true
	for _, k := range j.weak.Checks {
		if k.Mode == cat.Require {
			ok, err := machine.Holds(k)
			allowed = allowed && err == nil && ok
		} else if k.Name == outsideName && !machine.Relation(k).Empty() {
			return true
		}
	}
	return allowed
}

// java is a model that is like Java's.
type java struct {
	base
	mu     *locks.Mutex // a Reexecution and a worker may ask the same model
	strong *cat.Machine // M⁺
	weak   *cat.Machine // M'
}

var _ model.CycleModel = (*java)(nil)

// Traits implements model.Model.
func (j *java) Traits() model.Traits {
	return model.Traits{Arch: j.m.d.Name, TotalCo: true, Fork: j.m.Explorer, Late: j, Cycles: j, CutsMatter: true, Missing: j.m.Missing, Races: model.Races{Allowed: true}}
}

// Views implements model.Model.
func (j *java) Views(g *graph.Graph, id graph.ID) { threadViews(g, id) }

// Consistent implements model.Model: what is left is decided when the graph is complete.
func (j *java) Consistent(*graph.Graph, graph.ID) bool { return true }

// RaceView implements model.Model.
func (j *java) RaceView(e *graph.Event) graph.View { return e.HB }

// Complete implements model.LateModel.
func (j *java) Complete(g *graph.Graph, _ *atomic.Bool) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.strong == nil {
		j.strong = j.m.java.strong.NewMachine()
	}
	ok, outside := false, false
	err := j.strong.Run(j.exec().read(g), func(r *cat.Result) bool {
		ok = ok || r.OK()
		outside = outside || slices.Contains(r.Flags, outsideName)
		return !ok && !outside
	})
	if outside {
		return false, fmt.Errorf("a relation of %s that seemed to be an order of the writes of each location has other pairs", j.m.Name)
	}
	return ok, oneLine(err)
}

// Possible implements model.LateModel.
func (j *java) Possible(g *graph.Graph, stop *atomic.Bool) (ok, certain bool) {
	if !j.Allows(g) {
		return false, true
	}
	ok, err := j.Complete(g, stop)
	return ok && err == nil, false
}

// begin makes g the execution of M'. The caller has mu.
func (j *java) begin(g *graph.Graph) {
	if j.weak == nil {
		j.weak = j.m.java.weak.NewMachine()
	}
	j.weak.Begin(j.exec().read(g))
}

// Allows implements model.CycleModel.
func (j *java) Allows(g *graph.Graph) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.begin(g)
	return j.m.java.allows(j.weak)
}

// Backward implements model.CycleModel: whether they really may is decided when the graph is complete.
func (j *java) Backward() bool { return true }

// OpaqueAcyclic implements model.CycleModel: that was not shown.
func (j *java) OpaqueAcyclic() bool { return false }

// Visible implements model.CycleModel.
func (j *java) Visible(g *graph.Graph) *relation.Rel {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.begin(g)
	r := j.weak.Relation(j.m.java.visible).Clone()
	r.Union(r, j.x.x.Rel(syncName))
	return j.renumber(g, r)
}

// Ordered implements model.CycleModel: what threads learn by creating and joining others.
func (j *java) Ordered(g *graph.Graph) *relation.Rel {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.exec().read(g)
	return j.renumber(g, j.x.x.Rel(syncName))
}

// renumber returns a relation of the events of g, numbered thread by thread in program order.
func (j *java) renumber(g *graph.Graph, r *relation.Rel) *relation.Rel {
	first := make([]int32, 1, len(g.Threads)+1)
	for t, evs := range g.Threads {
		first = append(first, first[t]+int32(len(evs)))
	}
	number := func(n int) int {
		e := &g.Events[j.x.ids[n]]
		return int(first[e.Thread] + e.Index)
	}
	out := relation.NewRel(int(first[len(g.Threads)]))
	for a, b := range r.Pairs() {
		if j.x.ids[a] != graph.Init && j.x.ids[b] != graph.Init {
			out.Add(number(a), number(b))
		}
	}
	return out
}

// An access is one of a small graph, all of whose accesses are of one location.
type access struct {
	thread int32
	kind   graph.Kind
	mode   event.Mode
	reads  int  // the place in co of the write that it reads; 0 is the initial one
	co     int  // its place in co
	update bool // it is half of a read-modify-write
}

// eachIncoherence calls yield with small graphs that are not coherent, for all modes, until it returns false: the writes that two accesses of a thread, or two that the creation of a thread orders, are or read
// are in the wrong order, or, if update, a write is between that of a read-modify-write, which comes first, and the one that it reads. Two reads of one thread may read plain writes in any order, and the initial write is not opaque to the model.
func eachIncoherence(yield func(g *graph.Graph, update bool) bool) {
	reads := []event.Mode{event.NA, event.Rlx, event.Acq, event.SC}
	writes := []event.Mode{event.NA, event.Rlx, event.Rel, event.SC}
	updates := []event.Mode{event.Rlx, event.Acq, event.Rel, event.AcqRel, event.SC}
	r := func(thread int32, m event.Mode, from int) access {
		return access{thread: thread, kind: graph.Read, mode: m, reads: from}
	}
	w := func(thread int32, m event.Mode, co int) access {
		return access{thread: thread, kind: graph.Write, mode: m, co: co}
	}
	goOn := true
	try := func(created bool, evs ...access) { goOn = goOn && yield(smallGraph(created, evs), evs[0].update) }
	for _, created := range []bool{false, true} {
		second := int32(0)
		if created {
			second = 1
		}
		for _, a := range writes {
			for _, b := range writes {
				try(created, w(0, a, 2), w(second, b, 1))
			}
			for _, b := range reads {
				try(created, w(0, a, 1), r(second, b, 0))
				for _, c := range writes {
					try(created, w(0, a, 2), r(second, b, 1), w(2, c, 1))
					try(created, r(0, b, 2), w(second, a, 1), w(2, c, 2))
				}
			}
		}
		for _, a := range reads {
			for _, b := range reads {
				for _, c := range writes {
					if created {
						try(created, r(0, a, 1), r(second, b, 0), w(2, c, 1))
					}
					for _, d := range writes {
						if created || c != event.NA && d != event.NA {
							try(created, r(0, a, 2), r(second, b, 1), w(2, c, 2), w(3, d, 1))
						}
					}
				}
			}
		}
	}
	for _, u := range updates {
		for _, c := range writes {
			half := func(a access) access { a.update = true; return a }
			try(false, half(r(0, u, 0)), half(w(0, u, 2)), w(2, c, 1))
			for _, d := range writes {
				try(false, half(r(0, u, 1)), half(w(0, u, 3)), w(2, c, 1), w(3, d, 2))
			}
		}
	}
}

// smallGraph returns a graph of accesses of one location. If created, thread 0 creates thread 1 after its access.
func smallGraph(created bool, evs []access) *graph.Graph {
	g := graph.New(4)
	loc, _ := g.Loc(64, 4)
	last := 0
	for _, a := range evs {
		last = max(last, a.co)
	}
	co := make([]graph.ID, last+1)
	ids := make([]graph.ID, len(evs))
	add := func(t int32, kind graph.Kind, mode event.Mode, loc int32) graph.ID {
		id := g.NewEventAt(t, int32(len(g.Threads[t])), kind, mode, loc)
		n := int32(0)
		if kind == graph.Write {
			n = int32(len(g.Locs[loc].Co))
		}
		g.Add(id, n)
		return id
	}
	for i, a := range evs {
		if created && i == 1 {
			create := add(0, graph.Create, event.NA, -1)
			g.Events[create].Val.Lo = 1
			start := add(1, graph.Start, event.NA, -1)
			g.Events[start].RF = create
		}
		ids[i] = add(a.thread, a.kind, a.mode, loc)
		e := &g.Events[ids[i]]
		if a.update {
			e.Flags |= graph.RMWPart
			if a.kind == graph.Read {
				e.Flags |= graph.Locked
			}
		}
		if a.kind == graph.Write {
			co[a.co] = ids[i]
		}
	}
	for i, id := range co[1:] {
		g.Locs[loc].Co[i+1] = id
		g.Events[id].Co = int32(i + 1)
	}
	for i, a := range evs {
		if a.kind == graph.Read && a.reads > 0 {
			g.Events[ids[i]].RF = co[a.reads]
		}
	}
	return g
}
