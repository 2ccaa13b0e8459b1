package enumerate

import "ravel/internal/cat"

// AsLitmus is for tests of packages that use this one.
var AsLitmus = asLitmus

// New returns a model from its text, with the bell file that runs before it, or nil.
func New(name string, model, bell *cat.Model) *Model {
	return &Model{Name: name, cat: model, bell: bell, compiled: map[signature]*compiled{}}
}
