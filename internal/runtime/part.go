package rt

import (
	"bytes"
	"slices"
	"sync"
)

// Part returns the part of Library that defines the names and everything their definitions need,
// in Library's order. It is much faster to parse than the whole. Names that the library does not
// define are ignored.
func Part(names []string) []byte {
	index := parts()
	need := map[string]bool{}
	var found []int
	for work := slices.Clone(names); len(work) > 0; {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		i, ok := index.byName[name]
		if !ok || need[name] {
			continue
		}
		need[name] = true
		found = append(found, i)
		work = append(work, references(index.text[i])...)
	}
	slices.Sort(found)
	out := slices.Clone(index.header)
	for _, i := range found {
		out = append(out, index.text[i]...)
	}
	return out
}

// An index has the definitions and declarations of the library.
type index struct {
	header []byte // the lines before the first of them
	text   [][]byte
	byName map[string]int
}

// parts divides the library. Every definition begins on a line of its own, with define, declare
// or the name of a variable; the generator sees to it that nothing else stands between them.
var parts = sync.OnceValue(func() index {
	x := index{byName: map[string]int{}}
	for rest := library; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if bytes.HasPrefix(rest, []byte("define ")) {
			end = bytes.Index(rest, []byte("\n}\n")) + 3
		}
		chunk := rest[:end]
		rest = rest[end:]
		at := bytes.IndexByte(chunk, '@')
		if at < 0 || chunk[0] == ';' || chunk[0] == 't' { // a comment, or target
			x.header = append(x.header, chunk...)
			continue
		}
		x.byName[symbol(chunk[at:])] = len(x.text)
		x.text = append(x.text, chunk)
	}
	return x
})

// symbol returns the name that begins at text[0] == '@'.
func symbol(text []byte) string {
	n := 1
	for n < len(text) && isSymbol(text[n]) {
		n++
	}
	return string(text[1:n])
}

func isSymbol(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '-'
}

// references returns the names in a definition, its own first. String constants have no @.
func references(text []byte) []string {
	var names []string
	for {
		at := bytes.IndexByte(text, '@')
		if at < 0 {
			return names
		}
		text = text[at:]
		name := symbol(text)
		names = append(names, name)
		text = text[1+len(name):]
	}
}
