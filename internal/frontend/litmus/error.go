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

// Features that tests may need and that are not supported.
const (
	featVM       = "virtual memory (page table entries)"
	featTLB      = "TLB maintenance"
	featCache    = "cache maintenance"
	featTags     = "memory tagging"
	featPAC      = "pointer authentication"
	featVector   = "vectors"
	featFault    = "exceptions (faults and their handlers)"
	featCode     = "self-modifying code (instructions as data)"
	featGCS      = "guarded control stacks"
	featSysReg   = "system registers"
	featMorello  = "capabilities (Morello)"
	featNV       = "nested virtualisation"
	featFloat    = "floating-point arithmetic"
	featInlineSM = "streaming mode (SME)"
)

// A source is the text of a test.
type source struct {
	file string
	text string
}

// fail stops the parser: Parse returns the error.
func (s *source) fail(off int, format string, args ...any) {
	panic(s.errorAt(off, "", fmt.Sprintf(format, args...)))
}

// refuse stops the parser at something that is not supported.
func (s *source) refuse(off int, feature, what string) {
	panic(s.errorAt(off, feature, fmt.Sprintf("%s is not supported: %s", feature, what)))
}

func (s *source) errorAt(off int, feature, msg string) *Error {
	off = min(max(off, 0), len(s.text))
	line := 1 + strings.Count(s.text[:off], "\n")
	start := strings.LastIndexByte(s.text[:off], '\n') + 1
	end := len(s.text)
	if i := strings.IndexByte(s.text[start:], '\n'); i >= 0 {
		end = start + i
	}
	return &Error{File: s.file, Line: line, Col: off - start + 1, Msg: msg, Source: strings.TrimRight(s.text[start:end], "\r"), Feature: feature}
}
