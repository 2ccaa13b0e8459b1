package litmus

import (
	"slices"
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.LISA, dialect{ins: readLISA}, "Bell") }

// readLISA reads one instruction of LISA, the language of Bell.
func readLISA(a *asm) {
	var tags []string
	if a.accept("[") {
		start := a.tok.off
		for !a.is("]") {
			if a.tok.kind == 0 {
				a.unexpected(`"]"`)
			}
			a.next()
		}
		for t := range strings.SplitSeq(a.text[start:a.tok.off], ",") {
			if t = strings.Trim(strings.TrimSpace(t), "'"); t != "" {
				tags = append(tags, t)
			}
		}
		a.next()
	}
	first := len(a.th.Ops)
	a.lisa(lisaSets(tags))
	for i := first; i < len(a.th.Ops); i++ {
		if k := a.th.Ops[i].Kind; k == litmus.Load || k == litmus.Store || k == litmus.Fence {
			a.th.Ops[i].Tags = tags
		}
	}
}

// lisaSets are the tags, capitalised.
func lisaSets(tags []string) []string {
	var s []string
	for _, t := range tags {
		s = append(s, strings.ToUpper(t[:1])+t[1:])
	}
	return s
}

func (a *asm) lisa(tags []string) {
	switch a.name {
	case "R":
		d := a.lisaDst()
		a.loadTo(d, a.lisaAddr(), 4, tags...)
	case "W":
		addr := a.lisaAddr()
		a.store(addr, a.lisaVal(), 4, tags...)
	case "F":
		a.fence(tags...)
	case "CALL":
		op := litmus.Op{Kind: litmus.Fence, Sets: tags}
		if a.tok.kind == 'i' {
			op.Addr = a.lisaAddr()
		}
		a.emit(op)
	case "MOV":
		d := a.lisaDst()
		a.set(d, a.lisaOp())
	case "B":
		if a.tok.kind == 'i' && a.peek().kind == 0 {
			a.branch(nil, a.target())
			return
		}
		c := a.lisaVal()
		a.accept(",")
		a.branch(c, a.target())
	case "RMW":
		a.lisaRMW(tags)
	default:
		a.unknown()
	}
}

func lisaIsReg(s string) bool {
	return len(s) > 1 && s[0] == 'r' && strings.Trim(s[1:], "0123456789") == ""
}

func (a *asm) lisaDst() litmus.Reg {
	at := a.tok.off
	name := a.ident("a register")
	if !lisaIsReg(name) {
		a.fail(at, "%q is not a register: r0, r1, …", name)
	}
	return litmus.Reg(name)
}

// lisaVal reads a register, a number or a variable, whose address it is.
func (a *asm) lisaVal() litmus.Expr {
	if a.tok.kind != 'i' {
		a.accept("&")
		if a.tok.kind != 'i' {
			return num(a.number())
		}
	}
	at := a.tok.off
	name := a.ident("a value")
	if lisaIsReg(name) {
		return litmus.Reg(name)
	}
	return a.p.addr(at, name)
}

func (a *asm) lisaAddr() litmus.Expr {
	bracket := a.accept("[")
	x := a.lisaVal()
	for a.is("+") || a.is("[") {
		if a.next().text == "[" {
			x = bin(litmus.Add, 64, x, bin(litmus.Mul, 64, a.lisaVal(), num(4)))
			a.expect("]")
		} else {
			x = bin(litmus.Add, 64, x, a.lisaVal())
		}
	}
	if bracket {
		a.expect("]")
	}
	return x
}

var lisaOps = map[string]litmus.BinaryOp{
	"add": litmus.Add, "sub": litmus.Sub, "mult": litmus.Mul, "and": litmus.And, "or": litmus.Or, "xor": litmus.Xor, "eq": litmus.Eq, "neq": litmus.Ne, "ne": litmus.Ne,
	"lt": litmus.SLt, "le": litmus.SLe, "sll": litmus.Shl, "srl": litmus.LShr,
}

// lisaOp reads a value or (op x y).
func (a *asm) lisaOp() litmus.Expr {
	if !a.accept("(") {
		return a.lisaVal()
	}
	at := a.tok.off
	name := a.ident("an operator")
	op, ok := lisaOps[name]
	if !ok && name != "gt" && name != "ge" {
		a.fail(at, "no operator is called %q", name)
	}
	x := a.lisaVal()
	a.accept(",")
	y := a.lisaVal()
	a.expect(")")
	switch name {
	case "gt":
		return bin(litmus.SLt, 64, y, x)
	case "ge":
		return bin(litmus.SLe, 64, y, x)
	}
	return bin(op, 64, x, y)
}

// lisaRMW reads rmw[tags] r (op v) x, rmw[tags] r (cas old new) x, or rmw[tags] r v x, an exchange.
func (a *asm) lisaRMW(tags []string) {
	d := a.lisaDst()
	all := append(slices.Clone(tags), "RMW")
	if !a.accept("(") {
		v := a.lisaVal()
		addr := a.lisaAddr()
		t, n := a.load(addr, 4, all...)
		a.storePair(n, nil, addr, v, 4, all...)
		a.set(d, t)
		return
	}
	at := a.tok.off
	name := a.ident("an operator")
	x := a.lisaVal()
	a.accept(",")
	var y litmus.Expr
	if !a.is(")") {
		y = a.lisaVal()
	}
	a.expect(")")
	addr := a.lisaAddr()
	t, n := a.load(addr, 4, all...)
	op, ok := lisaOps[name]
	switch {
	case name == "cas" && y != nil:
		a.storePair(n, bin(litmus.Eq, 32, t, x), addr, y, 4, all...)
	case name == "exch" || name == "xchg":
		a.storePair(n, nil, addr, x, 4, all...)
	case ok && y != nil:
		a.storePair(n, nil, addr, bin(op, 32, x, y), 4, all...)
	case ok:
		a.storePair(n, nil, addr, bin(op, 32, t, x), 4, all...)
	default:
		a.fail(at, "no operator is called %q", name)
	}
	a.set(d, t)
}
