package brute

import (
	"fmt"
	"strings"

	"ravel/internal/event"
)

// A Prog is a program: its threads all run at once, its locations start as 0.
type Prog struct {
	Locs    []string
	Threads []Thread
}

// A Thread has registers, which start as 0, and statements.
type Thread struct {
	Regs []string
	Body []Stmt
}

// A Stmt is one statement; its Kind says which fields it uses.
type Stmt struct {
	Kind Kind
	Reg  int        // Load, FAdd, Xchg, CAS: what receives the value read, or NoReg; If: what is tested
	Loc  int        // index into Prog.Locs
	Mode event.Mode // of the access or the fence; CAS: if it succeeds
	Fail event.Mode // CAS: of the read if it fails
	Val  Expr       // Store, Xchg, CAS: what is written; FAdd: what is added
	Exp  Expr       // CAS: the expected value
	Is   uint32     // If: Reg == Is chooses Then
	Then []Stmt
	Else []Stmt
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

// run runs the thread with the values that its reads receive, in this order. If they do not
// suffice, need is the location of the first read without a value; otherwise it is NoLoc.
func (t *Thread) run(vals []uint32) (evs []Event, need int) {
	r := runner{vals: vals, regs: make([]uint32, len(t.Regs)), need: NoLoc}
	r.body(t.Body)
	return r.evs, r.need
}

type runner struct {
	vals []uint32 // not yet received
	regs []uint32
	evs  []Event
	need int
}

// body reports whether the statements ran to their end.
func (r *runner) body(body []Stmt) bool {
	for i := range body {
		s := &body[i]
		switch s.Kind {
		case Store:
			r.evs = append(r.evs, Event{Kind: W, Loc: s.Loc, Val: s.Val.eval(r.regs), Mode: s.Mode})
		case Fence:
			r.evs = append(r.evs, Event{Kind: F, Loc: NoLoc, Mode: s.Mode})
		case If:
			branch := s.Else
			if r.regs[s.Reg] == s.Is {
				branch = s.Then
			}
			if !r.body(branch) {
				return false
			}
		default:
			if len(r.vals) == 0 {
				r.need = s.Loc
				return false
			}
			r.read(s, r.vals[0])
			r.vals = r.vals[1:]
		}
	}
	return true
}

// read performs a load or a read-modify-write that reads v.
func (r *runner) read(s *Stmt, v uint32) {
	mode, fails := s.Mode, s.Kind == CAS && v != s.Exp.eval(r.regs)
	if fails {
		mode = s.Fail
	}
	r.evs = append(r.evs, Event{Kind: R, Loc: s.Loc, Val: v, Mode: mode, Locked: s.Kind != Load})
	if s.Kind != Load && !fails {
		w := s.Val.eval(r.regs)
		if s.Kind == FAdd {
			w += v
		}
		r.evs = append(r.evs, Event{Kind: W, Loc: s.Loc, Val: w, Mode: mode, Locked: true})
	}
	if s.Reg != NoReg {
		r.regs[s.Reg] = v
	}
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
	mode := func(m event.Mode) string {
		if m == event.Rlx {
			return ""
		}
		return "." + m.String()
	}
	for i, s := range body {
		if i > 0 {
			b.WriteString("; ")
		}
		if s.Reg != NoReg && s.Kind != If {
			fmt.Fprintf(b, "%s=", t.Regs[s.Reg])
		}
		switch s.Kind {
		case Load:
			fmt.Fprintf(b, "%s%s", p.Locs[s.Loc], mode(s.Mode))
		case Store:
			fmt.Fprintf(b, "%s=%s%s", p.Locs[s.Loc], expr(s.Val), mode(s.Mode))
		case FAdd:
			fmt.Fprintf(b, "FADD(%s,%s)%s", p.Locs[s.Loc], expr(s.Val), mode(s.Mode))
		case Xchg:
			fmt.Fprintf(b, "XCHG(%s,%s)%s", p.Locs[s.Loc], expr(s.Val), mode(s.Mode))
		case CAS:
			fmt.Fprintf(b, "CAS(%s,%s,%s)", p.Locs[s.Loc], expr(s.Exp), expr(s.Val))
			if s.Fail != failMode(s.Mode) {
				fmt.Fprintf(b, ".%v/%v", s.Mode, s.Fail)
			} else {
				b.WriteString(mode(s.Mode))
			}
		case Fence:
			fmt.Fprintf(b, "F.%v", s.Mode)
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
	}
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
