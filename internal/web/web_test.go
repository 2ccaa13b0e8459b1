package web

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestBundle: the bundle of the editor was made from the sources that are there.
func TestBundle(t *testing.T) {
	h := sha256.New()
	for _, name := range []string{"editor.mjs", "package.json", "package-lock.json"} {
		text, err := os.ReadFile("editor/" + name)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(text)
	}
	bundle, err := assets.ReadFile("assets/editor.js")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("/* made by scripts/editor from %x.", h.Sum(nil)); !strings.HasPrefix(string(bundle), want) {
		t.Errorf("assets/editor.js begins with %.100q, want %q: run scripts/editor", bundle, want)
	}
}

// TestNothingOutside: no file of the page names another server, but for names of formats and licences.
func TestNothingOutside(t *testing.T) {
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z0-9.-]+[^\s"'` + "`" + `)]*`)
	entries, err := assets.ReadDir("assets")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := assets.ReadFile("assets/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range address.FindAllString(string(text), -1) {
			if !strings.HasPrefix(a, "http://www.w3.org/") && !strings.HasSuffix(e.Name(), ".txt") && e.Name() != "wasm_exec.js" {
				t.Errorf("%s names %s", e.Name(), a)
			}
		}
	}
}

// TestExamplesTitles: every example has what the page shows.
func TestExamplesTitles(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Examples() {
		if e.ID == "" || e.Title == "" || e.Topic == "" || e.Language == "" || e.About == "" || len(e.Files) == 0 || e.Tone == "" || seen[e.ID] {
			t.Errorf("%+v", e)
		}
		seen[e.ID] = true
	}
}
