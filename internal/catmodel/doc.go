// Package catmodel makes memory models that are written in cat models of package model, so that programs
// can be explored under them.
//
//	m, err := catmodel.Load("my.cat", catmodel.Options{})    // a model.Model or model.DepModel
//	fmt.Print(m.Explain())
//
// # How it works
//
// A model is compiled for one vocabulary (exec.go): the sets of C11 and those of the instructions of
// architectures. Which of them a model speaks of tells what it is a model of (dialect.go), and so whether access modes
// reach it as they are or by the compilation mapping of an architecture. An exec gives an execution graph as sets
// and relations, on which cat decides anything.
//
// What makes it fast is not to ask cat. safe.go proves, from the text of the model, what the engines need: that coherence of each
// location, atomicity and the absence of cycles of po ∪ rf (or of rf and dependencies) follow from the constraints; the proofs
// are inclusions of languages (language.go), as in Kokologiannakis, Lahav, Vafeiadis, "Kater: automating weak memory model
// metatheory and consistency checking", POPL'23. As there, the constraints become automata (automaton.go):
// happens-before is kept as a vector clock that each new event computes from those it is reached from (views.go), and cycles are looked
// for by a walk from the new event on (walk.go, search.go). What is no path is evaluated by cat on the whole graph.
//
// Constraints that are not monotone, or keep graphs from going on, are decided on complete executions (late.go); the engine explores
// the model without them.
//
// # What it guarantees
//
// An execution is one of the model, and each is visited once. [Model.Missing] says which executions are not explored because it can't be shown that the model
// forbids them: an answer is never based on hope. [Model.Explain] says what was shown, and how.
package catmodel
