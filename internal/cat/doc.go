// Package cat runs memory models written in herd's language cat, and its relative bell.
//
// A model is a list of definitions of sets and relations over the events of an execution, and of constraints on them:
// acyclic, irreflexive, empty. The language is described in Alglave, Cousot, Maranget, "Syntax and semantics of the weak
// consistency model specification language cat" (2016).
//
//	m, err := cat.Load("my.cat")                  // or cat.Embedded("rc11")
//	p, err := cat.Compile(m, voc, cat.Options{})  // voc: the names that executions define
//	machine := p.NewMachine()                     // one for each goroutine
//	ok, err := machine.Consistent(x)              // x: an *Exec with that vocabulary
//	err = machine.Run(x, func(r *cat.Result) bool { … })
//
// # How it works
//
// [Parse] makes a tree (ast.go), which prints as text again (print.go). [Compile] evaluates the model once for a vocabulary,
// without an execution. It unfolds functions and procedures, decides variants, tags and tries, and removes names. The result
// (node.go) is a graph of operations on sets and relations, in which each expression occurs once, and a list of checks. A
// [Machine] computes a node when a check first asks for it, with bit matrices (package relation), and keeps it for the
// execution. Recursive definitions are computed from the empty relation up; each equation sees the results of those before
// it. A few expressions depend on the execution in their course, such as a match on a set of orders. These are interpreted
// (interp.go). [Program.Explain] says which checks may be made while an execution still grows.
//
// # Guarantees
//
// The semantics is herd's: the precedences of operators, lets that are evaluated only when they are used, _ and {} of any
// type, and `with x from S`, which continues once per element of S. Every mistake in a model is an [*Error] with its place in
// the text: at Parse, at Compile, or, if it depends on the execution, at Run. No input makes the package panic or run without
// end: depth, unfolding, forks and steps are bounded (see [Options]).
//
// The standard library (lib) and the models (models) are ours. They use herd's names where herd has one. A file of the user is
// found before one of ours, so herd's own library is used if it is in a search folder.
//
// # Limits
//
// The caller defines the events: it makes one event of an access of any size, and names sets as herd does. Sets of sets that
// `with` or `forall` runs over are in memory. A dynamic match between instructions does not export the names that its clauses
// bind. Options of herd in the text of a model (withco and so on) are skipped. stdlib.cat has no PoD, NDATA and BR, which only
// models with catdep use; run these with herd's library.
package cat
