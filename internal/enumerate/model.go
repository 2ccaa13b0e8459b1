package enumerate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ravel/internal/cat"
	"ravel/internal/frontend/litmus"
)

// A Model is a cat model that litmus tests are run under. It is compiled once for each dialect and may be used
// by several goroutines.
type Model struct {
	Name string
	cat  *cat.Model
	bell *cat.Model
	dirs []string

	mu       sync.Mutex
	compiled map[*cat.Vocabulary]*compiled
}

// compiled is a model for one vocabulary.
type compiled struct {
	prog     *cat.Program
	voc      *cat.Vocabulary
	monotone []int     // checks that may be made before all is chosen
	usesCo   bool      // the model looks at coherence; otherwise it has its own
	blind    bool      // the model does not look at values: writes that only differ in theirs are the same to it
	machines sync.Pool // of *cat.Machine
}

// Load returns a model by its name in the embedded library, or from a .cat file. Includes are
// looked for beside the file and in dirs.
func Load(name string, dirs ...string) (*Model, error) {
	m := &Model{Name: name, dirs: dirs, compiled: map[*cat.Vocabulary]*compiled{}}
	var err error
	if strings.HasSuffix(name, ".cat") || strings.ContainsRune(name, filepath.Separator) {
		m.Name = strings.TrimSuffix(filepath.Base(name), ".cat")
		m.cat, err = cat.Load(name, dirs...)
	} else {
		m.cat, err = cat.Embedded(name)
	}
	if err != nil {
		return nil, err
	}
	if m.Name == "lkmm" {
		m.bell, err = cat.Embedded("lkmm.bell")
	}
	return m, err
}

// New returns a model from its text, with the bell file that runs before it, or nil.
func New(name string, model, bell *cat.Model) *Model {
	return &Model{Name: name, cat: model, bell: bell, compiled: map[*cat.Vocabulary]*compiled{}}
}

// UseBell makes a bell file run before the model. It is for a model that no test was run under yet.
func (m *Model) UseBell(bell *cat.Model) { m.bell = bell }

// Default returns the name of the model that tests like t are usually run under, "" if there is none.
func Default(t *litmus.Test) string {
	switch t.Arch {
	case litmus.AArch64:
		return "armv8"
	case litmus.ARM:
		return "armv7"
	case litmus.PPC:
		return "power"
	case litmus.X86, litmus.X86_64:
		return "tso"
	case litmus.RISCV:
		return "riscv"
	case litmus.Java:
		return "jam21"
	case litmus.C:
		if uses(t, isKernel) {
			return "lkmm"
		}
		return "rc11"
	case litmus.LISA:
		if uses(t, isKernel) && !uses(t, func(set string) bool { return set != "RMW" && !isKernel(set) }) {
			return "lkmm"
		}
	}
	return ""
}

// uses reports whether some operation of a test is in a set like this.
func uses(t *litmus.Test, like func(set string) bool) bool {
	for _, th := range t.Threads {
		for i := range th.Ops {
			if slices.ContainsFunc(th.Ops[i].Sets, like) {
				return true
			}
		}
	}
	return false
}

// isKernel reports whether a set is one of the Linux kernel's macros.
func isKernel(set string) bool {
	sets := archSets[litmus.C]
	return slices.Contains(sets[slices.Index(sets, "Once"):], set)
}

// given are the variables of with … from that the enumerator chooses itself.
var given = []string{"co", "rfe-lf", "rfe-rl", "rfe-ru"}

// compile returns the model for the tests like t.
func (m *Model) compile(t *litmus.Test) (*compiled, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	voc := vocabularies[t.Arch]
	if t.Arch == litmus.LISA {
		bell, err := m.bellOf(t)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		voc = vocabulary(t, bell)
	} else if c := m.compiled[voc]; c != nil {
		return c, nil
	}
	prog, err := cat.Compile(m.cat, voc, cat.Options{Given: given, Bell: m.bell})
	if err != nil {
		return nil, fmt.Errorf("model %s does not fit %s tests: %w", m.Name, t.Arch, err)
	}
	c := &compiled{prog: prog, voc: voc, monotone: prog.Monotone(), usesCo: prog.Uses("co"), blind: !prog.SeesValues()}
	c.machines.New = func() any { return prog.NewMachine() }
	if t.Arch != litmus.LISA { // whose vocabulary is that of one test
		m.compiled[voc] = c
	}
	return c, nil
}

// bellOf returns the declarations of the model's bell file, or nil. Its tags are sets even where a test has none of them.
func (m *Model) bellOf(t *litmus.Test) (*cat.Bell, error) {
	if m.bell == nil {
		return nil, nil
	}
	p, err := cat.Compile(m.bell, vocabulary(t, nil), cat.Options{})
	if err != nil {
		return nil, err
	}
	return &p.Bell, nil
}
