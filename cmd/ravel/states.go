package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ravel/internal/check"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/states"
)

// statesModels are the models of the explicit-state engine, strongest first.
var statesModels = []string{"sc", "tso", "pso", "lmo", "rmo", "all"}

const lmoDoc = `The limited memory order of LLMC: loads and stores wait in a buffer (--engine states)

A thread's loads and stores go to its buffer, and leave it in any order that keeps accesses to one
location in order. A thread goes on without the value of a load until it uses it. A load of what the thread's
own buffer holds returns the newest such value.

  acquire fence           waits until no load is in the buffer
  release fence           waits until no store is
  acq_rel, seq_cst fence  waits until the buffer is empty
  acquire load            is performed at once
  release store           waits until the buffer is empty
  seq_cst store           waits, and is performed at once
  read-modify-write       waits until the buffer is empty; a relaxed one only for its location

So a release fence orders a store with a later load, but not a load with a later store, other than in C.

Source: F.I. van der Berg, "Model checking LLVM IR using LTSmin", Twente 2013, section 3.2.3`

const rmoDoc = `Relaxed memory order as LLMC planned it: lmo that does not wait for values (--engine states)

As lmo, but an instruction that depends on a load in the buffer is deferred, and its thread goes on: arithmetic; accesses whose
address, value or operand is to come, which are in the buffer without it; calls and returns that pass it on. Only branches
wait for it. A relaxed read-modify-write is in the buffer like a load.

So two accesses of a thread are ordered if the second depends on the first, by data, address or a branch; if both are to
the same location; or by a fence or an access mode as under lmo. An access whose address is to come is passed by accesses to other locations.

Source: F.I. van der Berg, "Model checking LLVM IR using LTSmin", Twente 2013, section 6.3.1; RMO: The SPARC Architecture Manual, version 9, appendix D`

// statesDocs are the definitions of the models that only the explicit-state engine has.
var statesDocs = map[string]string{"lmo": lmoDoc, "rmo": rmoDoc}

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
		Machine:       machine.Options{Unroll: f.unroll, Overflow: f.overflow},
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
		m, err := states.ModelByName(f.model)
		if err != nil {
			return nil, statesModelError(f.model)
		}
		s.Options.Model = m
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

// statesModelError says that the explicit-state engine has no such model.
func statesModelError(name string) error {
	have := strings.Join(statesModels, ", ")
	if slices.Contains(model.Names(), name) {
		return fmt.Errorf("--engine states has no model %s, only %s", name, have)
	}
	if s := closest(name, statesModels); s != "" {
		return fmt.Errorf("unknown memory model %q: did you mean %s?", name, s)
	}
	return fmt.Errorf("unknown memory model %q: --engine states has %s", name, have)
}
