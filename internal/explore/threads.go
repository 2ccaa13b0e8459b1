package explore

import (
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// create starts a thread.
func (w *worker) create(t int32) bool {
	g := w.g
	act := w.pendingOf(t).act
	nth := w.creations(t, int32(len(g.Threads[t])))
	child, ok := w.threadOf(t, nth)
	if !ok {
		return false
	}
	if w.writers != nil {
		w.creates(t)
	}
	c := w.simple(t, graph.Create, event.NA)
	g.Events[c].Val = event.Value{Lo: uint64(child), Hi: uint64(nth)}
	s := g.NewEvent(child, graph.Start, event.NA, -1)
	e := &g.Events[s]
	e.RF = c
	e.Val = act.Val
	e.Prefix = g.JoinEvent(e.Prefix, g.Events[c].Prefix, &g.Events[c], child)
	if w.deps != nil {
		w.deps.learn(e, c)
	}
	if w.twins != nil {
		w.twins.learns(e, c)
		w.twins.find(s)
	} else if w.scouts && !w.builds {
		(&twins{worker: w}).find(s)
	}
	w.m.Views(g, s)
	g.Add(s, 0)
	if !w.resume(t, event.Value{Lo: uint64(child)}) {
		return false
	}
	p := w.newPending()
	w.pends[p].state = w.prog.Start(&w.arena, int(child), act.Addr, act.Val, &w.pends[p].act)
	if w.arena.Named != 0 && w.twins != nil {
		w.twins.named()
	}
	w.cur[child] = p
	return w.arrived(child)
}

// creations returns how many threads t has created before place i.
func (w *worker) creations(t, i int32) int {
	evs := w.g.Threads[t]
	for i--; i >= 0; i-- {
		if e := &w.g.Events[evs[i]]; e.Kind == graph.Create {
			return int(e.Val.Hi) + 1
		}
	}
	return 0
}

// join waits for the end of a thread.
func (w *worker) join(t int32) bool {
	g := w.g
	end := w.ended(w.pendingOf(t).act.Val.Lo)
	if g.Events[end].Co > 0 {
		w.fail(t, engine.JoinedBefore(), w.joins(end)...)
		return false
	}
	j := w.newEvent(t, graph.Join, event.NA, -1)
	e, src := &g.Events[j], &g.Events[end]
	e.RF = end
	e.Val = src.Val
	e.Prefix = g.JoinEvent(e.Prefix, src.Prefix, src, t)
	if w.deps != nil {
		w.deps.learn(e, end)
	}
	if w.twins != nil {
		w.twins.learns(e, end)
	}
	w.m.Views(g, j)
	g.Add(j, 0)
	return w.resume(t, e.Val)
}

// joins returns the events that joined the thread of the End event end.
func (w *worker) joins(end graph.ID) []related {
	var others []related
	for _, id := range w.g.Trail {
		if e := &w.g.Events[id]; e.Kind == graph.Join && e.RF == end {
			others = append(others, related{id: id, what: "joined here"})
		}
	}
	return others
}
