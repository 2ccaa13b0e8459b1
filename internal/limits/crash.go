package limits

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Version is that of the program, for Crash.
var Version = "devel"

// exit and stderr are for tests to change.
var (
	exit             = os.Exit
	stderr io.Writer = os.Stderr
)

// Crash is deferred at the beginning of every goroutine. After a panic it ends the process with status 2 and a message that asks for a report. If
// RAVEL_DEBUG is set, it lets Go print the trace instead.
func Crash() {
	v := recover()
	if v == nil {
		return
	}
	if os.Getenv("RAVEL_DEBUG") != "" {
		panic(v)
	}
	fmt.Fprintf(stderr, `ravel: internal error: %v
this is a defect of ravel, not of your program. Please report it with the program and what was run:
  %s
  version %s
RAVEL_DEBUG=1 prints where it happened
`, v, strings.Join(os.Args, " "), Version)
	exit(2)
}
