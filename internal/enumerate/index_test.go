package enumerate

import (
	"strings"
	"testing"

	"ravel/internal/cat"
)

// TestIndex reads all models of our own: each name of each has a meaning, and none has a mistake.
func TestIndex(t *testing.T) {
	for _, name := range cat.Names() {
		if name == "jls04" {
			continue // it has actions that only package justify knows
		}
		m, err := cat.Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		var bell *cat.Model
		if strings.HasPrefix(name, "lkmm") {
			if bell, err = cat.Embedded("lkmm.bell"); err != nil {
				t.Fatal(err)
			}
		}
		ix := cat.NewIndex(m, Dialects(bell))
		if ix.Err != nil {
			t.Errorf("%s: %v", name, ix.Err)
		}
		for _, u := range ix.Uses {
			text := m.File.Src.Text[u.Start:u.End]
			if strings.Trim(text, `'"`) != u.Def.Name {
				t.Errorf("%s: %s is taken for %s", name, text, u.Def.Name)
			}
			if u.Def.Type == "" && u.Def.Text == "" {
				t.Errorf("%s: %s has no type", name, text)
			}
		}
	}
}
