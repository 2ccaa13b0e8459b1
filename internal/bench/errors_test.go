package bench

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var rightTime = flag.Duration("right-time", time.Second, "how long to look for errors in programs that have none")

// TestErrors looks for the errors of the table by random walks. They are known from the argument in each program. The right programs have none.
func TestErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("it looks for a second or more in each program")
	}
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang")
	}
	rows, _, err := read("errors")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := unpack()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, r := range rows {
		t.Run(r["program"], func(t *testing.T) {
			right := []string{"-DRIGHT"}
			if filepath.Ext(r["file"]) == ".rs" {
				right = []string{"--cfg", "right"}
				if _, err := exec.LookPath("rustc"); err != nil {
					t.Skip("no rustc")
				}
			}
			b := &bench{Options: Options{Timeout: time.Minute}, dir: dir}
			if r["kind"] != "" {
				found, _, err := b.look(r, search{hunts: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(found) == 0 || found[0].Kind != r["kind"] {
					t.Errorf("want an error (%s), got %v", r["kind"], found)
				}
			}
			b.Timeout = *rightTime
			for i, m := range append([]string{r["model"]}, strings.Fields(r["right"])...) {
				for _, s := range searches {
					if !s.hunts && i > 0 {
						continue
					}
					other := map[string]string{"file": r["file"], "model": m, "kind": r["kind"]}
					if found, _, err := b.look(other, s, right); err != nil || len(found) > 0 {
						t.Errorf("%s of the right program under %s: %v %v", s.name, m, found, err)
					}
				}
			}
		})
	}
}
