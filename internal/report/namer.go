package report

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A Namer turns the addresses and values of an execution into words of the program:
//
//	x  q.head  q.nodes[2].next     parts of variables, by their debug information
//	errno(T1)                      thread 1's copy of a thread-local variable
//	node#2(T1).next                a part of the second node that thread 1 allocated
//	heap#2+8                       a part of the second object that main allocated, where the type is not known, or has the name of a variable
//	node#2:2                       a part of the block of node#2, allocated for the second time
//	node.next  node(T1).next       a variable on the stack whose address escapes, of main and of thread 1
//	node(push, T1)  node#2(T1)     the same, where there are others: its function, and the second of the function's
//	stack#1(T1)                    one whose name is not known
//	null  null+8  push             the null page, a function
//
// First tell it of every allocation and, if heap objects should have their types, of every store
// of the execution; then ask for names. Addresses don't depend on the order of exploration, and so
// names don't either. A Namer is for one goroutine at a time.
type Namer struct {
	prog    *ir.Program
	files   []string            // Program.Files, as the user would write them
	globals []*object           // variables and functions, by address
	tls     []*object           // thread-local variables, by address
	library map[event.Addr]bool // the functions that are a library's
	results map[place]*ir.Shape // what the results of calls point to, where the source keeps them in a variable

	objects []*object // allocated ones, by address once learnt
	stores  []store
	learnt  bool
}

// A place is a line and a column of a file.
type place struct{ file, line, col int }

// An object is what a pointer may point into.
type object struct {
	base  event.Addr
	size  uint64
	name  string
	shape *ir.Shape
	local *ir.Var // on the stack, where known
	stack bool
	code  bool // a function
}

type store struct {
	at    event.Addr
	value event.Value
}

// NewNamer returns a namer for the executions of p.
func NewNamer(p *ir.Program) *Namer {
	n := &Namer{prog: p, library: map[event.Addr]bool{}, results: map[place]*ir.Shape{}}
	dir, err := os.Getwd()
	for _, f := range p.Files {
		if rel, e := filepath.Rel(dir, f); err == nil && e == nil && filepath.IsAbs(f) && filepath.IsLocal(rel) {
			f = rel
		}
		n.files = append(n.files, f)
	}
	for _, g := range p.Globals {
		o := &object{base: g.Addr, size: g.Size, name: g.Name, shape: g.Shape}
		if g.TLS {
			n.tls = append(n.tls, o)
		} else {
			n.globals = append(n.globals, o)
		}
	}
	for _, f := range p.Funcs {
		name := f.Name
		if src := n.position(f.Pos).Func; src != "" {
			name = src
		}
		if file := n.location(f.Pos).File; ir.IsSystem(file) || file == "" && (f.Runtime || strings.HasPrefix(f.Name, "_R")) {
			n.library[f.Addr] = true
		}
		n.globals = append(n.globals, &object{base: f.Addr, size: 1, name: name, code: true})
		n.findResults(f)
	}
	slices.SortFunc(n.globals, byBase)
	slices.SortFunc(n.tls, byBase)
	return n
}

func byBase(a, b *object) int { return cmp.Compare(a.base, b.base) }

// Reset forgets allocations and stores: another execution follows.
func (n *Namer) Reset() {
	n.objects, n.stores, n.learnt = n.objects[:0], n.stores[:0], false
}

// Alloc tells of an object that begins to exist. A block that is allocated again keeps its name.
func (n *Namer) Alloc(base event.Addr, size uint64, stack bool) {
	if base.Incarnation() > 0 {
		return
	}
	n.objects = append(n.objects, &object{base: base, size: size, stack: stack})
	n.learnt = false
}

// Variable tells that the object at base, which Alloc has told of, is v, or has its type if it is on the heap.
func (n *Namer) Variable(base event.Addr, v *ir.Var) {
	for i := len(n.objects) - 1; i >= 0; i-- {
		if o := n.objects[i]; o.base == base {
			o.shape = v.Shape
			if o.stack {
				o.local = v
			}
			return
		}
	}
}

// findResults finds calls whose results the source keeps in a pointer: node = malloc(…).
func (n *Namer) findResults(f *ir.Func) {
	vars := map[ir.Reg]*ir.Shape{}
	calls := map[ir.Reg]ir.Pos{}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			switch in := &b.Instrs[i]; in.Op {
			case ir.Alloca:
				if v := in.Var; v != nil && v.Shape != nil && v.Shape.IsPtr && v.Shape.Ptr != nil && v.Shape.Ptr.Size > 0 {
					vars[in.Dst] = v.Shape.Ptr
				}
			case ir.Call:
				if len(in.Results) == 1 {
					calls[in.Results[0]] = in.Pos
				}
			case ir.Copy:
				if pos, ok := calls[in.A.Reg]; ok {
					calls[in.Dst] = pos
				}
			case ir.Store:
				if shape, pos := vars[in.A.Reg], calls[in.B.Reg]; shape != nil && pos != ir.NoPos && uint64(in.Size) == n.prog.PtrSize() {
					n.results[n.place(pos)] = shape
				}
			}
		}
	}
}

func (n *Namer) place(pos ir.Pos) place {
	p := n.position(pos)
	return place{p.File, p.Line, p.Col}
}

// Site tells where the source allocates the object at base, which Alloc has told of. That may tell its type.
func (n *Namer) Site(base event.Addr, pos ir.Pos) {
	shape := n.results[n.place(pos)]
	for i := len(n.objects) - 1; i >= 0 && shape != nil; i-- {
		if o := n.objects[i]; o.base == base {
			if !o.stack && o.shape == nil && shape.Size <= o.size {
				o.shape = shape
			}
			return
		}
	}
}

// Store tells of a store, from which the types of heap objects are learnt.
func (n *Namer) Store(at event.Addr, v event.Value) {
	n.stores = append(n.stores, store{at, v})
	n.learnt = false
}

// Thread names a thread that runs the function at fn: if that is a library's, by the first of the program's that is seen in its events.
func (n *Namer) Thread(fn event.Addr, events []Event) string {
	if n.library[fn] {
		for i := range events {
			if l := &events[i].Location; l.Function != "" && l.File != "" && !ir.IsSystem(l.File) {
				return l.Function
			}
		}
	}
	return n.Loc(fn, 1)
}

// Loc names the size bytes at a.
func (n *Namer) Loc(a event.Addr, size uint8) string {
	n.index()
	name, _ := n.locate(a, uint64(size))
	return name
}

// Value returns a value of size bytes at address at, as the type of what is there wants it.
func (n *Namer) Value(at event.Addr, size uint8, v event.Value) string {
	n.index()
	_, shape := n.locate(at, uint64(size))
	return n.render(shape, size, v)
}

// Unsigned reports whether what is at a place is known to be an unsigned number, or a pointer.
func (n *Namer) Unsigned(at event.Addr, size uint8) bool {
	n.index()
	_, shape := n.locate(at, uint64(size))
	for shape != nil && len(shape.Fields) > 0 { // of an atomic type
		shape = shape.Fields[0].Type
	}
	return shape != nil && shape.Elem == nil && !shape.Signed
}

// Halves reports whether a plain access of what is at a place may be two accesses, of its halves.
func (n *Namer) Halves(at event.Addr, size uint8) bool {
	n.index()
	_, shape := n.locate(at, uint64(size))
	return shape != nil && shape.Halves
}

// Location returns where pos is, with files below the working directory relative to it. What was inlined from a header of the system is where its
// caller is: users do not look for a bug inside <atomic>.
func (n *Namer) Location(pos ir.Pos) Location {
	inner := n.location(pos)
	for at := pos; at != ir.NoPos; at = n.position(at).InlinedAt {
		if l := n.location(at); !ir.IsSystem(l.File) {
			return l
		}
	}
	return inner
}

// Function and File return where pos is, be it inlined.
func (n *Namer) Function(pos ir.Pos) string { return n.location(pos).Function }
func (n *Namer) File(pos ir.Pos) string     { return n.location(pos).File }

func (n *Namer) position(pos ir.Pos) ir.Position {
	if pos <= ir.NoPos || int(pos) >= len(n.prog.Positions) {
		return ir.Position{File: -1}
	}
	return n.prog.Positions[pos]
}

func (n *Namer) location(pos ir.Pos) Location {
	p := n.position(pos)
	l := Location{Line: p.Line, Column: p.Col, Function: p.Func}
	if p.File >= 0 && p.File < len(n.files) {
		l.File = n.files[p.File]
	}
	return l
}

// index sorts and numbers the objects, and finds their types: an object has the type of the
// pointers to its start.
func (n *Namer) index() {
	if n.learnt {
		return
	}
	n.learnt = true
	slices.SortStableFunc(n.objects, byBase)
	n.objects = slices.CompactFunc(n.objects, func(a, b *object) bool { return a.base == b.base })
	type series struct {
		owner int
		stack bool
	}
	number := map[series]int{}
	for _, o := range n.objects {
		s := series{o.base.Owner(), o.stack}
		number[s]++
		kind := "heap"
		if o.stack {
			kind = "stack"
		}
		o.name = fmt.Sprintf("%s#%d", kind, number[s])
		if t := o.base.Owner() - 1; t > 0 {
			o.name += fmt.Sprintf("(T%d)", t)
		}
	}
	n.nameLocals()
	for range n.objects { // a type found may be that of a node that leads to the next one
		more := false
		for _, s := range n.stores {
			_, shape := n.locate(s.at, n.prog.PtrSize())
			if shape == nil || !shape.IsPtr || shape.Ptr == nil || shape.Ptr.Size == 0 {
				continue
			}
			v := s.value.Lo
			o, off := n.find(n.address(v - n.tag(v, shape.Ptr)))
			if o != nil && off == 0 && o.shape == nil && n.isAllocated(o) && shape.Ptr.Size <= o.size {
				o.shape = shape.Ptr
				more = true
			}
		}
		if !more {
			break
		}
	}
	n.nameTyped()
}

// nameTyped names heap objects by their types, where no variable has the name of the type.
func (n *Namer) nameTyped() {
	taken := map[string]bool{"heap": true, "stack": true}
	for _, g := range slices.Concat(n.globals, n.tls) {
		taken[g.name] = true
	}
	for _, o := range n.objects {
		if o.local != nil {
			taken[o.local.Name] = true
		}
	}
	type series struct {
		name  string
		owner int
	}
	number := map[series]int{}
	for _, o := range n.objects {
		if o.stack || o.shape == nil || len(o.shape.Fields) == 0 {
			continue
		}
		name, _, _ := strings.Cut(o.shape.Name, "<") // without the arguments of a template
		if !isIdentifier(name) || taken[name] {
			continue
		}
		s := series{name, o.base.Owner()}
		number[s]++
		o.name = fmt.Sprintf("%s#%d", name, number[s])
		if t := o.base.Owner() - 1; t > 0 {
			o.name += fmt.Sprintf("(T%d)", t)
		}
	}
}

// isIdentifier reports whether a text is a name that is short enough to read.
func isIdentifier(s string) bool {
	for _, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != "" && len(s) <= 20 && s[0] != '_'
}

// OnStack reports whether what was allocated at a is a variable.
func (n *Namer) OnStack(a event.Addr) bool {
	n.index()
	o, _ := n.find(a.Visible())
	return o != nil && o.stack
}

// nameLocals names the variables on the stack: by as little more than their own name as tells them apart from each other,
// from global variables and from other threads' variables.
func (n *Namer) nameLocals() {
	type scope struct {
		name, fn string
		thread   int
	}
	taken := map[string]int{} // how many functions have a variable of this name; a global one counts too
	calls := map[scope]int{}  // how many there are
	functions := map[[2]string]bool{}
	of := func(o *object) scope {
		return scope{o.local.Name, n.position(o.local.Pos).Func, o.base.Owner() - 1}
	}
	for _, g := range n.globals {
		taken[g.name]++
	}
	for _, o := range n.objects {
		if o.local == nil {
			continue
		}
		s := of(o)
		calls[s]++
		if at := [2]string{s.name, s.fn}; !functions[at] {
			functions[at] = true
			taken[s.name]++
		}
	}
	number := map[scope]int{}
	for _, o := range n.objects {
		if o.local == nil {
			continue
		}
		s := of(o)
		number[s]++
		o.name = s.name
		if calls[s] > 1 {
			o.name += fmt.Sprintf("#%d", number[s])
		}
		var more []string
		if taken[s.name] > 1 && s.fn != "" {
			more = append(more, s.fn)
		}
		if s.thread > 0 {
			more = append(more, fmt.Sprintf("T%d", s.thread))
		}
		if more != nil {
			o.name += "(" + strings.Join(more, ", ") + ")"
		}
	}
}

func (n *Namer) isAllocated(o *object) bool {
	_, ok := slices.BinarySearchFunc(n.objects, o, byBase)
	return ok
}

// tag returns the low bits of a pointer that a program may keep a tag in, because the alignment of the pointee leaves them unused.
func (n *Namer) tag(v uint64, pointee *ir.Shape) uint64 {
	if size := n.prog.PtrSize(); pointee != nil && pointee.Size > 0 && pointee.Size%size == 0 {
		return v & (size - 1)
	}
	return 0
}

// address returns the address that a pointer of the program is, without tags above it.
func (n *Namer) address(v uint64) event.Addr {
	return event.Addr(v&(1<<n.prog.Space.Bits()-1)) | n.prog.Space.Tag()
}

// seen returns an address as the program sees it.
func (n *Namer) seen(a event.Addr) uint64 { return uint64(a &^ n.prog.Space.Tag()) }

// find returns the object whose slots a is in, and the offset from its start, which is negative
// for an address just before the object that follows.
func (n *Namer) find(a event.Addr) (*object, int64) {
	objects := n.objects
	switch {
	case a.Owner() == 0:
		objects = n.globals
	case !a.IsAllocated():
		return n.findTLS(a)
	}
	i, ok := slices.BinarySearchFunc(objects, a, func(o *object, a event.Addr) int { return cmp.Compare(o.base, a) })
	if !ok {
		i--
	}
	if i >= 0 && i < len(objects) {
		o := objects[i]
		off := uint64(a - o.base)
		if off < uint64(a.Space().Slots(o.size))*a.Space().SlotSize() && o.base.Owner() == a.Owner() && !isBefore(a, objects, i) {
			return o, int64(off)
		}
	}
	if i+1 < len(objects) && isBefore(a, objects, i) {
		return objects[i+1], int64(a) - int64(objects[i+1].base)
	}
	return nil, 0
}

// isBefore reports whether a is past the end of object i, but just before object i+1.
func isBefore(a event.Addr, objects []*object, i int) bool {
	const near = 4096
	return i+1 < len(objects) && objects[i+1].base-a <= near && (i < 0 || uint64(a-objects[i].base) > objects[i].size)
}

// findTLS returns a thread's copy of a thread-local variable.
func (n *Namer) findTLS(a event.Addr) (*object, int64) {
	for _, o := range n.tls {
		if o.base.Slot() <= a.Slot() && a.Slot() < o.base.Slot()+a.Space().Slots(o.size) {
			c := *o
			c.base = a.Space().Make(a.Owner(), o.base.Slot())
			c.name = fmt.Sprintf("%s(T%d)", o.name, a.Owner()-1)
			return &c, int64(a - c.base)
		}
	}
	return nil, 0
}

// locate names the size bytes at a and returns their type, nil if it is not known.
func (n *Namer) locate(a event.Addr, size uint64) (string, *ir.Shape) {
	if at := n.seen(a); at < n.prog.Space.NullSize() {
		return offset("null", int64(at)), nil
	}
	o, off := n.find(a.Visible())
	if o == nil {
		return n.wild(a), nil
	}
	path, shape := o.part(off, size, false)
	if i := a.Incarnation(); i > 0 {
		return fmt.Sprintf("%s:%d%s", o.name, i+1, path), shape
	}
	return o.name + path, shape
}

// wild names an address that belongs to nothing known.
func (n *Namer) wild(a event.Addr) string {
	if a.Owner() > 0 && n.prog.Space.Has(a) {
		return offset(fmt.Sprintf("object#%d(T%d)", a.Slot(), a.Owner()-1), int64(a.Offset()))
	}
	return fmt.Sprintf("%#x", n.seen(a))
}

func offset(name string, off int64) string {
	if off == 0 {
		return name
	}
	return fmt.Sprintf("%s%+d", name, off)
}

// part returns the path to the size bytes at off, and their type. An access goes as deep as the
// parts are large enough; a pointer to a whole goes no deeper than needed.
func (o *object) part(off int64, size uint64, whole bool) (string, *ir.Shape) {
	shape := o.shape
	if shape == nil || size == 0 && off == 0 {
		return offset("", off), shape
	}
	var path strings.Builder
	open := isOpen(shape)
	if !open && shape.Elem == nil && shape.Size > 0 && o.size >= 2*shape.Size { // malloc(n * sizeof *p)
		shape = &ir.Shape{Elem: shape, Size: o.size}
	}
	if off < 0 || uint64(off) >= shape.Size && !open { // out of bounds; an array can still count
		if shape.Elem == nil || shape.Elem.Size == 0 {
			return offset("", off), nil
		}
		i := floorDiv(off, int64(shape.Elem.Size))
		fmt.Fprintf(&path, "[%d]", i)
		off -= i * int64(shape.Elem.Size)
		shape = shape.Elem
	}
	rest := uint64(off)
	for shape != nil && (!whole || rest != 0 || size > 0 && shape.Size > size) {
		step, inner, at := child(shape, rest, max(size, 1))
		if inner == nil {
			break
		}
		path.WriteString(step)
		shape, rest = inner, rest-at
	}
	if rest != 0 {
		return path.String() + offset("", int64(rest)), nil
	}
	return path.String(), shape
}

// isOpen reports whether shape ends with an array of unknown length.
func isOpen(shape *ir.Shape) bool {
	if len(shape.Fields) == 0 {
		return false
	}
	last := shape.Fields[len(shape.Fields)-1].Type
	return last != nil && last.Elem != nil && last.Size == 0
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// child returns the part of shape that holds the size bytes at off: how it is written, its type
// and where it starts. The type is nil if no part holds them all.
func child(shape *ir.Shape, off, size uint64) (step string, inner *ir.Shape, at uint64) {
	if e := shape.Elem; e != nil {
		if e.Size == 0 || off%e.Size+size > e.Size {
			return "", nil, 0
		}
		return fmt.Sprintf("[%d]", off/e.Size), e, off - off%e.Size
	}
	var best *ir.Field
	for i := range shape.Fields {
		f := &shape.Fields[i]
		open := i == len(shape.Fields)-1 && isOpen(shape)
		if f.Type == nil || off < f.Offset || off+size > f.Offset+f.Type.Size && !open {
			continue
		}
		// Of the members of a union, one that fits exactly.
		if best == nil || best.Type.Size != size && f.Type.Size == size {
			best = f
		}
	}
	if best == nil {
		return "", nil, 0
	}
	if best.Name == "" || isWrapper(shape, best) {
		return "", best.Type, best.Offset
	}
	return "." + best.Name, best.Type, best.Offset
}

// isWrapper reports whether f is the inside of a library type that users know as one value:
// std::atomic<int> is a struct with a member _M_i, Rust's AtomicUsize one with an UnsafeCell.
func isWrapper(shape *ir.Shape, f *ir.Field) bool {
	if f.Offset != 0 || f.Type.Size != shape.Size {
		return false
	}
	if strings.HasPrefix(f.Name, "_") {
		return true
	}
	for _, prefix := range []string{"atomic", "Atomic", "UnsafeCell", "std::", "core::"} {
		if strings.HasPrefix(shape.Name, prefix) {
			return true
		}
	}
	return false
}
