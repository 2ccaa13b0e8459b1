// Package cat runs memory models written in herd's language cat, and its relative bell.
//
// A model is a list of definitions of sets and relations over the events of an execution, and of
// constraints on them: acyclic, irreflexive, empty. Jade Alglave, Patrick Cousot and Luc Maranget, "Syntax
// and semantics of the weak consistency model specification language cat" (2016), describes it.
//
//	m, err := cat.Load("my.cat")                  // or cat.Embedded("rc11")
//	p, err := cat.Compile(m, voc, cat.Options{})  // voc: the names that executions define
//	machine := p.NewMachine()                     // one for each goroutine
//	ok, err := machine.Consistent(x)              // x: an *Exec with that vocabulary
//	err = machine.Run(x, func(r *cat.Result) bool { … })
//
// # How it works
//
// [Parse] makes a tree (ast.go), which prints as text again (print.go). [Compile] evaluates the model once for
// a vocabulary, without an execution: functions and procedures are unfolded, variants, tags and tries are decided,
// names are gone. What is left (node.go) is a graph of operations on sets and relations in which
// each different expression occurs once, and a list of checks. A [Machine] computes a node when a check
// first asks for it, with bit matrices (package relation), and keeps it for the execution. Recursive
// definitions are computed from the empty relation up, each equation seeing what those before it
// found. The few expressions whose course depends on the execution, such as a match on a set of orders, are
// interpreted (interp.go). [Program.Explain] says which checks may be made while an execution still grows.
//
// # What it guarantees
//
// The meaning is herd's: the precedences of operators; lets that are not evaluated before they are used;
// _ and {} that are of any type; with x from S, which goes on once for each element of S. Every
// mistake in a model is an [*Error] with its place in the text: at Parse, at Compile, or, where it
// depends on the execution, at Run. No input makes the package panic or run without end: depth,
// unfolding, forks and steps are bounded (see [Options]).
//
// The standard library (lib) and the models (models) are ours; they have herd's names where herd has one. A file
// of a user is found before one of ours, so herd's own library is used where it is given as a search folder.
//
// # Limits
//
// Events are those of the vocabulary: the caller makes one event of an access of any size, and names sets as herd
// does. Sets of sets that with or forall runs over are in memory. A dynamic match between instructions
// does not export the names that its clauses bind. herd's options in the text of a model
// (withco and so on) are skipped. stdlib.cat has no PoD, NDATA and BR, which only models with
// catdep use; these are to be run with herd's library.
package cat
