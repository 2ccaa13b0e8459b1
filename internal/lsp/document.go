package lsp

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A document is a file that the editor has open.
type document struct {
	uri      string
	path     string // "" if it is not on the disk
	language language
	version  int
	text     string
}

// A language decides what the server does with a file.
type language string

const (
	langC      language = "c"
	langCPP    language = "c++"
	langRust   language = "rust"
	langJava   language = "java"
	langLitmus language = "litmus"
	langCat    language = "cat"
	langNone   language = ""
)

// isProgram reports whether ravel check takes files of the language.
func (l language) isProgram() bool {
	return l == langC || l == langCPP || l == langRust || l == langJava
}

// languageOf tells the language by the name of the file, or else by what the editor calls it.
func languageOf(path, id string) language {
	switch filepath.Ext(path) {
	case ".c", ".h":
		return langC
	case ".cc", ".cpp", ".cxx", ".c++", ".C", ".hh", ".hpp", ".hxx":
		return langCPP
	case ".rs":
		return langRust
	case ".java":
		return langJava
	case ".litmus":
		return langLitmus
	case ".cat", ".bell":
		return langCat
	}
	switch id {
	case "c", "rust", "java", "litmus", "cat":
		return language(id)
	case "cpp", "c++":
		return langCPP
	}
	return langNone
}

// pathOf returns the path of a file, "" if the URI is that of something else.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// An encoding is what a character in a position is: clients count UTF-16 if they have not said that they can do better.
type encoding string

const (
	utf8Code  encoding = "utf-8"
	utf16Code encoding = "utf-16"
)

// units returns the length of a text.
func (e encoding) units(text string) int {
	if e == utf8Code {
		return len(text)
	}
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// offset returns the place of a position in a text. Positions behind the end of a line are at its end, as the protocol says.
func (e encoding) offset(text string, p position) int {
	at := 0
	for range max(0, p.Line) {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	line := lineAt(text, at)
	n := max(0, p.Character)
	for i, r := range line {
		if n <= 0 {
			return at + i
		}
		if e == utf8Code {
			n -= utf8.RuneLen(r)
		} else {
			n -= max(1, utf16.RuneLen(r))
		}
	}
	return at + len(line)
}

// position returns the position of an offset.
func (e encoding) position(text string, off int) position {
	off = max(0, min(off, len(text)))
	start := strings.LastIndexByte(text[:off], '\n') + 1
	return position{strings.Count(text[:start], "\n"), e.units(text[start:off])}
}

func (e encoding) textRange(text string, start, end int) textRange {
	return textRange{e.position(text, start), e.position(text, end)}
}

// lineAt returns the rest of the line, without its end.
func lineAt(text string, at int) string {
	line, _, _ := strings.Cut(text[at:], "\n")
	return strings.TrimSuffix(line, "\r")
}

// place returns the offsets of what is at a line and column, which count from 1; column 0 is the whole line. It is the word there, or a character.
func place(text string, line, column int) (start, end int) {
	at := 0
	for range line - 1 {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text), len(text)
		}
		at += n + 1
	}
	rest := lineAt(text, at)
	if column == 0 {
		indent := len(rest) - len(strings.TrimLeft(rest, " \t"))
		return at + indent, at + len(rest)
	}
	start = at + min(column-1, len(rest))
	end = start
	for end < at+len(rest) && isWord(text[end]) {
		end++
	}
	if end == start && end < at+len(rest) {
		_, n := utf8.DecodeRuneInString(text[end:])
		end += n
	}
	return start, end
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// text returns the text of a file: that of the editor if it is open there.
func (s *server) text(path string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[uriOf(path)]; d != nil {
		return d.text, nil
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// document returns a document that is open.
func (s *server) document(uri string) (document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[canonical(uri)]; d != nil {
		return *d, nil
	}
	return document{}, fmt.Errorf("%s is not open", uri)
}

// canonical returns the URI as uriOf writes it, so that it does not matter what the client escapes.
func canonical(uri string) string {
	if p := pathOf(uri); p != "" {
		return uriOf(p)
	}
	return uri
}
