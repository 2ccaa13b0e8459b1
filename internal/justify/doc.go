// Package justify decides what Java memory models allow. Such models look at several executions of a program to allow one,
// as section 17.4.8 of the Java Language Specification does.
//
//	a, err := justify.Analyse(test, justify.Options{Model: "jls04"})
//	a.Outcomes              // the final states that are allowed
//	w, err := a.Allows(p)   // is one that satisfies p?
//	a.Justification(o)      // why o is allowed
//
// The words are those of Panneke and Wehrheim, "jMT: Testing correctness of Java memory models", TACAS'26, which introduces
// symbolic execution graphs and their justification. A path of each thread (path.go) with a write for each read is a graph
// (graph.go), whose values are expressions. A model in cat says whether the graph is consistent, and defines so, sw and hb
// (model.go). A justification of a target graph is a sequence of stages, each in a graph, that commits the events of the
// target (view.go, search.go). docs/jmm.md has the rules and proves that the search is exact.
//
// # Guarantees
//
// All allowed outcomes, each once, up to the bound of loops (Analysis.Bounded) and time (Analysis.GaveUp). Tests compare with
// an implementation of the rules by brute force.
//
// # Limits
//
// An execution has at most 64 events, initial writes included. A model with causality must define hb as a partial order that
// contains po. Wait releases its monitor and takes it again, because a thread may wake without a notification; so notify does
// nothing. Interrupts and non-atomic long are not modelled. An execution in which a thread blocks for ever has no outcome.
package justify
