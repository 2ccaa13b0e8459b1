package cat

import (
	"strings"
	"testing"
)

// TestNames asks what names mean; ^ marks the name. The types follow from the language: a product of sets is a relation, a domain is a set.
func TestNames(t *testing.T) {
	voc := NewVocabulary([]string{"R", "W", "IW"}, []string{"po", "rf", "loc", "int"})
	for _, test := range []struct{ text, name, typ, def, doc string }{
		{"acyclic ^po | rf", "po", "a relation", "", "Program order"},
		{"let hb = (po | rf)+\nacyclic ^hb", "hb", "a relation", "let hb = (po | rf)+", ""},
		{"(* What was read. *)\nlet s = domain(rf^-1)\nlet t = ^s", "s", "a set of events", "let s = domain (rf^-1)", "What was read."},
		{"let x = R * W\nlet x = ^x ; x", "x", "a relation", "let x = R * W", ""}, // that before
		{"let x = R * W\nlet rec x = po | ^x ; x", "x", "a relation", "let rec x = po | x ; x", ""},
		{"let f(a) = ^a ; rf", "a", "a parameter", "a", ""},
		{"let f(a) = a ; rf\nempty ^f(po)", "f", "a function", "let f a = a ; rf", ""},
		{"let y = let z = po in ^z | rf", "z", "", "let z = po", ""},
		{"procedure p(a) = empty a end\ncall ^p(po)", "p", "a procedure", "procedure p a", ""},
		{"empty ^po-loc", "po-loc", "a relation", "let po-loc = po & loc", ""},
		{"include \"cos.cat^\"", "cos.cat", "a file", "include \"cos.cat\"", ""},
		{"empty ^domain(po)", "domain", "a function", "", "the events that `r` begins at"},
		{"enum e = 'a || 'b\nlet s = ^'b", "b", "a tag", "enum e = 'a || 'b", ""},
		{"let (a, b) = (R, po)\nlet c = ^b", "b", "a relation", "let (a, b) = (R, po)", ""},
		{"acyclic ^nothing", "", "", "", ""},
	} {
		at := strings.IndexByte(test.text, '^')
		if strings.HasPrefix(test.text[at:], "^-1") {
			at = strings.LastIndexByte(test.text, '^')
		}
		text := test.text[:at] + test.text[at+1:]
		m, err := LoadText("x.cat", text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		ix := NewIndex(m, []Dialect{{Vocabulary: voc}})
		u := ix.At(at)
		switch {
		case test.name == "":
			if u != nil || ix.Err == nil || !strings.Contains(ix.Err.Error(), "unbound name nothing") {
				t.Errorf("%s: %v, %v", test.text, u, ix.Err)
			}
		case u == nil:
			t.Errorf("%s: nothing is known", test.text)
		case u.Def.Name != test.name || u.Def.Type != test.typ || u.Def.Text != test.def || !strings.Contains(u.Def.Doc, test.doc):
			t.Errorf("%s: %+v", test.text, u.Def)
		}
	}
}
