// Package relation has sets of events and binary relations over events as bit matrices.
//
// Events are the numbers 0 … n-1. A Set is n bits; a Rel is n rows of n bits, row i being the set of
// events that i is related to. Both are flat slices of words, so that the operators of a memory
// model are loops over words, and an execution of up to 64 events has one word per row.
//
// An operation writes its result into its receiver, which has a size given by Reset and whose old
// contents are lost; nothing is allocated once the receiver's memory suffices. A receiver may be one
// of the operands except where the comment says otherwise. All operands have the receiver's size:
// that is the caller's duty and is not checked.
//
// Guarantees: bits beyond n are always zero, so Equal, Empty and Count need no masks. Cycle
// returns a shortest cycle, and always the same one.
//
// Limits: a relation is dense, n²/8 bytes; closures take O(n³/64). Not safe for
// use by several goroutines while one of them writes.
package relation
