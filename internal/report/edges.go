package report

// An edge joins two rows of a picture.
type edge struct {
	rel      relation
	from, to *step
}

type relation uint8

const (
	rf relation = iota
	co
	fr
)

// relations has how each relation looks, wherever it is drawn.
var relations = [...]struct{ name, long, color string }{
	rf: {"rf", "reads from", "#1a7f37"},
	co: {"co", "coherence: order of writes", "#8a5a2b"},
	fr: {"fr", "from read: overwritten by", "#cf222e"},
}

// edges returns the edges to draw: rf at locations that several threads use; co between
// neighbours; fr to the first write that follows in co. Edges of co and fr inside a thread are
// left out, for they always agree with po.
func (t *trace) edges() []edge {
	var es []edge
	visible := func(s *step) bool { return s != nil && s.row > 0 && s.fold == "" }
	shared := t.shared()
	for _, s := range t.rows {
		if visible(s) && visible(s.from) && (s.col != s.from.col || shared[s.read.Loc]) {
			es = append(es, edge{rf, s.from, s})
		}
	}
	for _, s := range t.rows {
		if s.write == nil || !visible(s) {
			continue
		}
		if n := t.nextInCo(s, visible); n != nil && n.col != s.col {
			es = append(es, edge{co, s, n})
		}
	}
	for _, s := range t.rows {
		if w := t.overwriter(s); visible(s) && visible(w) && w.col != s.col {
			es = append(es, edge{fr, s, w})
		}
	}
	return es
}

// nextInCo returns the next write after s in co that satisfies ok.
func (t *trace) nextInCo(s *step, ok func(*step) bool) *step {
	if s.write.CoIndex == 0 {
		return nil
	}
	for _, w := range t.co[s.write.Loc] {
		if w.write.CoIndex > s.write.CoIndex && ok(w) {
			return w
		}
	}
	return nil
}

// shared returns the locations that more than one thread uses.
func (t *trace) shared() map[string]bool {
	owner := map[string]int{}
	shared := map[string]bool{}
	for _, s := range t.steps() {
		if s.read == nil && s.write == nil {
			continue
		}
		if c, ok := owner[s.ev.Loc]; ok && c != s.col {
			shared[s.ev.Loc] = true
		}
		owner[s.ev.Loc] = s.col
	}
	return shared
}
