package check

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/ir"
	"ravel/internal/report"
)

// Inline assembly is for a processor. Under the model of that processor its instructions are what they are; under a model of a language
// they have the modes that the processor guarantees; the model of another processor says nothing about them.

// targets are what compilers call processors.
var targets = map[string]string{"x86": "x86_64-linux-gnu", "AArch64": "aarch64-linux-gnu", "ARM": "armv7-linux-gnueabihf", "Power": "powerpc64le-linux-gnu", "RISC-V": "riscv64-linux-gnu"}

// titleOf returns what its makers call a processor, "" for a language.
func titleOf(n arch.Name) string {
	if d := arch.Of(n); d != nil && d.Processor {
		return d.Title
	}
	return ""
}

// checkAssembly refuses inline assembly that a model says nothing about, and returns what is to be noted about the rest.
func checkAssembly(p *ir.Program, name, processor string, kernel bool) (notes []string, err error) {
	for _, a := range p.Assembly {
		switch {
		case kernel:
			return nil, fmt.Errorf("%s: inline assembly of %s under %s, a model of the kernel's macros: use those (lkmm.h), or check under the model of the processor",
				positionOf(p, a.Pos), strings.Join(a.For, " or "), name)
		case processor != "" && !slices.Contains(a.For, processor):
			return nil, fmt.Errorf("%s: inline assembly of %s, but %s is a model of %s: compile for it (-- --target=%s), or check under %s or a model of the language, such as rc11",
				positionOf(p, a.Pos), strings.Join(a.For, " or "), name, processor, targets[processor], modelOf(a.For[0]))
		}
	}
	if processor == "" && len(p.Assembly) > 0 {
		a := p.Assembly[0]
		notes = append(notes, fmt.Sprintf("%s: inline assembly of %s counts under %s as atomic accesses and fences with the memory orders that %s guarantees; --model %s has its instructions",
			positionOf(p, a.Pos), strings.Join(a.For, " or "), name, a.For[0], modelOf(a.For[0])))
	}
	if processor != "" {
		for _, b := range p.Barriers {
			if !slices.Contains(b.For, processor) {
				notes = append(notes, fmt.Sprintf("%s: a barrier for the compiler only, in code that is compiled for %s: what it means to order may need a fence on %s (-- --target=%s chooses those)",
					positionOf(p, b.Pos), b.For[0], processor, targets[processor]))
				break
			}
		}
	}
	return notes, nil
}

// modelOf returns the model of a processor.
func modelOf(processor string) string {
	for _, d := range arch.Dialects {
		if d.Title == processor {
			return d.Model
		}
	}
	return ""
}

// positionOf returns a position as file:line:col.
func positionOf(p *ir.Program, at ir.Pos) string { return report.NewNamer(p).Location(at).String() }
