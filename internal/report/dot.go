package report

import (
	"fmt"
	"io"
	"strings"
)

var _ = register(Format{Name: "dot", Usage: "write the counterexample to `FILE` for Graphviz", Write: ofError(WriteDOT), Picture: true})

// WriteDOT prints x for Graphviz: a cluster per thread with po from top to bottom, rf, co
// and fr between them, and dependencies.
func WriteDOT(w io.Writer, title string, x *Execution, o Options) error {
	t := newTrace(x, o.Full)
	var b strings.Builder
	b.WriteString("digraph execution {\n")
	fmt.Fprintf(&b, "  label=%s; labelloc=t; fontname=\"sans-serif\";\n", dotQuote(clean(title)))
	b.WriteString("  rankdir=TB; newrank=true; splines=true; nodesep=0.6;\n")
	b.WriteString("  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=gray60, fontname=\"monospace\", fontsize=11, height=0.3];\n")
	b.WriteString("  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for col, th := range t.threads {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s; color=gray80;\n", th.ID, dotQuote(threadName(th)))
		fmt.Fprintf(&b, "    t%d [shape=point, style=invis, width=0, height=0];\n", col)
		var prev *step
		for _, s := range t.rows {
			if s.col != col {
				continue
			}
			fmt.Fprintf(&b, "    e%d [label=%s%s];\n", s.row, dotQuote(t.dotLabel(s)), dotStyle(s))
			if prev != nil {
				fmt.Fprintf(&b, "    e%d -> e%d [color=gray60, weight=100];\n", prev.row, s.row)
			} else {
				fmt.Fprintf(&b, "    t%d -> e%d [style=invis, weight=100];\n", col, s.row)
			}
			prev = s
		}
		b.WriteString("  }\n")
	}
	t.dotColumns(&b)
	es := t.edges()
	for i := range x.Relations {
		if r := &x.Relations[i]; r.isDependency() {
			es = append(es, t.edgesOf(r)...)
		}
	}
	for _, e := range es {
		color, width := relations[e.rel].color, ""
		if e.cycle {
			color, width = relations[cycle].color, ", penwidth=2.5"
		}
		fmt.Fprintf(&b, "  e%d -> e%d [label=%s, color=%q, fontcolor=%q%s, constraint=%t];\n",
			e.from.row, e.to.row, dotQuote(e.label), color, color, width, e.rel == rf && e.from.row < e.to.row)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dotColumns keeps the threads in their order from left to right.
func (t *trace) dotColumns(b *strings.Builder) {
	if len(t.threads) < 2 {
		return
	}
	var names []string
	for col := range t.threads {
		names = append(names, fmt.Sprintf("t%d", col))
	}
	fmt.Fprintf(b, "  { rank=same; %s [style=invis]; }\n", strings.Join(names, " -> "))
}

func (t *trace) dotLabel(s *step) string {
	label := t.describe(s, noLimit)
	if l := t.line(s, false); l != "" && s.fold == "" {
		label = l + ": " + label
	}
	if s.from == nil {
		label = strings.TrimRight(label+"  "+t.origin(s), " ")
	}
	if m := clean(s.mark()); m != "" {
		label += "\n" + m
	}
	return label
}

func dotStyle(s *step) string {
	switch {
	case s.pointed():
		return `, color="#cf222e", fillcolor="#ffebe9", penwidth=2`
	case s.fold != "":
		return `, style="rounded,dashed", fontcolor=gray40`
	case s.stale || s.early || s.ev.Kind == Blocked:
		return `, fillcolor="#fff8c5"`
	}
	return ""
}

// dotQuote quotes a string of DOT; a line end becomes one that centres.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
