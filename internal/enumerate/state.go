package enumerate

import (
	"cmp"
	varint "encoding/binary"
	"slices"

	"ravel/internal/cat"
	"ravel/internal/litmus"
)

// An observation collects final states.
type observation struct {
	locs   []litmus.Loc // all that the condition, the filter and the locations name, arrays by element
	shown  int          // so many of them make a state
	thread []int        // index of the thread of each, -1 for memory
	types  []litmus.Type
	key    []byte
	values []litmus.Value
	seen   map[string]*outcome
}

type outcome struct {
	values             []litmus.Value
	positive, filtered bool
	count              int
}

// observe finds out what a final state is.
func (s *search) observe() {
	o := &s.observed
	o.seen = map[string]*outcome{}
	for _, l := range s.test.Observed() {
		o.add(s.test, l)
	}
	o.shown = len(o.locs)
	s.res.Locs, s.res.Types = o.locs[:o.shown:o.shown], o.types[:o.shown:o.shown]
	if s.test.Filter != nil {
		for _, l := range s.test.Filter.Locs() {
			o.add(s.test, l)
		}
	}
}

func (o *observation) add(t *litmus.Test, l litmus.Loc) {
	if l.Thread < 0 {
		if v := t.Var(l.Var); l.Index < 0 && v.Array {
			for i := range v.Init {
				l.Index = i
				o.add(t, l)
			}
			return
		}
		if l.Index < 0 {
			l.Index = 0
		}
	}
	if slices.Contains(o.locs, l) {
		return
	}
	o.locs = append(o.locs, l)
	thread := -1
	var typ litmus.Type
	if l.Thread < 0 {
		typ = t.Var(l.Var).Type
	} else {
		thread = slices.IndexFunc(t.Threads, func(th *litmus.Thread) bool { return th.ID == l.Thread })
		typ = t.Threads[thread].Types[l.Reg]
		for _, item := range t.Locations {
			if item.Loc == l && item.Type.Name != "" {
				typ = item.Type
			}
		}
	}
	o.thread, o.types = append(o.thread, thread), append(o.types, typ)
}

// names reports whether a variable is observed.
func (o *observation) names(name string) bool {
	return slices.ContainsFunc(o.locs[:o.shown], func(l litmus.Loc) bool { return l.Thread < 0 && l.Var == name })
}

// final returns the value of an observed location at the end of the current execution.
func (s *search) final(i int) litmus.Value {
	o := &s.observed
	l := o.locs[i]
	if t := o.thread[i]; t >= 0 {
		r := s.runners[t]
		reg, ok := r.regs[l.Reg]
		if !ok {
			return registerInit(r.Thread, l.Reg)
		}
		v, _ := eval(s.chosen[t].regs[reg], s.vals[s.base[t]:])
		return cutToType(v, o.types[i])
	}
	return cutToType(s.elementValue(l.Var, l.Index), o.types[i])
}

func registerInit(th *litmus.Thread, r litmus.Reg) litmus.Value {
	for _, i := range th.Init {
		if i.Reg == r {
			return i.Value
		}
	}
	return litmus.Value{}
}

func cutToType(v litmus.Value, t litmus.Type) litmus.Value {
	if t.Size == 0 {
		return v
	}
	return cutTo(v, t.Size)
}

// count adds what the model says of the current execution, and of weight-1 others like it, to the result.
func (s *search) count(r *cat.Result, weight int) {
	if s.probing {
		s.allowed = s.allowed || r.OK()
		return
	}
	if !r.OK() {
		if s.opts.OnRejected != nil && !s.opts.OnRejected(s.execution(r)) {
			panic(failure{errStop})
		}
		return
	}
	out := s.outcome()
	if out.filtered {
		return
	}
	out.count += weight
	if out.positive {
		s.res.Positive += weight
	} else {
		s.res.Negative += weight
	}
	if s.thinAir {
		s.res.ThinAir += weight
	}
	for _, f := range r.Flags {
		s.res.Flags = sortedInsert(s.res.Flags, f)
	}
	s.res.Undefined = s.res.Undefined || r.Undefined
	if s.opts.OnExecution != nil && !s.opts.OnExecution(s.execution(r)) {
		panic(failure{errStop})
	}
}

// outcome returns the entry of the current final state.
func (s *search) outcome() *outcome {
	o := &s.observed
	o.values, o.key = o.values[:0], o.key[:0]
	for i := range o.locs {
		v := s.final(i)
		o.values = append(o.values, v)
		o.key = append(o.key, byte(v.Kind))
		o.key = varint.AppendUvarint(o.key, v.Int)
		o.key = append(append(o.key, v.Sym...), 0)
	}
	if out := o.seen[string(o.key)]; out != nil {
		return out
	}
	get := func(l litmus.Loc) litmus.Value {
		if l.Thread < 0 && l.Index < 0 {
			l.Index = 0
		}
		return o.values[slices.Index(o.locs, l)]
	}
	out := &outcome{values: slices.Clone(o.values), positive: s.test.Cond.Prop.Eval(get)}
	out.filtered = s.test.Filter != nil && !s.test.Filter.Eval(get)
	o.seen[string(o.key)] = out
	return out
}

// states puts the final states in the result, sorted by their values. Outcomes that only differ in what the filter
// looks at are one state.
func (s *search) states() {
	all := make([]*outcome, 0, len(s.observed.seen))
	for _, out := range s.observed.seen {
		if out.count > 0 {
			out.values = out.values[:s.observed.shown]
			all = append(all, out)
		}
	}
	slices.SortFunc(all, func(a, b *outcome) int { return slices.CompareFunc(a.values, b.values, compareValues) })
	for _, out := range all {
		if n := len(s.res.States); n == 0 || !slices.Equal(s.res.States[n-1].Values, out.values) {
			s.res.States = append(s.res.States, State{Values: out.values, Positive: out.positive})
		}
		s.res.States[len(s.res.States)-1].Executions += out.count
	}
}

func compareValues(a, b litmus.Value) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Sym, b.Sym), cmp.Compare(a.Int, b.Int))
}
