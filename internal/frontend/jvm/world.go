package jvm

import (
	"fmt"
	"path"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A class is a class or an interface with its place in the hierarchy, or an array type.
type class struct {
	*classFile
	world     *world
	parent    *class // nil for java/lang/Object
	ifaces    []*class
	jdk       bool
	standin   bool   // ravel's own, in the place of one of the JDK
	file      int    // its source, an index into Program.Files
	size      uint64 // of an object
	laidOut   bool
	elem      string // descriptor of the elements of an array type
	id        int    // what references have above the address; 0 until a reference to an object of it can exist
	ancestors map[*class]bool
	shaped    *ir.Shape
	lambda    *lambda
	selectors map[string]*method
	met       bool // its static initialiser has been met
}

// A world has the classes of a program and of the JDK, by name.
type world struct {
	classes map[string]*class
	own     map[string]*classFile // of the program
	sources map[string]string     // by class: the file that it comes from
	jdk     func(name string) ([]byte, error)
	prog    *ir.Program
	files   map[string]int
	main    *class
}

type bailout struct{ err error }

func fail(format string, args ...any) { panic(bailout{fmt.Errorf(format, args...)}) }

const (
	objectClass    = "java/lang/Object"
	stringClass    = "java/lang/String"
	classClass     = "java/lang/Class"
	throwableClass = "java/lang/Throwable"
	threadClass    = "java/lang/Thread"
	varHandleClass = "java/lang/invoke/VarHandle"
)

// find returns a class, or nil if neither the program nor the JDK has it.
func (w *world) find(name string) *class {
	if c, ok := w.classes[name]; ok {
		return c
	}
	c := &class{world: w}
	switch file := w.own[name]; {
	case strings.HasPrefix(name, "["):
		c.classFile = &classFile{name: name, super: objectClass, interfaces: []string{"java/lang/Cloneable", "java/io/Serializable"}}
		c.elem = name[1:]
		c.jdk = true
	case file != nil:
		c.classFile = file
	default:
		text, err := standin(name)
		c.standin = text != nil
		if text == nil && err == nil {
			text, err = w.jdk(name)
		}
		if err != nil {
			fail("%s: %w", dotted(name), err)
		}
		if text == nil {
			w.classes[name] = nil
			return nil
		}
		if c.classFile, err = parseClass(text); err != nil {
			fail("%s: %w", dotted(name), err)
		}
		c.jdk = true
	}
	if fields, ok := modelled[name]; ok {
		c.classFile.fields = fields()
	}
	w.classes[name] = c
	for _, f := range c.fields {
		f.class = c
	}
	for _, m := range c.methods {
		m.class = c
	}
	if c.super != "" {
		c.parent = w.class(c.super)
	}
	for _, n := range c.interfaces {
		c.ifaces = append(c.ifaces, w.class(n))
	}
	c.ancestors = map[*class]bool{c: true}
	for _, p := range append(c.ifaces, c.parent) {
		if p != nil {
			for a := range p.ancestors {
				c.ancestors[a] = true
			}
		}
	}
	c.file = w.fileOf(c)
	return c
}

// modelled has the instance fields of classes of the JDK whose methods are all intrinsic.
var modelled = map[string]func() []*field{
	threadClass: func() []*field {
		return []*field{
			{name: "target", desc: "Ljava/lang/Runnable;"},
			{name: "number", desc: "J"},
			{name: "name", desc: descOf(stringClass)},
			{name: "locals", desc: descOf(objectClass)},
			{name: "permit", desc: "I"},
			{name: "interrupted", desc: "I"},
			{name: "alive", desc: "I"},
		}
	},
	throwableClass: func() []*field {
		return []*field{{name: "site", desc: "I"}, {name: "message", desc: "Ljava/lang/String;"}, {name: "cause", desc: "Ljava/lang/Throwable;"}}
	},
	stringClass: func() []*field { return nil },
	"java/util/concurrent/locks/ReentrantLock": func() []*field { return nil },
	latchClass:     func() []*field { return []*field{{name: "count", desc: "I"}} },
	conditionClass: func() []*field { return []*field{{name: "lock", desc: "Ljava/lang/Object;"}} },
}

const latchClass = "java/util/concurrent/CountDownLatch"

// conditionClass is the class of the conditions of a ReentrantLock.
const conditionClass = "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject"

// class is find for a class that must be there.
func (w *world) class(name string) *class {
	c := w.find(name)
	if c == nil {
		fail("class %s is neither in the program nor in the JDK's java.base", dotted(name))
	}
	return c
}

// fileOf returns the source of a class, a number of Program.Files.
func (w *world) fileOf(c *class) int {
	name := w.sources[c.name]
	switch {
	case c.jdk:
		name = "java.base/" + path.Join(path.Dir(c.name), c.source)
	case name == "":
		name = c.source
	}
	n, ok := w.files[name]
	if !ok {
		n = len(w.prog.Files)
		w.files[name] = n
		w.prog.Files = append(w.prog.Files, name)
	}
	return n
}

// is reports whether an object of class c is one of class t (JLS 4.10, JVMS instanceof).
func (c *class) is(t *class) bool {
	if c.ancestors[t] {
		return true
	}
	if c.elem == "" || t.elem == "" || len(c.elem) == 1 || len(t.elem) == 1 {
		return false
	}
	return c.world.class(className(c.elem)).is(c.world.class(className(t.elem)))
}

func (c *class) isInterface() bool { return c.access&accInterface != 0 }

// field resolves a field (JVMS 5.4.3.2).
func (c *class) field(name, desc string) *field {
	for _, f := range c.fields {
		if f.name == name && f.desc == desc {
			return f
		}
	}
	for _, i := range c.ifaces {
		if f := i.field(name, desc); f != nil {
			return f
		}
	}
	if c.parent != nil {
		return c.parent.field(name, desc)
	}
	return nil
}

func (c *class) declared(name, desc string) *method {
	for _, m := range c.methods {
		if m.name == name && m.desc == desc {
			return m
		}
	}
	return nil
}

// method resolves or selects a method (JVMS 5.4.3.3, 5.4.3.4, 5.4.6): first in the superclasses, then the most specific one of the interfaces that is
// not abstract, then an abstract one.
func (c *class) method(name, desc string) *method {
	key := name + desc
	if m, ok := c.selectors[key]; ok {
		return m
	}
	m := c.findMethod(name, desc)
	if c.selectors == nil {
		c.selectors = map[string]*method{}
	}
	c.selectors[key] = m
	return m
}

func (c *class) findMethod(name, desc string) *method {
	var abstract *method
	for k := c; k != nil; k = k.parent {
		if m := k.declared(name, desc); m != nil {
			if !m.is(accAbstract) {
				return m
			}
			if abstract == nil {
				abstract = m
			}
		}
	}
	var best *method
	for a := range c.ancestors {
		if !a.isInterface() {
			continue
		}
		m := a.declared(name, desc)
		switch {
		case m == nil || m.is(accStatic) || m.is(accPrivate):
		case m.is(accAbstract):
			if abstract == nil {
				abstract = m
			}
		case best == nil || m.class.is(best.class):
			best = m
		}
	}
	if best != nil {
		return best
	}
	return abstract
}

// headerSize is what objects have before their fields and elements: the monitor (runtime/src/java.c).
const headerSize = 16

// layOut gives the instance fields their places.
func (c *class) layOut() {
	if c.laidOut {
		return
	}
	c.laidOut = true
	c.size = headerSize
	if c.parent != nil {
		c.parent.layOut()
		c.size = c.parent.size
	}
	for _, f := range c.fields {
		if !f.is(accStatic) {
			n := sizeOf(f.desc)
			f.offset = (c.size + n - 1) &^ (n - 1)
			c.size = f.offset + n
		}
	}
}

// sizeOf returns how many bytes a value of the type takes in memory.
func sizeOf(desc string) uint64 {
	switch desc[0] {
	case 'Z', 'B':
		return 1
	case 'C', 'S':
		return 2
	case 'I', 'F':
		return 4
	}
	return 8
}

// kindOf returns what a value of the type is on the stack: I, J, F, D or A; V for void.
func kindOf(desc string) byte {
	switch desc[0] {
	case 'Z', 'B', 'C', 'S', 'I':
		return 'I'
	case 'L', '[':
		return 'A'
	}
	return desc[0]
}

// className returns the class of a descriptor of a reference type.
func className(desc string) string {
	if strings.HasPrefix(desc, "L") {
		return desc[1 : len(desc)-1]
	}
	return desc
}

// descOf is the inverse of className.
func descOf(name string) string {
	if strings.HasPrefix(name, "[") {
		return name
	}
	return "L" + name + ";"
}

// signature splits the descriptor of a method.
func signature(desc string) (params []string, result string) {
	rest := desc[1:]
	for rest[0] != ')' {
		n := strings.IndexFunc(rest, func(r rune) bool { return r != '[' })
		if rest[n] == 'L' {
			n = strings.IndexByte(rest, ';')
		}
		params = append(params, rest[:n+1])
		rest = rest[n+1:]
	}
	return params, rest[1:]
}

// dotted returns a class as the source writes it.
func dotted(name string) string {
	n := strings.LastIndexByte(name, '[') + 1
	if n > 0 {
		base, ok := primitives[name[n:]]
		if !ok {
			base = dotted(className(name[n:]))
		}
		return base + strings.Repeat("[]", n)
	}
	return strings.ReplaceAll(name, "/", ".")
}

var primitives = map[string]string{
	"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double", "V": "void",
}

// simple returns the last part of the name of a class.
func (c *class) simple() string {
	if c.lambda != nil {
		return c.lambda.impl.name
	}
	name := dotted(c.name)
	return name[strings.LastIndexAny(name, ".")+1:]
}

// display returns what reports call a method.
func (m *method) display() string {
	if m.name == "<init>" {
		return "new " + m.class.simple()
	}
	return m.class.simple() + "." + m.name
}

// shapeOf describes values of a type, for reports.
func (w *world) shapeOf(desc string) *ir.Shape {
	switch desc[0] {
	case 'Z':
		return &ir.Shape{Name: "bool", Size: 1}
	case 'C':
		return &ir.Shape{Name: "char", Size: 2, Char: true}
	case 'F', 'D':
		return &ir.Shape{Name: primitives[desc], Size: sizeOf(desc), Halves: desc == "D"}
	case 'L', '[':
		return &ir.Shape{Name: dotted(className(desc)), Size: 8, IsPtr: true}
	}
	return &ir.Shape{Name: primitives[desc], Size: sizeOf(desc), Signed: true, Halves: desc == "J"}
}

// shape describes the objects of a class.
func (c *class) shape() *ir.Shape {
	if c.shaped != nil {
		return c.shaped
	}
	c.layOut()
	s := &ir.Shape{Name: c.simple(), Size: c.size, Fields: []ir.Field{
		{Name: "monitor", Type: &ir.Shape{Name: "unsigned", Size: 4}}, {Name: "waiters", Offset: 8, Type: &ir.Shape{Name: "unsigned long", Size: 8}},
	}}
	c.shaped = s
	if c.elem != "" {
		s.Name = "array"
		s.Fields = append(s.Fields, ir.Field{Offset: headerSize, Type: &ir.Shape{Elem: c.world.shapeOf(c.elem)}})
		return s
	}
	for k := c; k != nil; k = k.parent {
		for _, f := range k.fields {
			if !f.is(accStatic) {
				s.Fields = append(s.Fields, ir.Field{Name: f.name, Offset: f.offset, Type: c.world.shapeOf(f.desc)})
			}
		}
	}
	return s
}

// mode returns how a field is accessed.
func (f *field) mode() event.Mode {
	if f.is(accVolatile) {
		return event.SC
	}
	return event.NA
}
