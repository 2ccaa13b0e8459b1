package catmodel

import (
	"fmt"
	"strings"

	"ravel/internal/cat"
)

// Explain says, for people, how programs are explored under the model: which constraints are checked when, and what
// was shown to follow from which.
func (m *Model) Explain() string {
	var b strings.Builder
	title := m.File.File.Title
	if title == "" {
		title = m.File.File.Name
	}
	fmt.Fprintf(&b, "%s: %s\n\nConstraints\n", m.Name, title)
	for _, c := range m.checks {
		fmt.Fprintf(&b, "  %s\n      %s\n", m.head(c), m.when(c))
	}
	b.WriteString("\nExploration\n")
	fmt.Fprintf(&b, "  %s\n", m.safeWords())
	if len(m.coherence) > 0 {
		fmt.Fprintf(&b, "  coherence of each location follows from %s\n", titles(m.coherence))
	}
	if m.atomicity != nil {
		fmt.Fprintf(&b, "  atomicity follows from %s\n", title1(m.atomicity))
	}
	switch {
	case m.engine == DepEngine:
		fmt.Fprintf(&b, "  no cycles of rf and dependencies: by %s\n", title1(m.dependencies))
	case m.noPorf != nil:
		fmt.Fprintf(&b, "  no cycles of po ∪ rf: by %s\n", title1(m.noPorf))
	}
	switch {
	case m.plan != nil:
		fmt.Fprintf(&b, "  %s is kept as a vector clock of every event\n", m.prog.SetText(m.plan.order))
	case m.prefix:
		b.WriteString("  coherence is checked along (po ∪ rf)+ at once\n")
	}
	fmt.Fprintf(&b, "  programs: %s\n", m.dialectWords())
	fmt.Fprintf(&b, "  data races: %s\n", m.raceWords())
	return b.String()
}

func title1(k *cat.Constraint) string { return "`" + k.Title() + "`" }

func titles(ks []*cat.Constraint) string {
	var names []string
	for _, k := range ks {
		names = append(names, title1(k))
	}
	return strings.Join(names, ", ")
}

// head is the constraint with its place.
func (m *Model) head(c *check) string {
	test := c.Kind.String() + " " + cat.ExprString(c.Expr)
	if c.Not {
		test = "~" + test
	}
	if c.Mode != cat.Require {
		test = c.Mode.String() + " " + test
	}
	if c.Name != "" {
		test += " as " + c.Name
	}
	return fmt.Sprintf("%s  (%v)", test, c.Pos)
}

// when says when a constraint is checked, and how.
func (m *Model) when(c *check) string {
	switch {
	case m.java != nil:
		return "on complete executions"
	case c.Constraint == m.races:
		return "at every access: accesses that the order does not order"
	case c.how == atEnd:
		return "on executions that can't go on: an error of kind race"
	case c.how == late:
		return fmt.Sprintf("on complete executions: %s (%v)", c.late, c.lateAt)
	case m.engine == DepEngine && c.atomicity:
		return "at every step, by the place of the write in co"
	case m.engine == DepEngine:
		return "at every step where the new event is not the last of its thread and location, on the whole graph"
	case c.how == byEngine:
		return "never: the exploration makes no graph that violates it"
	case c.how == byWalk && c.walk.needsSC:
		return fmt.Sprintf("at every step after which something follows, if there are sc events, by a walk from the new event (%d states)", len(c.walk.auto))
	case c.how == byWalk:
		return fmt.Sprintf("at every step after which something follows, by a walk from the new event (%d states)", len(c.walk.auto))
	}
	why := ""
	if c.why != nil {
		why = fmt.Sprintf(" (%v)", c.why)
	}
	return "at every step after which something follows, on the whole graph" + why
}

// safeWords says whether an exploration visits all executions, and why.
func (m *Model) safeWords() string {
	missing := m.Missing(true)
	switch {
	case m.Missing(false) != "":
		return "not safe, no verdict is that a program is verified: " + missing
	case missing != "":
		return "safe only for programs without read-modify-writes: " + missing
	case m.java != nil:
		return "safe: it is like Java's models, and explored as they are; executions with cycles of po ∪ rf are those that others re-execute to (docs/jam21.md),\n  where `visible` says what does not race"
	case m.isLate():
		return "safe: " + m.engineWords() + ";\n  what is checked on complete executions chooses among those of the model without it"
	}
	return "safe: " + m.engineWords()
}

func (m *Model) engineWords() string {
	if m.engine == PorfEngine {
		return "every graph of an execution is reached in an order that follows po ∪ rf, and each can go on"
	}
	return "every graph of an execution is reached in an order that follows rf and dependencies"
}

func (m *Model) dialectWords() string {
	switch {
	case m.d.isC():
		return "C11, with the access modes as they are"
	case m.d.raw:
		return m.d.Title + "; access modes are ignored except those of fences (--mapping raw)"
	}
	return m.d.Title + ", as C11 compilers translate the access modes (--mapping c11)"
}

func (m *Model) raceWords() string {
	if m.java != nil {
		return "no errors, as in Java"
	}
	if m.races != nil {
		return "as `" + m.races.Title() + "` says, looked for at every access"
	}
	for _, c := range m.checks {
		if c.how == atEnd {
			return "what the model flags, looked for in executions that can't go on"
		}
	}
	return "the model does not say what they are: none are looked for"
}
