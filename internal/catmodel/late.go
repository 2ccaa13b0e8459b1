package catmodel

import (
	"errors"
	"fmt"
	"sync/atomic"

	"ravel/internal/cat"
	"ravel/internal/graph"
	"ravel/internal/model"
)

// Complete implements model.LateModel: it decides the constraints on complete executions.
func (b *base) Complete(g *graph.Graph, _ *atomic.Bool) (bool, error) {
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

// Possible implements model.LateModel: it decides the same of a graph that may grow: more is not known of it.
func (b *base) Possible(g *graph.Graph, stop *atomic.Bool) (ok, certain bool) {
	ok, err := b.Complete(g, stop)
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
