package xmm

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes the comparisons on random programs a twentieth as long for -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		*programs, *loops = max(*programs/20, 2), max(*loops/20, 2)
	}
	os.Exit(m.Run())
}
