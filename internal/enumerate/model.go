package enumerate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ravel/internal/arch"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/litmus"
	"ravel/internal/memmodel"
)

// A Model is a cat model that litmus tests are run under. It is compiled once for all tests of a dialect that use
// the same kinds of instructions, and may be used by several goroutines.
type Model struct {
	Name     string
	cat      *cat.Model
	bell     *cat.Model
	dirs     []string
	variants []string
	language memmodel.Language
	selector func(*litmus.Test) (Selector, error) // nil: the axioms decide
	arch     []litmus.Arch                        // the dialects whose instructions the model knows; nil if that shows in the names that it uses

	mu       sync.Mutex
	about    litmus.Arch // of processor, "" before it is asked for
	compiled map[signature]*compiled
}

// compiled is a model for one vocabulary.
type compiled struct {
	prog     *cat.Program
	voc      *cat.Vocabulary
	monotone []int        // checks that may be made before all is chosen
	usesCo   bool         // the model looks at coherence; otherwise it has its own
	guard    *cat.Program // more checks for partial executions, nil: none
	locks    bool         // the model knows of locks: their events are in no other set, as in herd
	inside   bool         // the model looks inside instructions
	merged   bool         // read-modify-writes are one event
	blind    bool         // the model does not look at values: writes that only differ in theirs are the same to it
	machines sync.Pool    // of *cat.Machine
}

// Load returns a model by its name, or from a .cat file. Includes are looked for beside the file and in dirs.
func Load(name string, dirs ...string) (*Model, error) {
	m := &Model{Name: name, dirs: dirs, compiled: map[signature]*compiled{}}
	var err error
	if catmodel.IsFile(name) {
		m.Name = strings.TrimSuffix(filepath.Base(name), ".cat")
		m.cat, err = cat.Load(name, dirs...)
		return m, err
	}
	d, err := memmodel.For(memmodel.Litmus, name)
	if err != nil {
		return nil, err
	}
	m.Name, m.arch, m.language = d.Name, d.Archs, d.Language
	if m.cat, err = cat.Embedded(d.Cat); err == nil && d.Bell != "" {
		m.bell, err = cat.Embedded(d.Bell)
	}
	return m, err
}

// UseBell makes a bell file run before the model. It is for a model that no test was run under yet.
func (m *Model) UseBell(bell *cat.Model) { m.bell = bell }

// UseVariants turns variants of the model on. It is for a model that no test was run under yet.
func (m *Model) UseVariants(names []string) { m.variants = names }

// Default returns the name of the model that tests like t are usually run under, "" if there is none.
func Default(t *litmus.Test) string {
	d := arch.Of(t.Arch)
	if d.KernelModel != "" && uses(t, isKernel) && !(d.Model == "" && uses(t, func(set string) bool { return !slices.Contains(d.Sets, set) && !isKernel(set) })) {
		return d.KernelModel
	}
	return d.Model
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
func isKernel(set string) bool { return slices.Contains(arch.Of(arch.C).KernelSets, set) }

// given are the variables of with … from that the enumerator chooses itself.
var given = []string{"co", "rfe-lf", "rfe-rl", "rfe-ru"}

// lockGuard is what locks of the kernel are in every model: coherent, and taken by one thread at a time. A lock.cat that
// chooses itself what locks read from, as the kernel's own does, is not monotone; with this, all of that is
// not left to the end.
const lockGuard = `"locks"
include "cos.cat"
let lock-events = LKR | LKW | UL | LF | RL | RU
let co = lock-co
let fr = rf^-1; co
acyclic (po-loc | rf | co | fr) & (loc; [lock-events]; loc) as coherence
empty rmw & (LKR * LKW) & (fr; co) as atomicity
`

// required counts the checks that a consistent execution must pass.
func required(p *cat.Program) int {
	n := 0
	for _, k := range p.Checks {
		if k.Mode == cat.Require {
			n++
		}
	}
	return n
}

// A signature tells tests apart for which a model is compiled differently: by what they can have.
type signature struct {
	arch litmus.Arch
	used [2]uint64 // of archSets
	rmw  bool      // read-modify-writes
	pick bool      // conditional selects and compare-and-swaps
	pair bool      // pairs whose accesses are performed in order
}

func signatureOf(t *litmus.Test) signature {
	s := signature{arch: t.Arch}
	sets := archSets[t.Arch]
	for _, th := range t.Threads {
		for i := range th.Ops {
			op := &th.Ops[i]
			for _, name := range slices.Concat(op.Sets, op.Else) {
				if k := slices.Index(sets, name); k >= 0 {
					s.used[k>>6] |= 1 << (k & 63)
				}
			}
			s.rmw = s.rmw || op.Pair >= 0 || op.Excl
			s.pair = s.pair || inOrder(op.Kind == litmus.Load, op.Kind == litmus.Store, op.Sets)
			s.pick = s.pick || op.Pair >= 0 && op.If != nil || selects(op.X) || selects(op.Addr)
		}
	}
	return s
}

// selects reports whether an expression chooses between values.
func selects(e litmus.Expr) bool {
	switch e := e.(type) {
	case *litmus.Unary:
		return selects(e.X)
	case *litmus.Binary:
		return selects(e.X) || selects(e.Y)
	case *litmus.Select:
		return true
	}
	return false
}

// empty are the names that mean nothing in tests with the signature.
func (s signature) empty() []string {
	names := []string{"NExp"}
	if isMachine(s.arch) {
		names = append(names, systemRels...)
	}
	for k, name := range archSets[s.arch] {
		if s.used[k>>6]>>(k&63)&1 == 0 && s.arch != litmus.LISA && name != "NA" {
			names = append(names, name)
		}
	}
	if !s.rmw {
		names = append(names, "rmw", "amo", "lxsx", "pick-rmw")
	}
	if !s.pick {
		names = append(names, "pick-addr", "pick-data", "pick-rmw", "select")
	}
	if !s.pair {
		names = append(names, "pair-order")
	}
	return append(names, "rfe-lf", "rfe-rl", "rfe-ru") // rf has them
}

// instructions returns a test as the model sees it: a test in C as what it is compiled to, under the model of a processor.
func (m *Model) instructions(t *litmus.Test) (*litmus.Test, error) {
	if t.Arch != litmus.C {
		return t, nil
	}
	if m.arch != nil {
		return t.Compiled(m.arch[0])
	}
	if arch := m.processor(); arch != litmus.C && !uses(t, isKernel) {
		return t.Compiled(arch)
	}
	return t, nil
}

// processor returns the processor that a model in a file is about, by the names that it uses, or C.
func (m *Model) processor() litmus.Arch {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.about == "" {
		m.about = litmus.C
		var progs []*cat.Program
		for _, d := range arch.Dialects {
			if d.C11 == nil {
				continue
			}
			opts := cat.Options{Given: given, NoSets: systemSets(d.Name), Bell: m.bell, Variants: m.variants}
			if prog, err := cat.Compile(m.cat, vocabularies[d.Name], opts); err == nil {
				progs = append(progs, prog)
			}
		}
		d := arch.About(func(set string) bool {
			return slices.ContainsFunc(progs, func(p *cat.Program) bool { return p.Uses(set) })
		})
		if d.C11 != nil {
			m.about = d.Name
		}
	}
	return m.about
}

// compile returns the model for the tests like t.
func (m *Model) compile(t *litmus.Test) (*compiled, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arch != nil && !slices.Contains(m.arch, t.Arch) {
		return nil, fmt.Errorf("model %s does not fit %s tests: it is about the instructions of %s", m.Name, t.Arch, m.arch[0])
	}
	if m.language == memmodel.Java && t.Arch == litmus.C && uses(t, isKernel) {
		return nil, fmt.Errorf("model %s does not fit C tests with the kernel's macros: it reads C11's modes as Java's", m.Name)
	}
	voc, sig := vocabularies[t.Arch], signatureOf(t)
	if t.Arch == litmus.LISA {
		bell, err := m.bellOf(t)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		voc = vocabulary(t, bell)
	} else if c := m.compiled[sig]; c != nil {
		return c, nil
	}
	for _, v := range m.variants {
		if f, ok := systemVariants[v]; ok {
			return nil, fmt.Errorf("not supported: the variant %s: %s", v, f)
		}
	}
	prog, err := cat.Compile(m.cat, voc, cat.Options{Given: given, Empty: sig.empty(), NoSets: systemSets(t.Arch), Bell: m.bell, Variants: m.variants})
	if err != nil {
		return nil, fmt.Errorf("model %s does not fit %s tests: %w", m.Name, t.Arch, err)
	}
	for _, v := range m.variants {
		if v != "mixed" && !slices.Contains(prog.Variants, v) { // accesses of all sizes are always mixed
			return nil, fmt.Errorf("model %s has no variant %q%s", m.Name, v, has(prog.Variants))
		}
	}
	c := &compiled{prog: prog, voc: voc, monotone: prog.Monotone(), usesCo: prog.Uses("co") || prog.Uses("lock-co"), locks: prog.Uses("LKW"), blind: !prog.SeesValues()}
	c.merged = sig.rmw && mergesUpdates(t, prog)
	c.inside = slices.ContainsFunc(slices.Concat(insideSets, insideRels), prog.Uses)
	c.machines.New = func() any { return prog.NewMachine() }
	if c.locks && len(c.monotone) < required(prog) {
		guard, err := cat.LoadText("locks", lockGuard)
		if err != nil {
			return nil, err
		}
		if c.guard, err = cat.Compile(guard, voc, cat.Options{Given: given, Empty: sig.empty()}); err != nil {
			return nil, err
		}
	}
	if t.Arch != litmus.LISA { // whose vocabulary is that of one test
		m.compiled[sig] = c
	}
	return c, nil
}

// has says which variants there are, after a colon.
func has(variants []string) string {
	if len(variants) == 0 {
		return ": it has none"
	}
	names := slices.Clone(variants)
	slices.Sort(names)
	return ": it has " + strings.Join(slices.Compact(names), ", ")
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
