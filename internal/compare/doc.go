// Package compare finds where memory models differ.
//
// Test runs one litmus test under several models; a Difference is a final state that some of them allow and others
// forbid, with an execution that ends in it and, for each model that forbids it, the check that does and the cycle that it
// complains about. Find makes tests from cycles of relaxation edges (package diy), from the smallest up, until one separates the models.
//
// # Limits
//
// Two models are compared by the final states of a test, over what it observes (its locations clause and its condition), and by
// whether the test has defined behaviour and raises flags. Where loops were cut or time ran out, no difference means nothing, and
// Outcome.Bounded says so.
package compare
