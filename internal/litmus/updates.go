package litmus

import (
	"ravel/internal/event"
)

// An Update is one read-modify-write of the micro code: a load with the store that is paired with it, or an exclusive load and store in a loop
// that does nothing but try again until the store succeeds. A try that fails only reads, so the loop is the one that succeeds.
type Update struct {
	Load, Store int // indices of Ops
	Load2       int // of an access of two registers the second load and store, else -1
	Store2      int
	RMW         event.RMWOp
	With, With2 Expr // the operand; of a CAS what is written. It is over the registers before Load.
	Want, Want2 Expr // CAS: what is expected
	// Can is what must hold for a CAS to succeed at all, beside what memory has; nil: nothing. The program compares more bits than memory has.
	Can  Expr
	Back int // the branch that tries again, or -1: it is never taken
}

// Updates returns the read-modify-writes of a thread. An exclusive store that is in none, but in a loop that tries again, is in retried. A paired store
// that is in none is an operation that event.RMWOp does not have.
func (t *Thread) Updates() (updates []Update, retried map[int]bool) {
	retried = map[int]bool{}
	for i := range t.Ops {
		op := &t.Ops[i]
		if op.Kind != Load {
			continue
		}
		var u Update
		var ok bool
		switch {
		case op.Excl && op.If == nil && (i == 0 || !t.secondOf(i)):
			u, ok = t.exclusive(i, retried)
		case !op.Excl && (i == 0 || !t.secondOf(i)):
			u, ok = t.paired(i)
		}
		if ok {
			updates = append(updates, u)
		}
	}
	return updates, retried
}

// secondOf reports whether operation i is the second half of an access of two registers.
func (t *Thread) secondOf(i int) bool {
	if i == 0 {
		return false
	}
	a, b := &t.Ops[i-1], &t.Ops[i]
	return a.Kind == b.Kind && a.Ins == b.Ins && (a.Excl && b.Excl || a.Pair >= 0 && b.Pair >= 0 || a.Kind == Load && t.storeOf(i-1) >= 0 && t.storeOf(i) >= 0)
}

// storeOf returns the store that is paired with load i, or -1.
func (t *Thread) storeOf(i int) int {
	for k := i + 1; k < len(t.Ops) && t.Ops[k].Ins == t.Ops[i].Ins; k++ {
		if t.Ops[k].Kind == Store && t.Ops[k].Pair == i {
			return k
		}
	}
	return -1
}

// paired finds the update of a load that is part of an instruction which also stores.
func (t *Thread) paired(i int) (Update, bool) {
	j := t.storeOf(i)
	if j < 0 {
		return Update{}, false
	}
	u := Update{Load: i, Store: j, Load2: -1, Store2: -1, Back: -1}
	if i+1 < len(t.Ops) && t.secondOf(i+1) {
		u.Load2, u.Store2 = i+1, t.storeOf(i+1)
	}
	env := t.between(i, j)
	return u, t.match(&u, env, substitute(t.Ops[j].If, env))
}

// between returns what the registers that are set in between are, over those before operation i and what it loads.
func (t *Thread) between(i, j int) map[Reg]Expr {
	env := map[Reg]Expr{}
	for k := i + 1; k < j; k++ {
		if op := &t.Ops[k]; op.Kind == Set {
			x := substitute(op.X, env)
			if op.If != nil {
				x = NewSelect(substitute(op.If, env), x, substitute(op.Dst, env))
			}
			env[op.Dst] = x
		}
	}
	return env
}

// substitute replaces registers in an expression, nil included.
func substitute(e Expr, env map[Reg]Expr) Expr {
	switch e := e.(type) {
	case Reg:
		if x, ok := env[e]; ok {
			return x
		}
	case *Unary:
		return NewUnary(e.Op, int(e.Width), substitute(e.X, env))
	case *Binary:
		return NewBinary(e.Op, int(e.Width), substitute(e.X, env), substitute(e.Y, env))
	case *Select:
		return NewSelect(substitute(e.If, env), substitute(e.X, env), substitute(e.Y, env))
	}
	return e
}

// exclusive finds the update that an exclusive load begins: a store to the same address follows, with branches out of the loop
// or back at most, and then a branch back to the load if it failed.
func (t *Thread) exclusive(i int, retried map[int]bool) (Update, bool) {
	u := Update{Load: i, Load2: -1, Store2: -1, Back: -1}
	j := i + 1
	if j < len(t.Ops) && t.secondOf(j) {
		u.Load2 = j
		j++
	}
	var exits []Expr // conditions
	for ; j < len(t.Ops) && t.Ops[j].Kind != Store; j++ {
		switch op := &t.Ops[j]; {
		case op.Kind == Set:
		case op.Kind == Branch && op.X != nil && op.If == nil && (op.To > j || op.To == i):
			exits = append(exits, substitute(op.X, t.between(i, j)))
		default:
			return u, false
		}
	}
	if j == len(t.Ops) || !t.Ops[j].Excl || t.Ops[j].If != nil && (len(exits) > 0 || u.Load2 >= 0) {
		return u, false
	}
	u.Store = j
	env := t.between(i, j)
	last := j
	if u.Load2 >= 0 {
		if last++; last == len(t.Ops) || !t.secondOf(last) {
			return u, false
		}
		u.Store2 = last
	}
	ld, st := &t.Ops[i], &t.Ops[j]
	if ld.Size != st.Size || substitute(st.Addr, env).String() != ld.Addr.String() || mentions(substitute(st.Addr, env), ld.Dst) {
		return u, false
	}
	u.Back = t.retry(i, last, env)
	if u.Back < 0 || t.entered(i, u.Back) || t.carries(i, u.Back) {
		return u, false
	}
	for k := i + 1; k <= last; k++ { // branches leave the loop, or try again
		if op := &t.Ops[k]; op.Kind == Branch && op.To <= u.Back && op.To != i {
			return u, false
		}
	}
	retried[j] = true
	cond := substitute(st.If, env)
	switch len(exits) {
	case 0:
	case 1:
		cond = NewNot(exits[0])
	default:
		return u, false
	}
	return u, t.match(&u, env, cond)
}

// retry returns the branch after the exclusive store at j that goes back to i if and only if the store failed, or -1. before is what registers are
// before the store.
func (t *Thread) retry(i, j int, before map[Reg]Expr) int {
	status := t.Ops[j].Dst
	if status == "" && t.Ops[j].If != nil { // of two registers the first store has it
		status = t.Ops[j-1].Dst
	}
	results := []Expr{Number(0), Number(1)}
	if t.Ops[j].Dst != "" && t.Ops[j].If != nil { // the store may be skipped
		results = append(results, substitute(status, before))
	}
	for k := j + 1; k < len(t.Ops); k++ {
		op := &t.Ops[k]
		switch {
		case op.Kind == Set && op.If == nil:
			continue
		case op.Kind != Branch || op.To != i || op.X == nil || op.If != nil:
			return -1
		}
		for n, result := range results {
			env := map[Reg]Expr{status: result}
			failed := n == 1
			for n := j + 1; n < k; n++ {
				env[t.Ops[n].Dst] = substitute(t.Ops[n].X, env)
			}
			v, ok := substitute(op.X, env).(Value)
			if !ok || v.Kind != Int || (v.Int != 0) != failed {
				return -1
			}
		}
		return k
	}
	return -1
}

// carries reports whether a register that is set in a loop from i to j is read there in the next round.
func (t *Thread) carries(i, j int) bool {
	read, set := map[Reg]bool{}, map[Reg]bool{}
	for k := i; k <= j; k++ {
		op := &t.Ops[k]
		uses := func(r Reg) {
			if !set[r] {
				read[r] = true
			}
		}
		for _, e := range []Expr{op.Addr, op.X, op.If} {
			EachReg(e, uses)
		}
		if op.Dst == "" {
			continue
		}
		if op.If == nil {
			set[op.Dst] = true
		} else {
			uses(op.Dst)
		}
	}
	for k := i; k <= j; k++ {
		if r := t.Ops[k].Dst; r != "" && read[r] {
			return true
		}
	}
	return false
}

// entered reports whether a branch goes to somewhere after i and up to j.
func (t *Thread) entered(i, j int) bool {
	for k := range t.Ops {
		if op := &t.Ops[k]; (op.Kind == Branch || op.Kind == Jump) && op.To > i && op.To <= j || op.Kind == Jump && op.X != nil {
			return true
		}
	}
	return false
}

// match completes u if what is stored, under a condition, is an operation of event.RMWOp. All is over the registers before the load and what it loads.
func (t *Thread) match(u *Update, env map[Reg]Expr, cond Expr) bool {
	old := []Reg{t.Ops[u.Load].Dst}
	x := []Expr{substitute(t.Ops[u.Store].X, env)}
	if u.Load2 >= 0 {
		old = append(old, t.Ops[u.Load2].Dst)
		x = append(x, substitute(t.Ops[u.Store2].X, env))
	}
	size := int(t.Ops[u.Load].Size)
	independent := func(e Expr) bool { return !mentions(e, old...) }
	if cond != nil {
		if !independent(x[0]) || len(x) > 1 && !independent(x[1]) {
			return false
		}
		u.RMW, u.With = event.CAS, x[0]
		if len(x) == 1 {
			u.Want, u.Can = equality(cond, old[0], size)
			return u.Want != nil
		}
		u.With2 = x[1]
		both, ok := cond.(*Binary)
		if !ok || both.Op != And {
			return false
		}
		var can, can2 Expr
		u.Want, can = equality(both.X, old[0], size)
		u.Want2, can2 = equality(both.Y, old[1], size)
		return u.Want != nil && u.Want2 != nil && can == nil && can2 == nil && !mentions(u.Want, old...) && !mentions(u.Want2, old...)
	}
	if len(x) > 1 {
		u.RMW, u.With, u.With2 = event.Xchg, x[0], x[1]
		return independent(x[0]) && independent(x[1])
	}
	var ok bool
	u.RMW, u.With, ok = operation(x[0], old[0], 8*size)
	return ok
}

func mentions(e Expr, regs ...Reg) bool {
	found := false
	EachReg(e, func(r Reg) {
		for _, x := range regs {
			found = found || r == x
		}
	})
	return found
}

// equality returns what a condition compares old with, of size bytes, or nil.
func equality(cond Expr, old Reg, size int) (want, can Expr) {
	negated := false
	for {
		if u, ok := cond.(*Unary); ok && u.Op == LNot {
			cond, negated = u.X, !negated
			continue
		}
		b, ok := cond.(*Binary)
		if !ok {
			return nil, nil
		}
		if zero, ok := b.Y.(Value); ok && zero == (Value{}) && isTruth(b.X) && (b.Op == Eq || b.Op == Ne) {
			cond, negated = b.X, negated != (b.Op == Eq)
			continue
		}
		if d, ok := uncut(b.X).(*Binary); ok && (d.Op == Xor || d.Op == Sub) && d.Width <= b.Width && b.Y == Expr(Value{}) && (b.Op == Eq || b.Op == Ne) {
			b = &Binary{b.Op, d.Width, d.X, d.Y} // the difference is 0
		}
		if b.Op == Ne {
			negated = !negated
		}
		if b.Op != Eq && b.Op != Ne || negated {
			return nil, nil
		}
		for _, side := range [...][2]Expr{{b.X, b.Y}, {b.Y, b.X}} {
			signed, ok := extension(side[0], old, 8*size)
			if !ok || mentions(side[1], old) {
				continue
			}
			want = side[1]
			if w := int(b.Width); w > 8*size {
				ext := Trunc
				if signed {
					ext = SExt
				}
				can = NewBinary(Eq, w, NewUnary(ext, 8*size, want), want)
				if v, ok := can.(Value); ok && v.Int != 0 {
					can = nil
				}
			} else if w < 8*size {
				return nil, nil
			}
			return want, can
		}
		return nil, nil
	}
}

// uncut returns e without a truncation that does nothing.
func uncut(e Expr) Expr {
	if u, ok := e.(*Unary); ok && u.Op == Trunc {
		if b, ok := u.X.(*Binary); ok && b.Width <= u.Width {
			return b
		}
	}
	return e
}

func isTruth(e Expr) bool {
	switch e := e.(type) {
	case *Binary:
		return e.Op >= Eq
	case *Unary:
		return e.Op == LNot
	}
	return false
}

// extension reports whether e is old, of so many bits, zero-extended or with its sign.
func extension(e Expr, old Reg, bits int) (signed, ok bool) {
	for {
		switch x := e.(type) {
		case Reg:
			return signed, x == old
		case *Unary:
			switch {
			case x.Op == Trunc && int(x.Width) >= bits:
				signed = signed && int(x.Width) > bits
			case x.Op == SExt && int(x.Width) == bits:
				signed = true
			case x.Op == SExt && int(x.Width) > bits:
			default:
				return false, false
			}
			e = x.X
		default:
			return false, false
		}
	}
}

var updateOps = map[BinaryOp]event.RMWOp{Add: event.Add, Sub: event.Sub, And: event.And, Or: event.Or, Xor: event.Xor}

// operation returns the operation that computes x from old.
func operation(x Expr, old Reg, bits int) (event.RMWOp, Expr, bool) {
	if u, ok := x.(*Unary); ok && u.Op == Trunc && int(u.Width) >= bits {
		x = u.X
	}
	isOld := func(e Expr) bool {
		_, ok := extension(e, old, bits)
		return ok
	}
	if !mentions(x, old) {
		return event.Xchg, x, true
	}
	switch x := x.(type) {
	case *Unary:
		return event.Xor, Number(-1), x.Op == Not && int(x.Width) >= bits && isOld(x.X)
	case *Binary:
		op, ok := updateOps[x.Op]
		if !ok || int(x.Width) < bits {
			return 0, nil, false
		}
		if isOld(x.X) && !mentions(x.Y, old) {
			return op, x.Y, true
		}
		return op, x.X, x.Op != Sub && isOld(x.Y) && !mentions(x.X, old)
	case *Select:
		less, ok := x.If.(*Binary)
		if !ok || less.Op != SLt && less.Op != ULt || int(less.Width) != bits || !isOld(less.X) || mentions(less.Y, old) {
			return 0, nil, false
		}
		smaller := isOld(x.X) && x.Y.String() == less.Y.String()
		if !smaller && !(isOld(x.Y) && x.X.String() == less.Y.String()) {
			return 0, nil, false
		}
		ops := map[bool][2]event.RMWOp{true: {event.Max, event.Min}, false: {event.UMax, event.UMin}}[less.Op == SLt]
		if smaller {
			return ops[1], less.Y, true
		}
		return ops[0], less.Y, true
	}
	return 0, nil, false
}
