// Package lsp is the language server `ravel lsp`: it speaks the Language Server Protocol 3.17 with an editor.
//
//	protocol.go     the parts of the protocol that the server uses
//	frames.go       messages on a stream
//	server.go       from initialize to exit; requests and notifications
//	document.go     open files, places in them
//	settings.go     what the client and ravel.toml say
//	program.go      which programs a file belongs to
//	run.go          checks in the background
//	diagnostics.go  results as diagnostics
//	actions.go      the changes of --suggest as edits
//	hover.go        what an atomic access orders
//	instructions.go what an instruction of a litmus test orders
//	cat.go          models in cat: definitions, types, mistakes
//
// # Guarantees
//
// A file is checked as it is on the disk, when it is saved. A check is stopped by the next save of a file of its program, when its time is over, or by the client; what a
// stopped check found is not shown. One check runs at a time. An edit of a memory order is offered only while the text is the one that was checked. Mistakes in litmus tests
// and models show while they are typed.
//
// # Limits
//
// Checks run in this process. If one needs more memory than there is, the editor has to start the server again; --max-memory in the settings keeps it below.
// Hover and edits read tokens of C, C++, Rust and Java, not their grammar: they do not see accesses by operators (x++) and in macros.
package lsp
