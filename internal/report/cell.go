package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ravel/internal/event"
)

// describe returns what s does, without where its value comes from: "x = 1 (rlx)", "CAS lock 0→1 (acq)".
// Names longer than limit are shortened.
func (t *trace) describe(s *step, limit int) string {
	switch {
	case s.fold != "":
		return s.fold
	case s.times > 1:
		return t.describeOne(s, limit) + fmt.Sprintf(" ×%d", s.times)
	}
	return t.describeOne(s, limit)
}

// describeOne is describe for a step that is not folded.
func (t *trace) describeOne(s *step, limit int) string {
	e := s.ev
	if e.Text != "" {
		return clean(e.Text)
	}
	loc, value := shorten(clean(e.Loc), limit), clean(e.Value)
	if e.Kind != Failure && e.Kind != Blocked {
		value = shorten(value, limit)
	}
	switch e.Kind {
	case Read:
		return t.describeRead(s, loc, value, limit)
	case Write:
		text := loc + " = " + value + mode(e.Mode)
		if s.overtaken != nil {
			text += " (before " + t.name(s.overtaken) + ")"
		}
		return text
	case Fence:
		return "fence " + e.Mode.String()
	case Create, Join:
		return fmt.Sprintf("%s T%d", e.Kind, e.Other)
	case Start:
		return "start"
	case End:
		if value == "" {
			return "end"
		}
		return "return " + value
	case Alloc:
		if value == "" {
			return "alloc " + loc
		}
		return fmt.Sprintf("alloc %s (%s bytes)", loc, value)
	case Free:
		return "free " + loc
	case Choice:
		return "choose " + value
	case Failure:
		return "✗ " + value
	case Blocked:
		if value == "" {
			return "blocked"
		}
		return "blocked: " + value
	}
	return e.Kind.String()
}

func (t *trace) describeRead(s *step, loc, value string, limit int) string {
	e := s.ev
	op := clean(e.RMW)
	if op == "cas" {
		op = "CAS"
	}
	switch {
	case e.RMW == "":
		return "r: " + loc + " → " + value + mode(e.Mode)
	case s.write == nil:
		return op + " " + loc + " → " + value + " fails" + mode(e.Mode)
	}
	text := op + " " + loc + " " + value + "→" + shorten(clean(s.write.Value), limit) + mode(join(e.Mode, s.write.Mode))
	if s.overtaken != nil {
		text += " (before " + t.name(s.overtaken) + ")"
	}
	return text
}

const noLimit = 1 << 20

// shorten cuts the front of a long name, and keeps the field or the index at its end: "…items[2].next".
func shorten(name string, limit int) string {
	for w := textWidth(name); w > limit; {
		for i, r := range name {
			if w -= runeWidth(r); w < limit {
				return "…" + name[i+utf8.RuneLen(r):]
			}
		}
	}
	return name
}

// join returns the mode of a read-modify-write from those of its halves.
func join(r, w event.Mode) event.Mode {
	switch {
	case r == event.Acq && w == event.Rel:
		return event.AcqRel
	case w > r:
		return w
	}
	return r
}

func mode(m event.Mode) string {
	if m == event.NA {
		return ""
	}
	return " (" + m.String() + ")"
}

// origin returns where the value that s reads comes from: "⟵ T1:14", "⟵ init (stale)".
func (t *trace) origin(s *step) string {
	if s.read == nil || s.fold != "" {
		return ""
	}
	text := "⟵ init"
	switch {
	case s.from != nil:
		text = "⟵ " + t.name(s.from)
	case s.read.From != nil:
		return "" // a write that is not in the execution
	}
	switch {
	case s.early:
		text += " (below)"
	case s.stale:
		text += " (stale)"
	}
	return text
}

// name returns how other rows refer to s: its thread and line, and its row where that is not enough.
func (t *trace) name(s *step) string {
	id := t.threads[s.col].ID
	line := s.ev.Location.Line
	if line == 0 {
		return fmt.Sprintf("T%d#%d", id, s.row)
	}
	if s.row > 0 {
		for _, o := range t.po[s.col] {
			if o != s && o.row > 0 && o.ev.Location.Line == line && (s.write == nil || o.write != nil && o.write.Loc == s.write.Loc) {
				return fmt.Sprintf("T%d:%d#%d", id, line, s.row)
			}
		}
	}
	return fmt.Sprintf("T%d:%d", id, line)
}

// line returns the source line of s, with the file where it is not the one most events are in:
// in full, or as a letter that the legend explains.
func (t *trace) line(s *step, letters bool) string {
	l := s.ev.Location
	number := strconv.Itoa(l.Line)
	switch {
	case l.Line == 0:
		return ""
	case l.File == t.mainly || l.File == "":
		return number
	case letters:
		return number + t.letter(l.File)
	}
	return base(l.File) + ":" + number
}

// letter returns the letter for a file.
func (t *trace) letter(file string) string {
	i := slices.Index(t.others, file)
	if i < 0 {
		i = len(t.others)
		t.others = append(t.others, file)
	}
	return string(rune('a' + min(i, 25)))
}

func base(file string) string { return path.Base(clean(strings.ReplaceAll(file, `\`, "/"))) }

// legend explains the marks that are used.
func (t *trace) legend() []string {
	var stale, early, before bool
	for _, s := range t.rows {
		stale = stale || s.stale
		early = early || s.early
		before = before || s.overtaken != nil
	}
	var lines []string
	for _, f := range t.others {
		lines = append(lines, t.letter(f)+": in "+base(f))
	}
	if stale {
		lines = append(lines, "stale: a write further up replaced this value, but the reading thread does not see it yet")
	}
	if early {
		lines = append(lines, "below: the value is written further down: no order of the rows fits all reads")
	}
	if t.far {
		lines = append(lines, "…: --full-trace shows these steps")
	}
	if before {
		lines = append(lines, "before: earlier than that write in the order of writes to the location")
	}
	return lines
}
