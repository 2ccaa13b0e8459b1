package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ravel/internal/arch"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/report"
	"ravel/internal/states"
)

// States says how to check a program by its states.
type States struct {
	Options states.Options
	All     bool // under all models, whatever Options says
	IRTrace bool // moves are printed as instructions
	// Keep, if set, returns where the exploration of a program is kept.
	Keep func(*ir.Program) (*states.Checkpoint, error)
	// OnSpace, if set, is called with the state space. It is not if that is not complete.
	OnSpace func(*states.LTS) error
}

// runStates is Run for the explicit-state engine.
func runStates(c Config) (*report.Result, error) {
	start := time.Now()
	p, err := c.load(false)
	if err != nil {
		return c.stopped("states", err)
	}
	engine := *c.States
	engine.Options.Cache = c.Cache
	c.States = &engine
	procs := states.HasProcedures(p)
	if p.Main == nil && !procs {
		return nil, fmt.Errorf("%s: the program has no function main, nor any llmc_proc*", c.Files[0])
	}
	name, processor := c.States.Options.Model.String(), ""
	if c.States.All || c.States.Options.Model == states.TSO { // the only one of all that is of a processor
		name, processor = "tso", titleOf(arch.X86_64)
	}
	notes, err := checkAssembly(p, name, processor, false)
	if err != nil {
		return nil, err
	}
	found, warnings, err := c.States.explore(c.context(), p)
	if err != nil {
		return nil, err
	}
	res := &report.Result{
		Verdict:    report.Verified,
		Model:      c.States.Options.Model.String(),
		Engine:     "states",
		File:       c.name(),
		States:     report.States{Stored: found.Stored, Transitions: found.Transitions},
		Errors:     found.Errors,
		Warnings:   slices.Concat(found.Warnings, warnings, c.Notes, p.Warnings, notes),
		Compiler:   p.Said,
		Seconds:    time.Since(start).Seconds(),
		PeakMemory: limits.PeakMemory(),
		Version:    c.Version,
	}
	if c.States.All {
		res.Model = "all"
	}
	for i := range res.Errors {
		e := &res.Errors[i]
		e.Steps = found.Traces[i]
		if c.States.IRTrace {
			e.ShowSteps = true
			for k := range e.Steps {
				e.Steps[k].Text = e.Steps[k].Instruction
			}
		}
		if procs && e.Kind == "race" {
			e.Help = append(e.Help, "a program that means its plain accesses to race, as those for LLMC do, wants --no-race-check")
		}
	}
	noteVolatile(res, p)
	settle(res, outcomeOfStates(found), c.States.Options.KeepGoing)
	if c.Suggest {
		res.Suggestion, err = c.States.suggest(c.context(), p, res, start)
	}
	return res, err
}

// outcomeOfStates returns what decides the verdict.
func outcomeOfStates(r *states.Result) outcome {
	return outcome{r.GaveUp, r.Cut, r.Completes, r.Waits, r.Spins}
}

// explore runs the engine.
func (s *States) explore(ctx context.Context, p *ir.Program) (res *states.Result, warnings []string, err error) {
	if s.Keep != nil {
		if s.Options.Checkpoint, err = s.Keep(p); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case s.All:
		res, err = states.ExploreAll(ctx, p, s.Options)
	case s.OnSpace != nil:
		var space *states.LTS
		space, res, err = states.Space(ctx, p, s.Options)
		if err == nil && res.GaveUp != "" {
			warnings = append(warnings, "the state space is not complete, so it was not written")
		} else if err == nil {
			err = s.OnSpace(space)
		}
		var large *states.TooLarge
		if errors.As(err, &large) { // the verdict stands
			warnings, err = append(warnings, large.Error()), nil
		}
	default:
		res, err = states.Explore(ctx, p, s.Options)
	}
	return res, warnings, err
}
