// Package site is `ravel site`: it writes the documents as pages that need no server, with the page on which litmus tests, models and LLVM IR run as WebAssembly.
//
// A command in the documents that ravel can run in the browser gets a link that opens its program there. Programs in C and C++ are compiled when the site is made.
package site
