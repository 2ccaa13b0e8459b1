package justify

import (
	"fmt"
	"path/filepath"
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/litmus"
	"ravel/internal/memmodel"
	"ravel/internal/relation"
)

// Names that executions of Java give meaning to. crit relates a lock to its unlock, start the start of a thread
// to its first action, join the last action of a thread to the one that waits for it, deref the read of a reference to the
// accesses of the object's fields, copy the read of a reference to the writes of it.
var (
	setNames = []string{
		"R", "W", "F", "IW", "FW", "RMW", "O", "RA", "ACQ", "REL", "V", "LL", "SS",
		"Lock", "Unlock", "Start", "First", "Last", "Join", "External", "Freeze", "Final",
	}
	relNames = []string{"po", "rf", "loc", "int", "crit", "start", "join", "deref", "copy"}
	kindSets = [...][]string{
		readEvent: {"R"}, writeEvent: {"W"}, updateEvent: {"R", "W"}, fenceEvent: {"F"}, lockEvent: {"Lock"}, unlockEvent: {"Unlock"},
		startEvent: {"Start"}, joinEvent: {"Join"}, firstEvent: {"First"}, lastEvent: {"Last"}, externalEvent: {"External"}, freezeEvent: {"Freeze"},
	}
)

var vocabulary = cat.NewVocabulary(setNames, relNames)

// Dialect is what models with synchronisation actions, such as those of the JLS, are for.
func Dialect() cat.Dialect { return cat.Dialect{Vocabulary: vocabulary} }

// An execModel is a single-execution model: it says which executions are consistent, and their so, sw and hb.
type execModel struct {
	name     string
	include  string
	prog     *cat.Program // as written
	machine  *cat.Machine
	guard    *cat.Machine // makes the checks that can only get worse when more reads are given their writes
	monotone []int
	x        *cat.Exec
	multi    bool // the model defines so, sw and hb
	useFinal bool // the model asks for final writes
}

// newExecModel loads a model by its name or from a file.
func newExecModel(model string) (*execModel, error) {
	s := &execModel{name: model}
	var err error
	if catmodel.IsFile(model) {
		if _, err = cat.Load(model); err == nil {
			if s.include = model; !cat.InMemory(model) {
				s.include, err = filepath.Abs(model)
			}
		}
	} else if d, e := memmodel.For(memmodel.JMM, model); e != nil {
		err = e
	} else {
		s.name, s.include = d.Name, d.Cat+".cat"
	}
	if err != nil {
		return nil, err
	}
	if s.prog, err = s.compile(""); err != nil {
		return nil, err
	}
	s.useFinal = s.prog.Uses("FW")
	s.guard, s.monotone = s.prog.NewMachine(), s.prog.Monotone()
	p, err := s.compile("show so, sw, hb, hb-final\nempty 0 & (so | sw | hb | hb-final)")
	if err != nil {
		p, err = s.compile("show so, sw, hb\nempty 0 & (so | sw | hb)")
	}
	if s.multi = err == nil; !s.multi {
		p = s.prog
	}
	s.machine = p.NewMachine()
	s.machine.Show = s.multi
	s.x = cat.NewExec(vocabulary, 0)
	return s, nil
}

func (m *execModel) compile(show string) (*cat.Program, error) {
	model, err := cat.LoadText(m.name, fmt.Sprintf("include %q\n%s", m.include, show))
	if err != nil {
		return nil, err
	}
	return cat.Compile(model, vocabulary, cat.Options{})
}

// understands refuses a program with actions that the model says nothing about.
func (m *execModel) understands(p *program) error {
	for _, paths := range p.threads {
		for _, pt := range paths {
			for i := range pt.events {
				e := &pt.events[i]
				for _, set := range append(kindSets[e.kind], e.sets...) {
					what, matters := foreign[set]
					if !matters || e.instr == nil {
						continue
					}
					if !m.prog.Uses(set) {
						return p.errorAt(e.instr, "model %s says nothing of %s: %s", m.name, what, e.instr.Text)
					}
				}
			}
		}
	}
	return nil
}

// foreign are the sets of actions that not every model knows.
var foreign = map[string]string{
	"F": "fences (jam21 does)", "O": "opaque accesses (jam21 does)", "RA": "acquire and release accesses (jam21 does)", "V": "volatile accesses",
	"Freeze": "final fields", "Final": "final fields", "Lock": "monitors", "Start": "the start of threads", "Join": "the end of threads",
}

// prepare tells the model all of an execution but rf.
func (m *execModel) prepare(s *shape) {
	x := m.x
	x.Reset(len(s.events))
	thread := func(i int) int { return s.events[i].thread }
	for i, e := range s.events {
		for _, set := range kindSets[e.kind] {
			x.Set(set).Add(i)
		}
		for _, set := range e.sets {
			x.Set(set).Add(i)
		}
		if i < s.inits {
			x.Set("IW").Add(i)
		}
		for j, o := range s.events {
			if e.loc >= 0 && e.loc == o.loc {
				x.Rel("loc").Add(i, j)
			}
			if i >= s.inits && thread(i) == thread(j) {
				x.Rel("int").Add(i, j)
				if i < j {
					x.Rel("po").Add(i, j)
				}
				if e.kind == unlockEvent && o.kind == lockEvent && e.open >= 0 && j == s.start(i)+e.open {
					x.Rel("crit").Add(j, i)
				}
			}
			if e.reads() && thread(i) == thread(j) && i < j {
				if o.ref == e.symbol {
					x.Rel("deref").Add(i, j)
				}
				if o.writes() && copies(o.value, e.symbol) {
					x.Rel("copy").Add(i, j)
				}
			}
			if o.writes() && slices.Contains(o.sets, "Final") && e.reads() && e.loc == o.loc {
				x.Set("Final").Add(i)
			}
			if e.kind == startEvent && o.kind == firstEvent && o.thread == e.other {
				x.Rel("start").Add(i, j)
			}
			if e.kind == lastEvent && o.kind == joinEvent && o.other == e.thread {
				x.Rel("join").Add(i, j)
			}
		}
	}
}

// copies reports whether a value is just what was read.
func copies(value litmus.Expr, symbol litmus.Reg) bool {
	if u, ok := value.(*litmus.Unary); ok && u.Op == litmus.Trunc {
		value = u.X
	}
	return value == litmus.Expr(symbol)
}

// start returns the first event of the thread of an event.
func (s *shape) start(i int) int {
	at := s.inits
	for _, f := range s.first {
		if f <= i {
			at = f
		}
	}
	return at
}

// setRF tells the model what reads see, as far as it is decided.
func (m *execModel) setRF(s *shape, rf []int) {
	r := m.x.Rel("rf")
	r.Reset(len(s.events))
	s.reads.Each(func(i int) {
		if rf[i] >= 0 {
			r.Add(rf[i], i)
		}
	})
}

// hopeless reports whether no execution with this rf, or with more, is consistent.
func (m *execModel) hopeless(s *shape, rf []int) (bool, error) {
	if len(m.monotone) == 0 {
		return false, nil
	}
	m.setRF(s, rf)
	return m.guard.Violated(m.x, cat.Structure, m.monotone)
}

// graphs calls yield with each consistent execution that has this rf.
func (m *execModel) graphs(s *shape, rf []int, v *values, yield func(*graph) error) error {
	m.setRF(s, rf)
	if !m.useFinal {
		return m.run(s, rf, v, 0, yield)
	}
	return m.finals(s, 0, 0, func(final mask) error {
		fw := m.x.Set("FW")
		fw.Reset(len(s.events))
		final.Each(func(i int) { fw.Add(i) })
		return m.run(s, rf, v, final, yield)
	})
}

// finals calls yield with each choice of a last write for each place.
func (m *execModel) finals(s *shape, place int, chosen mask, yield func(mask) error) error {
	for place < len(s.prog.places) && s.prog.places[place].mon {
		place++
	}
	if place == len(s.prog.places) {
		return yield(chosen)
	}
	var ws mask
	s.writes.Each(func(i int) {
		if s.events[i].loc == place {
			ws |= bitset.One(i)
		}
	})
	if ws&(ws-1) != 0 {
		ws &^= 1<<s.inits - 1 // an initial write is last only if it is the only one
	}
	var err error
	ws.Each(func(i int) {
		if err == nil {
			err = m.finals(s, place+1, chosen|bitset.One(i), yield)
		}
	})
	return err
}

func (m *execModel) run(s *shape, rf []int, v *values, final mask, yield func(*graph) error) error {
	var err error
	failed := m.machine.Run(m.x, func(res *cat.Result) bool {
		if !res.OK() {
			return true
		}
		g := &graph{shape: s, rf: append([]int(nil), rf...), final: final, values: values{
			append([]uint64(nil), v.read...), append([]uint64(nil), v.written...), v.readOK, v.writtenOK,
		}}
		for _, shown := range res.Shown {
			rows := map[string]*[]mask{"so": &g.so, "sw": &g.sw, "hb": &g.hb, "hb-final": &g.frozen}[shown.Name]
			if rows == nil {
				continue
			}
			if shown.Rel == nil {
				err = fmt.Errorf("model %s: %s is not a relation", m.name, shown.Name)
				return false
			}
			*rows = masks(shown.Rel)
		}
		if m.multi {
			if !g.order() {
				err = fmt.Errorf("model %s: hb is not a partial order that contains po", m.name)
				return false
			}
		}
		err = yield(g)
		return err == nil && m.multi // without so, sw and hb all results are the same execution
	})
	if failed != nil {
		return failed
	}
	return err
}

func masks(r *relation.Rel) []mask {
	rows := make([]mask, r.Len())
	for i, j := range r.Pairs() {
		rows[i] |= bitset.One(j)
	}
	return rows
}

// order makes hb irreflexive and reports whether it is a partial order then, and contains po: the search
// needs it to know the values of a stage.
func (g *graph) order() bool {
	for i := range g.hb {
		g.hb[i] &^= bitset.One(i)
	}
	ok := true
	for i, row := range g.hb {
		row.Each(func(j int) {
			if g.hb[j]&^row != 0 || g.hb[j].Has(i) {
				ok = false
			}
		})
		if next := i + 1; i >= g.inits && next < len(g.events) && g.events[i].thread == g.events[next].thread && !row.Has(next) {
			ok = false
		}
	}
	return ok
}
