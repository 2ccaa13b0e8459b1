// Package native compares ravel with native execution, on random C programs. It has only tests.
//
//   - csmith_test.go: programs of csmith have no undefined behaviour. Their checksums are those of the native run at every
//     level of optimisation.
//   - programs_test.go, sanitize_test.go: programs with heap, copies, unions, lifetimes and library calls, against ASan, MSan
//     and UBSan. ravel reports an error if and only if one of them does.
//   - threads_test.go: programs with threads, against TSan and ASan. An error of one of several native runs is an error to
//     ravel.
package native
