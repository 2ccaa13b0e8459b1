// Package litmus reads herd's .litmus files, in every dialect, into the form of package internal/litmus. There is a file for each dialect.
//
// # What is not supported
//
// Features of the system level are refused by name (Error.Feature): page
// tables, memory tags, pointer authentication, vectors, exceptions, code that is changed or read as
// data, cache and TLB maintenance, guarded control stacks, capabilities, system registers.
// Scalar floating-point registers are loaded and stored only.
package litmus
