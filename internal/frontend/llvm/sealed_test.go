package llvm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSealed: a sealed clang sees the sources of the program, ravel's headers and those of the system, and no other file.
func TestSealed(t *testing.T) {
	clang, err := FindClang()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.h")
	if err := os.WriteFile(secret, []byte("#define FOUND 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name, text string) error {
		work := t.TempDir()
		opts := Options{Clang: clang, Sealed: true, IncludeDir: filepath.Join(work, "include"), Dir: filepath.Join(work, "src")}
		opts.Sources = map[string][]byte{name: []byte(text), "own.h": []byte("#define OWN 1\n")}
		for _, d := range []string{opts.IncludeDir, opts.Dir} {
			if err := os.Mkdir(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for n, text := range opts.Sources {
			if err := os.WriteFile(filepath.Join(opts.Dir, n), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Load([]string{name}, opts)
		return err
	}
	for _, name := range []string{"a.c", "a.cpp"} {
		if err := run(name, "#include <stddef.h>\n#include <stdio.h>\n#include \"own.h\"\n#ifndef OWN\n#error no own.h\n#endif\nint main(void) { return 0; }\n"); err != nil {
			t.Errorf("%s: headers of the system and of the program: %v", name, err)
		}
		for _, how := range []string{
			"#include \"" + secret + "\"\n", "#include <" + secret + ">\n", "#include \"/usr/include/" + strings.Repeat("../", 9) + strings.TrimPrefix(secret, "/") + "\"\n",
			"#include \"" + strings.Repeat("../", 20) + strings.TrimPrefix(secret, "/") + "\"\n",
		} {
			if err := run(name, how+"int main(void) { return 0; }\n"); err == nil || !strings.Contains(err.Error(), "file not found") {
				t.Errorf("%s: %serror %v, want that the file is not found", name, how, err)
			}
		}
		if err := run(name, "#if __has_include(\""+secret+"\")\n#error found\n#endif\nint main(void) { return 0; }\n"); err != nil {
			t.Errorf("%s: __has_include: %v", name, err)
		}
	}
}
