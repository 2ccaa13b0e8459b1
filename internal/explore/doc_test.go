package explore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMap checks that the package comment says where each file belongs.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f != "doc.go" && !strings.HasSuffix(f, "_test.go") && !strings.Contains(string(text), f) {
			t.Errorf("doc.go does not say what %s is for", f)
		}
	}
}
