package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

// lkmmFences are macros that are one fence.
var lkmmFences = map[string]string{
	"smp_mb": "Mb", "mb": "Mb", "smp_rmb": "Rmb", "rmb": "Rmb", "smp_wmb": "Wmb", "wmb": "Wmb", "barrier": "Barrier",
	"smp_mb__before_atomic": "Before-atomic", "smp_mb__after_atomic": "After-atomic", "smp_mb__after_spinlock": "After-spinlock",
	"smp_mb__after_unlock_lock": "After-unlock-lock", "smp_mb__after_srcu_read_unlock": "After-srcu-read-unlock",
	"rcu_read_lock": "Rcu-lock", "rcu_read_unlock": "Rcu-unlock", "synchronize_rcu": "Sync-rcu", "synchronize_rcu_expedited": "Sync-rcu",
	"rcu_read_lock_bh": "Rcu-lock", "rcu_read_unlock_bh": "Rcu-unlock",
}

// lkmmAtomics are the operations of atomic_t by their names without atomic_ and the order.
var lkmmAtomics = map[string]litmus.BinaryOp{"add": litmus.Add, "sub": litmus.Sub, "and": litmus.And, "or": litmus.Or, "xor": litmus.Xor, "andnot": litmus.And, "inc": litmus.Add, "dec": litmus.Sub}

// lkmm reads a call of one of the kernel's macros.
func (c *cthread) lkmm(at int, name string) (cval, bool) {
	none := cval{num(0), cInt}
	if f, ok := lkmmFences[name]; ok {
		c.noArgs()
		c.step(at)
		c.fence(f)
		return none, true
	}
	if v, ok := c.lkmmLock(at, name); ok {
		return v, true
	}
	switch name {
	case "READ_ONCE", "rcu_dereference", "lockless_dereference", "rcu_dereference_raw", "rcu_dereference_check", "rcu_dereference_protected", "rcu_access_pointer":
		c.expect("(")
		l := c.place()
		for c.accept(",") {
			c.expr()
		}
		c.expect(")")
		return c.lkmmLoad(at, l, "Once"), true
	case "WRITE_ONCE", "rcu_assign_pointer", "smp_store_mb", "RCU_INIT_POINTER":
		c.expect("(")
		l := c.place()
		c.expect(",")
		v := c.expr()
		c.expect(")")
		set := "Once"
		if name == "rcu_assign_pointer" {
			set = "Release"
		}
		c.step(at)
		c.store(l.addr, v.to(l.t), l.t.size(), set)
		if name == "smp_store_mb" {
			c.step(at)
			c.fence("Mb")
		}
		return none, true
	case "smp_load_acquire", "smp_store_release":
		a := c.exprs()
		c.count(at, name, a, map[bool]int{true: 1, false: 2}[name == "smp_load_acquire"])
		l := lval{addr: a[0].x, t: a[0].t.deref()}
		if len(a) == 1 {
			return c.lkmmLoad(at, l, "Acquire"), true
		}
		c.step(at)
		c.store(l.addr, a[1].to(l.t), l.t.size(), "Release")
		return none, true
	case "smp_read_barrier_depends", "cond_resched", "cpu_relax":
		c.noArgs()
		return none, true
	case "likely", "unlikely":
		a := c.exprs()
		c.count(at, name, a, 1)
		return a[0], true
	case "srcu_read_lock", "srcu_down_read":
		a := c.exprs()
		c.count(at, name, a, 1)
		c.step(at)
		t, _ := c.load(a[0].x, a[0].t.deref().size(), "Srcu-lock")
		return cval{t, cInt}, true
	case "srcu_read_unlock", "srcu_up_read":
		a := c.exprs()
		c.count(at, name, a, 2)
		c.step(at)
		c.store(a[0].x, a[1].to(a[0].t.deref()), a[0].t.deref().size(), "Srcu-unlock")
		return none, true
	case "synchronize_srcu", "synchronize_srcu_expedited":
		a := c.exprs()
		c.count(at, name, a, 1)
		c.step(at)
		c.emit(litmus.Op{Kind: litmus.Fence, Addr: a[0].x, Sets: []string{"Sync-srcu"}})
		return none, true
	}
	return c.lkmmAtomic(at, name)
}

// lkmmCores are the macros that do the same as what the kernel's macros stand for in herd, without what the braces say.
var lkmmCores = map[string]string{"__load": "READ_ONCE", "__store": "WRITE_ONCE", "__xchg": "xchg", "__cmpxchg": "cmpxchg", "__atomic_add_unless": "atomic_add_unless"}

// lkmmCore reads what linux-kernel.def defines the macros by, such as __xchg{acquire}(p, v) and __fence{mb}.
func (c *cthread) lkmmCore() cval {
	at := c.tok.off
	name := c.next().text
	c.expect("{")
	order := strings.ToLower(c.ident("an annotation"))
	for c.accept("-") {
		order += "-" + c.ident("an annotation")
	}
	c.expect("}")
	if name == "__fence" {
		for _, set := range lkmmFences {
			if strings.EqualFold(set, order) {
				c.step(at)
				c.fence(set)
				return cval{num(0), cInt}
			}
		}
		c.fail(at, "no fence is called {%s}", order)
	}
	macro, ok := lkmmCores[name]
	suffix, known := map[string]string{"mb": "", "once": "_relaxed", "acquire": "_acquire", "release": "_release"}[order]
	if !ok || !known {
		c.fail(at, "not supported: %s{%s}", name, order)
	}
	switch macro + suffix {
	case "READ_ONCE_relaxed", "WRITE_ONCE_relaxed":
		suffix = ""
	case "READ_ONCE_acquire", "WRITE_ONCE_release":
		c.expect("(")
		l := c.place()
		if macro == "READ_ONCE" {
			c.expect(")")
			return c.lkmmLoad(at, l, "Acquire")
		}
		c.expect(",")
		v := c.expr()
		c.expect(")")
		c.step(at)
		c.store(l.addr, v.to(l.t), l.t.size(), "Release")
		return cval{num(0), cInt}
	}
	v, ok := c.lkmm(at, macro+suffix)
	if !ok {
		c.fail(at, "not supported: %s{%s}", name, order)
	}
	return v
}

func (c *cthread) noArgs() {
	c.expect("(")
	c.expect(")")
}

func (c *cthread) count(at int, name string, args []cval, n int) {
	if len(args) != n {
		c.fail(at, "%s takes %d arguments, not %d", name, n, len(args))
	}
}

// place reads an lvalue that must be in memory.
func (c *cthread) place() lval {
	at := c.tok.off
	if c.tok.kind == 'i' && c.peek().text != "[" { // a variable by its name
		name := c.next().text
		if p, ok := c.params[name]; ok {
			return lval{addr: litmus.AddrOf(name, 0), t: p.deref()}
		}
		c.fail(at, "%s is not in memory", name)
	}
	l := c.lvalue()
	if l.addr == nil {
		c.fail(at, "%s is not in memory", l.local)
	}
	return l
}

func (c *cthread) lkmmLoad(at int, l lval, set string) cval {
	c.step(at)
	t, _ := c.load(l.addr, l.t.size(), set)
	return cval{t, l.t}
}

// lkmmLock reads the macros of spinlocks. A lock that is never free keeps the thread waiting (herd's LF).
func (c *cthread) lkmmLock(at int, name string) (cval, bool) {
	switch name {
	case "spin_lock", "spin_unlock", "spin_trylock", "spin_is_locked", "spin_lock_irqsave", "spin_unlock_irqrestore", "mutex_lock", "mutex_unlock":
	default:
		return cval{}, false
	}
	a := c.exprs()
	if len(a) == 0 {
		c.fail(at, "%s takes a lock", name)
	}
	addr, size := a[0].x, a[0].t.deref().size()
	free := func(cond litmus.Expr) {
		t := c.temp()
		n := c.emit(litmus.Op{Kind: litmus.Load, Dst: t, Addr: addr, Size: uint8(size), Sets: []string{"LKR"}, If: cond})
		c.emit(litmus.Op{Kind: litmus.Assume, X: bin(litmus.Eq, 8*size, t, num(0)), If: cond})
		c.storePair(n, cond, addr, num(1), size, "LKW")
	}
	held := func(cond litmus.Expr, value int64, set string) {
		t := c.temp()
		c.emit(litmus.Op{Kind: litmus.Load, Dst: t, Addr: addr, Size: uint8(size), Sets: []string{set}, If: cond})
		c.emit(litmus.Op{Kind: litmus.Assume, X: bin(litmus.Eq, 8*size, t, num(value)), If: cond})
	}
	c.step(at)
	switch name {
	case "spin_lock", "spin_lock_irqsave", "mutex_lock":
		free(nil)
	case "spin_unlock", "spin_unlock_irqrestore", "mutex_unlock":
		c.store(addr, num(0), size, "UL")
	case "spin_trylock":
		t := c.temp()
		c.emit(litmus.Op{Kind: litmus.Choose, Dst: t})
		free(t)
		held(lnot(t), 1, "RL")
		return cval{t, cInt}, true
	case "spin_is_locked":
		t := c.temp()
		c.emit(litmus.Op{Kind: litmus.Choose, Dst: t})
		held(t, 1, "RL")
		held(lnot(t), 0, "RU")
		return cval{t, cInt}, true
	}
	return cval{num(0), cInt}, true
}

// lkmmAtomic reads xchg, cmpxchg and all of atomic_*.
func (c *cthread) lkmmAtomic(at int, name string) (cval, bool) {
	read, write := []string{"Mb", "RMW"}, []string{"Mb", "RMW"}
	f, order := cut(name, "_relaxed", "_acquire", "_release")
	switch order {
	case "_relaxed":
		read, write = []string{"Once", "RMW"}, []string{"Once", "RMW"}
	case "_acquire":
		read, write = []string{"Acquire", "RMW"}, []string{"Once", "RMW"}
	case "_release":
		read, write = []string{"Once", "RMW"}, []string{"Release", "RMW"}
	}
	atomic := false
	for _, prefix := range []string{"atomic_long_", "atomic64_", "atomic_"} {
		if rest, ok := strings.CutPrefix(f, prefix); ok {
			f, atomic = rest, true
			break
		}
	}
	m := &lkmmRMW{c, at, read, write}
	switch {
	case f == "xchg":
		a := c.exprs()
		c.count(at, name, a, 2)
		old, _ := m.emit(a[0], nil, func(w int, old litmus.Expr) litmus.Expr { return a[1].to(a[0].t.deref()) })
		return old, true
	case f == "cmpxchg":
		a := c.exprs()
		c.count(at, name, a, 3)
		old, _ := m.emit(a[0], func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.Eq, w, old, a[1].to(a[0].t.deref())) }, func(w int, old litmus.Expr) litmus.Expr { return a[2].to(a[0].t.deref()) })
		return old, true
	case !atomic:
		return cval{}, false
	case f == "read" && order != "_release":
		a := c.exprs()
		c.count(at, name, a, 1)
		set := "Once"
		if order == "_acquire" {
			set = "Acquire"
		}
		return c.lkmmLoad(at, lval{addr: a[0].x, t: a[0].t.deref()}, set), true
	case f == "set":
		a := c.exprs()
		c.count(at, name, a, 2)
		set := "Once"
		if order == "_release" {
			set = "Release"
		}
		c.step(at)
		c.store(a[0].x, a[1].to(a[0].t.deref()), a[0].t.deref().size(), set)
		return cval{num(0), cInt}, true
	case f == "add_unless" || f == "fetch_add_unless":
		a := c.exprs()
		c.count(at, name, a, 3)
		t := a[0].t.deref()
		old, done := m.emit(a[0], func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.Ne, w, old, a[2].to(t)) }, func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.Add, w, old, a[1].to(t)) })
		if f == "add_unless" {
			return done, true
		}
		return old, true
	case f == "inc_not_zero" || f == "inc_unless_negative" || f == "dec_unless_positive" || f == "dec_if_positive":
		a := c.exprs()
		c.count(at, name, a, 1)
		op := litmus.Add
		if f[0] == 'd' {
			op = litmus.Sub
		}
		conds := map[string]func(w int, old litmus.Expr) litmus.Expr{
			"inc_not_zero":        func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.Ne, w, old, num(0)) },
			"inc_unless_negative": func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.SLe, w, num(0), old) },
			"dec_unless_positive": func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.SLe, w, old, num(0)) },
			"dec_if_positive":     func(w int, old litmus.Expr) litmus.Expr { return bin(litmus.SLt, w, num(0), old) },
		}
		old, done := m.emit(a[0], conds[f], func(w int, old litmus.Expr) litmus.Expr { return bin(op, w, old, num(1)) })
		if f == "dec_if_positive" {
			return cval{bin(litmus.Sub, 32, old.x, num(1)), old.t}, true
		}
		return done, true
	}
	return c.lkmmArith(at, name, f, order, m)
}

// lkmmArith reads atomic_add and its kin: no result, fetch_, _return, _and_test, _negative.
func (c *cthread) lkmmArith(at int, name, f, order string, m *lkmmRMW) (cval, bool) {
	f, result := cut(f, "_return", "_and_test", "_negative")
	if rest, ok := strings.CutPrefix(f, "fetch_"); ok && result == "" {
		f, result = rest, "fetch"
	}
	op, ok := lkmmAtomics[f]
	if !ok || result == "" && order != "" {
		return cval{}, false
	}
	if result == "" {
		m.read, m.write = []string{"Noreturn", "RMW"}, []string{"Once", "RMW"}
	}
	a := c.exprs()
	if f == "inc" || f == "dec" {
		c.count(at, name, a, 1)
		a = append([]cval{{num(1), cInt}}, a...)
	}
	c.count(at, name, a, 2)
	return m.arith(f, op, result, a[0], a[1]), true
}

// lkmmFetch is atomic_fetch_add(value, pointer) and its kin, fully ordered.
func (c *cthread) lkmmFetch(at int, f string, args []cval) cval {
	m := &lkmmRMW{c, at, []string{"Mb", "RMW"}, []string{"Mb", "RMW"}}
	f = strings.TrimPrefix(f, "fetch_")
	return m.arith(f, lkmmAtomics[f], "fetch", args[0], args[1])
}

// arith emits an operation with v on what p points to, and returns what the name of the macro says.
func (m *lkmmRMW) arith(f string, op litmus.BinaryOp, result string, v, p cval) cval {
	t := p.t.deref()
	update := func(w int, old litmus.Expr) litmus.Expr {
		x := v.to(t)
		if f == "andnot" {
			x = un(litmus.Not, w, x)
		}
		return bin(op, w, old, x)
	}
	old, _ := m.emit(p, nil, update)
	w := 8 * t.size()
	after := update(w, old.x)
	switch result {
	case "_return":
		return cval{after, t}
	case "_and_test":
		return cval{bin(litmus.Eq, w, after, num(0)), cInt}
	case "_negative":
		return cval{bin(litmus.SLt, w, after, num(0)), cInt}
	}
	return old
}

// An lkmmRMW is a read-modify-write of the kernel: the sets of its halves when it succeeds.
type lkmmRMW struct {
	c           *cthread
	at          int
	read, write []string
}

// emit makes the read and the write, which happens if cond is true of the old value, and
// returns the old value and whether it was written. One that fails orders nothing.
func (m *lkmmRMW) emit(p cval, cond, update func(w int, old litmus.Expr) litmus.Expr) (old, done cval) {
	c := m.c
	t := p.t.deref()
	w := 8 * t.size()
	c.step(m.at)
	x, n := c.load(p.x, t.size(), m.read...)
	ok := litmus.Expr(nil)
	done = cval{num(1), cInt}
	if cond != nil {
		c.th.Ops[n].Else = []string{"Once", "RMW"}
		b := c.temp()
		c.set(b, cond(w, x))
		ok, done = b, cval{b, cInt}
	}
	c.storePair(n, ok, p.x, un(litmus.Trunc, w, update(w, x)), t.size(), m.write...)
	return cval{x, t}, done
}
