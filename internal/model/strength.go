package model

import "slices"

// weaker says which models allow all that a model allows, for programs in C11 or with lkmm.h. Only what is proved or meant by their makers is there:
// compilation of C11 to tso, armv8, armv7, power and riscv is sound for rc11 (Lahav et al., PLDI'17, but for load buffering) and for imm
// (Podkopaev et al., POPL'19), and the kernel's model is to hold on every machine that Linux runs on.
var weaker = map[string][]string{
	"sc":        {"tso", "rc11-2017"},
	"tso":       {"pso", "armv8", "riscv", "armv7", "power", "rc11-2017"},
	"pso":       {"lmo", "rmo"}, // of the explicit-state engine
	"rc11-2017": {"rc11"},
	"rc11":      {"ra"},
	"armv8":     {"imm", "lkmm"},
	"riscv":     {"imm", "lkmm"},
	"armv7":     {"imm", "lkmm"},
	"power":     {"imm", "lkmm"},
	"lkmm":      {"lkmm-2018"},
}

// Stronger reports whether the model called a is known to be stronger than the one called b: it allows less.
func Stronger(a, b string) bool {
	return slices.ContainsFunc(weaker[a], func(c string) bool { return c == b || Stronger(c, b) })
}

// Strongest returns those of the models called names than which none of names is stronger.
func Strongest(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.ContainsFunc(names, func(m string) bool { return Stronger(m, n) }) {
			out = append(out, n)
		}
	}
	return out
}
