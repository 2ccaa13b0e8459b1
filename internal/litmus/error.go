package litmus

import (
	"fmt"
	"strings"
)

// An Error is what is wrong with a test, and where.
type Error struct {
	File      string
	Line, Col int // from 1; Col counts bytes
	Msg       string
	Source    string // the line
	Feature   string // of a test that is right but needs this, which is not supported; or ""
}

// Error returns the message with the source line and a caret.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	if e.Source != "" {
		pad := []byte(e.Source[:min(e.Col-1, len(e.Source))])
		for i, c := range pad {
			if c != '\t' {
				pad[i] = ' '
			}
		}
		fmt.Fprintf(&b, "\n\t%s\n\t%s^", e.Source, pad)
	}
	return b.String()
}
