package explore

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes the comparisons on random programs a twentieth as long for -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		for _, n := range []*int{programs, catPrograms, javaPrograms, loops, rounds} {
			*n = max(*n/20, 2)
		}
	}
	os.Exit(m.Run())
}
