// Package relation has sets of events and binary relations over events, as bit matrices.
//
// Events are the numbers 0 … n-1. A Set has n bits. A Rel has n rows of n bits; row i is the set of events that i is
// related to. Both are flat slices of words. So an operator of a memory model is a loop over words, and an execution of up
// to 64 events has one word per row.
//
// An operation writes its result into its receiver, whose size Reset has set and whose old contents are lost. It allocates
// nothing once the receiver has enough memory. A receiver may be one of the operands unless the comment says otherwise.
// All operands must have the size of the receiver; this is not checked.
//
// Guarantees: bits beyond n are always zero, so Equal, Empty and Count need no masks. Cycle returns a shortest cycle, and
// always the same one.
//
// Limits: a relation is dense and takes n²/8 bytes. Closures take O(n³/64) time. While one goroutine writes, no other may
// use the same value.
package relation
