// Package play answers the questions that a page asks: it runs a program or a test that a [Request] carries, and returns what there is to show as plain data.
// The server runs it in a process of its own (package serve), the page without a server as WebAssembly (cmd/ravel-wasm).
//
//	Request ─▶ Run ─▶ Progress, …, Answer
//
// Run reads no file that the request did not carry, but headers of the system by way of the compilers.
package play
