package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHMC runs rows of the table whose counts by rf the paper has: 1 of nwrites-loc, 2^N of readers, L+1 of mp.
func TestHMC(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for half a minute")
	}
	svg := filepath.Join(t.TempDir(), "overhead.svg")
	for name, want := range map[string]string{"nwrites-loc(15)": "1 1", "readers(10)": "1024 1024", "mp(10)": "11 11"} {
		var out strings.Builder
		if err := Run(&out, "hmc", Options{Only: name, Timeout: time.Minute, SVG: svg}); err != nil {
			t.Fatal(err)
		}
		found := false
		for line := range strings.Lines(out.String()) {
			if f := strings.Fields(line); len(f) > 3 && f[0] == name {
				found = true
				if got := f[1] + " " + f[2]; got != want {
					t.Errorf("%s: %s executions under rc11 and imm, want %s", name, got, want)
				}
			}
		}
		if !found {
			t.Errorf("no row %s in\n%s", name, out.String())
		}
		if picture, err := os.ReadFile(svg); err != nil || !strings.Contains(string(picture), "<title>"+name+", ravel") {
			t.Errorf("%s is not in the picture (%v)", name, err)
		}
	}
	if err := Run(&strings.Builder{}, "jmt", Options{SVG: svg}); err == nil {
		t.Error("jmt has no picture")
	}
}

// TestHMCStates decides the row that no stateless tool of the paper does; Dartagnan verifies it there.
func TestHMCStates(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for some seconds")
	}
	dir, err := unpack()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := &bench{Options: Options{Timeout: time.Minute}, dir: dir}
	var out strings.Builder
	if err := b.byStates(&out, map[string]string{"program": "lamport(4)", "file": "bench/lamport.c", "flags": "-DN=4"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "verify it under tso") {
		t.Error(out.String())
	}
}
