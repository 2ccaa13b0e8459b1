package brute

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"ravel/internal/event"
)

// Parse reads a program. Threads are separated by ||, statements by ;:
//
//	r=x.acq                    load
//	x=1.rel  x=r  x=r+1        store; also x=1+r, x=r*0+1, x=1+r*0
//	r=FADD(x,1).acqrel         fetch-add; XCHG(x,1): exchange; without r= the value read is dropped
//	r=CAS(x,0,1).acqrel/acq    compare-and-swap; r is the value read; without a second mode the
//	                           failure mode is the success mode without its release part; WCAS: a weak one
//	ADDUNLESS(x,0,1)           adds 1, unless x is 0; else like CAS
//	F.sc                       fence
//	r=[x+r0]  [x+r0]=1         location x, with an address that depends on register r0, whatever its
//	                           value; also in FADD([x+r0],1) and the like
//	r=[x,y:r0]  [x,y:r0]=1     location x if r0 is 0, else y; also in FADD and the like
//	F.dmb.sy  r=x.A  x=1.L     a fence or an access of an architecture, by its event.Tag
//	r=x until 1                wait for the value, or until !1 for another one; CAS(x,0,1) until: until it succeeds;
//	                           XCHG(x,1) until !1
//	START(1)  JOIN(1)          start thread 1, counting from 0, which else does not run; wait for its end
//	await{…} until all r==1, s!=r
//	                           wait for all of these, or for any of them, in rounds that don't write
//	if(r==1){…} else {…}       also if(r!=1), if(r), if(!r); the else part may be missing
//
// An access without a mode is rlx; na is written out. In l=r, r is a register if an earlier
// statement of the thread assigns it (the statement is then a store to l), else a location
// (the statement is a load). No name may be both.
func Parse(text string) (p *Prog, err error) {
	ps := &parser{toks: tokens.FindAllString(text, -1), p: &Prog{}}
	defer func() {
		if e, ok := recover().(syntaxError); ok {
			p, err = nil, fmt.Errorf("%s: before %q: %s", text, ps.rest(), string(e))
		}
	}()
	ps.program()
	return ps.p, nil
}

// MustParse is Parse for programs known to be right: it panics on an error.
func MustParse(text string) *Prog {
	p, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

var tokens = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+|==|!=|\|\||[^ \t\n]`)

type syntaxError string

type parser struct {
	toks []string
	p    *Prog
	t    *Thread
}

func (ps *parser) rest() string {
	var s string
	for _, t := range ps.toks[:min(len(ps.toks), 5)] {
		s += t
	}
	return s
}

func (ps *parser) fail(format string, args ...any) {
	panic(syntaxError(fmt.Sprintf(format, args...)))
}

func (ps *parser) peek() string {
	if len(ps.toks) == 0 {
		return ""
	}
	return ps.toks[0]
}

func (ps *parser) next() string {
	t := ps.peek()
	if t == "" {
		ps.fail("unexpected end")
	}
	ps.toks = ps.toks[1:]
	return t
}

// accept takes the next token if it is t.
func (ps *parser) accept(t string) bool {
	if ps.peek() != t {
		return false
	}
	ps.next()
	return true
}

func (ps *parser) expect(t string) {
	if !ps.accept(t) {
		ps.fail("expected %q", t)
	}
}

func (ps *parser) program() {
	for {
		ps.p.Threads = append(ps.p.Threads, Thread{})
		ps.t = &ps.p.Threads[len(ps.p.Threads)-1]
		ps.t.Body = ps.body()
		if !ps.accept("||") {
			break
		}
	}
	if ps.peek() != "" {
		ps.fail("expected a statement")
	}
	for i, t := range ps.p.Threads {
		for _, r := range t.Regs {
			if slices.Contains(ps.p.Locs, r) {
				ps.fail("%s is a location and a register of thread %d", r, i)
			}
		}
	}
}

func (ps *parser) body() []Stmt {
	var body []Stmt
	for {
		for ps.accept(";") {
		}
		if t := ps.peek(); t == "" || t == "}" || t == "||" {
			return body
		}
		body = append(body, ps.stmt())
	}
}

func (ps *parser) stmt() Stmt {
	s := Stmt{Reg: NoReg, Loc: NoLoc, Addr: NoReg, Mode: event.Rlx, Val: Const(0), Exp: Const(0)}
	if ps.peek() == "[" {
		ps.place(&s)
		ps.expect("=")
		ps.store(&s)
		return s
	}
	first := ps.next()
	switch first {
	case "F":
		s.Kind = Fence
		if ps.peek() != "." {
			ps.fail("expected the mode of the fence")
		}
		ps.mode(&s)
		return s
	case "if":
		return ps.cond()
	case "await":
		return ps.await()
	case "START", "JOIN":
		s.Kind = map[string]Kind{"START": Start, "JOIN": Join}[first]
		ps.expect("(")
		s.Thread = int(ps.number())
		ps.expect(")")
		if s.Thread < len(ps.p.Threads) {
			ps.fail("thread %d does not come after this one", s.Thread)
		}
		return s
	case "FADD", "XCHG", "CAS", "WCAS", "ADDUNLESS":
		ps.rmw(first, &s)
		return s
	}
	if !isName(first) {
		ps.fail("%q does not begin a statement", first)
	}
	ps.expect("=")
	switch right := ps.peek(); {
	case right == "FADD" || right == "XCHG" || right == "CAS" || right == "WCAS" || right == "ADDUNLESS":
		ps.next()
		ps.rmw(right, &s)
		s.Reg = ps.newReg(first)
	case right == "[" || isName(right) && ps.reg(right) == NoReg:
		s.Kind = Load
		ps.place(&s)
		ps.mode(&s)
		ps.until(&s)
		s.Reg = ps.newReg(first)
	default:
		ps.store(&s)
		s.Loc = ps.loc(first)
	}
	return s
}

// store reads the right side of a store.
func (ps *parser) store(s *Stmt) {
	s.Kind, s.Val = Store, ps.expr()
	ps.mode(s)
}

// place reads a location, x or [x+r] or [x,y:r].
func (ps *parser) place(s *Stmt) {
	if !ps.accept("[") {
		s.Loc = ps.loc(ps.next())
		return
	}
	s.Loc = ps.loc(ps.next())
	if ps.accept(",") {
		s.Other = 1 + ps.loc(ps.next())
		ps.expect(":")
	} else {
		ps.expect("+")
	}
	name := ps.next()
	if s.Addr = ps.reg(name); s.Addr == NoReg {
		ps.fail("%s is no register of this thread", name)
	}
	ps.expect("]")
}

// rmw reads the arguments and modes of the read-modify-write name.
func (ps *parser) rmw(name string, s *Stmt) {
	s.Kind = map[string]Kind{"FADD": FAdd, "XCHG": Xchg, "CAS": CAS, "WCAS": CAS, "ADDUNLESS": CAS}[name]
	s.Weak, s.Unless = name == "WCAS", name == "ADDUNLESS"
	ps.expect("(")
	ps.place(s)
	if s.Kind == CAS {
		ps.expect(",")
		s.Exp = ps.expr()
	}
	ps.expect(",")
	s.Val = ps.expr()
	ps.expect(")")
	ps.mode(s)
	if s.Kind == CAS {
		s.Fail = failMode(s.Mode)
		if ps.accept("/") {
			s.Fail = ps.modeName()
		}
	}
	ps.until(s)
}

// until reads what a read waits for, if it does.
func (ps *parser) until(s *Stmt) {
	switch {
	case !ps.accept("until"):
		return
	case s.Kind == CAS:
		s.Until = Done
		return
	case ps.accept("!"):
		s.Until = Differs
	default:
		s.Until = Equal
	}
	s.Is = ps.number()
	if s.Kind == FAdd || s.Kind == Xchg && (s.Until != Differs || s.Val != Const(s.Is)) {
		ps.fail("rounds that wait must have no effect")
	}
}

func (ps *parser) await() Stmt {
	s := Stmt{Kind: Await, Reg: NoReg, Loc: NoLoc, Addr: NoReg, Val: Const(0), Exp: Const(0)}
	register := func() int {
		name := ps.next()
		r := ps.reg(name)
		if r == NoReg {
			ps.fail("%s is no register of this thread", name)
		}
		return r
	}
	ps.expect("{")
	s.Then = ps.body()
	ps.expect("}")
	ps.expect("until")
	if s.Any = ps.accept("any"); !s.Any {
		ps.expect("all")
	}
	for again := true; again; again = ps.accept(",") {
		t := Test{Reg: register(), Other: NoReg}
		if t.Not = ps.accept("!="); !t.Not {
			ps.expect("==")
		}
		if isName(ps.peek()) {
			t.Other = register()
		} else {
			t.Is = ps.number()
		}
		s.Tests = append(s.Tests, t)
	}
	return s
}

func (ps *parser) cond() Stmt {
	s := Stmt{Kind: If, Loc: NoLoc, Addr: NoReg, Val: Const(0), Exp: Const(0)}
	ps.expect("(")
	equal := ps.accept("!") // if(!r) is if(r==0), if(r) is if(r!=0)
	name := ps.next()
	if s.Reg = ps.reg(name); s.Reg == NoReg {
		ps.fail("%s is no register of this thread", name)
	}
	if !equal && (ps.peek() == "==" || ps.peek() == "!=") {
		equal = ps.next() == "=="
		s.Is = ps.number()
	}
	ps.expect(")")
	ps.expect("{")
	s.Then = ps.body()
	ps.expect("}")
	if ps.accept("else") {
		ps.expect("{")
		s.Else = ps.body()
		ps.expect("}")
	}
	if !equal {
		s.Then, s.Else = s.Else, s.Then
	}
	return s
}

// expr reads a sum of constants and at most one register, which may be multiplied by 0.
func (ps *parser) expr() Expr {
	e := Const(0)
	for {
		if isName(ps.peek()) {
			name := ps.next()
			if e.Reg != NoReg {
				ps.fail("two registers in an expression")
			}
			if e.Reg = ps.reg(name); e.Reg == NoReg {
				ps.fail("%s is no register of this thread", name)
			}
			if ps.accept("*") {
				ps.expect("0")
				e.Zero = true
			}
		} else {
			e.Const += ps.number()
		}
		if !ps.accept("+") {
			return e
		}
	}
}

func (ps *parser) number() uint32 {
	t := ps.next()
	n, err := strconv.ParseUint(t, 10, 32)
	if err != nil {
		ps.fail("%q is no number", t)
	}
	return uint32(n)
}

// mode reads the mode or the tag of an access or a fence, if there is one.
func (ps *parser) mode(s *Stmt) {
	if !ps.accept(".") {
		return
	}
	for tag := event.Plain; int(tag) < event.NumTags; tag++ {
		if (s.Kind == Fence) == tag.IsFence() && ps.acceptAll(tokens.FindAllString(tag.String(), -1)) {
			s.Tag = tag
			return
		}
	}
	s.Mode = ps.modeName()
}

// acceptAll takes the next tokens if they are ts.
func (ps *parser) acceptAll(ts []string) bool {
	n := len(ts)
	if len(ps.toks) < n || !slices.Equal(ps.toks[:n], ts) {
		return false
	}
	ps.toks = ps.toks[n:]
	return true
}

func (ps *parser) modeName() event.Mode {
	t := ps.next()
	for m := event.NA; m <= event.SC; m++ {
		if m.String() == t {
			return m
		}
	}
	ps.fail("%q is no mode", t)
	return 0
}

func (ps *parser) reg(name string) int { return slices.Index(ps.t.Regs, name) }

func (ps *parser) newReg(name string) int {
	if r := ps.reg(name); r != NoReg {
		return r
	}
	ps.t.Regs = append(ps.t.Regs, name)
	return len(ps.t.Regs) - 1
}

func (ps *parser) loc(name string) int {
	if !isName(name) {
		ps.fail("%q is no location", name)
	}
	if i := slices.Index(ps.p.Locs, name); i >= 0 {
		return i
	}
	ps.p.Locs = append(ps.p.Locs, name)
	return len(ps.p.Locs) - 1
}

func isName(t string) bool {
	return t != "" && (t[0] == '_' || 'a' <= t[0]|0x20 && t[0]|0x20 <= 'z')
}
