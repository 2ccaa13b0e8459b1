package jmm

import (
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/event"
)

// A scheme says what the methods of VarHandle become on a processor: its table in package arch, by the modes of C11 that are most like Java's.
type scheme struct {
	*arch.Dialect
	*arch.Mapping
	title string
}

var targets = []struct {
	name, title string
	arch        arch.Name
}{
	{"x86", "mov; volatile writes are followed by mfence; locked instructions", arch.X86_64},
	{"aarch64", "ldar and stlr; casal and the other atomic instructions; dmb", arch.AArch64},
	{"power", "sync before volatile accesses; lwsync after acquire reads and before release writes; lwarx and stwcx.", arch.PPC},
	{"riscv", "fences around acquire, release and volatile accesses; lr and sc with .aq and .rl", arch.RISCV},
}

// Targets lists the processors that there are schemes for.
func Targets() (names []string) {
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// schemeOf returns the scheme for a target, nil if there is none.
func schemeOf(target string) *scheme {
	for _, t := range targets {
		if t.name == target {
			d := arch.Of(t.arch)
			return &scheme{d, d.Java, t.title}
		}
	}
	return nil
}

// fenceOf returns what a method that is a fence becomes; NoTag is no instruction.
func (s *scheme) fenceOf(method string) event.Tag {
	switch method {
	case "fullFence":
		return s.Mapping.Fence[event.SC]
	case "acquireFence":
		return s.Mapping.Fence[event.Acq]
	case "releaseFence":
		return s.Mapping.Fence[event.Rel]
	case "loadLoadFence":
		return s.LoadLoad
	case "storeStoreFence":
		return s.StoreStore
	}
	return event.NoTag
}

// sets returns the sets of an access of which a is the mode, with more of them before.
func (s *scheme) sets(a arch.Access, more ...string) []string {
	if name := s.Marks[a.Mark]; name != "" {
		more = append(more, name)
	}
	return more
}

// updateSets returns the sets of a half of a read-modify-write.
func (s *scheme) updateSets(a arch.Access) []string {
	if s.Locked {
		return s.sets(a, "X")
	}
	return s.sets(a, "X", "EX")
}

// modeOf returns the mode of an access in these sets of Java's.
func modeOf(sets []string) event.Mode {
	switch {
	case slices.Contains(sets, "V"):
		return event.SC
	case slices.Contains(sets, "ACQ"):
		return event.Acq
	case slices.Contains(sets, "REL"):
		return event.Rel
	case slices.Contains(sets, "O"):
		return event.Rlx
	}
	return event.NA
}

// instruction is the name of the one that performs a method of a variable that reads and writes.
func (s *scheme) instruction(text string) string {
	_, rest, _ := strings.Cut(text, ".")
	method, _, _ := strings.Cut(rest, "(")
	method = strings.TrimSuffix(strings.TrimSuffix(method, "Acquire"), "Release")
	if strings.Contains(method, "ompareAnd") {
		method = "compare"
	}
	if name, ok := s.Asm.Updates[method]; ok {
		return name
	}
	return s.Asm.Updates["other"]
}
