package cat

import (
	"slices"

	"ravel/internal/relation"
)

// A Vocabulary is the names that executions give meaning to: herd's initial environment.
// A model is compiled for one vocabulary; names are looked up then, not for each execution.
//
// Some names are defined by others if the vocabulary lacks them: id; M as R | W; ext as ~int \ IW * IW.
type Vocabulary struct {
	Sets, Rels []string
	sets, rels map[string]int
}

// NewVocabulary returns the vocabulary with these sets and relations.
func NewVocabulary(sets, rels []string) *Vocabulary {
	v := &Vocabulary{Sets: slices.Clone(sets), Rels: slices.Clone(rels), sets: map[string]int{}, rels: map[string]int{}}
	for i, s := range v.Sets {
		v.sets[s] = i
	}
	for i, r := range v.Rels {
		v.rels[r] = i
	}
	return v
}

// HasSet reports whether the vocabulary has a set with this name.
func (v *Vocabulary) HasSet(name string) bool {
	_, ok := v.sets[name]
	return ok
}

// An Exec is one candidate execution: what each name of its vocabulary means.
// An evaluation reads it and does not change it.
type Exec struct {
	Voc  *Vocabulary
	N    int            // events
	Sets []relation.Set // in the order of Voc.Sets
	Rels []relation.Rel // in the order of Voc.Rels; po, loc, … are complete, not generators

	// Some primitives ask for these; a model that uses one that is nil is an error.
	SameValue func(a, b int) bool            // different-values
	SameOA    func(a, b int) bool            // same-oa, oa-changes: same output address
	Writable  func(a, b int) bool            // at-least-one-writable
	AtLoc     func(name string) relation.Set // loc2events
}

// NewExec returns an execution with n events where all sets and relations are empty.
func NewExec(voc *Vocabulary, n int) *Exec {
	x := &Exec{Voc: voc}
	x.Reset(n)
	return x
}

// Reset makes all sets and relations empty, over n events. It uses the old memory again.
func (x *Exec) Reset(n int) {
	x.N = n
	if x.Sets == nil {
		x.Sets, x.Rels = make([]relation.Set, len(x.Voc.Sets)), make([]relation.Rel, len(x.Voc.Rels))
	}
	for i := range x.Sets {
		x.Sets[i].Reset(n)
	}
	for i := range x.Rels {
		x.Rels[i].Reset(n)
	}
}

// Set returns the set with this name, which must be in the vocabulary.
func (x *Exec) Set(name string) *relation.Set { return &x.Sets[index(x.Voc.sets, name)] }

// Rel returns the relation with this name, which must be in the vocabulary.
func (x *Exec) Rel(name string) *relation.Rel { return &x.Rels[index(x.Voc.rels, name)] }

func index(m map[string]int, name string) int {
	i, ok := m[name]
	if !ok {
		panic("cat: the vocabulary has no " + name)
	}
	return i
}
