package justify

import (
	"context"
	"time"

	"ravel/internal/smt"
)

// Rules say what a justification has to satisfy.
type Rules string

const (
	// JLS is section 17.4.8 of the specification: rules 1 to 9.
	JLS Rules = "jls"
	// AspinallSevcik is the weaker set of "Formalising Java's data race free guarantee", TPHOLs'07,
	// and "Java memory model examples: good, bad and ugly", VAMP'07.
	AspinallSevcik Rules = "as"
	// Single asks for nothing: every execution that the single-execution model allows is allowed.
	Single Rules = "hb"
)

// Identity says when actions of two executions are the same action, which the specification leaves open.
type Identity string

const (
	// Index: the n-th action of its type and place in its thread.
	Index Identity = "index"
	// Free: any action of its type and place in its thread, chosen anew in each execution. Rule 8, about actions
	// that are not committed, has no meaning then and is left out.
	Free Identity = "free"
)

// Options choose the model.
type Options struct {
	Model    string // jls04 (default), jam21, jam19, or the name of a .cat file
	Rules    Rules  // "" is JLS for models that define so, sw and hb, else Single
	Identity Identity
	Unroll   int        // how often a loop may go round; 0: no loops
	Solver   smt.Solver // nil: the embedded one
	Timeout  time.Duration
	Ctx      context.Context // ends the search; nil: never
	// Substitution drops executions whose values do not follow by substitution, as herd does: in them a value
	// depends on itself. Only for comparing with herd.
	Substitution bool
}
