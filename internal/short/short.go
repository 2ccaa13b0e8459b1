// Package short makes tests smaller under go test -short, for the inner loop. It is for tests only.
//
// A sample is the same in every run. Each engine and each front end keeps some real tests, so that the inner loop notices what is broken.
package short

import (
	"flag"
	"os"
	"testing"
)

// Main runs the tests of a package, for its TestMain. Under -short the counts, which are flags, are an eightieth, but at least 2.
func Main(m *testing.M, counts ...*int) {
	flag.Parse()
	if testing.Short() {
		for _, n := range counts {
			*n = max(*n/80, 2)
		}
	}
	os.Exit(m.Run())
}

// Count returns all, or few under -short.
func Count(all, few int) int {
	if testing.Short() {
		return few
	}
	return all
}

// Every returns the list, or under -short one of n elements, but at least one.
func Every[T any](n int, list []T) []T {
	if !testing.Short() || len(list) == 0 {
		return list
	}
	var some []T
	for i := min(n/2, len(list)-1); i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}
