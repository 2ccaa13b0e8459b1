package report

import (
	"strings"

	"ravel/internal/lazy"
)

// An Edit replaces a part of a line of a source.
type Edit struct {
	File   string `json:"file"`
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // of the first byte that goes, from 1
	End    int    `json:"end"`    // of the first byte that stays
	Text   string `json:"text"`   // what comes instead
}

// orderWord is a memory order in C, C++ or Rust.
var orderWord = lazy.Regexp(`\b(memory_order_|memory_order::|__ATOMIC_|Ordering::)?(relaxed|consume|acquire|release|acq_rel|seq_cst|RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST|Relaxed|Acquire|Release|AcqRel|SeqCst)\b`)

// Edit returns the change as an edit of the line that it is about. It is false if the order is not written there, as in an access whose order is the default, or if
// nothing is to be changed in the text.
func (c Change) Edit(line string) (Edit, bool) {
	if c.Location.Line == 0 || c.Argument > 0 || c.From == VariousOrders {
		return Edit{}, false
	}
	from, to := span(line, c.Location.Column)
	if to == from || !strings.Contains(line[from:to], "(") { // a method: the place is that of its name or of the object
		from = max(0, min(c.Location.Column-1, len(line)))
		to = len(line)
	}
	var at []int
	for _, m := range orderWord().FindAllStringSubmatchIndex(line[from:to], -1) {
		if plainOrder(line[from+m[4]:from+m[5]]) != c.From {
			continue
		}
		if at == nil || c.Access == FailureAccess { // the last order of a compare-exchange is that of failure
			at = m
		}
	}
	if at == nil {
		return Edit{}, false
	}
	word := line[from+at[4] : from+at[5]]
	return Edit{File: c.Location.File, Line: c.Location.Line, Column: from + at[4] + 1, End: from + at[5] + 1, Text: spelledLike(word, c.To)}, true
}

// plainOrder returns the name of an order as C11 has it.
func plainOrder(word string) string {
	switch word {
	case "AcqRel":
		return "acq_rel"
	case "SeqCst":
		return "seq_cst"
	}
	return strings.ToLower(word)
}

// spelledLike returns an order in the spelling of another one.
func spelledLike(word, order string) string {
	switch {
	case word == strings.ToLower(word):
		return order
	case word == strings.ToUpper(word):
		return strings.ToUpper(order)
	}
	text := ""
	for part := range strings.SplitSeq(order, "_") {
		text += strings.ToUpper(part[:1]) + part[1:]
	}
	return text
}
