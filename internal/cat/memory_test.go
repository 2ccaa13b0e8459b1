package cat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemory: models in memory include each other and the library, whatever path they write, but no file on the disk.
func TestMemory(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.cat")
	if err := os.WriteFile(outside, []byte("let secret = po\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(outside))
	dir, free := Memory(map[string]string{
		"a.cat":    "\"a\"\ninclude \"b.cat\"\ninclude \"cos.cat\"\nacyclic b",
		"b.cat":    "let b = po",
		"abs.cat":  "include \"" + outside + "\"\nacyclic secret",
		"up.cat":   "include \"../secret.cat\"\nacyclic secret",
		"here.cat": "include \"secret.cat\"\nacyclic secret",
	})
	compile := func(name string) error {
		m, err := Load(dir + "/" + name)
		if err != nil {
			return err
		}
		_, err = Compile(m, NewVocabulary([]string{"W", "R", "M", "IW", "FW"}, []string{"po", "rf", "loc", "int", "ext", "co"}), Options{Given: []string{"co"}})
		return err
	}
	if err := compile("a.cat"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"abs.cat", "up.cat", "here.cat"} {
		if err := compile(name); err == nil || !strings.Contains(err.Error(), "cannot find") {
			t.Errorf("%s: error %v, want one that says that the file cannot be found", name, err)
		}
	}
	free()
	if _, err := Load(dir + "/a.cat"); err == nil {
		t.Error("the files are there after free")
	}
}
