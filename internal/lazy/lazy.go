// Package lazy makes regular expressions when they are first used. Most runs need none of them, and to compile them all takes a browser longer than a litmus test.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. That panics if the expression is wrong.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
