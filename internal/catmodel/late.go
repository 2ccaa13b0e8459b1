package catmodel

import (
	"errors"
	"fmt"
	"sync/atomic"

	"ravel/internal/cat"
	"ravel/internal/graph"
	"ravel/internal/model"
)

// latePorf and lateDeps are models with constraints on complete executions.
type (
	latePorf struct{ porf }
	lateDeps struct{ deps }
)

var (
	_ model.Late     = (*latePorf)(nil)
	_ model.Late     = (*lateDeps)(nil)
	_ model.DepModel = (*lateDeps)(nil)
)

// Fork implements model.Forker.
func (p *latePorf) Fork() model.Model { return &latePorf{porf{base: base{m: p.m}}} }

// Fork implements model.Forker.
func (d *lateDeps) Fork() model.Model { return &lateDeps{deps{base: base{m: d.m}}} }

// Complete implements model.Late.
func (p *latePorf) Complete(g *graph.Graph, _ *atomic.Bool) (bool, error) { return p.complete(g) }

// Complete implements model.Late.
func (d *lateDeps) Complete(g *graph.Graph, _ *atomic.Bool) (bool, error) { return d.complete(g) }

// Possible implements model.Late.
func (p *latePorf) Possible(g *graph.Graph, _ *atomic.Bool) (ok, certain bool) { return p.possible(g) }

// Possible implements model.Late.
func (d *lateDeps) Possible(g *graph.Graph, _ *atomic.Bool) (ok, certain bool) { return d.possible(g) }

// complete decides the constraints on complete executions.
func (b *base) complete(g *graph.Graph) (bool, error) {
	if !b.m.straight {
		ok, err := b.run().Consistent(b.exec().read(g))
		return ok, oneLine(err)
	}
	b.begin(g)
	for _, c := range b.m.checks {
		if c.how != late {
			continue
		}
		switch ok, err := b.machine.Holds(c.Constraint); {
		case err != nil:
			return false, oneLine(err)
		case !ok && c.Mode == cat.Assert:
			return false, fmt.Errorf("%v: the model asserts what does not hold: %s", c.Pos, c.Title())
		case !ok:
			return false, nil
		}
	}
	return true, nil
}

// oneLine returns an error of a model without the line that it is about.
func oneLine(err error) error {
	var e *cat.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%v: %s", e.Pos, e.Msg)
	}
	return err
}

// possible decides the same of a graph that may grow: more is not known of it.
func (b *base) possible(g *graph.Graph) (ok, certain bool) {
	ok, err := b.complete(g)
	return ok && err == nil, false
}

// run returns the machine that runs the whole model.
func (b *base) run() *cat.Machine {
	if b.runner == nil {
		b.runner = b.m.prog.NewMachine()
	}
	return b.runner
}

// runFlags is Flags for a model that is not straight: what some of its choices flags that make the execution consistent.
func (b *base) runFlags(g *graph.Graph, report func(model.Flag)) {
	flags, undefined := map[string]bool{}, false
	err := b.run().Run(b.exec().read(g), func(r *cat.Result) bool {
		if r.OK() {
			undefined = undefined || r.Undefined
			for _, name := range r.Flags {
				flags[name] = true
			}
		}
		return true
	})
	if err != nil {
		return // as Complete has said
	}
	for _, c := range b.m.checks {
		if c.Mode == cat.UndefinedUnless && undefined || c.Mode == cat.Flag && flags[c.Name] {
			report(model.Flag{Name: c.Title(), At: c.Pos.String()})
			undefined = undefined && c.Mode == cat.Flag
		}
	}
}
