package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnits: what a command says to the front end. Flags are those of clang and GCC; see their manuals for which take a value.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ name, file, command, language, flags string }{
		{"cmake", "a.c", `/usr/bin/cc -DN=2 -I../src -isystem /opt/x -O2 -g -Wall -Werror -std=gnu11 -MD -MT a.o -MF a.d -o a.o -c a.c`, "c", "-DN=2|-I../src|-isystem|/opt/x|-std=gnu11"},
		{"two words", "a.c", `cc -D N=2 -U M -I src -include config.h -L lib -l m -c a.c`, "c", "-DN=2|-UM|-Isrc|-include|config.h"},
		{"quotes", "a.c", `cc "-DTEXT=\"a b\"" '-DX=$Y' -DZ=\"q\" -c a.c`, "c", `-DTEXT="a b"|-DX=$Y|-DZ="q"`},
		{"C++ compiler", "a.c", `ccache /usr/bin/clang++-19 -c a.c`, "c++", ""},
		{"C++ file", "a.cc", `gcc -fno-exceptions -fno-plt -flto -fsanitize=thread -c a.cc`, "c++", "-fno-exceptions"},
		{"-x", "a.inc", `cc -x c++ -c a.inc`, "c++", ""},
		{"-xc", "a.inc", `cc -xc -m32 -mtune=native -march=armv8-a -c a.inc`, "c", "-m32|-march=armv8-a"},
		{"assembler", "a.S", `cc -c a.S`, "", ""},
		{"target", "a.c", `clang --target=aarch64-linux-gnu --sysroot /s -target x -Xclang -foo -c a.c`, "c", "--target=aarch64-linux-gnu|--sysroot|/s|-target|x"},
	} {
		u, err := (&command{Directory: "build", File: c.file, Command: c.command}).unit("/p")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want := strings.FieldsFunc(c.flags, func(r rune) bool { return r == '|' }); u.Language != c.language || !slices.Equal(u.Flags, want) || u.Dir != "/p/build" || u.File != "/p/build/"+c.file {
			t.Errorf("%s: have %+v, want language %q, flags %q", c.name, u, c.language, want)
		}
	}
}

// TestBadCommands: a broken compilation database has a message with the place.
func TestBadCommands(t *testing.T) {
	const entry = `{"directory": ".", "file": "a.c", "command": "cc -c a.c"}`
	for _, c := range []struct{ text, want string }{
		{"", ":1:1: the file ends here"},
		{"{}", ":1:1: this is not a list of commands"},
		{"[]", ": no commands: build again with cmake"},
		{"[\n" + entry, ":2:58: the file ends here"},
		{"[\n" + entry + "\n  x]", ":3:2: expected comma"},
		{"[\n {\"file\": 3}]", ":2:2: json: cannot unmarshal number"},
		{"[\n {\"directory\": \".\", \"command\": \"cc\"}]", `:2:2: the command has no "file"`},
		{"[{\"file\": \"a.c\"}]", `:1:2: the command for a.c has no "command"`},
		{"[{\"file\": \"a.c\", \"command\": \"cc 'a.c\"}]", `:1:2: the command for a.c: a ' is not closed`},
		{"[{\"file\": \"a.c\", \"command\": \"cc @flags a.c\"}]", `response file @flags`},
		{"[" + entry + ",\n{\"directory\": \".\", \"file\": \"./a.c\", \"command\": \"cc -DX -c a.c\"}]", ":2:1: a.c is compiled in another way at "},
	} {
		file := filepath.Join(t.TempDir(), CommandsFile)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readCommands(file); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), file) {
			t.Errorf("%s\nhave %v\nwant %s", c.text, err, c.want)
		}
	}
}
