package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const tabWidth = 4 // of a tab in a source excerpt, as rustc prints it

// runeWidth returns how many columns of a terminal r takes: none for combining marks,
// two for East Asian wide characters and emoji.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, // Hangul Jamo
		r >= 0x2e80 && r <= 0x303e, // CJK radicals and punctuation
		r >= 0x3041 && r <= 0xa4cf, // kana, CJK, Yi
		r >= 0xac00 && r <= 0xd7a3, // Hangul syllables
		r >= 0xf900 && r <= 0xfaff, // CJK compatibility
		r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff00 && r <= 0xff60, // full-width forms
		r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, // emoji
		r >= 0x1f680 && r <= 0x1f6ff,
		r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// textWidth returns how many columns s takes.
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut returns s in at most width columns, with … for what is left out.
func cut(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += runeWidth(r); n > width-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// pad returns s with spaces up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-textWidth(s)))
}

// clean makes s safe to print on a terminal and in one line: control characters, those that
// change the direction of text among them, become �, so that no source file and no string of a
// program can move the cursor or hide what it says.
func clean(s string) string {
	bad := func(r rune) bool {
		return r == utf8.RuneError || r != '\t' && unicode.IsControl(r) ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// expand returns the line of source s as it is printed: tabs as spaces, no control characters.
func expand(s string) string {
	return strings.ReplaceAll(clean(s), "\t", strings.Repeat(" ", tabWidth))
}

// wrap breaks s at spaces into lines of at most width columns, as far as its words allow.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
			line = word
		case textWidth(line)+1+textWidth(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
