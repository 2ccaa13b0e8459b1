package litmus

import (
	"fmt"
	"slices"

	"ravel/internal/litmus"
)

// Features that tests may need and that are not supported.
const (
	featVM      = "virtual memory (page table entries)"
	featTLB     = "TLB maintenance"
	featCache   = "cache maintenance"
	featTags    = "memory tagging"
	featPAC     = "pointer authentication"
	featVector  = "vectors"
	featFault   = "exceptions (faults and their handlers)"
	featCode    = "self-modifying code (instructions as data)"
	featCalls   = "subroutine calls"
	featParts   = "accesses of a part of a variable"
	featGCS     = "guarded control stacks"
	featSysReg  = "system registers"
	featMorello = "capabilities (Morello)"
	featNV      = "nested virtualisation"
	featFloat   = "floating-point arithmetic"
	featSME     = "streaming mode (SME)"
)

// A source is the text of a test.
type source struct {
	file  string
	text  string
	lines []int // where each line begins
}

func newSource(file, text string) *source {
	s := &source{file: file, text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// place returns the line and the column of an offset.
func (s *source) place(off int) (line, col int) {
	i, ok := slices.BinarySearch(s.lines, off)
	if !ok {
		i--
	}
	return i + 1, off - s.lines[i] + 1
}

// fail stops the parser: Parse returns the error.
func (s *source) fail(off int, format string, args ...any) {
	panic(s.errorAt(off, "", fmt.Sprintf(format, args...)))
}

// refuse stops the parser at something that is not supported.
func (s *source) refuse(off int, feature, what string) {
	panic(s.errorAt(off, feature, fmt.Sprintf("not supported: %s: %s", feature, what)))
}

func (s *source) errorAt(off int, feature, msg string) *litmus.Error {
	off = min(max(off, 0), len(s.text))
	line, col := s.place(off)
	text, _ := s.line(s.lines[line-1])
	return &litmus.Error{File: s.file, Line: line, Col: col, Msg: msg, Source: text, Feature: feature}
}
