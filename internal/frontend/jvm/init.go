package jvm

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// Static initialisers run when a class is first used (JLS 12.4). That costs a read at every use, so it is done for some classes only: the lazy ones. The initialiser
// of another class runs before main. Nobody can tell the difference, because it does nothing but set the fields of its class: it
// neither writes what others read, nor reads what others write, nor waits (isPrivate).
//
// Which classes are lazy is known when the program is lowered. Then it is lowered again (Load).

// constant returns what is known of a static final field before the program runs: a VarHandle, or what one is made with. It is nil if nothing is.
func (b *builder) constant(f *field) any {
	if !f.is(accFinal) || f.desc != descOf(varHandleClass) && f.desc != "Ljava/lang/invoke/MethodHandles$Lookup;" {
		return nil
	}
	c := f.class
	m := c.declared("<clinit>", "()V")
	if b.scanning[c] || m == nil || m.code == nil {
		return b.constants[f]
	}
	b.scanning[c] = true
	e := b.newEmitter(&ir.Func{Name: "scan"}, 0, 'V')
	e.method = m
	b.lowerBody(m, e, func(g *field, v value) {
		if g.class == c && b.constants[g] == nil {
			b.constants[g] = v.known
		}
	})
	return b.constants[f]
}

// initialiser returns the static initialiser of a class, nil if it has none.
func (c *class) initialiser() *method {
	if c.jdk && !trustedStatics(c) {
		return nil
	}
	return c.declared("<clinit>", "()V")
}

// initialised makes sure that a class is initialised when an instruction uses it.
func (e *emitter) initialised(c *class) {
	for k := c; k != nil; k = k.parent { // superclasses first, but lazyInit sees to that
		if k.initialiser() == nil {
			continue
		}
		if e.method != nil && e.method.class == k && e.method.name == "<clinit>" {
			return
		}
		e.b.meet(k)
		e.b.triggers[e.f] = append(e.b.triggers[e.f], k)
		if e.b.lazy[k.name] {
			e.call(e.b.lazyInit(k), 'V')
			return
		}
	}
}

// meet notes a class with a static initialiser.
func (b *builder) meet(c *class) {
	if !c.met {
		c.met = true
		b.clinits = append(b.clinits, c)
		b.funcOf(c.initialiser())
	}
}

// States of a lazy class: 0, the number of the thread that initialises it plus 1, or done.
const initDone = 1<<32 - 1

// lazyInit returns the function that initialises a class unless that is done (JLS 12.4.2).
func (b *builder) lazyInit(c *class) *ir.Func {
	if f := b.initFuncs[c]; f != nil {
		return f
	}
	f := &ir.Func{Name: b.unique("initialise " + c.simple()), Runtime: true}
	b.addFunc(f)
	b.initFuncs[c] = f
	state := &ir.Global{Name: c.simple() + " initialised", Size: 4, Align: 4}
	b.addGlobal(state)
	at := ir.Imm(uint64(state.Addr))
	e := b.newEmitter(f, 0, 'V')
	done, wait, begin := e.block(), e.block(), e.block()
	self := e.cast(ir.Trunc, 64, 32, e.new(ir.Add, 64, e.intrinsic("__ravel_self", true), ir.Imm(1)))
	now, ok := e.cas(at, ir.Imm(0), self, "I", event.Acq, false)
	e.when(ok, begin)
	e.when(e.cmp(ir.EQ, 32, now, ir.Imm(initDone)), done)
	e.branch(e.cmp(ir.EQ, 32, now, self), done, wait)
	e.at = wait
	e.branch(e.cmp(ir.EQ, 32, e.load(at, "I", event.Acq), ir.Imm(initDone)), done, wait)
	e.at = begin
	if c.parent != nil {
		e.initialised(c.parent)
	}
	failed := e.block()
	e.add(ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: b.funcOf(c.initialiser()), Results: []ir.Reg{e.exc}})
	e.when(e.cmp(ir.NE, 64, ir.R(e.exc), ir.Imm(0)), failed)
	e.store(at, ir.Imm(initDone), "I", event.Rel)
	e.jump(done)
	e.at = failed
	e.unsupported("an exception that ends the static initialiser of " + dotted(c.name) + " is not modelled")
	e.at = done
	e.ret(ir.Imm(0))
	e.finish()
	return f
}

// effects is what the functions that a static initialiser reaches do.
type effects struct {
	seen     map[*ir.Func]bool
	triggers []*class
	shared   bool
}

// effectsOf looks at everything that the static initialiser of c reaches.
func (b *builder) effectsOf(c *class, owner map[uint64]*field) *effects {
	x := &effects{seen: map[*ir.Func]bool{}}
	work := []*ir.Func{b.funcs[c.initialiser()]}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if x.seen[f] {
			continue
		}
		x.seen[f] = true
		for _, t := range b.triggers[f] {
			if t != c && !slices.Contains(x.triggers, t) {
				x.triggers = append(x.triggers, t)
				work = append(work, b.funcs[t.initialiser()])
			}
		}
		if len(f.Blocks) == 0 && !harmless[f.Name] {
			x.shared = true
		}
		for _, bl := range f.Blocks {
			for i := range bl.Instrs {
				switch in := &bl.Instrs[i]; in.Op {
				case ir.Call:
					work = append(work, in.Callee)
				case ir.Load:
					f := owner[in.A.Imm]
					if in.A.IsConst() && f != nil && f.class != c && !x.triggered(f) {
						x.shared = true
					}
				case ir.Store, ir.RMW, ir.CmpXchg:
					if f := owner[in.A.Imm]; in.A.IsConst() && f != nil && f.class != c {
						x.shared = true
					}
				case ir.Fence:
					x.shared = true
				}
			}
		}
	}
	return x
}

// harmless has the functions of the machine that do not concern other threads.
var harmless = map[string]bool{"__ravel_alloc": true, "__ravel_length": true, "__ravel_error": true, "__ravel_constant": true, "__ravel_self": true, "sqrt": true, "floor": true, "ceil": true, "rint": true}

// triggered reports whether a field never changes once its class is initialised, which the initialiser sees to, and whether what it refers to is not written either.
func (x *effects) triggered(f *field) bool {
	switch f.desc {
	case descOf(stringClass), descOf(varHandleClass), descOf(classClass), descOf(f.class.name), "[" + descOf(f.class.name):
	default:
		if kindOf(f.desc) == 'A' {
			return false
		}
	}
	return f.is(accFinal)
}

// findLazy returns the classes that must be lazy: those whose initialisers are not private, and those that wait for each other. The main class is initialised first, so
// it is never lazy. The others are returned in an order in which their initialisers may run.
func (b *builder) findLazy() (lazy []string, order []*class) {
	owner := map[uint64]*field{}
	for f, g := range b.statics {
		owner[uint64(g.Addr)] = f
	}
	deps := map[*class][]*class{}
	for i := 0; i < len(b.clinits); i++ {
		c := b.clinits[i]
		x := b.effectsOf(c, owner)
		deps[c] = x.triggers
		if c != b.w.main && (x.shared || slices.Contains(x.triggers, c)) {
			lazy = append(lazy, c.name)
		}
	}
	for c, list := range deps {
		for _, d := range list {
			if d != c && slices.Contains(deps[d], c) && c != b.w.main && !slices.Contains(lazy, c.name) {
				lazy = append(lazy, c.name)
			}
		}
	}
	slices.Sort(lazy)
	done := map[*class]bool{}
	var visit func(c *class)
	visit = func(c *class) {
		if done[c] {
			return
		}
		done[c] = true
		if c.parent != nil && c.parent.met {
			visit(c.parent)
		}
		for _, d := range deps[c] {
			visit(d)
		}
		if !b.lazy[c.name] {
			order = append(order, c)
		}
	}
	for _, c := range b.clinits {
		if c != b.w.main {
			visit(c)
		}
	}
	if b.w.main.met {
		if !done[b.w.main] {
			visit(b.w.main)
		} else { // another class uses it, so that class is lazy
			order = append(slices.DeleteFunc(order, func(c *class) bool { return c == b.w.main }), b.w.main)
		}
	}
	return lazy, order
}
