package cat

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/relation"
)

// A value is a value at run time that is not just a node: emptyVal, allVal, *relation.Set, *relation.Rel,
// eventVal, pairVal, tagVal, *valSet, *classRel, tuple, *funVal or *prim. Values do not change.
type value any

type (
	eventVal int
	pairVal  [2]int
	tuple    []value
	// A valSet is a set of values of one type other than events and pairs, sorted.
	valSet struct{ elems []value }
	// A classRel is a relation between sets of events, sorted.
	classRel struct{ pairs []classPair }
	// A funVal is a function.
	funVal struct {
		pat  Pat
		body Expr
		env  renv
	}
	classPair [2]*relation.Set
)

// rank numbers the types of values.
func rank(v value) int {
	switch v.(type) {
	case *relation.Set:
		return 1
	case *relation.Rel:
		return 2
	case eventVal:
		return 3
	case pairVal:
		return 4
	case tagVal:
		return 5
	case *valSet:
		return 6
	case *classRel:
		return 7
	case tuple:
		return 8
	case *funVal, *prim:
		return 9
	case allVal:
		return 10
	}
	return 0 // {}
}

func valueType(v value) string {
	return [...]string{
		"{}", "a set of events", "a relation", "an event", "a pair", "a tag", "a set",
		"a relation over classes", "a tuple", "a function", "_",
	}[rank(v)]
}

func isEmpty(v value) bool {
	switch v := v.(type) {
	case emptyVal:
		return true
	case *relation.Set:
		return v.Empty()
	case *relation.Rel:
		return v.Empty()
	case *valSet:
		return len(v.elems) == 0
	case *classRel:
		return len(v.pairs) == 0
	}
	return false
}

// compare orders the values of one type; {} is any empty value. ok is false if the types differ.
func compare(a, b value) (order int, ok bool) {
	ra, rb := rank(a), rank(b)
	switch {
	case ra == 0 && rb == 0:
		return 0, true
	case ra == 0:
		order, ok = compare(b, a)
		return -order, ok
	case rb == 0:
		if isEmpty(a) {
			return 0, true
		}
		return 1, ra == 1 || ra == 2 || ra == 6 || ra == 7
	case ra != rb:
		return ra - rb, false
	}
	switch a := a.(type) {
	case *relation.Set:
		return a.Compare(b.(*relation.Set)), true
	case *relation.Rel:
		return a.Compare(b.(*relation.Rel)), true
	case eventVal:
		return int(a) - int(b.(eventVal)), true
	case pairVal:
		p := b.(pairVal)
		return slices.Compare(a[:], p[:]), true
	case tagVal:
		return strings.Compare(a.name, b.(tagVal).name), true
	case *valSet:
		return compareLists(a.elems, b.(*valSet).elems)
	case tuple:
		return compareLists(a, b.(tuple))
	case *classRel:
		return slices.CompareFunc(a.pairs, b.(*classRel).pairs, comparePairs), true
	}
	return 0, false
}

func compareLists(a, b []value) (int, bool) {
	for i := range min(len(a), len(b)) {
		if o, ok := compare(a[i], b[i]); o != 0 || !ok {
			return o, ok
		}
	}
	return len(a) - len(b), true
}

// sortValues sorts the elements of a set that has just been made, all different and of one type.
func sortValues(s *valSet) *valSet {
	slices.SortFunc(s.elems, func(a, b value) int {
		o, _ := compare(a, b)
		return o
	})
	return s
}

func comparePairs(a, b classPair) int {
	if o := a[0].Compare(b[0]); o != 0 {
		return o
	}
	return a[1].Compare(b[1])
}

func makeClassRel(pairs []classPair) *classRel {
	slices.SortFunc(pairs, comparePairs)
	return &classRel{slices.CompactFunc(pairs, func(a, b classPair) bool { return comparePairs(a, b) == 0 })}
}

// format prints a value.
func format(v value) string {
	list := func(vs []value) string {
		var b strings.Builder
		for i, v := range vs {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(format(v))
		}
		return b.String()
	}
	switch v := v.(type) {
	case emptyVal:
		return "{}"
	case allVal:
		return "_"
	case tagVal:
		return "'" + v.name
	case eventVal:
		return fmt.Sprintf("%d", int(v))
	case pairVal:
		return fmt.Sprintf("%d->%d", v[0], v[1])
	case *valSet:
		return "{" + list(v.elems) + "}"
	case tuple:
		return "(" + list(v) + ")"
	case *classRel:
		var b strings.Builder
		for i, p := range v.pairs {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%v->%v", p[0], p[1])
		}
		return "{" + b.String() + "}"
	case fmt.Stringer:
		return v.String()
	}
	return "<" + valueType(v) + ">"
}
