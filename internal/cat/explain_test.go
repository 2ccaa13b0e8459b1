package cat

import (
	"strings"
	"testing"
)

// TestExplain checks which constraints are known to be monotone, and what is blamed otherwise.
func TestExplain(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"acyclic po | rf | co", ""},
		{"acyclic (po | rf)+; co*", ""},
		{"empty rf & (po; co)", ""},
		{"irreflexive po \\ loc; rf", ""},
		{"acyclic po & ~(R * W) | rf", ""},
		{"acyclic po \\ (po; [W]; po) | rf", ""}, // what is between in po is there before the second
		{"let rec r = rf | r; po acyclic r", ""},
		{"acyclic po \\ rf", "po \\ rf takes away rf, which grows"},
		{"acyclic rf \\ (po; rf)", "rf \\ (po ; rf) takes away po ; rf, which grows"},
		{"let unread = W \\ domain(rf) acyclic [unread]; co", "unread takes away domain rf, which grows"},
		{"empty ~rf", "~rf is the complement of rf, which grows"},
		{"acyclic loc & (IW * FW)", "FW varies"},
		{"let rec r = po | (rf \\ r) acyclic r", "rf \\ r takes away r, which grows"},
		{"with o from linearisations(R, po) acyclic o | po", "o is chosen for complete executions"},
		{"flag ~empty po as f", "flag speaks of complete executions"},
		{"~acyclic po", "it asks for something that may still come"},
	} {
		m, err := LoadText("test.cat", test.text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(m, mpVoc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := p.Explain()[0]
		if e.Monotone != (test.want == "") || e.Why != test.want {
			t.Errorf("%s: monotone %v, %q, want %q", test.text, e.Monotone, e.Why, test.want)
		}
	}
}

// TestExplainModels lists the constraints of our models that are not monotone.
func TestExplainModels(t *testing.T) {
	want := map[string]string{
		"sc": "", "tso": "", "pso": "", "ra": "race", "rc11": "race", "rc11-2017": "race", "imm": "race", "imm-2019": "race",
		"armv8": "", "armv7": "", "power": "", "riscv": "global",
		"jam21": "atomicity no-thin-air", // its orders are chosen: everything but these depends on them
	}
	for name, names := range want {
		voc := hardwareVoc
		if name == "jam21" {
			voc = java
		}
		var got []string
		for _, e := range compileFor(t, name, voc, Options{Given: []string{"co"}}).Explain() {
			if e.Monotone == (name == "jam21") {
				got = append(got, e.Title())
			}
		}
		if s := strings.Join(got, " "); s != names {
			t.Errorf("%s: %s, want %s", name, s, names)
		}
	}
}
