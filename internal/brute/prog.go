package brute

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/event"
)

// A Prog is a program: its threads all run at once, except for those that others start; its locations start as 0.
type Prog struct {
	Locs    []string
	Threads []Thread
	Assumes bool // threads do not wait: an execution in which one reads something else does not count. The complete ones are the same
}

// A Thread has registers, which start as 0, and statements.
type Thread struct {
	Regs []string
	Body []Stmt
}

// A Stmt is one statement; its Kind says which fields it uses.
type Stmt struct {
	Kind   Kind
	Reg    int        // Load, FAdd, Xchg, CAS: what receives the value read, or NoReg; If: what is tested
	Loc    int        // index into Prog.Locs
	Addr   int        // an access: the register that its address is computed with, or NoReg
	Other  int        // an access: 0 if it is always to Loc; else one more than the location that it is to unless Addr is 0
	Mode   event.Mode // of the access or the fence; CAS: if it succeeds
	Fail   event.Mode // CAS: of the read if it fails
	Tag    event.Tag  // the instruction of an architecture; Mode is then rlx
	Val    Expr       // Store, Xchg, CAS: what is written; FAdd: what is added
	Exp    Expr       // CAS: the expected value
	Weak   bool       // CAS: it may fail though it reads the expected value
	Unless bool       // CAS: it succeeds if it reads another value than the expected one, and adds Val to that
	Until  Until      // Load, Xchg, CAS: it is repeated until this holds
	Is     uint32     // If: Reg == Is chooses Then; Until: the value
	Thread int        // Start, Join: index into Prog.Threads, above that of the thread it is in
	Then   []Stmt
	Else   []Stmt
	Tests  []Test // Await: what the thread waits for
	Any    bool   // Await: one of the tests is enough
}

// A Test compares a register with a number, or with another register.
type Test struct {
	Reg, Other int // Other: a register, or NoReg
	Is         uint32
	Not        bool // they have to differ
}

// A Kind is the kind of a statement.
type Kind uint8

const (
	Load Kind = iota
	Store
	FAdd
	Xchg
	CAS
	Fence
	If
	Loop  // Then, until Reg == Is, or, if that is NoReg, until the CAS that it ends with succeeds
	Await // Then, which writes nothing, until the tests hold. The registers that it assigns start as 0 in each round. The rounds before have no effect and are not events
	Start // a thread, which nothing else starts
	Join  // a thread that was started before in the same body
)

// Until says what the thread waits for at a read. It repeats the statement until then. The rounds before have no effect and are not events, so
// an exchange may wait for other values than the one it writes, and a CAS until it succeeds. An execution in which a thread waits for ever is not
// one of those that Enumerate returns.
type Until uint8

const (
	Always  Until = iota // no wait
	Equal                // the value is Is
	Differs              // it is not
	Done                 // CAS: it has succeeded
)

// NoReg is an absent register.
const NoReg = -1

// An Expr is Reg + Const, or Reg*0 + Const if Zero, or Const if Reg is NoReg.
// Reg*0 depends on the register without using its value.
type Expr struct {
	Reg   int
	Zero  bool
	Const uint32
}

// Const returns the expression c.
func Const(c uint32) Expr { return Expr{Reg: NoReg, Const: c} }

func (e Expr) eval(regs []uint32) uint32 {
	if e.Reg == NoReg || e.Zero {
		return e.Const
	}
	return regs[e.Reg] + e.Const
}

// deps returns the reads that e depends on, given those of the registers.
func (e Expr) deps(regs []Deps) Deps {
	if e.Reg == NoReg {
		return 0
	}
	return regs[e.Reg]
}

// run runs the thread with the values that its reads receive, in this order. If they do not
// suffice, need is the location of the first read without a value; otherwise it is NoLoc.
func (t *Thread) run(vals []uint32) (evs []Event, need int) {
	r := t.runner(vals)
	return r.evs, r.need
}

// runner returns the state after run.
func (t *Thread) runner(vals []uint32) *runner {
	r := &runner{vals: vals, regs: make([]uint32, len(t.Regs)), deps: make([]Deps, len(t.Regs)), need: NoLoc}
	r.body(t.Body)
	return r
}

type runner struct {
	vals []uint32 // not yet received
	regs []uint32
	deps []Deps // of each register
	ctrl Deps   // of everything that follows: what the branches so far depend on
	open Deps   // what those branches depend on in whose arms it is
	evs  []Event
	need int

	succeeded bool // the last CAS
}

// maxRounds is how often a Loop goes round; executions in which one goes on are left out.
const maxRounds = 2

// body reports whether the statements ran to their end.
func (r *runner) body(body []Stmt) bool {
	for i := range body {
		s := &body[i]
		switch s.Kind {
		case Store:
			r.add(s, Event{Kind: W, Val: s.Val.eval(r.regs), Mode: s.Mode, Data: s.Val.deps(r.deps)})
		case Fence:
			r.add(s, Event{Kind: F, Mode: s.Mode})
		case Start:
			r.add(s, Event{Kind: S, Other: s.Thread})
		case Join:
			r.add(s, Event{Kind: J, Other: s.Thread})
		case Loop:
			for round := 0; ; round++ {
				if round == maxRounds {
					r.need = impossible
					return false
				}
				if !r.body(s.Then) {
					return false
				}
				if s.Reg == NoReg && r.succeeded {
					break
				}
				if s.Reg != NoReg {
					r.ctrl |= r.deps[s.Reg]
					if r.regs[s.Reg] == s.Is {
						break
					}
				}
			}
		case Await:
			for _, reg := range assigned(s.Then) {
				r.regs[reg], r.deps[reg] = 0, 0
			}
			if !r.body(s.Then) {
				return false
			}
			if !r.holds(s) {
				r.need = impossible
				return false
			}
		case If:
			r.ctrl |= r.deps[s.Reg]
			branch := s.Else
			if r.regs[s.Reg] == s.Is {
				branch = s.Then
			}
			outer := r.open
			r.open |= r.deps[s.Reg]
			if !r.body(branch) {
				return false
			}
			r.open = outer
		default:
			if len(r.vals) == 0 {
				r.need = r.loc(s)
				return false
			}
			if !r.read(s, r.vals[0]) {
				r.need = impossible
				return false
			}
			r.vals = r.vals[1:]
		}
	}
	return true
}

// assigned returns the registers that the statements assign.
func assigned(body []Stmt) (regs []int) {
	for _, s := range body {
		if s.Kind <= CAS && s.Kind != Store && s.Reg != NoReg {
			regs = append(regs, s.Reg)
		}
		regs = append(append(regs, assigned(s.Then)...), assigned(s.Else)...)
	}
	return regs
}

// holds reports whether the thread goes on after a round of the Await s.
func (r *runner) holds(s *Stmt) bool {
	all, some := true, false
	for _, t := range s.Tests {
		v := t.Is
		r.ctrl |= r.deps[t.Reg]
		if t.Other != NoReg {
			v = r.regs[t.Other]
			r.ctrl |= r.deps[t.Other]
		}
		ok := (r.regs[t.Reg] == v) != t.Not
		all, some = all && ok, some || ok
	}
	return all || s.Any && some
}

// add adds an event of s, with what s says of it, and returns its index.
func (r *runner) add(s *Stmt, e Event) int {
	e.Loc, e.Tag, e.Ctrl, e.Open = r.loc(s), s.Tag, r.ctrl, e.Open|r.open
	if e.Kind <= W && s.Addr != NoReg {
		e.Addr = r.deps[s.Addr]
	}
	r.evs = append(r.evs, e)
	return len(r.evs) - 1
}

// loc returns the location that s accesses.
func (r *runner) loc(s *Stmt) int {
	if s.Other > 0 && r.regs[s.Addr] != 0 {
		return s.Other - 1
	}
	return s.Loc
}

// spuriously, added to a value that a read receives, makes a weak CAS fail that reads what it expects.
const spuriously = 1 << 31

// impossible is what run needs if a read can't receive its value in that way.
const impossible = -2

// read performs a load or a read-modify-write that reads v. It returns false if it can't fail spuriously, but should, and if it
// waits for another value.
func (r *runner) read(s *Stmt, v uint32) bool {
	spurious := v&spuriously != 0
	v &^= spuriously
	mode, fails := s.Mode, s.Kind == CAS && (spurious || (v == s.Exp.eval(r.regs)) == s.Unless)
	if s.Until == Equal && v != s.Is || s.Until == Differs && v == s.Is || s.Until == Done && fails {
		return false
	}
	if spurious && !(s.Kind == CAS && s.Weak && v == s.Exp.eval(r.regs)) {
		return false
	}
	if fails {
		mode = s.Fail
	}
	e := Event{Kind: R, Val: v, Mode: mode, Locked: s.Kind != Load, Failed: spurious}
	if s.Kind == CAS {
		r.succeeded = !fails
		e.Cas = s.Exp.deps(r.deps)
	}
	self := Deps(1) << r.add(s, e)
	if s.Kind == CAS {
		r.ctrl |= self | e.Cas // it branches on the comparison
	}
	if s.Until != Always {
		r.ctrl |= self
	}
	if s.Kind != Load && !fails {
		w := Event{Kind: W, Val: s.Val.eval(r.regs), Mode: mode, Locked: true, Data: s.Val.deps(r.deps)}
		switch s.Kind {
		case FAdd:
			w.Val += v
			w.Data |= self
		case CAS:
			w.Open = self | e.Cas
			if s.Unless {
				w.Val += v
				w.Data |= self
			}
		}
		r.add(s, w)
	}
	if s.Reg != NoReg {
		r.regs[s.Reg], r.deps[s.Reg] = v, self
	}
	return true
}

// String prints the program in the form that Parse reads.
func (p *Prog) String() string {
	var b strings.Builder
	for i := range p.Threads {
		if i > 0 {
			b.WriteString(" || ")
		}
		p.print(&b, &p.Threads[i], p.Threads[i].Body)
	}
	return b.String()
}

func (p *Prog) print(b *strings.Builder, t *Thread, body []Stmt) {
	expr := func(e Expr) string {
		switch {
		case e.Reg == NoReg:
			return fmt.Sprint(e.Const)
		case e.Zero:
			return fmt.Sprintf("%s*0+%d", t.Regs[e.Reg], e.Const)
		case e.Const == 0:
			return t.Regs[e.Reg]
		}
		return fmt.Sprintf("%s+%d", t.Regs[e.Reg], e.Const)
	}
	mode := func(s Stmt) string {
		switch {
		case s.Tag != event.NoTag:
			return "." + s.Tag.String()
		case s.Mode == event.Rlx:
			return ""
		}
		return "." + s.Mode.String()
	}
	for i, s := range body {
		if i > 0 {
			b.WriteString("; ")
		}
		loc := ""
		if s.Loc != NoLoc {
			loc = p.Locs[s.Loc]
			switch {
			case s.Other > 0:
				loc = fmt.Sprintf("[%s,%s:%s]", loc, p.Locs[s.Other-1], t.Regs[s.Addr])
			case s.Addr != NoReg:
				loc = fmt.Sprintf("[%s+%s]", loc, t.Regs[s.Addr])
			}
		}
		if s.Reg != NoReg && s.Kind != If && s.Kind != Loop && s.Kind != Await {
			fmt.Fprintf(b, "%s=", t.Regs[s.Reg])
		}
		switch s.Kind {
		case Load:
			fmt.Fprintf(b, "%s%s", loc, mode(s))
		case Store:
			fmt.Fprintf(b, "%s=%s%s", loc, expr(s.Val), mode(s))
		case FAdd:
			fmt.Fprintf(b, "FADD(%s,%s)%s", loc, expr(s.Val), mode(s))
		case Xchg:
			fmt.Fprintf(b, "XCHG(%s,%s)%s", loc, expr(s.Val), mode(s))
		case CAS:
			name := "CAS"
			switch {
			case s.Unless:
				name = "ADDUNLESS"
			case s.Weak:
				name = "WCAS"
			}
			fmt.Fprintf(b, "%s(%s,%s,%s)", name, loc, expr(s.Exp), expr(s.Val))
			if s.Fail != failMode(s.Mode) {
				fmt.Fprintf(b, ".%v/%v", s.Mode, s.Fail)
			} else {
				b.WriteString(mode(s))
			}
		case Fence:
			if s.Tag != event.NoTag {
				fmt.Fprintf(b, "F.%v", s.Tag)
			} else {
				fmt.Fprintf(b, "F.%v", s.Mode)
			}
		case Start:
			fmt.Fprintf(b, "START(%d)", s.Thread)
		case Join:
			fmt.Fprintf(b, "JOIN(%d)", s.Thread)
		case Loop:
			b.WriteString("loop{")
			p.print(b, t, s.Then)
			b.WriteString("}")
			if s.Reg != NoReg {
				fmt.Fprintf(b, " until %s==%d", t.Regs[s.Reg], s.Is)
			}
		case Await:
			b.WriteString("await{")
			p.print(b, t, s.Then)
			b.WriteString("} until ")
			if s.Any {
				b.WriteString("any ")
			} else {
				b.WriteString("all ")
			}
			for k, test := range s.Tests {
				if k > 0 {
					b.WriteString(", ")
				}
				is, right := "==", fmt.Sprint(test.Is)
				if test.Not {
					is = "!="
				}
				if test.Other != NoReg {
					right = t.Regs[test.Other]
				}
				fmt.Fprint(b, t.Regs[test.Reg], is, right)
			}
		case If:
			fmt.Fprintf(b, "if(%s==%d){", t.Regs[s.Reg], s.Is)
			p.print(b, t, s.Then)
			b.WriteString("}")
			if len(s.Else) > 0 {
				b.WriteString(" else {")
				p.print(b, t, s.Else)
				b.WriteString("}")
			}
		}
		switch s.Until {
		case Equal:
			fmt.Fprintf(b, " until %d", s.Is)
		case Differs:
			fmt.Fprintf(b, " until !%d", s.Is)
		case Done:
			b.WriteString(" until")
		}
	}
}

// Child reports whether another thread starts thread t.
func (p *Prog) Child(t int) bool {
	var starts func(body []Stmt) bool
	starts = func(body []Stmt) bool {
		return slices.ContainsFunc(body, func(s Stmt) bool {
			return s.Kind == Start && s.Thread == t || starts(s.Then) || starts(s.Else)
		})
	}
	return slices.ContainsFunc(p.Threads, func(t Thread) bool { return starts(t.Body) })
}

// Starts returns the threads that t starts, in this order, if its reads receive these values.
func (t *Thread) Starts(vals []uint32) []int {
	evs, _ := t.run(vals)
	var out []int
	for _, e := range evs {
		if e.Kind == S {
			out = append(out, e.Other)
		}
	}
	return out
}

// Outcome returns the values that registers and locations have in the end, "" if a Loop goes round too often.
func (x *Execution) Outcome() string {
	var b strings.Builder
	for t, evs := range x.Threads {
		var vals []uint32
		for _, e := range evs {
			if e.Kind == R && e.Failed {
				vals = append(vals, e.Val|spuriously)
			} else if e.Kind == R {
				vals = append(vals, e.Val)
			}
		}
		r := x.Prog.Threads[t].runner(vals)
		if r.need != NoLoc {
			return ""
		}
		fmt.Fprint(&b, r.regs, " ")
	}
	for l, ws := range x.Co {
		v := uint32(0)
		if n := len(ws); n > 0 {
			v = x.Threads[ws[n-1].Thread][ws[n-1].Index].Val
		}
		fmt.Fprintf(&b, "%s=%d ", x.Prog.Locs[l], v)
	}
	return b.String()
}

// failMode is the failure mode of a CAS that names none: what C11 derives from success.
func failMode(success event.Mode) event.Mode {
	switch success {
	case event.AcqRel:
		return event.Acq
	case event.Rel:
		return event.Rlx
	}
	return success
}
