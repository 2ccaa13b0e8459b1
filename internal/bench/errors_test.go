package bench

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestErrors looks for the errors of the table by random walks. They are known from the argument in each program. With -DRIGHT there is none.
func TestErrors(t *testing.T) {
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
			b := &bench{Options: Options{Timeout: time.Minute}, dir: dir}
			found, _, err := b.look(r, search{hunts: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 || found[0].Kind != r["kind"] {
				t.Errorf("want an error (%s), got %v", r["kind"], found)
			}
			b.Timeout = time.Second
			for _, s := range searches {
				if found, _, err = b.look(r, s, []string{"-DRIGHT"}); err != nil || len(found) > 0 {
					t.Errorf("%s -DRIGHT: %v %v", s.name, found, err)
				}
			}
		})
	}
}
