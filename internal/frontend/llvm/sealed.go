package llvm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ravel/internal/lazy"
)

// Sealed compilation is for programs of strangers: compilers read the sources that are in memory, ravel's headers and those of the system, and nothing else, whatever
// the program says.
//
// clang gets a file system of its own (-ivfsoverlay) that has these folders only, so that #include, #embed, __has_include and all others that name files find nothing
// outside. Inline assembly is not assembled, so .incbin reads nothing. rustc has nothing of the kind: programs with words that can name files or variables of the
// environment are refused. No word can be put together from pieces in stable Rust, so looking for words is enough; it is done in comments and strings, too, since
// telling them apart is where such checks go wrong.

// overlayArgs returns the flags that show clang only what it may see. It writes the description of that beside the folder of headers.
func overlayArgs(clang string, cxx bool, opts *Options) ([]string, error) {
	dirs, err := searchDirs(clang, cxx)
	if err != nil {
		return nil, err
	}
	type entry struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		External string `json:"external-contents"`
	}
	overlay := struct {
		Version       int     `json:"version"`
		Fallthrough   bool    `json:"fallthrough"`
		CaseSensitive bool    `json:"case-sensitive"`
		External      bool    `json:"use-external-names"` // messages have the names of the program
		Roots         []entry `json:"roots"`
	}{CaseSensitive: true}
	for _, d := range outermost(append(slices.Clone(dirs), opts.IncludeDir, opts.Dir)) {
		overlay.Roots = append(overlay.Roots, entry{"directory-remap", d, d})
	}
	text, err := json.Marshal(overlay) // which is YAML
	if err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(opts.IncludeDir), "overlay.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return []string{"-ivfsoverlay", file}, nil
}

var searched sync.Map // clang and language → folders

// searchDirs returns the folders in which clang looks for headers.
func searchDirs(clang string, cxx bool) ([]string, error) {
	language := "c"
	if cxx {
		language = "c++"
	}
	key := clang + " " + language
	if dirs, ok := searched.Load(key); ok {
		return dirs.([]string), nil
	}
	cmd := exec.Command(clang, "-E", "-v", "-x", language, os.DevNull)
	cmd.Env = sealedEnv()
	var msg bytes.Buffer
	cmd.Stderr = &msg
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s -E -v: %w", clang, err)
	}
	_, list, found := strings.Cut(msg.String(), "#include <...> search starts here:\n")
	list, _, ended := strings.Cut(list, "End of search list.")
	if !found || !ended {
		return nil, fmt.Errorf("%s -E -v does not say where it looks for headers", clang)
	}
	var dirs []string
	for line := range strings.Lines(list) {
		if dir := filepath.Clean(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "(framework directory)"))); filepath.IsAbs(dir) && dir != "/" {
			dirs = append(dirs, dir)
		}
	}
	searched.Store(key, dirs)
	return dirs, nil
}

// outermost returns the folders that are in none of the others.
func outermost(dirs []string) (list []string) {
	slices.Sort(dirs)
	for _, d := range slices.Compact(dirs) {
		if info, err := os.Stat(d); err != nil || !info.IsDir() {
			continue
		}
		if n := len(list); n == 0 || !strings.HasPrefix(d, list[n-1]+string(filepath.Separator)) {
			list = append(list, d)
		}
	}
	return list
}

// sealedEnv is the environment of sealed compilers: what they need to be found and to start.
func sealedEnv() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// rustWords can make rustc read files or the environment: include!, include_str!, include_bytes!, env!, option_env!, #[path], #[debugger_visualizer].
var rustWords = lazy.Regexp(`\b(include|include_str|include_bytes|env|option_env|path|debugger_visualizer)\b`)

// sealedRust refuses a program that could make rustc read what it should not.
func sealedRust(sources map[string][]byte) error {
	for name, text := range sources {
		if at := rustWords().FindIndex(text); at != nil && filepath.Ext(name) == ".rs" {
			return errorAt(name, string(text), at[0], "the word `%s` is not allowed here, not even in a comment: it can make the compiler read files or its environment", text[at[0]:at[1]])
		}
	}
	return nil
}
