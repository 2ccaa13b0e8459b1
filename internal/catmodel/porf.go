package catmodel

import (
	"ravel/internal/graph"
	"ravel/internal/model"
)

// porf is a model without cycles of po ∪ rf.
type porf struct {
	base
	search search
}

// Traits implements model.Model.
func (p *porf) Traits() model.Traits {
	t := p.traits()
	t.TracksDeps = p.m.usesDeps() || p.m.d.arch != nil
	return t
}

// Views implements model.Model.
func (p *porf) Views(g *graph.Graph, id graph.ID) {
	e := &g.Events[id]
	switch {
	case p.m.plan != nil:
		p.m.plan.views(g, id)
	case p.m.prefix:
		e.HB = e.Prefix
	default:
		threadViews(g, id)
	}
}

// threadViews sets the views of an order that has only po and the creation and join of threads.
func threadViews(g *graph.Graph, id graph.ID) {
	if e := &g.Events[id]; (e.Kind == graph.Start || e.Kind == graph.Join) && e.RF != graph.Init {
		src := &g.Events[e.RF]
		e.HB = g.JoinEvent(e.HB, src.HB, src, e.Thread)
	}
}

// Consistent implements model.Model.
func (p *porf) Consistent(g *graph.Graph, id graph.ID) bool {
	added := p.m.d.addsBarriers(g)
	whole := added && p.m.plan != nil // barriers have no clocks
	p.search.masks, p.search.hides, p.search.added, p.search.bars = p.m.masks, p.m.d.hides(), added, p.m.bars
	for _, c := range p.m.checks {
		if c.how != byWalk || whole || c.walk.needsSC && g.NumSC == 0 {
			continue
		}
		if p.search.cycle(g, id, c.walk) {
			return false
		}
	}
	return p.whole(g, func(c *check) bool { return c.how == byWhole || whole && c.how == byWalk })
}

// RaceView implements model.Model. For a model that does not say what races are, it orders what is freed with what is accessed.
func (p *porf) RaceView(e *graph.Event) graph.View {
	if p.m.races == nil {
		return e.Prefix
	}
	return e.HB
}
