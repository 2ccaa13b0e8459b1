package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Format is a form of a result that is written to a file. `ravel check` has a flag for each.
type Format struct {
	Name  string // of the flag
	Usage string // of the flag; `FILE` in it is the value
	Write func(w io.Writer, r *Result, o Options) error
	// Picture: what is written is the execution that shows the first error. Without one there is nothing to write.
	Picture bool
}

var formats []Format

// register makes a format known. Each has a call of it beside its writer.
func register(f Format) bool {
	formats = append(formats, f)
	return true
}

// Formats returns all formats in the order of their names.
func Formats() []Format {
	return slices.SortedFunc(slices.Values(formats), func(a, b Format) int { return strings.Compare(a.Name, b.Name) })
}

// For reports whether there is something to write of r.
func (f Format) For(r *Result) bool {
	return !f.Picture || len(r.Errors) > 0 && r.Errors[0].Execution != nil
}

// ofError returns a writer of the execution that shows the first error.
func ofError(write func(w io.Writer, title string, x *Execution, o Options) error) func(io.Writer, *Result, Options) error {
	return func(w io.Writer, r *Result, o Options) error {
		e := &r.Errors[0]
		return write(w, fmt.Sprintf("%s: %s (%s)", e.Location, e.Message, r.Model), e.Marked(), o)
	}
}
