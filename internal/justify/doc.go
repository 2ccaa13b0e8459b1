// Package justify decides what Java memory models allow: models that look at several executions of a program to
// allow one, as section 17.4.8 of the Java Language Specification does.
//
//	a, err := justify.Analyse(test, justify.Options{Model: "jls04"})
//	a.Outcomes              // the final states that are allowed
//	w, err := a.Allows(p)   // is one that satisfies p?
//	a.Justification(o)      // why o is allowed
//
// The words are those of Panneke and Wehrheim, "jMT: Testing correctness of Java memory models", TACAS'26, where symbolic
// execution graphs and their justification come from: a path of each thread (path.go) with a write for each read
// is a graph (graph.go), whose values are expressions; a model in cat says whether it is consistent, and gives it so, sw and hb
// (model.go); a justification of a target graph is a sequence of stages, each in a graph, that commits the
// target's events bit by bit (view.go, search.go). docs/jmm.md has the rules and why the search is exact.
//
// # What it guarantees
//
// All allowed outcomes, each once, up to the bound of loops (Analysis.Bounded) and time (Analysis.Gave). Tests compare
// with an implementation of the rules by brute force.
//
// # Limits
//
// An execution has at most 64 events, initial writes included. Where a model has causality, its hb is a partial order that
// contains po. Wait and notify, interrupts and non-atomic long are not modelled; an execution in which a thread
// blocks for ever is none.
package justify
