package cat

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"ravel/internal/relation"
)

// A Machine runs a program on executions, one after the other, in memory that it keeps. It is for one goroutine.
type Machine struct {
	Show  bool      // compute what show asks for
	Debug io.Writer // what debug prints goes here, unless nil
	// Stop is asked now and then, unless nil; true ends the run with the error Stopped.
	Stop func() bool

	prog  *Program
	x     *Exec
	gen   uint32            // of the execution
	gens  [Final + 1]uint32 // of each level: the execution that it last changed in
	stamp []uint32
	sets  []relation.Set
	rels  []relation.Rel
	dyns  []value

	res    Result
	yield  func(*Result) bool
	quiet  bool // Consistent: failures are not reported
	failed []*fix
	forks  int
	steps  int
	asked  int // of Stop
	depth  int
	skip   int // results that were reported before the program was compiled again
	passed int
}

// Stopped is the error of a run that Machine.Stop ended.
var Stopped = &Error{Msg: "stopped"}

// poll ends the run if Stop says so.
func (m *Machine) poll() {
	if m.Stop == nil {
		return
	}
	if m.asked++; m.asked&255 == 0 && m.Stop() {
		panic(failure{Stopped})
	}
}

// NewMachine returns a machine for p.
func (p *Program) NewMachine() *Machine {
	m := &Machine{}
	m.use(p)
	return m
}

func (m *Machine) use(p *Program) {
	m.prog = p
	m.stamp = make([]uint32, len(p.nodes))
	m.sets = make([]relation.Set, len(p.nodes))
	m.rels = make([]relation.Rel, len(p.nodes))
	m.dyns = make([]value, len(p.nodes))
}

// A Result is what the model says of one execution, for one choice of the variables of with … from.
// It is valid until the function it was given to returns.
type Result struct {
	Failed    *Constraint // the first check that does not hold; nil if the execution is consistent
	Flags     []string    // names of the flags raised
	Undefined bool        // an undefined_unless does not hold
	Shown     []Shown     // if the machine shows

	m *Machine
}

// Shown is a set or relation to show: one of Rel and Set.
type Shown struct {
	Name string
	Rel  *relation.Rel
	Set  *relation.Set
}

// OK reports whether the execution is consistent.
func (r *Result) OK() bool { return r.Failed == nil }

// Run evaluates the model on x and calls yield with each result: one for an execution without
// with … from, otherwise one for each choice, or none if there is nothing to choose from. It stops when yield
// returns false. An error, an *Error, is one of the model: it asks for what x does not have,
// has a wrong type, or exceeds a limit.
func (m *Machine) Run(x *Exec, yield func(*Result) bool) error {
	return m.RunFrom(x, Structure, yield)
}

// RunFrom is Run for an execution that is the one evaluated last except for what is chosen from a level on.
func (m *Machine) RunFrom(x *Exec, from Level, yield func(*Result) bool) error {
	m.quiet = false
	return m.start(x, from, yield)
}

// Consistent reports whether x is consistent for some choice.
func (m *Machine) Consistent(x *Exec) (bool, error) {
	m.quiet = true
	ok := false
	err := m.start(x, Structure, func(*Result) bool {
		ok = true
		return false
	})
	return ok, err
}

func (m *Machine) start(x *Exec, from Level, yield func(*Result) bool) error {
	if x.Voc != m.prog.voc {
		return &Error{Msg: "the execution has another vocabulary than the model was compiled for"}
	}
	m.skip = 0
	for {
		again, err := m.attempt(x, from, yield)
		if again == nil || err != nil {
			return err
		}
		// A variable of with is not a relation: compile again, knowing what it is.
		withs := maps.Clone(m.prog.withs)
		if withs == nil {
			withs = map[place]typ{}
		}
		withs[again.pos.place()] = again.typ
		p, err := compile(m.prog.model, m.prog.voc, m.prog.opts, withs)
		if err != nil {
			return err
		}
		m.skip = m.passed
		m.use(p)
		from = Structure
	}
}

// retype is the panic of a with whose elements have another type than was assumed.
type retype struct {
	pos Pos
	typ typ
}

// begin forgets what depends on x from a level on.
func (m *Machine) begin(x *Exec, from Level) {
	m.x = x
	m.gen++
	if m.gen == 0 {
		clear(m.stamp)
		m.gen, from = 1, Structure
	}
	for l := from; l <= Final; l++ {
		m.gens[l] = m.gen
	}
	m.failed = m.failed[:0]
	m.forks, m.steps, m.depth, m.passed = 0, 0, 0, 0
}

func (m *Machine) attempt(x *Exec, from Level, yield func(*Result) bool) (again *retype, err error) {
	m.yield = yield
	m.begin(x, from)
	m.res = Result{m: m, Flags: m.res.Flags[:0], Shown: m.res.Shown[:0]}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		case retype:
			again = &r
		default:
			panic(r)
		}
	}()
	m.run(m.prog.code, nil)
	return nil, nil
}

func (m *Machine) fail(pos Pos, format string, args ...any) {
	panic(failure{errorf(pos, format, args...)})
}

// report hands over the result; false stops the run.
func (m *Machine) report() bool {
	if m.res.Failed != nil && m.quiet {
		return true
	}
	m.passed++
	if m.passed <= m.skip {
		return true
	}
	return m.yield(&m.res)
}

// reject reports that k does not hold.
func (m *Machine) reject(k *Constraint) bool {
	m.res.Failed = k
	more := m.report()
	m.res.Failed = nil
	return more
}

// run runs code, then rest, or reports the result if rest is nil. It returns false to stop the whole run.
func (m *Machine) run(code []instr, rest func() bool) bool {
	for i, in := range code {
		switch in := in.(type) {
		case *Constraint:
			if !m.check(in) {
				return m.reject(in)
			}
		case *fix:
			m.force(in.outs[0])
			if slices.Contains(m.failed, in) {
				return m.reject(in.when)
			}
		case *showInstr:
			m.show(in)
		case *unshowInstr:
			m.res.Shown = slices.DeleteFunc(m.res.Shown, func(s Shown) bool { return slices.Contains(in.names, s.Name) })
		case *withInstr:
			return m.with(in, code[i+1:], rest)
		case *forallInstr:
			elems := m.elements(in.src, in.pos)
			after := code[i+1:]
			return m.forall(in, elems, func() bool { return m.run(after, rest) })
		case *matchInstr:
			after := code[i+1:]
			return m.run(m.choose(in), func() bool { return m.run(after, rest) })
		case *debugInstr:
			if m.Debug != nil {
				fmt.Fprintf(m.Debug, "%v: %s\n", in.pos, format(m.value(in.val)))
			}
		}
	}
	if rest != nil {
		return rest()
	}
	return m.report()
}

// check evaluates a test and notes flags; it returns false if the execution is inconsistent.
func (m *Machine) check(k *Constraint) bool {
	ok := m.holds(k)
	switch k.Mode {
	case Flag:
		if ok && k.Name != "" && !slices.Contains(m.res.Flags, k.Name) {
			m.res.Flags = append(m.res.Flags, k.Name)
		}
	case UndefinedUnless:
		m.res.Undefined = m.res.Undefined || !ok
	case Assert:
		if !ok {
			m.fail(k.Pos, "assertion %s does not hold", k.Title())
		}
	default:
		return ok
	}
	return true
}

func (m *Machine) holds(k *Constraint) bool {
	n := &m.prog.nodes[k.id]
	var ok bool
	switch {
	case n.typ == tSet:
		ok = m.set(k.id).Empty()
	case n.typ == tDyn:
		ok = isEmpty(m.dynamic(k.id))
	case k.Kind == Acyclic:
		if n.op == opPlus {
			ok = m.rel(n.a).Acyclic()
		} else {
			ok = m.rel(k.id).Acyclic()
		}
	case k.Kind == Irreflexive:
		if n.op == opPlus {
			ok = m.rel(n.a).Acyclic()
		} else {
			ok = m.rel(k.id).Irreflexive()
		}
	default:
		ok = m.rel(k.id).Empty()
	}
	return ok != k.Not
}

func (m *Machine) show(in *showInstr) {
	if !m.Show {
		return
	}
	s := Shown{Name: in.name}
	switch v := m.value(in.val).(type) {
	case *relation.Set:
		s.Set = v
	case *relation.Rel:
		s.Rel = v
	case pairVal:
		s.Rel = relation.NewRel(m.x.N, v)
	case eventVal:
		s.Set = relation.NewSet(m.x.N, int(v))
	case emptyVal:
		s.Rel = relation.NewRel(m.x.N)
	case allVal:
		s.Rel = relation.NewRel(m.x.N)
		s.Rel.All()
	default:
		return
	}
	m.res.Shown = slices.DeleteFunc(m.res.Shown, func(o Shown) bool { return o.Name == s.Name })
	m.res.Shown = append(m.res.Shown, s)
}

// elements returns the elements of a set of values.
func (m *Machine) elements(src sval, pos Pos) []value {
	switch v := m.value(src).(type) {
	case emptyVal:
		return nil
	case *valSet:
		return v.elems
	case tagVal:
		return []value{v}
	default:
		m.fail(pos, "expected a set of values, found %s", valueType(v))
	}
	return nil
}

// with runs the rest of the code once for each element.
func (m *Machine) with(in *withInstr, after []instr, rest func() bool) bool {
	flags, undefined, shown := len(m.res.Flags), m.res.Undefined, slices.Clone(m.res.Shown)
	for _, v := range m.elements(in.src, in.pos) {
		m.poll()
		if m.forks++; m.forks > m.prog.opts.MaxForks {
			m.fail(in.pos, "more than %d choices for %s", m.prog.opts.MaxForks, in.name)
		}
		m.res.Flags, m.res.Undefined = m.res.Flags[:flags], undefined
		m.res.Shown = append(m.res.Shown[:0], shown...)
		m.assign(in.phi, v, in.pos)
		if !m.run(after, rest) {
			return false
		}
	}
	return true
}

// assign gives a variable a value and forgets what depends on it.
func (m *Machine) assign(phi int32, v value, pos Pos) {
	n := &m.prog.nodes[phi]
	switch n.typ {
	case tDyn:
		m.dyns[phi] = v
	case tRel:
		switch v := v.(type) {
		case *relation.Rel:
			m.rels[phi] = *v
		case emptyVal:
			m.rels[phi] = *relation.NewRel(m.x.N)
		case *relation.Set:
			panic(retype{pos, tSet})
		default:
			panic(retype{pos, tDyn})
		}
	case tSet:
		switch v := v.(type) {
		case *relation.Set:
			m.sets[phi] = *v
		case emptyVal:
			m.sets[phi] = *relation.NewSet(m.x.N)
		default:
			panic(retype{pos, tDyn})
		}
	}
	m.mark(phi)
	m.forget(n.aux)
}

// forget marks what depends on a variable as not computed.
func (m *Machine) forget(phi int32) {
	for _, id := range m.prog.users[phi] {
		m.stamp[id] = 0
	}
}

func (m *Machine) forall(in *forallInstr, elems []value, rest func() bool) bool {
	if len(elems) == 0 {
		return rest()
	}
	m.step(in.pos, 1)
	m.assign(in.phi, elems[0], in.pos)
	return m.run(in.body, func() bool { return m.forall(in, elems[1:], rest) })
}

func (m *Machine) choose(in *matchInstr) []instr {
	tag, ok := m.value(in.src).(tagVal)
	if !ok {
		m.fail(in.pos, "match on a value that is not a tag")
	}
	if code, ok := in.clauses[tag.name]; ok {
		return code
	}
	if !in.hasDef {
		m.fail(in.pos, "no clause for '%s", tag.name)
	}
	return in.def
}

// step counts the work of the interpreter and of fixpoints.
func (m *Machine) step(pos Pos, n int) {
	m.poll()
	if m.steps += n; m.steps > m.prog.opts.MaxSteps {
		m.fail(pos, "more than %d steps", m.prog.opts.MaxSteps)
	}
}
