// Package smt decides conjunctions of expressions over bit vectors: the logic QF_BV of SMT-LIB.
//
// Expressions are those of package litmus, over registers of 8 to 64 bits. A condition holds if it is not 0. A [Solver] says
// whether registers have values that make all conditions hold, and which. [Embedded] turns expressions into clauses, bit by
// bit (blast.go), for a SAT solver that is part of the program. [External] writes SMT-LIB 2 for z3 or cvc5 (smtlib.go).
//
// Addresses and places in code are not numbers: an expression with one is an error.
package smt

import (
	"fmt"

	"ravel/internal/litmus"
)

// A Model gives values to registers.
type Model map[litmus.Reg]uint64

// A Problem is a conjunction of conditions.
type Problem struct {
	Conds []litmus.Expr
	// Bits is the width of a register that has fewer than 64 bits.
	Bits map[litmus.Reg]uint8
}

func (p *Problem) bits(r litmus.Reg) int {
	if b, ok := p.Bits[r]; ok {
		return int(b)
	}
	return 64
}

// A Solver decides problems. It is for one goroutine.
type Solver interface {
	// Solve returns a model of p, or nil if there is none.
	Solve(p *Problem) (Model, error)
}

// Check evaluates the conditions of p under m: every model that a solver returns passes.
func (p *Problem) Check(m Model) error {
	for _, c := range p.Conds {
		if v := litmus.Eval(c, func(r litmus.Reg) litmus.Value { return litmus.Value{Int: m[r]} }); v.Kind != litmus.Int || v.Int == 0 {
			return fmt.Errorf("%s does not hold for %v", c, m)
		}
	}
	return nil
}
