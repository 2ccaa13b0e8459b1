package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ravel/internal/check"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/states"
)

// setEngine checks that the flags given are those of the engine, and sets its default model.
func (f *checkFlags) setEngine(fl *pflag.FlagSet) error {
	if err := oneOf("--engine", f.engine, "graphs", "states"); err != nil {
		return err
	}
	for engine, names := range engineFlags {
		if engine == f.engine {
			continue
		}
		for _, name := range names {
			if fl.Changed(name) {
				return fmt.Errorf("--%s is for --engine %s; this is --engine %s", name, engine, f.engine)
			}
		}
	}
	if fl.Changed("seed") && !f.estimate {
		return errors.New("--seed is for --estimate")
	}
	if f.engine == "states" && !fl.Changed("model") {
		f.model = "all"
	}
	return nil
}

// states turns the flags into what check needs for the explicit-state engine.
func (f *checkFlags) states(memory int64) (*check.States, error) {
	s := &check.States{All: f.model == "all", IRTrace: f.irTrace, Options: states.Options{
		Machine:       machine.Options{Unroll: f.unroll, Overflow: f.overflow, Relaxed: f.volatile == "relaxed"},
		Buffer:        f.buffer,
		Raw:           f.mapping == "raw",
		Workers:       f.workers,
		RaceCheck:     !f.noRace,
		MemoryCheck:   !f.noMemory,
		Liveness:      f.liveness,
		LTL:           f.ltl,
		NoSpuriousCAS: f.noSpurious || !f.spurious,
		NoReuse:       f.noReuse,
		LeakCheck:     f.leaks,
		KeepGoing:     f.keepGoing,
		POR:           f.por,
		Symmetry:      f.symmetry,
		MaxMemory:     memory,
		Spill:         f.spill,
		Timeout:       f.timeout,
	}}
	if f.buffer < 1 {
		return nil, fmt.Errorf("--buffer %d: a buffer has at least 1 entry", f.buffer)
	}
	if !s.All {
		m, err := memmodel.For(memmodel.States, f.model)
		if err != nil {
			return nil, err
		}
		if s.Options.Model, err = states.ModelByName(m.Name); err != nil {
			return nil, err
		}
	}
	files := []struct {
		name  string
		write func(*states.LTS, io.Writer) error
	}{{f.statesAUT, (*states.LTS).WriteAUT}, {f.statesDOT, (*states.LTS).WriteDOT}, {f.statesSVG, (*states.LTS).WriteSVG}}
	if f.statesAUT+f.statesDOT+f.statesSVG == "" {
		return s, nil
	}
	if s.All {
		return nil, errors.New("--states-aut, --states-dot and --states-svg write the states of one model: give --model sc, tso, pso, lmo or rmo")
	}
	s.OnSpace = func(space *states.LTS) error {
		for _, file := range files {
			if file.name == "" {
				continue
			}
			if err := writeFile(file.name, func(w io.Writer) error { return file.write(space, w) }); err != nil {
				return err
			}
		}
		return nil
	}
	return s, nil
}
