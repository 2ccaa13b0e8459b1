package jvm

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A builder lowers the methods that a program reaches. It begins with main and goes on with what it meets: methods that are called, classes that
// are instantiated, and for each virtual call the methods of instantiated classes (rapid type analysis).
type builder struct {
	w    *world
	prog *ir.Program
	libs map[string]*ir.Func
	need map[string]bool // functions of the library that are not there yet

	funcs     map[*method]*ir.Func
	queue     []func()
	virtuals  map[string]*virtual
	order     []*virtual
	tests     map[*class]*ir.Func
	testOrder []*class
	instances []*class // by id-1
	vars      map[*class]*ir.Var
	statics   map[*field]*ir.Global
	strings   map[string]*text
	texts     []*text
	sites     []*site
	objects   map[string]*ir.Global // class objects and other single ones
	constants map[*field]any        // of static final fields whose value is known when the program is lowered; nil: not known
	scanning  map[*class]bool
	late      map[string]*ir.Func // functions whose body is made at the end
	names     map[string]int
	triggers  map[*ir.Func][]*class // the classes that a function makes sure are initialised
	lazy      map[string]bool       // classes whose static initialiser runs when they are first used
	clinits   []*class              // classes that have one, as met
	initFuncs map[*class]*ir.Func
	current   *ir.Global // of each thread: its object; nil if nothing asks for it

	interrupting bool // there is a call of Thread.interrupt
	asksAlive    bool // there is a call of Thread.isAlive
}

// A virtual is a call that is dispatched by the class of the receiver.
type virtual struct {
	root       *class // of the receiver
	name, desc string
	f          *ir.Func
	targets    map[*class]*ir.Func
}

// A text is a string constant.
type text struct {
	value string
	g     *ir.Global
}

// A site is where an exception is made.
type site struct {
	class   *class
	pos     ir.Pos
	message string
}

// library returns a function of the machine or of ravel's library.
func (b *builder) library(name string) *ir.Func {
	f := b.libs[name]
	if f == nil {
		f = &ir.Func{Name: name}
		b.addFunc(f)
		b.libs[name] = f
		if !builtin[name] {
			b.need[name] = true
		}
	}
	return f
}

// builtin has the functions of the machine that lowered code calls.
var builtin = map[string]bool{
	"__ravel_alloc": true, "__ravel_length": true, "__ravel_create": true, "__ravel_next": true, "__ravel_join": true, "__ravel_self": true, "__ravel_owner": true,
	"__ravel_error": true, "__ravel_constant": true, "__ravel_choose": true, "exit": true,
	"sqrt": true, "floor": true, "ceil": true, "pow": true, "rint": true, "sin": true, "cos": true, "tan": true, "exp": true, "log": true, "log10": true, "cbrt": true,
}

func (b *builder) addFunc(f *ir.Func) {
	if !b.prog.AddFunc(f) {
		fail("the program has too many functions")
	}
}

func (b *builder) addGlobal(g *ir.Global) {
	if !b.prog.AddGlobal(g) {
		fail("the program has too many static variables")
	}
}

// unique returns the name of a function, with a number if it is taken.
func (b *builder) unique(name string) string {
	b.names[name]++
	if n := b.names[name]; n > 1 {
		return fmt.Sprintf("%s#%d", name, n)
	}
	return name
}

// run lowers what is queued until nothing is left, and then what depends on all classes and calls.
func (b *builder) run() {
	for {
		for len(b.queue) > 0 {
			f := b.queue[0]
			b.queue = b.queue[1:]
			f()
		}
		if !b.dispatch() {
			break
		}
	}
	for _, v := range b.order {
		b.lowerVirtual(v)
	}
	b.lowerTests()
	b.lowerLate()
}

// dispatch finds the methods that virtual calls reach. It reports whether there are new ones.
func (b *builder) dispatch() bool {
	n := len(b.queue)
	for i := 0; i < len(b.order); i++ {
		v := b.order[i]
		for j := 0; j < len(b.instances); j++ {
			c := b.instances[j]
			if _, ok := v.targets[c]; ok || !c.is(v.root) {
				continue
			}
			v.targets[c] = b.target(c, v.name, v.desc)
		}
	}
	return len(b.queue) > n
}

// target returns the function that a call of a method of an object of class c reaches, nil if there is none.
func (b *builder) target(c *class, name, desc string) *ir.Func {
	if c.lambda != nil {
		if f := b.lambdaMethod(c, name, desc); f != nil {
			return f
		}
	}
	if c.elem != "" && name == "clone" {
		return b.arrayClone(c)
	}
	m := c.method(name, desc)
	if m == nil || m.is(accAbstract) {
		return nil
	}
	return b.funcOf(m)
}

// virtual returns the function that dispatches calls of a method.
func (b *builder) virtual(root *class, name, desc string) *ir.Func {
	key := root.name + "." + name + desc
	v := b.virtuals[key]
	if v == nil {
		v = &virtual{root: root, name: name, desc: desc, targets: map[*class]*ir.Func{}, f: &ir.Func{Name: b.unique("virtual " + root.simple() + "." + name)}}
		b.addFunc(v.f)
		b.virtuals[key] = v
		b.order = append(b.order, v)
		params, result := signature(desc)
		b.newEmitter(v.f, 1+len(params), kindOf(result))
	}
	return v.f
}

// lowerVirtual makes the body of the function: a switch over the classes.
func (b *builder) lowerVirtual(v *virtual) {
	_, result := signature(v.desc)
	f := v.f
	e := &emitter{b: b, f: f, result: kindOf(result)}
	f.Blocks = nil
	e.at = e.block()
	var args []ir.Operand
	for _, p := range f.Params {
		args = append(args, ir.R(p))
	}
	blocks := map[*ir.Func]int{}
	in := ir.Instr{Op: ir.Switch, Width: 16, Dst: ir.NoReg, Dst2: ir.NoReg}
	abstract := e.block()
	e.at = abstract
	e.unsupported(fmt.Sprintf("%s.%s has no body in the class of this object", dotted(v.root.name), v.name))
	for _, c := range b.instances {
		t, ok := v.targets[c]
		if !ok {
			continue
		}
		to := abstract
		if t != nil {
			if to, ok = blocks[t]; !ok {
				to = e.block()
				blocks[t] = to
				e.at = to
				call := ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: t, Args: args}
				ret := ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg}
				for range f.Results {
					r := e.reg()
					call.Results = append(call.Results, r)
					ret.Args = append(ret.Args, ir.R(r))
				}
				e.add(call)
				e.add(ret)
			}
		}
		in.Cases = append(in.Cases, uint64(c.id))
		in.Targets = append(in.Targets, to)
	}
	in.Targets = append(in.Targets, abstract)
	e.at = 0
	if len(blocks) == 1 && !slices.Contains(in.Targets[:len(in.Cases)], abstract) {
		e.jump(in.Targets[0])
	} else {
		in.A = e.cast(ir.Trunc, 64, 16, e.classID(args[0]))
		e.add(in)
	}
	e.finish()
}

// instantiate notes that there are objects of class c, and gives the class its number.
func (b *builder) instantiate(c *class) {
	if c.id > 0 {
		return
	}
	b.instances = append(b.instances, c)
	c.id = len(b.instances)
	if c.id >= 1<<15 {
		fail("the program has too many classes")
	}
}

func (b *builder) varOf(c *class) *ir.Var {
	v := b.vars[c]
	if v == nil {
		v = &ir.Var{Name: c.simple(), Shape: c.shape()}
		b.vars[c] = v
	}
	return v
}

// test returns the function that tells whether an object, which is not null, is of a class. It returns one bit.
func (b *builder) test(c *class) *ir.Func {
	f := b.tests[c]
	if f == nil {
		f = &ir.Func{Name: b.unique("instanceof " + c.simple()), Params: []ir.Reg{0}, Regs: 1, Results: 1}
		b.addFunc(f)
		b.tests[c] = f
		b.testOrder = append(b.testOrder, c)
	}
	return f
}

// isInstance emits a test whether an object, which is not null, is of a class.
func (e *emitter) isInstance(ref ir.Operand, c *class) ir.Operand {
	if c.name == objectClass {
		return ir.Imm(1)
	}
	r := e.reg()
	e.add(ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: e.b.test(c), Args: []ir.Operand{ref}, Results: []ir.Reg{r}})
	return ir.R(r)
}

func (b *builder) lowerTests() {
	for i := 0; i < len(b.testOrder); i++ {
		c := b.testOrder[i]
		e := &emitter{b: b, f: b.tests[c], result: 'V'}
		e.at = e.block()
		in := ir.Instr{Op: ir.Switch, Width: 16, Dst: ir.NoReg, Dst2: ir.NoReg}
		in.A = e.cast(ir.Trunc, 64, 16, e.classID(ir.R(0)))
		yes, no := e.block(), e.block()
		for _, k := range b.instances {
			if k.is(c) {
				in.Cases = append(in.Cases, uint64(k.id))
				in.Targets = append(in.Targets, yes)
			}
		}
		in.Targets = append(in.Targets, no)
		e.add(in)
		e.at = yes
		e.add(ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{ir.Imm(1)}})
		e.at = no
		e.add(ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{ir.Imm(0)}})
		e.finish()
	}
}

// static returns the variable of a static field.
func (b *builder) static(f *field) *ir.Global {
	g := b.statics[f]
	if g != nil {
		return g
	}
	name := f.name
	if f.class != b.w.main {
		name = f.class.simple() + "." + name
	}
	g = &ir.Global{Name: name, Size: sizeOf(f.desc), Align: sizeOf(f.desc), Shape: b.w.shapeOf(f.desc)}
	b.addGlobal(g)
	b.statics[f] = g
	if f.value != 0 {
		v := uint64(0)
		if k := f.class.at(int(f.value), tagString, tagInteger, tagLong, tagFloat, tagDouble); k.tag == tagString {
			v = b.text(f.class.utf8(int(k.a)))
		} else {
			v = k.bits
		}
		for range g.Size {
			g.Init = append(g.Init, byte(v))
			v >>= 8
		}
	}
	return g
}

// text returns the reference to a string constant. The bytes of the object after its header are the text in UTF-16.
func (b *builder) text(s string) uint64 {
	t := b.strings[s]
	if t == nil {
		units := utf16Bytes(s)
		t = &text{value: s, g: &ir.Global{Name: fmt.Sprintf("%q", s), Size: headerSize + uint64(len(units)), Align: 8, Const: true}}
		t.g.Init = append(make([]byte, headerSize), units...)
		b.addGlobal(t.g)
		b.strings[s] = t
		b.texts = append(b.texts, t)
	}
	c := b.w.class(stringClass)
	b.instantiate(c)
	return uint64(t.g.Addr) | c.tag()
}

// message returns the address of bytes that end with a zero.
func (b *builder) message(s string) ir.Operand {
	key := "message " + s
	g := b.objects[key]
	if g == nil {
		g = &ir.Global{Name: ".str", Size: uint64(len(s)) + 1, Align: 1, Const: true, Init: append([]byte(s), 0)}
		b.addGlobal(g)
		b.objects[key] = g
	}
	return ir.Imm(uint64(g.Addr))
}

// single returns the reference to the one object of a class that has this name.
func (b *builder) single(name, className string, size uint64) uint64 {
	key := className + " " + name
	g := b.objects[key]
	if g == nil {
		g = &ir.Global{Name: name, Size: size, Align: 8}
		b.addGlobal(g)
		b.objects[key] = g
	}
	c := b.w.class(className)
	b.instantiate(c)
	return uint64(g.Addr) | c.tag()
}

// classObject returns the reference to the object of a class or type.
func (b *builder) classObject(name string) uint64 {
	return b.single(dotted(name)+".class", classClass, headerSize)
}

// siteField is the field of Throwable that holds where it was made.
func (b *builder) siteField() *field { return b.instanceField(throwableClass, "site") }

// instanceField returns a field of a class of the JDK.
func (b *builder) instanceField(class, name string) *field {
	c := b.w.class(class)
	c.layOut()
	for _, f := range c.fields {
		if f.name == name {
			return f
		}
	}
	fail("this JDK's %s has no field %s", dotted(class), name)
	return nil
}

// site notes where exceptions of a class are made. It returns its number.
func (b *builder) site(c *class, pos ir.Pos) int {
	for i, s := range b.sites {
		if s.class == c && s.pos == pos {
			return i
		}
	}
	b.sites = append(b.sites, &site{class: c, pos: pos})
	return len(b.sites) - 1
}

// lowerLate makes the functions that need to know all classes, strings and sites.
func (b *builder) lowerLate() {
	for _, name := range []string{"start", "uncaught", "class of", "element size", "element type", "store check", "text hash", "text length", "enum values", "superclass"} {
		f := b.late[name]
		if f == nil {
			continue
		}
		e := &emitter{b: b, f: f, result: 'J'}
		e.at = e.block()
		switch name {
		case "uncaught":
			b.lowerUncaught(e)
		case "class of":
			e.table(e.classID(ir.R(0)), len(b.instances), func(i int) (uint64, uint64) {
				return uint64(i + 1), b.classObject(b.instances[i].name)
			}, "the class of this object is not known")
		case "store check":
			b.lowerStoreCheck(e)
		case "start":
			b.lowerStart(e)
		case "element size", "element type":
			var arrays []*class
			for _, c := range b.instances {
				if c.elem != "" {
					arrays = append(arrays, c)
				}
			}
			e.table(e.classID(ir.R(0)), len(arrays), func(i int) (uint64, uint64) {
				if name == "element type" {
					return uint64(arrays[i].id), typeCode(arrays[i].elem)
				}
				return uint64(arrays[i].id), uint64(bits.TrailingZeros64(sizeOf(arrays[i].elem)))
			}, "the class of this array is not known")
		case "enum values":
			var enums []*class
			for _, c := range b.clinits {
				if c.parent != nil && c.parent.name == "java/lang/Enum" && !b.lazy[c.name] && c.field("$VALUES", "["+descOf(c.name)) != nil {
					enums = append(enums, c)
				}
			}
			e.table(ir.R(0), len(enums), func(i int) (uint64, uint64) {
				return b.classObject(enums[i].name), uint64(b.static(enums[i].field("$VALUES", "["+descOf(enums[i].name))).Addr)
			}, "the constants of this enum are not known")
		case "superclass":
			all := slices.DeleteFunc(slices.Clone(b.instances), func(c *class) bool { return c.parent == nil || c.elem != "" })
			e.table(ir.R(0), len(all), func(i int) (uint64, uint64) {
				return b.classObject(all[i].name), b.classObject(all[i].parent.name)
			}, "the superclass of this class is not known")
		case "text hash":
			e.table(ir.R(0), len(b.texts), func(i int) (uint64, uint64) {
				return b.text(b.texts[i].value), uint64(textHash(b.texts[i].value))
			}, unknownText)
		case "text length":
			e.table(ir.R(0), len(b.texts), func(i int) (uint64, uint64) {
				return b.text(b.texts[i].value), uint64(len(utf16Bytes(b.texts[i].value)) / 2)
			}, unknownText)
		}
		e.finish()
	}
}

// typeCode returns a number for each primitive type, and one for all references.
func typeCode(desc string) uint64 {
	if kindOf(desc) == 'A' {
		return 'A'
	}
	return uint64(desc[0])
}

const unknownText = "the characters of a string that is no constant are not modelled"

// lateFunc returns a function that gets its body at the end. It returns one word.
func (b *builder) lateFunc(name string, params int) *ir.Func {
	f := b.late[name]
	if f == nil {
		f = &ir.Func{Name: name, Results: 1, Runtime: true}
		for i := range params {
			f.Params = append(f.Params, ir.Reg(i))
		}
		f.Regs = params
		b.addFunc(f)
		b.late[name] = f
	}
	return f
}

// lateCall calls such a function.
func (e *emitter) lateCall(name string, args ...ir.Operand) ir.Operand {
	r := e.reg()
	e.add(ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: e.b.lateFunc(name, len(args)), Args: args, Results: []ir.Reg{r}})
	return ir.R(r)
}

// ret1 ends a function that returns one word.
func (e *emitter) ret1(v ir.Operand) {
	e.add(ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{v}})
}

// table returns the word that belongs to a key.
func (e *emitter) table(key ir.Operand, n int, entry func(i int) (key, value uint64), otherwise string) {
	in := ir.Instr{Op: ir.Switch, Width: 64, Dst: ir.NoReg, Dst2: ir.NoReg, A: key}
	at := e.at
	for i := range n {
		k, v := entry(i)
		e.at = e.block()
		e.ret1(ir.Imm(v))
		in.Cases = append(in.Cases, k)
		in.Targets = append(in.Targets, e.at)
	}
	e.at = e.block()
	e.unsupported(otherwise)
	in.Targets = append(in.Targets, e.at)
	e.at = at
	e.add(in)
}

// lowerUncaught reports an exception that nothing catches: where it was made.
func (b *builder) lowerUncaught(e *emitter) {
	in := ir.Instr{Op: ir.Switch, Width: 32, Dst: ir.NoReg, Dst2: ir.NoReg}
	in.A = e.load(e.address(ir.R(0), b.siteField().offset), "I", event.NA)
	at := e.at
	for i, s := range b.sites {
		e.at = e.block()
		e.pos = s.pos
		message := "uncaught " + dotted(s.class.name)
		if s.class.name == "java/lang/AssertionError" {
			message = "assertion failed"
		}
		if s.message != "" {
			message += ": " + s.message
		}
		e.intrinsic("__ravel_error", false, b.message("assertion"), b.message(message))
		e.ret1(ir.Imm(0))
		e.pos = ir.NoPos
		in.Cases = append(in.Cases, uint64(i))
		in.Targets = append(in.Targets, e.at)
	}
	e.at = e.block()
	e.unsupported("an exception of unknown origin is not caught")
	in.Targets = append(in.Targets, e.at)
	e.at = at
	e.add(in)
}

// lowerStoreCheck tells whether an object, the second parameter, which is not null, may be an element of an array.
func (b *builder) lowerStoreCheck(e *emitter) {
	in := ir.Instr{Op: ir.Switch, Width: 64, Dst: ir.NoReg, Dst2: ir.NoReg}
	in.A = e.classID(ir.R(0))
	at := e.at
	for _, c := range slices.Clone(b.instances) {
		if c.elem == "" || len(c.elem) == 1 {
			continue
		}
		t := b.w.class(className(c.elem))
		if t.name == objectClass {
			continue
		}
		e.at = e.block()
		in.Cases = append(in.Cases, uint64(c.id))
		in.Targets = append(in.Targets, e.at)
		id := ir.Instr{Op: ir.Switch, Width: 64, Dst: ir.NoReg, Dst2: ir.NoReg, A: e.classID(ir.R(1))}
		inner := e.at
		no := e.block()
		e.at = no
		e.ret1(ir.Imm(0))
		yes := e.block()
		e.at = yes
		e.ret1(ir.Imm(1))
		for _, k := range b.instances {
			if k.is(t) {
				id.Cases = append(id.Cases, uint64(k.id))
				id.Targets = append(id.Targets, yes)
			}
		}
		id.Targets = append(id.Targets, no)
		e.at = inner
		e.add(id)
	}
	e.at = e.block()
	e.ret1(ir.Imm(1))
	in.Targets = append(in.Targets, e.at)
	e.at = at
	e.add(in)
}

// isTrusted reports whether the code of a method of the JDK is run as it is. Most of the JDK is refused: its code reaches far into the virtual machine.
func isTrusted(m *method) bool {
	c := m.class
	if c.standin {
		return true
	}
	if c.is(c.world.class(throwableClass)) && c.name != throwableClass {
		return true
	}
	name := c.name
	if trusted[name] {
		return true
	}
	outer, _, _ := strings.Cut(name, "$")
	return trusted[outer] || trustedMethods[name+"."+m.name] || strings.HasPrefix(name, "java/util/function/") || strings.HasPrefix(name, "java/util/stream/")
}
