package catmodel

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	locks "sync"

	"ravel/internal/cat"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
)

// Options choose how a model is used.
type Options struct {
	// Raw takes the accesses of a program as they are, for models of hardware, instead of compiling their modes.
	Raw bool
	// Whole evaluates constraints on the whole graph, by cat, instead of clocks and walks: slow, for comparison.
	Whole bool
}

// A Model is one written in cat, and what was found out about it. It does not change.
type Model struct {
	Name string
	File *cat.Model

	prog     *cat.Program
	straight bool // the constraints are the same for every execution
	d        *dialect
	uses     map[string]bool // relations
	checks   []*check
	engine   Engine
	basis    []*check // what proofs are from
	proofs
	tests tests
	masks *maskTable
	bars  [3]uint64 // masks of the barriers that x86's compilation mapping adds, by their spot
	plan  *viewPlan
	races *cat.Constraint
	java  *javaLike // nil if it is not like Java's models
}

// A check is a constraint and how it is decided.
type check struct {
	*cat.Constraint
	safety    cat.Safety
	atomicity bool
	how       how
	walk      *walk
	why       error  // why there is no walk
	late      string // why it is checked on complete executions
	lateAt    cat.Pos
}

// how is the way in which a constraint is decided.
type how uint8

const (
	byEngine how = iota // the engine makes no graph that violates it
	byWalk              // by a walk from the new event
	byWhole             // by cat, on the whole graph
	late                // by cat, on complete executions
	atEnd               // not a constraint on executions
)

var errStep = errors.New("a step that walks do not take")

// IsFile reports whether --model names a file.
func IsFile(name string) bool {
	return strings.HasSuffix(name, ".cat") || strings.ContainsAny(name, `/\`)
}

// Load reads a model from a file. A name without a folder that is none of a file is that of an embedded model, such as rc11.cat.
func Load(file string, opts Options) (*Model, error) {
	m, err := cat.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		name := strings.TrimSuffix(file, ".cat")
		if !slices.Contains(cat.Names(), name) {
			return nil, fmt.Errorf("%s: no such file, nor an embedded model: those are %s", file, strings.Join(cat.Names(), ", "))
		}
		return Embedded(name, opts)
	}
	if err != nil {
		return nil, err
	}
	return New(filepath.Base(file), m, opts)
}

// Embedded returns a model of the embedded library.
func Embedded(name string, opts Options) (*Model, error) {
	m, err := cat.Embedded(name)
	if err != nil {
		return nil, err
	}
	return New(name+".cat", m, opts)
}

// New compiles and analyses a model. An error is one of its text.
func New(name string, file *cat.Model, opts Options) (*Model, error) {
	prog, err := cat.Compile(file, vocabulary, cat.Options{Given: []string{"co"}, Order: syncName, Hint: foreign})
	if err != nil {
		return nil, err
	}
	m := &Model{Name: name, File: file, prog: prog, straight: prog.Straight()}
	var sets map[string]bool
	sets, m.uses = m.mentions()
	m.d = dialectOf(sets, opts.Raw)
	for _, k := range prog.Checks {
		c := &check{Constraint: k, how: atEnd, safety: prog.Safety(k)}
		if k.Mode == cat.Require {
			c.how = byWhole
		}
		m.checks = append(m.checks, c)
	}
	m.analyse()
	m.findJava()
	if m.engine == PorfEngine && !opts.Whole {
		m.planWalks()
	}
	if !m.isLate() {
		m.findRaces()
	}
	return m, nil
}

// mentions returns the sets and relations that the model looks at.
func (m *Model) mentions() (sets, rels map[string]bool) {
	sets, rels, ok := m.prog.Mentions()
	if ok && m.straight {
		return sets, rels
	}
	for _, name := range vocabulary.Sets {
		sets[name] = sets[name] || m.prog.Uses(name)
	}
	for _, name := range vocabulary.Rels {
		rels[name] = rels[name] || m.prog.Uses(name)
	}
	return sets, rels
}

// planWalks finds out which constraints can be decided by walks, and which not at all need be.
func (m *Model) planWalks() {
	if m.d.arch != nil {
		return
	}
	m.plan = m.bestPlan()
	var known []int32
	if m.plan != nil {
		known = append(known, m.plan.order)
	}
	for _, c := range m.checks {
		switch {
		case c.how != byWhole:
		case c.atomicity:
			c.how = byEngine
		case c.Kind == cat.Empty:
		case m.plan != nil && m.onlyViews(c.Constraint):
			c.how = byEngine
		case m.onlyPorf(c.Constraint), m.onlyCoherence(c.Constraint):
			c.how = byEngine
		default:
			if c.walk, c.why = m.walkOf(c.Constraint, known...); c.why == nil {
				c.how = byWalk
			}
		}
	}
	if m.masks = m.tests.table(m.prog, m.d); m.masks == nil {
		m.plan = nil
		for _, c := range m.checks {
			if c.how == byWalk || c.how == byEngine && !c.atomicity {
				c.how, c.why = byWhole, errors.New("a set depends on more than the event")
			}
		}
		return
	}
	m.bars[before+1], _ = m.tests.mask(m.prog, m.d, class{kind: added, tag: event.SFENCE})
	m.bars[behind+1], _ = m.tests.mask(m.prog, m.d, class{kind: added, tag: event.MFENCE})
	only := m.scTests()
	for _, c := range m.checks {
		if c.how == byWalk {
			c.walk.finish(only)
		}
	}
	if m.plan != nil {
		m.plan.masks = m.masks
	}
}

// onlyPorf reports whether an acyclic relation is part of (po ∪ rf)+, along which the engine adds events.
func (m *Model) onlyPorf(k *cat.Constraint) bool {
	w, err := m.walkOf(k)
	if err != nil {
		return false
	}
	for _, s := range w.auto {
		for _, e := range s.out {
			if r := e.step.rel; r == stepCo || r == stepFr {
				return false
			}
		}
	}
	return true
}

// onlyCoherence reports whether an acyclic relation is part of po & loc, rf, co and fr: the engine makes no incoherent graphs.
func (m *Model) onlyCoherence(k *cat.Constraint) bool {
	w, err := m.walkOf(k)
	if err != nil {
		return false
	}
	return w.auto.perLocation()
}

// perLocation reports whether all steps are within one location: it is about coherence only.
func (a automaton) perLocation() bool {
	for _, s := range a {
		for _, e := range s.out {
			switch r := e.step.rel; {
			case r == stepRf || r == stepCo || r == stepFr || r == stepRmw:
			case r == stepPo && e.step.filter&cat.SameLoc != 0:
			default:
				return false
			}
		}
	}
	return true
}

// scTests returns the tests that only events with mode sc pass.
func (m *Model) scTests() (only uint64) {
	for i := range m.tests.list {
		ok := true
		for k := range numKinds {
			classes(k, func(c class) {
				mask, _ := m.tests.mask(m.prog, m.d, c)
				if mask>>i&1 != 0 && (c.mode != event.SC || c.kind != read && c.kind != write && c.kind != fence) {
					ok = false
				}
			})
		}
		if ok {
			only |= 1 << i
		}
	}
	return only
}

// bestPlan returns a plan for the views of an order that the model's coherence is about.
func (m *Model) bestPlan() *viewPlan {
	orders, rest := m.prog.Orders()
	for i, order := range orders {
		plan := m.planViews(order, rest[i])
		if plan == nil || !plan.endsAtFences(m) {
			continue
		}
		if m.forbidding(incoherences(viewAny), order) != nil {
			return plan
		}
	}
	return nil
}

// onlyViews reports whether an irreflexive relation goes along the views, and then, or before, along rf, co and fr only: the
// engine makes no graph that is incoherent with respect to the views.
func (m *Model) onlyViews(k *cat.Constraint) bool {
	if k.Kind != cat.Irreflexive {
		return false
	}
	path, err := m.prog.Path(k.Node(), m.plan.order)
	if err != nil {
		return false
	}
	auto, err := m.automatonOf(path, &tests{}, false)
	return err == nil && (auto.viewThenCom() || auto.comThenView())
}

// viewThenCom reports whether all walks go along the views first, and then along rf, co and fr only.
func (a automaton) viewThenCom() bool {
	for i, s := range a {
		for _, e := range s.out {
			if e.to == 0 || (i == 0) != (e.step == viewAny) || i > 0 && !e.leaves() {
				return false
			}
		}
	}
	return true
}

// comThenView reports whether all walks go along rf, co and fr first, and along the views at their end.
func (a automaton) comThenView() bool {
	for _, s := range a {
		for _, e := range s.out {
			if e.step == viewAny && len(a[e.to].out) > 0 || e.step != viewAny && (!e.leaves() || len(a[e.to].accept) > 0) {
				return false
			}
		}
	}
	return true
}

// Explorer returns the model for package explore.
func (m *Model) Explorer() model.Model {
	if m.java != nil {
		return &java{base: base{m: m}, mu: &locks.Mutex{}}
	}
	if m.engine == PorfEngine {
		return &porf{base: base{m: m}}
	}
	return &deps{base: base{m: m}}
}

// base has what both kinds of explorers have. Each belongs to one worker.
type base struct {
	m       *Model
	x       *exec
	machine *cat.Machine
	runner  *cat.Machine // for models that are not straight: it may compile the model again
}

func (b *base) Name() string { return b.m.Name }

func (b *base) Doc() string { return b.m.File.File.Title }

// Local is false: coherence observed is not supported.
func (b *base) Local() bool { return false }

// traits returns what both kinds of explorers have in common.
func (b *base) traits() model.Traits {
	t := model.Traits{Arch: b.m.d.Name, TotalCo: true, Missing: b.m.Missing, Fork: b.m.Explorer, Races: model.Races{Own: true, ByView: b.m.races != nil}}
	if b.m.isLate() {
		t.Late = b
	}
	if slices.ContainsFunc(b.m.checks, func(c *check) bool { return c.how == atEnd && c.Constraint != b.m.races }) {
		t.Races.Flags = b.flags
	}
	return t
}

// flags reports what constraints that are none on executions have against one.
func (b *base) flags(g *graph.Graph, report func(model.Flag)) {
	if !b.m.straight {
		b.runFlags(g, report)
		return
	}
	begun := false
	for _, c := range b.m.checks {
		if c.how != atEnd || c.Constraint == b.m.races {
			continue
		}
		if !begun {
			b.begin(g)
			begun = true
		}
		if b.holds(c.Constraint) != (c.Mode == cat.Flag) {
			continue
		}
		f := model.Flag{Name: c.Title(), At: c.Pos.String()}
		if i, j := b.machine.Pair(c.Constraint); i >= 0 {
			f.A, f.B = b.x.ids[i], b.x.ids[j]
		}
		report(f)
	}
}

// whole evaluates the constraints that need it on the whole graph.
func (b *base) whole(g *graph.Graph, need func(*check) bool) bool {
	begun := false
	for _, c := range b.m.checks {
		if !c.early() || !need(c) {
			continue
		}
		if !begun {
			b.begin(g)
			begun = true
		}
		if !b.holds(c.Constraint) {
			return false
		}
	}
	return true
}

// begin makes g the execution that holds speaks of.
func (b *base) begin(g *graph.Graph) {
	if b.machine == nil {
		b.machine = b.m.prog.NewMachine()
	}
	b.machine.Begin(b.exec().read(g))
}

// exec is the execution that graphs are read into.
func (b *base) exec() *exec {
	if b.x == nil {
		b.x = newExec(b.m.d, b.m.uses)
	}
	return b.x
}

// holds evaluates a constraint that is not a late one: that can't fail.
func (b *base) holds(k *cat.Constraint) bool {
	ok, err := b.machine.Holds(k)
	if err != nil {
		panic(err)
	}
	return ok
}
