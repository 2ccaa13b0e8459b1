package cat

import "slices"

// A Program is a model compiled for a vocabulary. It does not change and may be used by many goroutines,
// each with its own Machine.
type Program struct {
	Name   string
	Title  string
	Checks []*Constraint // all tests, in the order of the text
	// Variants are those that the model asks for; some may be there twice.
	Variants []string
	Bell     Bell

	voc    *Vocabulary
	opts   Options
	nodes  []node
	levels []Level   // of each node
	users  [][]int32 // of each variable: the nodes to compute again when it changes
	phis   []int32
	names  map[int32]string
	dyns   []func(*Machine) value
	fixes  []*fix
	code   []instr
	tags   map[string]string   // enum of each tag
	enums  map[string][]string // tags of each enum
	model  *Model
	lookup func(env, string) *thunk // only of names that were looked up before
	withs  map[place]typ            // types found for the variables of with, where not tRel
}

// A Bell is what the declarations of a bell file say.
type Bell struct {
	Enums        map[string][]string
	Instructions []Declaration
	// Scopes and the like: for each function narrower or wider, the pairs (tag, result).
	Orders map[string][][2]string
}

// A Declaration is instructions Kind[Args] or default Kind[Args]: the tags that each place may have.
type Declaration struct {
	Kind    string
	Args    [][]string
	Default bool
}

// Options choose what Compile makes of a model.
type Options struct {
	Variants []string // that are on
	// Given are the variables of with … from that the execution provides, such as co: they are
	// not enumerated but taken from the vocabulary.
	Given []string
	// Order is a relation of the vocabulary that every order contains: the transitive closures of unions with po, and what is
	// required to be acyclic. It is for what models know nothing of, such as the creation of threads.
	Order string
	// Empty are sets and relations of the vocabulary that are empty in all executions to come: what
	// depends on them is simplified, and more checks may turn out to be monotone.
	Empty []string
	// NoSets are sets that no execution has. They need not be in the vocabulary.
	NoSets []string
	Bell   *Model   // runs before the model
	Skip   []string // names of checks to leave out
	// Hint says what to do about a name that is not bound, "" if it knows nothing about it.
	Hint func(name string) string
	// Limits; 0 is a default. Beyond them a run is an error.
	MaxForks int // of one execution: 1,000,000
	MaxSteps int // of the interpreter, in one execution: 10,000,000

	types map[symbol]string // gets the types of the names that are bound between instructions, if it is not nil
}

func (o *Options) defaults() {
	if o.MaxForks == 0 {
		o.MaxForks = 1_000_000
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 10_000_000
	}
}

// A Constraint is a test of the model.
type Constraint struct {
	Name string // of the as; or of the call; may be empty
	Mode Mode
	Not  bool
	Kind TestKind
	Pos  Pos
	Expr Expr // as written

	id int32 // node of the relation or set
}

// Title is the name, or what is tested.
func (c *Constraint) Title() string {
	if c.Name != "" {
		return c.Name
	}
	s := c.Kind.String() + " " + ExprString(c.Expr)
	if c.Not {
		s = "~" + s
	}
	return s
}

// A fix is a group of recursive definitions.
type fix struct {
	vars   []int32 // nodes of the variables
	bodies []int32
	outs   []int32 // nodes of the results
	when   *Constraint
	pos    Pos
}

// instr is a compiled instruction: *Constraint, *fix (its when), *showInstr, *unshowInstr, *withInstr,
// *forallInstr, *matchInstr or *debugInstr.
type instr any

type (
	showInstr struct {
		name string
		val  sval
		pos  Pos
	}
	unshowInstr struct{ names []string }
	withInstr   struct {
		name string
		src  sval
		phi  int32
		pos  Pos
	}
	forallInstr struct {
		src  sval
		phi  int32
		body []instr
		pos  Pos
	}
	matchInstr struct {
		src     sval
		clauses map[string][]instr
		def     []instr
		hasDef  bool
		pos     Pos
	}
	debugInstr struct {
		val sval
		pos Pos
	}
)

// finish computes what the machine needs to know about the nodes.
func (p *Program) finish() {
	p.setLevels()
	p.users = make([][]int32, len(p.phis))
	for id := range p.nodes {
		for _, phi := range p.nodes[id].deps {
			if p.phis[phi] != int32(id) {
				p.users[phi] = append(p.users[phi], int32(id))
			}
		}
	}
}

func (p *Program) variantOn(name string) bool { return slices.Contains(p.opts.Variants, name) }
