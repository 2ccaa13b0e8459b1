package enumerate

import (
	"slices"

	"ravel/internal/cat"
	"ravel/internal/litmus"
)

// A change is something to undo: a value or an address that became known.
type change struct {
	event int
	addr  bool
}

// choose gives the reads that are left something to read from; n have it already.
func (s *search) choose(n int) {
	s.poll()
	r := s.nextRead()
	if s.wild > 0 && (r < 0 || s.at[r] == notYet) {
		s.res.Faults++
		return
	}
	if n == len(s.reads) {
		s.complete()
		return
	}
	for w, e := range s.events {
		if e != nil && e.kind != write || s.at[w] != s.at[r] && s.at[w] != notYet && s.at[r] != notYet {
			continue
		}
		s.readFrom(r, w, func() { s.choose(n + 1) })
	}
}

// nextRead is the first read without a source, one with a known address if there is one, or -1.
func (s *search) nextRead() int {
	first := -1
	for _, r := range s.reads {
		if s.src[r] >= 0 || s.at[r] == missing {
			continue
		}
		if s.at[r] != notYet {
			return r
		}
		if first < 0 {
			first = r
		}
	}
	return first
}

// readFrom lets r read from w and goes on with next, unless that is a contradiction or the model forbids it.
func (s *search) readFrom(r, w int, next func()) {
	mark := len(s.trail)
	s.src[r] = w
	s.rf.Add(w, r)
	if s.propagate() {
		switch {
		case s.unknown > 0:
			next()
		case s.dynamic:
			s.settle()
			if !s.violated(cat.Structure) {
				next()
			}
		case s.violated(cat.ReadsFrom):
		default:
			forced := len(s.forced)
			if s.decideOwn(r, w) && (s.update[r] < 0 || s.decide(s.update[r])) {
				next()
			}
			s.unforce(forced)
		}
	}
	s.undo(mark)
	s.rf.Del(w, r)
	s.src[r] = -1
}

// propagate computes what follows from the sources chosen so far; false means a contradiction.
func (s *search) propagate() bool {
	for again := true; again; {
		again = false
		for _, r := range s.reads {
			if w := s.src[r]; w >= 0 && !s.vals[r].known && s.vals[w].known {
				s.know(r, cutTo(s.vals[w].v, s.events[r].size))
				again = true
			}
		}
		for _, w := range s.writes {
			if !s.vals[w].known {
				if v, ok := eval(s.events[w].val, s.values(w)); ok {
					s.know(w, cutTo(v, s.events[w].size))
					again = true
				}
			}
		}
		if s.unknown > 0 {
			s.resolve()
		}
	}
	if s.dynamic {
		for _, r := range s.reads {
			if w := s.src[r]; w >= 0 && s.at[r] != s.at[w] && s.at[r] != notYet && s.at[w] != notYet {
				return false
			}
		}
	}
	for t, p := range s.chosen {
		for i := range p.conds {
			c := &p.conds[i]
			v, ok := eval(c.X, s.vals[s.base[t]:])
			if !ok {
				continue
			}
			is, ok := v.Truth()
			if !ok {
				in := s.runners[t].Thread.Instrs[c.Ins]
				panic(failure{&Error{s.test.File, in.Line, in.Col, "whether this happens depends on the number of an address"}})
			}
			if is != c.Want {
				return false
			}
		}
	}
	return true
}

// resolve computes addresses.
func (s *search) resolve() {
	for i, l := range s.at {
		if l != notYet {
			continue
		}
		a, ok := eval(s.events[i].addr, s.values(i))
		if !ok {
			continue
		}
		if a.Kind == litmus.Code {
			s.noVariable(i, a)
		}
		if l = s.find(a); l == missing {
			s.wild++ // it may still turn out that this execution is none
		}
		s.at[i] = l
		s.unknown--
		s.trail = append(s.trail, change{i, true})
	}
}

func (s *search) know(e int, v litmus.Value) {
	s.vals[e] = value{v, true}
	s.trail = append(s.trail, change{e, false})
}

func (s *search) undo(mark int) {
	for _, c := range s.trail[mark:] {
		if c.addr {
			if s.at[c.event] == missing {
				s.wild--
			}
			s.at[c.event] = notYet
			s.unknown++
		} else {
			s.vals[c.event] = value{}
		}
	}
	s.trail = s.trail[:mark]
}

// complete goes on when every read has a source. Values that still are not known depend on themselves.
func (s *search) complete() {
	for _, r := range s.reads {
		if !s.vals[r].known {
			s.guess(r)
			return
		}
	}
	s.place()
}

// guess tries the constants of the test for the value of a read that depends on itself. These are all that matter
// where values are only passed on: any other value is as good as one that the test does not name. Where there is
// arithmetic on the way, there may be more solutions (Result.Open).
func (s *search) guess(r int) {
	before := s.thinAir
	if !before && !s.res.Open {
		s.res.Open = s.computes() && (s.dynamic || s.possible())
	}
	s.thinAir = true
	for _, v := range s.constants() {
		mark := len(s.trail)
		s.know(r, cutTo(v, s.events[r].size))
		if s.propagate() && s.solved() {
			switch {
			case s.wild > 0:
				s.res.Faults++
			case s.unknown > 0 || !s.dynamic:
				s.complete()
			default:
				s.settle()
				if !s.violated(cat.Structure) {
					s.complete()
				}
			}
		}
		s.undo(mark)
	}
	s.thinAir = before
}

// computes reports whether a value that is not known is more than a copy.
func (s *search) computes() bool {
	return slices.ContainsFunc(s.writes, func(w int) bool { return !s.vals[w].known && !copies(s.events[w]) })
}

// possible reports whether the model allows an execution with these sources. It sees no values, so those that are not known do not matter.
func (s *search) possible() bool {
	s.probing, s.allowed = true, false
	s.place()
	s.probing = false
	return s.allowed
}

// copies reports whether a write passes a received value on as it is, or cut to a size. The sign extension of RISC-V's loads
// is not part of what is written if it begins behind that.
func copies(w *event) bool {
	x := w.val
	for {
		u, ok := x.(*litmus.Unary)
		if !ok || u.Op != litmus.Trunc && (u.Op != litmus.SExt || u.Width < 8*w.size) {
			break
		}
		x = u.X
	}
	_, ok := x.(received)
	return ok
}

// solved reports whether reads received what their sources wrote, as far as both are known.
func (s *search) solved() bool {
	for _, r := range s.reads {
		if w := &s.vals[s.src[r]]; s.vals[r].known && w.known && s.vals[r].v != cutTo(w.v, s.events[r].size) {
			return false
		}
	}
	return true
}
