package llvm

import (
	"slices"
	"strings"
)

// Module-level assembly is ignored as far as it has no code: compilers embed bitcode and their command lines in sections of their own, and linkers are told
// about symbols.

// sections follows the sections of module-level assembly.
type sections struct {
	data     bool // the present one has no code
	previous bool
	stack    []bool
}

// asmSymbols are directives about symbols and files, which mean nothing for what code does.
var asmSymbols = []string{".globl", ".global", ".local", ".weak", ".hidden", ".protected", ".internal", ".type", ".size", ".symver", ".ident", ".file", ".addrsig", ".addrsig_sym", ".comm", ".lcomm"}

// statement reads one statement. It returns the statement if that is code.
func (s *sections) statement(line string) (bad string) {
	line, _, _ = strings.Cut(line, "//")
	line = strings.TrimSpace(line)
	word, args, _ := strings.Cut(line, " ")
	if tab := strings.IndexByte(word, '\t'); tab >= 0 {
		word, args = word[:tab], line[tab:]
	}
	enter := func(data bool) { s.previous, s.data = s.data, data }
	switch {
	case line == "" || line[0] == '#':
	case word == ".section" || word == ".pushsection":
		if word == ".pushsection" {
			s.stack = append(s.stack, s.data)
		}
		enter(!isCode(args))
	case word == ".popsection":
		if n := len(s.stack); n > 0 {
			enter(s.stack[n-1])
			s.stack = s.stack[:n-1]
		}
	case word == ".previous":
		enter(s.previous)
	case word == ".text":
		enter(false)
	case word == ".data" || word == ".bss" || word == ".rodata":
		enter(true)
	case s.data || slices.Contains(asmSymbols, word) || slices.ContainsFunc(asmIgnored, func(d string) bool { return strings.HasPrefix(word, d) }):
	default:
		return line
	}
	return ""
}

// isCode reports whether a section, by its name and flags, has instructions.
func isCode(args string) bool {
	name, flags, _ := strings.Cut(strings.TrimSpace(args), ",")
	name = strings.Trim(strings.TrimSpace(name), "\"")
	flags, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(flags), "\""), "\"")
	return strings.Contains(flags, "x") || strings.HasPrefix(name, ".text") || name == ".init" || name == ".fini" || strings.HasPrefix(name, "__TEXT")
}
