package limits

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestControlGroup reads the limits of both versions of control groups: the least of a group and those that it is in.
func TestControlGroup(t *testing.T) {
	for _, test := range []struct {
		name, list string
		files      map[string]string
		want       int64
	}{
		{"version 2", "0::/a/b\n", map[string]string{"a/memory.max": "1000\n", "a/b/memory.max": "max\n"}, 1000},
		{"version 1", "9:name=systemd:/\n4:memory:/a\n", map[string]string{"memory/a/memory.limit_in_bytes": "2000\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"}, 2000},
		{"none", "0::/\n", map[string]string{"memory.max": "max\n"}, 0},
		{"a container", "0::/\n", map[string]string{"memory.max": "3000\n"}, 3000},
	} {
		root := t.TempDir()
		for name, text := range test.files {
			file := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		list := filepath.Join(root, "list")
		if err := os.WriteFile(list, []byte(test.list), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := controlGroup(list, root); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	if m := Memory(); m.Bytes <= 0 && m.Of != "" {
		t.Errorf("%+v", m)
	}
}

// TestCrash checks the message after a panic.
func TestCrash(t *testing.T) {
	var out bytes.Buffer
	status := 0
	defer func() { exit, stderr = os.Exit, os.Stderr }()
	exit, stderr = func(s int) { status = s }, &out
	t.Setenv("RAVEL_DEBUG", "")
	func() {
		defer Crash()
		panic("index out of range")
	}()
	if text := out.String(); status != 2 || !strings.Contains(text, "internal error: index out of range") || !strings.Contains(text, "report") || strings.Contains(text, "goroutine") {
		t.Errorf("status %d: %s", status, text)
	}
}
