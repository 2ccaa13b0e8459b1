package explore

import (
	"os"
	"runtime/debug"
	"testing"

	"ravel/internal/short"
)

func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // random programs are many and small: collecting their garbage is a third of the time
	}
	short.Main(m, programs, catPrograms, javaPrograms, loops, rounds)
}
