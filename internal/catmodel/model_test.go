package catmodel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/cat"
)

// load compiles a model given as a text.
func load(t *testing.T, text string) *Model {
	t.Helper()
	file, err := cat.LoadText("test.cat", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New("test.cat", file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEngines checks which engine is chosen for a model, which executions it does not make, and why constraints are checked late.
func TestEngines(t *testing.T) {
	const atomic = "include \"cos.cat\" empty rmw & (fr; co) as atomicity "
	for _, test := range []struct {
		text    string
		engine  Engine
		missing string // part of what is not explored
		late    string // part of why a constraint is checked on complete executions
	}{
		{atomic + "acyclic po | rf | co | fr", PorfEngine, "", ""},
		{atomic + "acyclic po | rf irreflexive (po | rf)+; (rf | co | fr)+", PorfEngine, "", ""},
		{atomic + "let hb = (po | rf)+ let eco = (rf | co | fr)+ irreflexive hb; eco?", PorfEngine, "", ""},
		// The same in the form of Lahav, Giannarakis, Vafeiadis, "Taming release-acquire consistency", POPL'16: strong release/acquire.
		{atomic + "acyclic po | rf | co irreflexive fr; (po | rf)+ acyclic po-loc | rf | co | fr", PorfEngine, "", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic [R]; po; [W] | rfe", PorfEngine, "", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl; [W] | rfe | rmw", DepEngine, "", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl; [W] | rfe", DepEngine, "dependencies and rmw", ""},
		{atomic + "acyclic po-loc | rf | co | fr let rec d = addr | data | ctrl | d; d acyclic d | rfe | rmw", DepEngine, "", ""},

		// Coherence in three parts and the other way round, as in models of C11; initial writes happen before everything.
		{atomic + `let hb = (po | [REL]; rf; [ACQ] | IW * (M \ IW))+ acyclic po | rf irreflexive hb
			irreflexive rf; hb irreflexive (rf^-1)?; co; rf?; hb`, PorfEngine, "", ""},
		{atomic + `let hb = (po | [REL]; rf; [ACQ])+ acyclic po | rf irreflexive rf; hb irreflexive co; rf?; hb`, PorfEngine, "not coherent", ""},
		// x86 in the style of ob and lob, with recursive closures.
		{atomic + `acyclic po-loc | fr | co | rf
			let rec lob = po \ ([W]; po; [R]) | [W]; po; [MFENCE]; po; [R] | [W]; po; [R & X] | [W & X]; po; [R] | lob; lob
			let rec ob = (rfe | fre | coe); si | lob | ob; ob irreflexive ob`, PorfEngine, "", ""},

		// Dependencies have to be tracked where they are used.
		{atomic + "acyclic po | rf | co | fr acyclic ctrl | co", DepEngine, "", ""},
		// Events of a thread may come later than the ones after them.
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl | rfe | (po \\ (po; [F]; po))", PorfEngine, "cycles of po | rf", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl | rfe | (po-loc \\ (po-loc; [W]; po-loc))", PorfEngine, "cycles of po | rf", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl | rfe | coe | po-loc; [W] | (po-loc \\ (po-loc; [W]; po-loc))", DepEngine, "", ""},

		{atomic + "acyclic po | rf", PorfEngine, "not coherent", ""},
		{atomic + "acyclic po | rf acyclic po-loc | rf | co", PorfEngine, "not coherent", ""},
		{atomic + "acyclic po | rf acyclic ([W & REL]; po-loc) | rf | co | fr", PorfEngine, "not coherent", ""},
		{"include \"cos.cat\" acyclic po | rf | co | fr", PorfEngine, "of a read-modify-write", ""},
		{"include \"cos.cat\" acyclic po | rf | co | fr empty rmw & (fr; fr)", PorfEngine, "of a read-modify-write", "may get a pair"},
		{atomic + "acyclic po-loc | rf | co | fr", PorfEngine, "cycles of po | rf", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic [R & ACQ]; po; [W] | rfe", PorfEngine, "cycles of po | rf", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic [R]; po; [W] | rfe & loc & int", PorfEngine, "cycles of po | rf", ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | rfe", PorfEngine, "cycles of po | rf", ""},
		{atomic + "acyclic po | rf | co | fr acyclic po \\ (rf; fr)", PorfEngine, "", "takes away rf ; fr, which may still grow"},
		{atomic + "acyclic po | rf | co | fr acyclic po \\ (po; rf)", PorfEngine, "", ""}, // what a read reads from is there before it
		{atomic + "acyclic po | rf | co | fr acyclic po \\ domain(rf) * _", PorfEngine, "", "which may still grow"},
		{atomic + "acyclic po | rf | co | fr ~empty rf", PorfEngine, "", "may still come"},
		{atomic + "acyclic po | rf | co | fr empty po; rf", PorfEngine, "", "may get a pair"},
		{atomic + "acyclic po | rf | co | fr acyclic [FW]; po", PorfEngine, "", "FW varies"},
		{atomic + "acyclic po | rf | co | fr irreflexive rf; rf^-1; po", PorfEngine, "", "may lead on"},
		{atomic + `acyclic po-loc | rf | co | fr acyclic addr | data | ctrl; [W] | rfe | rmw | coe
			acyclic addr | rfe | (po \ (po; [F]; po))`, DepEngine, "", "may depend on events that come later"},
		{atomic + "acyclic po-loc | rf | co | fr acyclic rfe | ([~FW]; po)", PorfEngine, "cycles of po | rf", "FW"},
		{atomic + "acyclic po | rf | co | fr with o from linearisations(W, po) acyclic o | po", PorfEngine, "", "o is chosen for complete executions"},
		{atomic + "acyclic po | rf | co | fr assert empty rf", PorfEngine, "", "speaks of complete executions"},
	} {
		m := load(t, test.text)
		if m.engine != test.engine {
			t.Errorf("%s: engine %v, want %v", test.text, m.engine, test.engine)
		}
		if got := m.Missing(true); (got == "") != (test.missing == "") || !strings.Contains(got, test.missing) {
			t.Errorf("%s:\n%s\nwant %s", test.text, got, test.missing)
		}
		var why []string
		for _, c := range m.checks {
			if c.how == late {
				why = append(why, c.late)
			}
		}
		if got := strings.Join(why, ", "); (got == "") != (test.late == "") || !strings.Contains(got, test.late) {
			t.Errorf("%s: checked on complete executions: %q, want %q", test.text, got, test.late)
		}
		if ok := m.Explorer().Traits().Late != nil; ok != (test.late != "") {
			t.Errorf("%s: has late constraints: %v", test.text, ok)
		}
	}
}

// TestEmbedded checks how the embedded models are explored. Which models have cycles of po ∪ rf is what their papers say.
func TestEmbedded(t *testing.T) {
	engines := map[string]Engine{
		"sc": PorfEngine, "tso": PorfEngine, "pso": PorfEngine, "ra": PorfEngine, "rc11": PorfEngine, "rc11-2017": PorfEngine,
		"imm": DepEngine, "imm-2019": DepEngine, "armv8": DepEngine, "riscv": DepEngine, "power": DepEngine, "armv7": DepEngine,
		"c11": PorfEngine,
	}
	dialects := map[string]string{"tso": "x86", "pso": "x86", "armv8": "AArch64", "riscv": "RISC-V", "power": "Power", "armv7": "ARM"}
	for name, engine := range engines {
		m, err := Embedded(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.engine != engine {
			t.Errorf("%s: %v, want %v", name, m.engine, engine)
		}
		want := dialects[name]
		if want == "" {
			want = "C"
		}
		if m.d.Title != want {
			t.Errorf("%s: programs are %s, want %s", name, m.d.Title, want)
		}
		// What the speed depends on: nothing is evaluated on whole graphs.
		if engine == PorfEngine && name != "c11" && slices.ContainsFunc(m.checks, func(c *check) bool { return c.how == byWhole }) {
			t.Errorf("%s:\n%s", name, m.Explain())
		}
		if races := slices.Contains([]string{"ra", "rc11", "rc11-2017"}, name); races != (m.races != nil) {
			t.Errorf("%s: races are found at accesses: %v", name, !races)
		}
	}
}

// TestRaces checks which definitions of races the engine's own is taken for.
func TestRaces(t *testing.T) {
	const head = `include "atomics.cat" let hb = Happens-before([W & Atomic]; (rf; update)*)
		irreflexive hb; eco? empty update & (fr; co) acyclic po | rf `
	for _, test := range []struct {
		text string
		want bool
	}{
		{"undefined_unless empty races(hb) as race", true},
		{"flag ~empty races(hb) as race", true},
		{"flag empty races(hb) as race", false},
		{"flag ~empty races((po | rf)+) as race", false},
		{"flag ~empty (loc & (M * M) & ~(R * R)) \\ (hb | hb^-1) as conflict", false},  // of atomic accesses too
		{"flag ~empty (loc & ext & (NA * W | W * NA)) \\ (hb | hb^-1) as race", false}, // with initial writes
		{"let A = M \\ IW let c = loc & ext & (A * A) & (NA * W | W * NA) flag ~empty c \\ (hb | hb^-1) as race", false},
	} {
		if m := load(t, head+test.text); (m.races != nil) != test.want {
			t.Errorf("%s: taken for races: %v, want %v", test.text, m.races != nil, test.want)
		}
	}
}

// TestLarge checks that models which unfold to much are analysed in time.
func TestLarge(t *testing.T) {
	var b strings.Builder
	b.WriteString("include \"cos.cat\" empty rmw & (fr; co) acyclic po | rf | co | fr\nlet r0 = po | rf\n")
	for i := range 40 {
		fmt.Fprintf(&b, "let r%d = [W]?; r%d; r%d | r%d; co\n", i+1, i, i, i)
	}
	b.WriteString("acyclic r40\nirreflexive r40; r39\nlet l0 = rf | co\n")
	for i := range 40 {
		fmt.Fprintf(&b, "let l%d = (l%d; l%d | l%d; co) \\ (l%d & id)\n", i+1, i, i, i, i)
	}
	b.WriteString("acyclic l40\nempty [R & W]; l40\n")
	for i := range 30 {
		fmt.Fprintf(&b, "let s%d = [%s]?\n", i, []string{"R", "W", "F", "SC", "REL", "ACQ", "RLX", "NA", "RMW", "X"}[i%10])
	}
	b.WriteString("acyclic co")
	for i := range 30 {
		fmt.Fprintf(&b, "; s%d", i)
	}
	if text := load(t, b.String()).Explain(); !strings.Contains(text, "takes away l") {
		t.Error(text)
	}
}
