// Package catmodel turns memory models written in cat into models of package model, so that programs can be explored
// under them.
//
//	m, err := catmodel.Load("my.cat", catmodel.Options{})    // m.Explorer() is a model.Model
//	fmt.Print(m.Explain())
//
// # How it works
//
// A model is compiled for one vocabulary (exec.go): the sets of C11, and those of the instructions of processors. The
// names that a model uses tell which processor it describes (dialect.go). So they decide whether access modes reach the
// model as they are, or by the compilation mapping of a processor. An exec presents an execution graph as sets and
// relations, on which cat can evaluate any constraint.
//
// Evaluating cat is slow, so it is the last resort. safe.go proves from the text of the model what the engines need:
// coherence of each location, atomicity, and that po ∪ rf (or rf ∪ dependencies) is acyclic. The proofs are inclusions of
// regular languages (language.go), as in Kokologiannakis, Lahav, Vafeiadis, "Kater: automating weak memory model
// metatheory and consistency checking", POPL'23. As there, constraints become automata (automaton.go). Happens-before is a
// vector clock, which each new event computes from its predecessors (views.go). A walk from the new event finds cycles
// (walk.go, search.go). Constraints that are not paths are evaluated by cat on the whole graph.
//
// Constraints that are not monotone, or not extensible, are decided on complete executions (late.go). The engine explores
// the model without them.
//
// # Guarantees
//
// Every explored execution is one of the model, and each is visited once. [Model.Missing] says which executions are not
// explored, because the proof that the model forbids them failed. [Model.Explain] says what was proved, and how.
package catmodel
