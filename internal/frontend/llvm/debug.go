package llvm

import (
	"path/filepath"
	"strings"

	"ravel/internal/ir"
)

// file returns the index in Program.Files of a DIFile.
func (lk *linker) file(m *Module, n int32) int {
	if k, ok := m.meta.files[n]; ok {
		return k
	}
	node := m.node(n)
	name, dir := node.field("filename").text, node.field("directory").text
	k := -1
	if name != "" {
		if !filepath.IsAbs(name) && dir != "" {
			name = filepath.Join(dir, name)
		}
		var ok bool
		if k, ok = lk.files[name]; !ok {
			k = len(lk.prog.Files)
			lk.prog.Files = append(lk.prog.Files, name)
			lk.files[name] = k
		}
	}
	if m.meta.files == nil {
		m.meta.files = map[int32]int{}
	}
	m.meta.files[n] = k
	return k
}

// A scopeInfo is what a DISubprogram or DILexicalBlock says.
type scopeInfo struct {
	file  int
	fn    string
	line  int
	scope int // in Program.Scopes
}

// scope returns the file of scope n and the name of the function around it.
func (lk *linker) scope(m *Module, n int32) scopeInfo {
	if s, ok := m.meta.scopes[n]; ok {
		return s
	}
	info := scopeInfo{file: -1}
	for at, steps := n, 0; at >= 0 && steps < 200; steps++ {
		node := m.node(at)
		if f := node.field("file").ref; f >= 0 && info.file < 0 {
			info.file = lk.file(m, f)
		}
		if node.kind == "DISubprogram" {
			info.fn = node.field("name").text
			info.line = node.field("line").number()
			break
		}
		at = node.field("scope").ref
	}
	if m.meta.scopes == nil {
		m.meta.scopes = map[int32]scopeInfo{}
	}
	m.meta.scopes[n] = info // so that scopes in a circle come to an end
	info.scope = lk.addScope(m, n)
	m.meta.scopes[n] = info
	return info
}

// addScope adds scope n to Program.Scopes. A DILexicalBlockFile is not a block of the source: it says that the file changes.
func (lk *linker) addScope(m *Module, n int32) int {
	node := m.node(n)
	var s ir.Scope
	switch node.kind {
	case "DILexicalBlock":
		s.Parent = lk.scope(m, node.field("scope").ref).scope
	case "DILexicalBlockFile":
		return lk.scope(m, node.field("scope").ref).scope
	case "DISubprogram":
	default:
		return 0
	}
	lk.prog.Scopes = append(lk.prog.Scopes, s)
	return len(lk.prog.Scopes) - 1
}

// position returns the position of DILocation n.
func (lk *linker) position(m *Module, n int32) ir.Pos {
	return lk.positionDepth(m, n, 0)
}

func (lk *linker) positionDepth(m *Module, n int32, depth int) ir.Pos {
	if n < 0 || int(n) >= len(m.meta.spans) || depth > 1000 {
		return ir.NoPos
	}
	if m.meta.positions == nil {
		m.meta.positions = make([]ir.Pos, len(m.meta.spans))
	}
	if p := m.meta.positions[n]; p != ir.NoPos {
		return p
	}
	node := m.node(n)
	if node.kind != "DILocation" {
		return ir.NoPos
	}
	s := lk.scope(m, node.field("scope").ref)
	pos := ir.Position{File: s.file, Line: node.field("line").number(), Col: node.field("column").number(), Func: s.fn, Scope: s.scope}
	if at := node.field("inlinedAt").ref; at >= 0 {
		pos.InlinedAt = lk.positionDepth(m, at, depth+1)
	}
	p := lk.prog.AddPos(pos)
	m.meta.positions[n] = p
	return p
}

// subprogram returns the position of the function whose DISubprogram is n.
func (lk *linker) subprogram(m *Module, n int32) ir.Pos {
	if n < 0 {
		return ir.NoPos
	}
	s := lk.scope(m, n)
	if s.fn == "" {
		return ir.NoPos
	}
	return lk.prog.AddPos(ir.Position{File: s.file, Line: s.line, Func: s.fn})
}

// unoptimised reports whether the function whose DISubprogram is n is as the source has it. An optimiser computes values that are then not
// used, whatever was promised of them.
func (lk *linker) unoptimised(m *Module, n int32) bool {
	if n < 0 {
		return false
	}
	node := m.node(n)
	return !strings.Contains(node.field("spFlags").text, "DISPFlagOptimized")
}

// variable returns the position and shape of the variable whose DIGlobalVariableExpression
// (or DIGlobalVariable) is n.
func (lk *linker) variable(m *Module, n int32) (ir.Pos, *ir.Shape) {
	if n < 0 {
		return ir.NoPos, nil
	}
	node := m.node(n)
	if node.kind == "DIGlobalVariableExpression" {
		node = m.node(node.field("var").ref)
	}
	if node.kind != "DIGlobalVariable" {
		return ir.NoPos, nil
	}
	pos := ir.NoPos
	if line := node.field("line").number(); line > 0 {
		pos = lk.prog.AddPos(ir.Position{File: lk.file(m, node.field("file").ref), Line: line})
	}
	return pos, m.wholeShape(node.field("type").ref)
}

// fileName returns the file of the function whose DISubprogram is n. One without a place is the compiler's own, and said to be the
// system's.
func (lk *linker) fileName(m *Module, n int32) string {
	if n >= 0 {
		if f := lk.scope(m, n).file; f >= 0 {
			return lk.prog.Files[f]
		}
	}
	return "/usr/lib/"
}

// sourceName returns the name that the source has for the variable whose DIGlobalVariableExpression is n.
func (m *Module) sourceName(n int32) string {
	if n < 0 {
		return ""
	}
	node := m.node(n)
	if node.kind == "DIGlobalVariableExpression" {
		node = m.node(node.field("var").ref)
	}
	return node.field("name").text
}

// isMangled reports whether a symbol is the name of something in C++ or Rust, with its type or namespace.
func isMangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R")
}

// local returns what the debug information says of the variable that d declares; nil for what the
// compiler made up.
func (lk *linker) local(m *Module, d *declare) *ir.Var {
	node := m.node(d.variable)
	name := node.field("name").text
	if node.kind != "DILocalVariable" || name == "" || strings.Contains(node.field("flags").text, "DIFlagArtificial") && name != "this" {
		return nil
	}
	return &ir.Var{Name: name, Pos: lk.position(m, d.loc), Shape: m.wholeShape(node.field("type").ref)}
}

// wholeShape returns the shape of DI type n, with the types that it names complete.
func (m *Module) wholeShape(n int32) *ir.Shape {
	shape := m.shape(n, 0)
	for _, c := range m.meta.copies { // their bases are complete now
		c.copy()
	}
	m.meta.copies = m.meta.copies[:0]
	return shape
}

// shape returns the shape of DI type n. Shapes are shared, so a type that points to itself
// becomes a cycle.
func (m *Module) shape(n int32, depth int) *ir.Shape {
	if n < 0 || depth > 200 {
		return nil
	}
	if s, ok := m.meta.shapes[n]; ok {
		return s
	}
	if m.meta.shapes == nil {
		m.meta.shapes = map[int32]*ir.Shape{}
	}
	node := m.node(n)
	s := &ir.Shape{Name: node.field("name").text, Size: uint64(node.field("size").number()) / 8}
	m.meta.shapes[n] = s
	switch node.kind {
	case "DIBasicType":
		switch node.field("encoding").text {
		case "DW_ATE_signed":
			s.Signed = true
		case "DW_ATE_signed_char":
			s.Signed, s.Char = true, true
		case "DW_ATE_unsigned_char", "DW_ATE_UTF":
			s.Char = s.Size == 1
		}
	case "DIDerivedType":
		m.derivedShape(s, &node, depth)
	case "DICompositeType":
		m.compositeShape(s, &node, depth)
	}
	return s
}

func (m *Module) derivedShape(s *ir.Shape, node *metaNode, depth int) {
	base := node.field("baseType").ref
	switch node.field("tag").text {
	case "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type", "DW_TAG_ptr_to_member_type":
		s.IsPtr = true
		s.Ptr = m.shape(base, depth+1)
		if s.Size == 0 {
			s.Size = 8
		}
		return
	}
	// typedef, const, volatile, atomic …: the base type under this name
	if b := m.shape(base, depth+1); b != nil {
		c := shapeCopy{s, b, s.Name}
		c.copy()
		m.meta.copies = append(m.meta.copies, c)
	}
}

// A shapeCopy is a typedef: the shape of another type under its own name.
type shapeCopy struct {
	to, from *ir.Shape
	name     string
}

func (c shapeCopy) copy() {
	*c.to = *c.from
	if c.name != "" {
		c.to.Name = c.name
	}
}

func (m *Module) compositeShape(s *ir.Shape, node *metaNode, depth int) {
	elems := m.node(node.field("elements").ref)
	switch node.field("tag").text {
	case "DW_TAG_array_type":
		elem := m.shape(node.field("baseType").ref, depth+1)
		if elem == nil {
			return
		}
		// int a[2][3] has two subranges: build the inner arrays first.
		for i := len(elems.fields) - 1; i > 0; i-- {
			d := m.node(elems.fields[i].ref)
			inner := &ir.Shape{Name: elem.Name, Elem: elem, Size: elem.Size * uint64(d.field("count").number())}
			elem = inner
		}
		s.Elem = elem
	case "DW_TAG_enumeration_type":
		if b := m.shape(node.field("baseType").ref, depth+1); b != nil {
			s.Signed = b.Signed
		} else {
			s.Signed = true
		}
	case "DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type":
		for _, e := range elems.fields {
			m.addMember(s, e.ref, depth)
		}
	}
}

func (m *Module) addMember(s *ir.Shape, n int32, depth int) {
	e := m.node(n)
	tag := e.field("tag").text
	if e.kind != "DIDerivedType" || tag != "DW_TAG_member" && tag != "DW_TAG_inheritance" ||
		strings.Contains(e.field("flags").text, "DIFlagStaticMember") || strings.Contains(e.field("flags").text, "DIFlagBitField") {
		return
	}
	t := m.shape(e.field("baseType").ref, depth+1)
	if t == nil {
		return
	}
	s.Fields = append(s.Fields, ir.Field{Name: e.field("name").text, Offset: uint64(e.field("offset").number()) / 8, Type: t})
}
