package catmodel

import (
	"errors"
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

// TestEngines checks which engine is chosen for a model, and why none is.
func TestEngines(t *testing.T) {
	const atomic = "include \"cos.cat\" empty rmw & (fr; co) as atomicity "
	for _, test := range []struct {
		text    string
		engine  Engine
		refusal string // part of the message
	}{
		{atomic + "acyclic po | rf | co | fr", PorfEngine, ""},
		{atomic + "acyclic po | rf irreflexive (po | rf)+; (rf | co | fr)+", PorfEngine, ""},
		{atomic + "let hb = (po | rf)+ let eco = (rf | co | fr)+ irreflexive hb; eco?", PorfEngine, ""},
		// The same in the form of Lahav, Giannarakis, Vafeiadis, "Taming release-acquire consistency", POPL'16: strong release/acquire.
		{atomic + "acyclic po | rf | co irreflexive fr; (po | rf)+ acyclic po-loc | rf | co | fr", PorfEngine, ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic [R]; po; [W] | rfe", PorfEngine, ""},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl; [W] | rfe", DepEngine, ""},
		{atomic + "acyclic po-loc | rf | co | fr let rec d = addr | data | ctrl | d; d acyclic d | rfe", DepEngine, ""},

		// Coherence in three parts and the other way round, as in models of C11; initial writes happen before everything.
		{atomic + `let hb = (po | [REL]; rf; [ACQ] | IW * (M \ IW))+ acyclic po | rf irreflexive hb
			irreflexive rf; hb irreflexive (rf^-1)?; co; rf?; hb`, PorfEngine, ""},
		{atomic + `let hb = (po | [REL]; rf; [ACQ])+ acyclic po | rf irreflexive rf; hb irreflexive co; rf?; hb`, NoEngine, "implies coherence"},
		// x86 in the style of ob and lob, with recursive closures.
		{atomic + `acyclic po-loc | fr | co | rf
			let rec lob = po \ ([W]; po; [R]) | [W]; po; [MFENCE]; po; [R] | [W]; po; [R & X] | [W & X]; po; [R] | lob; lob
			let rec ob = (rfe | fre | coe); si | lob | ob; ob irreflexive ob`, PorfEngine, ""},

		// Dependencies have to be tracked where they are used.
		{atomic + "acyclic po | rf | co | fr acyclic ctrl | co", DepEngine, ""},
		// Events of a thread may come later than the ones after them.
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl | rfe | (po \\ (po; [F]; po))", NoEngine, "may depend on events that come later"},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl | rfe | (po-loc \\ (po-loc; [W]; po-loc))", NoEngine, "may depend on events that come later"},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | ctrl | rfe | coe | po-loc; [W] | (po-loc \\ (po-loc; [W]; po-loc))", DepEngine, ""},

		{atomic + "acyclic po | rf", NoEngine, "implies coherence"},
		{atomic + "acyclic po | rf acyclic po-loc | rf | co", NoEngine, "implies coherence"},
		{atomic + "acyclic po | rf acyclic ([W & REL]; po-loc) | rf | co | fr", NoEngine, "implies coherence"},
		{"include \"cos.cat\" acyclic po | rf | co | fr", NoEngine, "implies atomicity"},
		{"include \"cos.cat\" acyclic po | rf | co | fr empty rmw & (fr; fr)", NoEngine, "implies atomicity"},
		{atomic + "acyclic po-loc | rf | co | fr", NoEngine, "out of thin air"},
		{atomic + "acyclic po-loc | rf | co | fr acyclic [R & ACQ]; po; [W] | rfe", NoEngine, "out of thin air"},
		{atomic + "acyclic po-loc | rf | co | fr acyclic [R]; po; [W] | rfe & loc & int", NoEngine, "out of thin air"},
		{atomic + "acyclic po-loc | rf | co | fr acyclic addr | data | rfe", NoEngine, "out of thin air"},
		{atomic + "acyclic po | rf | co | fr acyclic po \\ (rf; fr)", NoEngine, "takes away rf ; fr, which may still grow"},
		{atomic + "acyclic po | rf | co | fr acyclic po \\ (po; rf)", PorfEngine, ""}, // what a read reads from is there before it
		{atomic + "acyclic po | rf | co | fr acyclic po \\ domain(rf) * _", NoEngine, "which may still grow"},
		{atomic + "acyclic po | rf | co | fr ~empty rf", NoEngine, "may still come"},
		{atomic + "acyclic po | rf | co | fr empty po; rf", NoEngine, "may get a pair"},
		{atomic + "acyclic po | rf | co | fr acyclic [FW]; po", NoEngine, "FW varies"},
		{atomic + "acyclic po | rf | co | fr irreflexive rf; rf^-1; po", NoEngine, "may lead on"},
		{atomic + "acyclic po | rf | co | fr with o from linearisations(W, po) acyclic o | po", NoEngine, "o is chosen for each execution"},
		{atomic + "acyclic po | rf | co | fr assert empty rf", NoEngine, "assert"},
	} {
		m := load(t, test.text)
		e, err := m.Explorer()
		if m.engine != test.engine || (e == nil) != (test.engine == NoEngine) {
			t.Errorf("%s: engine %v, want %v (%v)", test.text, m.engine, test.engine, err)
		}
		if test.refusal == "" {
			continue
		}
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), test.refusal) {
			t.Errorf("%s:\nrefused by %v\nwant %s", test.text, err, test.refusal)
		}
	}
}

// TestEmbedded checks how the embedded models are explored. Which models have cycles of po ∪ rf is what their papers say.
func TestEmbedded(t *testing.T) {
	engines := map[string]Engine{
		"sc": PorfEngine, "tso": PorfEngine, "pso": PorfEngine, "ra": PorfEngine, "rc11": PorfEngine, "rc11-2017": PorfEngine,
		"imm": DepEngine, "imm-2019": DepEngine, "armv8": DepEngine, "riscv": DepEngine, "power": DepEngine, "armv7": DepEngine,
		"c11": NoEngine,
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
		if m.d.name != want {
			t.Errorf("%s: programs are %s, want %s", name, m.d.name, want)
		}
		// What the speed depends on: nothing is evaluated on whole graphs.
		if engine == PorfEngine && slices.ContainsFunc(m.checks, func(c *check) bool { return c.how == byWhole }) {
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

// TestLarge checks that models which unfold to much are refused, in time.
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
	if m := load(t, b.String()); m.engine != NoEngine || !strings.Contains(m.refusal.Error(), "takes away l") {
		t.Errorf("%v: %v", m.engine, m.refusal)
	}
}
