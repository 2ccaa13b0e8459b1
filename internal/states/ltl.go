package states

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A formula of linear temporal logic, in negation normal form once it is used. Formulas are interned: equal ones are the same number.
type formula struct {
	op   ltlOp
	l, r int // subformulas
	atom int
}

type ltlOp uint8

const (
	ltlTrue ltlOp = iota
	ltlFalse
	ltlAtom
	ltlNotAtom
	ltlAnd
	ltlOr
	ltlNext
	ltlUntil
	ltlRelease
	ltlNot // until nnf
)

// An atom compares a variable with a number, or asks where a thread is.
type atom struct {
	name   string // of the variable, as the program has it: x, flag[1], q.head
	op     string // == != < <= > >=; "" is != 0
	num    int64
	thread int // of T1@23, T1@f and T1@end
	line   int // -1: end
	fn     string
	at     int // its place in the text
}

// An ltl is a parsed formula.
type ltl struct {
	text  string
	list  []formula
	index map[formula]int
	atoms []atom

	toks []string
	ats  []int // their places in the text
	root int
}

// fail returns an error that shows a place of the formula.
func (p *ltl) fail(at int, format string, args ...any) error {
	return fmt.Errorf("formula: %s\n    %s\n    %s^", fmt.Sprintf(format, args...), p.text, strings.Repeat(" ", at))
}

// here is fail at the next token.
func (p *ltl) here(format string, args ...any) error {
	return p.fail(p.ats[0], format, args...)
}

// parseLTL parses a formula:
//
//	x == 1, flag[0] != 0, x, T1@23 (thread 1 is at line 23), T1@f (in the function f), T1@end
//	! && || -> <-> X G F U R W, and [] <> for G and F
func parseLTL(text string) (*ltl, error) {
	p := &ltl{text: strings.Join(strings.Fields(text), " "), index: map[formula]int{}}
	if err := p.scan(p.text); err != nil {
		return nil, err
	}
	root, err := p.iff()
	if err == nil && len(p.toks) > 0 {
		err = p.here("what is %q here?", p.toks[0])
	}
	if err != nil {
		return nil, err
	}
	p.root = root
	return p, nil
}

func (p *ltl) scan(s string) error {
	isName := func(c byte) bool {
		return c == '_' || c == '.' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for len(s) > 0 {
		if s[0] == ' ' {
			s = s[1:]
			continue
		}
		at, n := len(p.text)-len(s), 0
		for _, t := range []string{"<->", "->", "&&", "||", "[]", "<>", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "-"} {
			if strings.HasPrefix(s, t) {
				n = len(t)
				break
			}
		}
		if n == 0 {
			for n < len(s) && isName(s[n]) {
				n++
			}
			for n > 0 && n < len(s) && s[n] == '[' && n+1 < len(s) && s[n+1] != ']' { // an index
				end := strings.IndexByte(s[n:], ']')
				if end < 0 {
					return p.fail(at+n, "[ without ]")
				}
				for n += end + 1; n < len(s) && isName(s[n]); n++ {
				}
			}
		}
		if n == 0 {
			r, _ := utf8.DecodeRuneInString(s)
			return p.fail(utf8.RuneCountInString(p.text[:at]), "what is %q? There are ! && || -> <-> X G F U R W and ( )", r)
		}
		p.toks = append(p.toks, s[:n])
		p.ats = append(p.ats, at)
		s = s[n:]
	}
	p.ats = append(p.ats, len(p.text))
	return nil
}

func (p *ltl) peek() string {
	if len(p.toks) > 0 {
		return p.toks[0]
	}
	return ""
}

func (p *ltl) take(t string) bool {
	if p.peek() != t {
		return false
	}
	p.skip()
	return true
}

func (p *ltl) skip() { p.toks, p.ats = p.toks[1:], p.ats[1:] }

func (p *ltl) make(op ltlOp, l, r int) int { return p.intern(formula{op: op, l: l, r: r}) }

func (p *ltl) intern(f formula) int {
	if i, ok := p.index[f]; ok {
		return i
	}
	p.list = append(p.list, f)
	p.index[f] = len(p.list) - 1
	return len(p.list) - 1
}

func (p *ltl) not(f int) int { return p.make(ltlNot, f, 0) }

func (p *ltl) iff() (int, error) {
	l, err := p.implies()
	for err == nil && p.take("<->") {
		var r int
		r, err = p.implies()
		l = p.make(ltlAnd, p.make(ltlOr, p.not(l), r), p.make(ltlOr, p.not(r), l))
	}
	return l, err
}

func (p *ltl) implies() (int, error) {
	l, err := p.or()
	if err == nil && p.take("->") {
		r, err := p.implies()
		return p.make(ltlOr, p.not(l), r), err
	}
	return l, err
}

func (p *ltl) or() (int, error) {
	l, err := p.and()
	for err == nil && p.take("||") {
		var r int
		r, err = p.and()
		l = p.make(ltlOr, l, r)
	}
	return l, err
}

func (p *ltl) and() (int, error) {
	l, err := p.until()
	for err == nil && p.take("&&") {
		var r int
		r, err = p.until()
		l = p.make(ltlAnd, l, r)
	}
	return l, err
}

func (p *ltl) until() (int, error) {
	l, err := p.unary()
	if err != nil {
		return 0, err
	}
	switch {
	case p.take("U"):
		r, err := p.until()
		return p.make(ltlUntil, l, r), err
	case p.take("R"):
		r, err := p.until()
		return p.make(ltlRelease, l, r), err
	case p.take("W"):
		r, err := p.until()
		return p.make(ltlRelease, r, p.make(ltlOr, l, r)), err
	}
	return l, nil
}

func (p *ltl) unary() (int, error) {
	switch {
	case p.take("!"):
		f, err := p.unary()
		return p.not(f), err
	case p.take("X"):
		f, err := p.unary()
		return p.make(ltlNext, f, 0), err
	case p.take("G"), p.take("[]"):
		f, err := p.unary()
		return p.make(ltlRelease, p.make(ltlFalse, 0, 0), f), err
	case p.take("F"), p.take("<>"):
		f, err := p.unary()
		return p.make(ltlUntil, p.make(ltlTrue, 0, 0), f), err
	case p.peek() == "(":
		open := p.ats[0]
		p.skip()
		f, err := p.iff()
		if err == nil && !p.take(")") {
			err = p.here("what is %q here? The ( is not closed", p.peek())
			if p.peek() == "" {
				err = p.fail(open, "( without )")
			}
		}
		return f, err
	case p.take("true"):
		return p.make(ltlTrue, 0, 0), nil
	case p.take("false"):
		return p.make(ltlFalse, 0, 0), nil
	}
	return p.comparison()
}

func (p *ltl) comparison() (int, error) {
	name := p.peek()
	if name == "" {
		return 0, p.here("it ends too early")
	}
	if strings.ContainsAny(name[:1], "<>=!&|()-[") {
		return 0, p.here("what is %q here?", name)
	}
	place := p.ats[0]
	p.skip()
	if name[0] >= '0' && name[0] <= '9' {
		return 0, p.fail(place, "%s is a number: write true or false, or a comparison such as x == 1", name)
	}
	if slices.Contains([]string{"U", "R", "W"}, name) {
		return 0, p.fail(place, "%s has nothing on its left", name)
	}
	a := atom{name: name, at: place}
	if th, at, ok := strings.Cut(name, "@"); ok {
		n, err := strconv.Atoi(strings.TrimPrefix(th, "T"))
		if err != nil {
			return 0, p.fail(place, "%q is no thread: write T1@23", name)
		}
		a = atom{thread: n, line: -1, at: place}
		switch {
		case at == "end":
		case at == "" || at[0] == '-' || at == "0":
			return 0, p.fail(place, "%q is no line: write T1@23, T1@f or T1@end", name)
		case at[0] >= '0' && at[0] <= '9':
			if a.line, err = strconv.Atoi(at); err != nil {
				return 0, p.fail(place, "%q is no line: write T1@23, T1@f or T1@end", name)
			}
		default:
			a.line, a.fn = 0, at
		}
	} else {
		for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
			if p.take(op) {
				a.op = op
				sign := int64(1)
				if p.take("-") {
					sign = -1
				}
				n, err := strconv.ParseInt(p.peek(), 0, 64)
				if err != nil {
					return 0, p.here("%s %s what? A number is needed", name, op)
				}
				p.skip()
				a.num = sign * n
				break
			}
		}
	}
	for i, b := range p.atoms {
		if b.at = a.at; a == b {
			return p.intern(formula{op: ltlAtom, atom: i}), nil
		}
	}
	p.atoms = append(p.atoms, a)
	return p.intern(formula{op: ltlAtom, atom: len(p.atoms) - 1}), nil
}

// nnf returns f, or its negation, with negations at atoms only.
func (p *ltl) nnf(i int, neg bool) int {
	f := p.list[i]
	dual := func(a, b ltlOp) ltlOp {
		if neg {
			return b
		}
		return a
	}
	switch f.op {
	case ltlNot:
		return p.nnf(f.l, !neg)
	case ltlTrue:
		return p.make(dual(ltlTrue, ltlFalse), 0, 0)
	case ltlFalse:
		return p.make(dual(ltlFalse, ltlTrue), 0, 0)
	case ltlAtom:
		return p.intern(formula{op: dual(ltlAtom, ltlNotAtom), atom: f.atom})
	case ltlAnd:
		return p.make(dual(ltlAnd, ltlOr), p.nnf(f.l, neg), p.nnf(f.r, neg))
	case ltlOr:
		return p.make(dual(ltlOr, ltlAnd), p.nnf(f.l, neg), p.nnf(f.r, neg))
	case ltlNext:
		return p.make(ltlNext, p.nnf(f.l, neg), 0)
	case ltlUntil:
		return p.make(dual(ltlUntil, ltlRelease), p.nnf(f.l, neg), p.nnf(f.r, neg))
	}
	return p.make(dual(ltlRelease, ltlUntil), p.nnf(f.l, neg), p.nnf(f.r, neg))
}

// A buchi is a generalised Büchi automaton: what holds in a node must hold in the state, and an infinite run counts if it
// is infinitely often in each of the accepting sets.
type buchi struct {
	nodes  []buchiNode
	starts []int
	sets   int
}

type buchiNode struct {
	yes, no uint64 // atoms
	next    []int
	in      uint64 // accepting sets
}

// tableau makes the automaton of the executions that have f, as in "Simple On-the-fly Automatic Verification of
// Linear Temporal Logic" (Gerth, Peled, Vardi, Wolper, PSTV'95). Sets of formulas are bits.
func (p *ltl) tableau(f int) (*buchi, error) {
	if len(p.list) > 64 {
		return nil, p.fail(0, "it has more than 64 parts")
	}
	t := &tableau{p: p}
	t.expand(&tabNode{from: []int{0}, todo: 1 << f})
	b := &buchi{}
	var untils []int
	for i, f := range p.list {
		if f.op == ltlUntil {
			untils = append(untils, i)
		}
	}
	b.sets = len(untils)
	b.nodes = make([]buchiNode, len(t.nodes))
	for i, n := range t.nodes {
		x := &b.nodes[i]
		for set := n.old; set != 0; set &= set - 1 {
			switch f := p.list[bits.TrailingZeros64(set)]; f.op {
			case ltlAtom:
				x.yes |= 1 << f.atom
			case ltlNotAtom:
				x.no |= 1 << f.atom
			}
		}
		for k, u := range untils {
			if n.old>>u&1 == 0 || n.old>>p.list[u].r&1 != 0 {
				x.in |= 1 << k
			}
		}
		for _, from := range n.from {
			if from == 0 {
				b.starts = append(b.starts, i)
			} else {
				b.nodes[from-1].next = append(b.nodes[from-1].next, i)
			}
		}
	}
	return b, nil
}

type tableau struct {
	p     *ltl
	nodes []*tabNode
}

type tabNode struct {
	from            []int // numbers of nodes plus one; 0 is the beginning
	todo, old, next uint64
}

func (t *tableau) expand(n *tabNode) {
	if n.todo == 0 {
		for _, o := range t.nodes {
			if o.old == n.old && o.next == n.next {
				o.from = append(o.from, n.from...)
				return
			}
		}
		t.nodes = append(t.nodes, n)
		t.expand(&tabNode{from: []int{len(t.nodes)}, todo: n.next})
		return
	}
	i := bits.TrailingZeros64(n.todo)
	n.todo &^= 1 << i
	f := t.p.list[i]
	with := func(todo, next uint64) *tabNode {
		c := *n
		c.from = append([]int(nil), n.from...)
		c.old |= 1 << i
		c.todo |= todo &^ c.old
		c.next |= next
		return &c
	}
	switch f.op {
	case ltlFalse:
	case ltlTrue, ltlAtom, ltlNotAtom:
		op := ltlAtom
		if f.op == ltlAtom {
			op = ltlNotAtom
		}
		if k, ok := t.p.index[formula{op: op, atom: f.atom}]; f.op != ltlTrue && ok && n.old>>k&1 != 0 {
			return
		}
		t.expand(with(0, 0))
	case ltlAnd:
		t.expand(with(1<<f.l|1<<f.r, 0))
	case ltlOr:
		t.expand(with(1<<f.l, 0))
		t.expand(with(1<<f.r, 0))
	case ltlNext:
		t.expand(with(0, 1<<f.l))
	case ltlUntil:
		t.expand(with(1<<f.l, 1<<i))
		t.expand(with(1<<f.r, 0))
	case ltlRelease:
		t.expand(with(1<<f.r, 1<<i))
		t.expand(with(1<<f.l|1<<f.r, 0))
	}
}
