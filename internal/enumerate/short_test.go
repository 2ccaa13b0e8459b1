package enumerate

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes the comparisons on random programs a twentieth as long for -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		for _, n := range []*int{programCount, javaPrograms, modelCount} {
			*n = max(*n/20, 2)
		}
	}
	os.Exit(m.Run())
}
