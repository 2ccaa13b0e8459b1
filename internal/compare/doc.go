// Package compare finds where memory models differ.
//
// Test runs one litmus test under several models. A Difference is a final state that some of them allow and others forbid,
// with an execution that ends in it. For each model that forbids the state, it has the failing check and its cycle. Find
// makes tests from cycles of relaxation edges (package diy), from the smallest up, until one separates the models.
//
// # Limits
//
// Models are compared by the final states of a test, over what it observes (its locations clause and its condition), by its
// flags, and by whether its behaviour is defined. If loops were cut or time ran out, equal states prove nothing, and
// Outcome.Bounded says so.
package compare
