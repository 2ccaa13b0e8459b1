package justify

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ravel/internal/bitset"
	"ravel/internal/litmus"
	"ravel/internal/smt"
)

// An Analysis is what a Java memory model allows a test to do.
type Analysis struct {
	Test     *litmus.Test
	Model    string
	Rules    Rules
	Identity Identity
	Locs     []litmus.Loc // what outcomes have values for
	Outcomes []*Outcome   // that are allowed, each once
	Graphs   int          // symbolic executions that the single-execution model allows
	Targets  int          // of these, how many are justified or need not be
	Bounded  bool         // loops were cut: what is not allowed may be, with more rounds
	GaveUp   string       // why the analysis was given up; "" if it was not

	open   []*graph // executions with values that nothing determines; only without causality
	solver smt.Solver
}

// An Outcome is one final state, with how it comes about.
type Outcome struct {
	Values []uint64 // of Locs

	target *graph
	values values
	stages []stage
}

// errTimeout is why a search stops.
var errTimeout = errors.New("timeout")

// Analyse finds all outcomes of a test.
func Analyse(test *litmus.Test, opts Options) (*Analysis, error) {
	if test.Arch != litmus.Java {
		return nil, fmt.Errorf("%s: this is a test in %s; jmm is about Java", test.File, test.Arch)
	}
	if opts.Model == "" {
		opts.Model = "jls04"
	}
	if opts.Identity == "" {
		opts.Identity = Index
	}
	if opts.Solver == nil {
		opts.Solver = smt.Embedded()
	}
	m, err := newExecModel(opts.Model)
	if err != nil {
		return nil, err
	}
	switch {
	case opts.Rules == "" && m.multi:
		opts.Rules = JLS
	case opts.Rules == "":
		opts.Rules = Single
	case opts.Rules != Single && !m.multi:
		return nil, fmt.Errorf("model %s does not define so, sw and hb, which the rules of causality are about", opts.Model)
	}
	p, err := newProgram(test, opts)
	if err != nil {
		return nil, err
	}
	if err := m.understands(p); err != nil {
		return nil, err
	}
	a := &Analysis{Test: test, Model: m.name, Rules: opts.Rules, Identity: opts.Identity, Locs: Observed(test), solver: opts.Solver}
	s := &session{Analysis: a, prog: p, model: m, seen: map[string]bool{}, end: time.Now().Add(opts.Timeout)}
	if err := s.run(); errors.Is(err, errTimeout) {
		a.GaveUp = fmt.Sprintf("stopped after %v (--timeout)", opts.Timeout)
		if opts.Ctx != nil && opts.Ctx.Err() != nil {
			a.GaveUp = "interrupted"
		}
	} else if err != nil {
		return nil, err
	}
	a.Bounded = p.cut
	slices.SortFunc(a.Outcomes, func(x, y *Outcome) int { return slices.Compare(x.Values, y.Values) })
	return a, nil
}

// Observed returns what outcomes of a test have values for: what its conditions name, element by element,
// or all registers if there is nothing.
func Observed(test *litmus.Test) []litmus.Loc {
	var locs []litmus.Loc
	for _, l := range test.Observed() {
		if v := test.Var(l.Var); l.Thread < 0 && l.Index < 0 && v != nil && v.Array {
			for i := range v.Init {
				locs = append(locs, litmus.Loc{Thread: -1, Var: l.Var, Index: i})
			}
			continue
		}
		locs = append(locs, l)
	}
	if len(locs) > 0 {
		return locs
	}
	for _, th := range test.Threads {
		for _, r := range th.Regs() {
			if r[0] != '$' {
				locs = append(locs, litmus.Loc{Thread: th.ID, Reg: r, Index: -1})
			}
		}
	}
	return locs
}

// A session is an analysis under way.
type session struct {
	*Analysis
	prog   *program
	model  *execModel
	graphs []*graph
	seen   map[string]bool // outcomes
	end    time.Time
	ticks  int
}

func (s *session) deadline() error {
	if s.ticks++; s.ticks&7 != 0 {
		return nil
	}
	o := &s.prog.opts
	if o.Timeout > 0 && time.Now().After(s.end) || o.Ctx != nil && o.Ctx.Err() != nil {
		return errTimeout
	}
	return nil
}

func (s *session) run() error {
	if err := s.shapes(nil, false); err != nil {
		return err
	}
	s.Graphs = len(s.graphs)
	if s.Rules == Single {
		return s.single()
	}
	// Executions without a justification come first: they make many others superfluous.
	var rest []*graph
	for _, g := range s.graphs {
		if !g.wellBehaved() {
			rest = append(rest, g)
			continue
		}
		s.Targets++
		s.outcomes(g, &g.values, g.plainStages())
	}
	rest = slices.DeleteFunc(rest, func(g *graph) bool { return !s.news(g) })
	if len(rest) == 0 {
		return nil
	}
	if err := s.shapes(nil, true); err != nil {
		return err
	}
	for _, g := range rest {
		if err := s.justify(g); err != nil {
			return err
		}
	}
	return nil
}

// shapes enumerates the combinations of paths and all their executions: those in which all threads end, or the others.
func (s *session) shapes(paths []*path, cut bool) error {
	if t := len(paths); t < len(s.prog.threads) {
		for _, p := range s.prog.threads[t] {
			if p.cut && !cut {
				continue
			}
			if err := s.shapes(append(paths, p), cut); err != nil {
				return err
			}
		}
		return nil
	}
	sh, err := s.prog.newShape(paths)
	if sh == nil || err != nil || sh.cut != cut {
		return err
	}
	s.model.prepare(sh)
	return sh.candidates(s.model, s.solver, func(rf []int, v *values) error {
		if err := s.deadline(); err != nil {
			return err
		}
		if s.prog.opts.Substitution && !v.complete(sh) {
			return nil
		}
		return s.model.graphs(sh, rf, v, func(g *graph) error {
			s.graphs = append(s.graphs, g)
			return s.deadline()
		})
	})
}

// wellBehaved reports whether each read sees a write that happens before it.
func (g *graph) wellBehaved() bool {
	for _, r := range members(g.reads) {
		if !g.safe(r) {
			return false
		}
	}
	return true
}

// safe reports whether a read sees a write that happens before it.
func (g *graph) safe(r int) bool {
	w := g.rf[r]
	return g.hb[w].Has(r) || g.frozen != nil && g.frozen[w].Has(r)
}

// plainStages is the justification of a well-behaved execution by itself: first all that is not a read, then the reads;
// with external actions, whose order rule 9 is about, event by event as they happen before each other.
func (g *graph) plainStages() []stage {
	v := &view{g: g, toG: make([]int, len(g.events))}
	for i := range v.toG {
		v.toG[i] = i
	}
	all := bitset.Below(len(g.events))
	inits := bitset.Below(g.inits)
	if !slices.ContainsFunc(g.events, func(e *event) bool { return e.kind == externalEvent }) {
		return []stage{{v, inits, all &^ g.reads}, {v, all &^ g.reads, all}}
	}
	var stages []stage
	for done := inits; done != all; {
		for e := range g.events {
			late := all &^ done &^ bitset.One(e)
			if !done.Has(e) && !slices.ContainsFunc(members(late), func(o int) bool { return g.hb[o].Has(e) }) {
				stages = append(stages, stage{v, done, done | bitset.One(e)})
				done |= bitset.One(e)
			}
		}
	}
	return stages
}

func (s *session) single() error {
	for _, g := range s.graphs {
		s.Targets++
		if g.values.complete(g.shape) {
			s.outcomes(g, &g.values, nil)
		} else {
			s.open = append(s.open, g)
		}
	}
	return nil
}

// news reports whether an execution may have an outcome that is not known.
func (s *session) news(g *graph) bool {
	return !g.values.complete(g.shape) || s.finals(g, &g.values, nil, false)
}

// justify looks for the justifications of an execution, unless its outcomes are known.
func (s *session) justify(g *graph) error {
	if !s.news(g) {
		return nil
	}
	j, err := newJustifier(g, s.graphs, s.Rules, s.Identity, s.deadline)
	if err != nil {
		return err
	}
	found := false
	err = j.run(func(v *values, stages []stage) bool {
		found = true
		s.outcomes(g, v, stages)
		return !g.values.complete(g.shape)
	})
	if found {
		s.Targets++
	}
	return err
}

// outcomes adds the final states of an execution.
func (s *session) outcomes(g *graph, v *values, stages []stage) { s.finals(g, v, stages, true) }

// finals visits the final states of an execution, adds them or not, and tells whether there is a new one.
func (s *session) finals(g *graph, v *values, stages []stage, add bool) (news bool) {
	vals := make([]uint64, len(s.Locs))
	var fill func(i int)
	fill = func(i int) {
		if i == len(s.Locs) {
			key := fmt.Sprint(vals)
			if s.seen[key] {
				return
			}
			news = true
			if add {
				s.seen[key] = true
				s.Outcomes = append(s.Outcomes, &Outcome{slices.Clone(vals), g, *v, slices.Clone(stages)})
			}
			return
		}
		for _, x := range g.finalTerms(s.Locs[i]) {
			vals[i] = g.eval(x, v)
			fill(i + 1)
		}
	}
	fill(0)
	return news
}

// eval returns the value of an expression over the reads of g; all values are known.
func (g *graph) eval(e litmus.Expr, v *values) uint64 {
	x, _ := evaluate(e, func(r litmus.Reg) (uint64, bool) { return v.read[g.symbol[r]], true })
	return x
}

// finalTerms returns what a location may hold in the end. A place in memory holds what a thread that waits for all
// others would read: the final write where the model has one, else any write that happens before no other.
func (g *graph) finalTerms(l litmus.Loc) []litmus.Expr {
	if l.Thread >= 0 {
		for t, th := range g.prog.test.Threads {
			if th.ID == l.Thread {
				if x, ok := g.paths[t].regs[l.Reg]; ok {
					return []litmus.Expr{x}
				}
			}
		}
		return []litmus.Expr{litmus.Value{}}
	}
	v := g.prog.test.Var(l.Var)
	place := g.prog.place(litmus.AddrOf(l.Var, int64(max(l.Index, 0))*int64(v.Type.Size)))
	var ws mask
	for _, w := range members(g.writes) {
		if g.events[w].loc == place {
			ws |= bitset.One(w)
		}
	}
	var terms []litmus.Expr
	for _, w := range members(ws) {
		if g.final != 0 && g.final.Has(w) || g.final == 0 && g.hb[w]&ws == 0 {
			terms = append(terms, g.events[w].value)
		}
	}
	return terms
}
