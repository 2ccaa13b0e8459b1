package llvm

import (
	"fmt"
	"strings"
)

// An Error says what is wrong at one place of a text module.
type Error struct {
	File      string
	Line, Col int
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// A CompileError carries what clang, rustc or llvm-dis said about a file it refused.
type CompileError struct {
	File    string
	Command string // the program that was run
	Output  string // its standard error
}

func (e *CompileError) Error() string {
	out := strings.TrimRight(e.Output, "\n")
	if out == "" {
		out = "no message"
	}
	return fmt.Sprintf("%s: %s failed:\n%s", e.File, e.Command, out)
}

// errorAt makes an Error for the byte offset pos of src.
func errorAt(file, src string, pos int, format string, args ...any) *Error {
	if pos > len(src) {
		pos = len(src)
	}
	before := src[:pos]
	return &Error{
		File: file,
		Line: strings.Count(before, "\n") + 1,
		Col:  pos - strings.LastIndexByte(before, '\n'),
		Msg:  fmt.Sprintf(format, args...),
	}
}
