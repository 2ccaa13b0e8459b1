package machine

import (
	"slices"
	"testing"
)

// TestAssumptions checks which assumptions are a function of one load.
func TestAssumptions(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []int // of each assumption
	}{
		{"of a load", "%v = load.4.rlx @x\n %c = cmp.sgt.32 %v, 2\n call @__ravel_assume(%c)\n ret", []int{1}},
		{"of one load twice", "%v = load.4.rlx @x\n %c = cmp.ne.32 %v, 2\n %d = cmp.ne.32 %v, 3\n %e = and.1 %c, %d\n call @__ravel_assume(%e)\n ret", []int{1}},
		{"of two", "%v = load.4.rlx @x\n %w = load.4.rlx @y\n %c = cmp.eq.32 %v, %w\n call @__ravel_assume(%c)\n ret", []int{0}},
		{"of a CAS", "%old, %ok = cas.4.sc.rlx @x, 0, 1\n call @__ravel_assume(%ok)\n ret", []int{1}},
		{"of none", "call @__ravel_assume(0)\n ret", []int{0}},
		{"of an argument", "%v = load.4.rlx @x\n %c = cmp.eq.32 %v, %a\n call @__ravel_assume(%c)\n ret", []int{0}},
		{"of a variable", "%p = alloca 4\n %v = load.4.rlx @x\n store.4.na %p, %v\n %w = load.4.na %p\n call @__ravel_assume(%w)\n ret", []int{1}},
		{"of the way", "%v = load.4.rlx @x\n condbr %v, one, two\none:\n %w = load.4.rlx @y\n br two\ntwo:\n call @__ravel_assume(%w)\n ret", []int{0}},
		{"behind a branch", "%u = load.4.rlx @y\n condbr %u, one, two\none:\n %w = load.4.rlx @y\n call @__ravel_assume(%w)\n ret\ntwo:\n ret", []int{1}},
		{"that ravel makes", "call @__ravel_redundant()\n ret", []int{1}},
	} {
		text := "global x 4\nglobal y 4\ndeclare __ravel_assume(%c) 0\ndeclare __ravel_redundant() 0\nfunc f(%a) 0 {\ne:\n " + test.body + "\n}\n"
		p, err := Compile(parse(t, text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		from := p.funcs[len(p.src.Funcs)-1].entry
		for _, in := range p.code[from:] {
			if in.op == opAssume {
				got = append(got, p.actions[in.t].N)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
