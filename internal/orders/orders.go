// Package orders finds memory orders in the text of programs in C, C++, Rust and Java, and edits them.
//
// It reads tokens, not grammar. An edit is made only where the text has the order that a change is about, so that it is right or not made at all.
package orders

import (
	"cmp"
	"slices"
	"strings"

	"ravel/internal/event"
	"ravel/internal/report"

	"ravel/internal/lazy"
)

// An Edit replaces a part of a text, given by offsets in bytes.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// Edits returns edits of a source that make changes of its memory orders, in the order of the text, and the changes that they do not make: those of operators, as x++ of an
// atomic x, and of macros. An edit replaces an order only if it is the one that the change is about.
func Edits(source string, changes []report.Change) (edits []Edit, left []report.Change) {
	byCall := map[int][]report.Change{}
	for _, c := range changes {
		at, ok := offset(source, c.Location)
		if !ok || c.From == report.VariousOrders {
			left = append(left, c)
			continue
		}
		byCall[at] = append(byCall[at], c)
	}
	for at, list := range byCall {
		call, ok := CallAt(source, at)
		var found []Edit
		if ok {
			found, ok = call.edits(list)
		}
		if !ok {
			left = append(left, list...)
			continue
		}
		edits = append(edits, found...)
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortFunc(left, func(a, b report.Change) int {
		return cmp.Or(cmp.Compare(a.Location.Line, b.Location.Line), cmp.Compare(a.Location.Column, b.Location.Column))
	})
	return edits, left
}

// Apply makes edits, which do not overlap and are in the order of the text.
func Apply(source string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(source[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(source[at:])
	return b.String()
}

// offset returns where a place is in the source.
func offset(source string, l report.Location) (int, bool) {
	at := 0
	for range l.Line - 1 {
		n := strings.IndexByte(source[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	at += max(l.Column, 1) - 1
	return at, l.Line > 0 && l.Column > 0 && at < len(source)
}

// A Call is a call in the text of a program in C, C++, Rust or Java.
type Call struct {
	Name       string // of the function, without what it is qualified with
	Start, End int    // from the first letter of Name to behind the closing bracket
	Args       []Arg

	source string
}

// An Arg is an argument of a call, without spaces and comments around it.
type Arg struct {
	Start, End int
	Order      string // if it is a memory order, as event.Mode.Order says it

	style func(order string) string // writes another order in the same way
}

// CallAt returns the call whose function's name, perhaps qualified, begins at an offset.
func CallAt(source string, at int) (Call, bool) {
	c := Call{source: source}
	i := at
	for {
		i = skipSpace(source, i)
		n := wordLength(source[i:])
		if n == 0 {
			return c, false
		}
		c.Name, c.Start = source[i:i+n], i
		i = skipSpace(source, i+n)
		if !strings.HasPrefix(source[i:], "::") {
			break
		}
		i += 2
	}
	if i == len(source) || source[i] != '(' {
		return c, false
	}
	return c, c.arguments(i)
}

// arguments reads the arguments in the brackets that begin at an offset.
func (c *Call) arguments(open int) bool {
	depth, start := 0, open+1
	for i := open; i < len(c.source); {
		if n := quiet(c.source[i:]); n > 0 {
			i += n
			continue
		}
		switch c.source[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			if depth == 0 {
				if c.add(start, i); len(c.Args) == 1 && c.Args[0].Start == c.Args[0].End {
					c.Args = nil
				}
				c.End = i + 1
				return c.source[i] == ')'
			}
		case ',':
			if depth == 1 {
				c.add(start, i)
				start = i + 1
			}
		}
		i++
	}
	return false
}

func (c *Call) add(start, end int) {
	a := Arg{Start: skipSpace(c.source[:end], start), End: end}
	// The end without spaces and comments behind it.
	for last := a.Start; last < end; {
		next := skipSpace(c.source[:end], last)
		if next == end {
			a.End = last
			break
		}
		last = next + max(1, quiet(c.source[next:end]))
	}
	a.Order, a.style = orderOf(c.source[a.Start:a.End])
	c.Args = append(c.Args, a)
}

var (
	cOrder    = lazy.Regexp(`^((?:::)?(?:std\s*::\s*)?memory_order(?:_|\s*::\s*))(relaxed|consume|acquire|release|acq_rel|seq_cst)$`)
	gnuOrder  = lazy.Regexp(`^(__ATOMIC_)(RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)$`)
	rustOrder = lazy.Regexp(`^((?:\w+\s*::\s*)*)(Relaxed|Acquire|Release|AcqRel|SeqCst)$`)
	rustNames = map[string]string{"relaxed": "Relaxed", "acquire": "Acquire", "release": "Release", "acq_rel": "AcqRel", "seq_cst": "SeqCst"}
)

// orderOf returns the memory order that an expression is, "" if it is none, and how to write another one.
func orderOf(text string) (string, func(string) string) {
	if m := cOrder().FindStringSubmatch(text); m != nil {
		return strings.Replace(m[2], "consume", "acquire", 1), func(o string) string { return m[1] + o }
	}
	if m := gnuOrder().FindStringSubmatch(text); m != nil {
		return strings.Replace(strings.ToLower(m[2]), "consume", "acquire", 1), func(o string) string { return m[1] + strings.ToUpper(o) }
	}
	if m := rustOrder().FindStringSubmatch(text); m != nil {
		for order, name := range rustNames {
			if name == m[2] {
				return order, func(o string) string { return m[1] + rustNames[o] }
			}
		}
	}
	return "", nil
}

// Orders returns the arguments that are memory orders.
func (c *Call) Orders() (list []Arg) {
	for _, a := range c.Args {
		if a.Order != "" {
			list = append(list, a)
		}
	}
	return list
}

// edits returns the edits for all changes of a call.
func (c *Call) edits(changes []report.Change) (edits []Edit, ok bool) {
	orders := c.Orders()
	for _, change := range changes {
		var at *Arg
		switch {
		case change.Argument > 0 && change.Argument <= len(c.Args):
			at = &c.Args[change.Argument-1]
		case change.Argument > 0:
		case change.Access == report.FailureAccess && len(orders) == 2:
			at = &orders[1]
		case change.Access != report.FailureAccess && len(orders) > 0:
			at = &orders[0]
		case len(orders) == 0:
			return c.spellOut(changes)
		}
		if at == nil || at.Order != change.From {
			return nil, false
		}
		if e, ok := c.withoutFence(change); ok {
			edits = append(edits, e)
			continue
		}
		edits = append(edits, Edit{at.Start, at.End, at.style(change.To)})
	}
	return edits, true
}

// withoutFence returns the edit that takes a fence out, if it is a statement of its own.
func (c *Call) withoutFence(change report.Change) (Edit, bool) {
	if change.Access != report.FenceAccess || change.To != event.Rlx.Order() {
		return Edit{}, false
	}
	start := c.Start
	for start > 0 && (wordLength(c.source[start-1:]) > 0 || c.source[start-1] == ':') { // std::
		start--
	}
	end := skipSpace(c.source, c.End)
	before := strings.TrimRight(c.source[:start], " \t\r\n")
	if end == len(c.source) || c.source[end] != ';' || before == "" || !strings.ContainsRune(";{}", rune(before[len(before)-1])) {
		return Edit{}, false
	}
	end++
	line := strings.LastIndexByte(c.source[:start], '\n') + 1
	if n := strings.IndexByte(c.source[end:], '\n'); n >= 0 && strings.TrimSpace(c.source[end:end+n]) == "" && strings.TrimSpace(c.source[line:start]) == "" {
		start, end = line, end+n+1
	}
	return Edit{start, end, ""}, true
}

// spellOut returns the edits for a call without orders: all its accesses are seq_cst. C has other functions with orders, methods of C++ take them as last arguments.
func (c *Call) spellOut(changes []report.Change) (edits []Edit, ok bool) {
	success, failure := event.SC.Order(), event.SC.Order()
	for _, change := range changes {
		switch {
		case change.Argument > 0 || change.From != event.SC.Order() || change.Access == report.FenceAccess:
			return nil, false
		case change.Access == report.FailureAccess:
			failure = change.To
		default:
			success = change.To
		}
	}
	last := c.End - 1
	if len(c.Args) > 0 {
		last = c.Args[len(c.Args)-1].End
	}
	want, exchange := atomicCalls[c.Name]
	prefix := "memory_order_"
	switch {
	case want > 0 && len(c.Args) == want: // C
		edits = append(edits, Edit{c.Start + len(c.Name), c.Start + len(c.Name), "_explicit"})
		if strings.HasSuffix(strings.TrimRight(c.source[:c.Start], " \t\r\n"), "std::") {
			prefix = "std::" + prefix
		}
	case exchange && len(c.Args) == -want: // C++
		prefix = "std::" + prefix
	default:
		return nil, false
	}
	text := prefix + success
	if strings.HasPrefix(c.Name, "atomic_compare_exchange") || failure != event.SC.Order() {
		text += ", " + prefix + failure
	}
	if len(c.Args) > 0 {
		text = ", " + text
	}
	return append(edits, Edit{last, last, text}), true
}

// atomicCalls are the functions of <stdatomic.h> that have a twin with orders, with the number of their arguments, and the methods of std::atomic, with the negative of it.
var atomicCalls = map[string]int{
	"atomic_store": 2, "atomic_load": 1, "atomic_exchange": 2, "atomic_compare_exchange_strong": 3, "atomic_compare_exchange_weak": 3,
	"atomic_fetch_add": 2, "atomic_fetch_sub": 2, "atomic_fetch_or": 2, "atomic_fetch_xor": 2, "atomic_fetch_and": 2,
	"atomic_flag_test_and_set": 1, "atomic_flag_clear": 1,
	"store": -1, "load": 0, "exchange": -1, "compare_exchange_strong": -2, "compare_exchange_weak": -2,
	"fetch_add": -1, "fetch_sub": -1, "fetch_or": -1, "fetch_xor": -1, "fetch_and": -1, "test_and_set": 0, "clear": 0, "test": 0,
}

// wordLength returns the length of the identifier that a text begins with.
func wordLength(text string) int {
	n := 0
	for n < len(text) && (text[n] == '_' || 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' || n > 0 && '0' <= text[n] && text[n] <= '9') {
		n++
	}
	return n
}

// quiet returns the length of the comment, string or character that a text begins with, 0 if it begins with none. A lifetime of Rust is not a character.
func quiet(text string) int {
	end := func(from int, mark string) int {
		if n := strings.Index(text[from:], mark); n >= 0 {
			return from + n + len(mark)
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(text, "//"):
		return end(2, "\n")
	case strings.HasPrefix(text, "/*"):
		return end(2, "*/")
	case strings.HasPrefix(text, "'"):
		n := 2
		if strings.HasPrefix(text, `'\`) {
			n = 3
		}
		if len(text) > n && text[n] == '\'' {
			return n + 1
		}
	case strings.HasPrefix(text, `"`):
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	return 0
}

// skipSpace returns the offset of the next character that is neither space nor part of a comment.
func skipSpace(source string, i int) int {
	for i < len(source) {
		switch {
		case strings.IndexByte(" \t\r\n", source[i]) >= 0:
			i++
		case strings.HasPrefix(source[i:], "//"), strings.HasPrefix(source[i:], "/*"):
			i += quiet(source[i:])
		default:
			return i
		}
	}
	return len(source)
}

// Calls returns all calls in a source, in the order of the text; a call in the arguments of another follows it.
func Calls(source string) (list []Call) {
	for i := 0; i < len(source); {
		if n := quiet(source[i:]); n > 0 {
			i += n
			continue
		}
		n := wordLength(source[i:])
		if n == 0 {
			i++
			continue
		}
		if next := skipSpace(source, i+n); next < len(source) && source[next] == '(' {
			if c, ok := CallAt(source, i); ok {
				list = append(list, c)
			}
		}
		i += n
	}
	return list
}
