package play

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ravel"

	"ravel/internal/lazy"
)

// A Request is a question with all files that it is about.
type Request struct {
	Kind   string   `json:"kind"` // check, litmus, compare, find or jmm
	Files  []File   `json:"files"`
	Models []string `json:"models"` // names, or those of .cat files of the request; none is the default
	Flags  []string `json:"flags"`  // of the compiler, those that allowedFlag accepts
	Options
}

// A File is a source by its name, which is relative.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Options are those of ravel check and the others that a page offers.
type Options struct {
	Unroll    int    `json:"unroll"`
	KeepGoing bool   `json:"keepGoing"`
	Suggest   bool   `json:"suggest"`
	NoRaces   bool   `json:"noRaces"`
	Overflow  bool   `json:"overflow"`
	Leaks     bool   `json:"leaks"`
	Liveness  bool   `json:"liveness"`
	Mapping   string `json:"mapping"`
	Dialect   string `json:"dialect"` // of the tests that find makes
	Rules     string `json:"rules"`   // of jmm
	AllStates bool   `json:"allStates"`
}

// Limits are what a request may use.
type Limits struct {
	Bytes     int           // of all files
	Files     int           // how many
	Models    int           // how many at once
	Timeout   time.Duration // of all of it; 0 is none
	Memory    int64         // of the exploration; 0 is the default of the machine
	Workers   int           // 0 is one per core
	Compilers bool          // C, C++, Rust and Java are compiled
}

// Browser is what may be used where ravel runs in a browser: there is no compiler and one thread.
var Browser = Limits{Bytes: 8 << 20, Files: 32, Models: 16, Memory: 1 << 30, Workers: 1}

var allowedFlag = lazy.Regexp(`^(-[DU][A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?|-std=[a-z0-9+:]+|-O[0-3])$`)

// isName reports whether a text has letters, digits and _ . + - only, and at least one.
func isName(text string) bool {
	for _, c := range []byte(text) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.+-", c) >= 0) {
			return false
		}
	}
	return text != ""
}

// isFile reports whether a text is the name of a file that stays in its folder: each part of the path begins with a letter, a digit or _.
func isFile(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if !isName(part) || strings.IndexByte(".+-", part[0]) >= 0 {
			return false
		}
	}
	return true
}

// compiled has the languages that need a compiler.
var compiled = []string{"c", "c++", "rust", "java"}

// The languages of files by their extension; headers are not compiled themselves.
var extensions = map[string]string{
	".c": "c", ".h": "header", ".hpp": "header", ".hh": "header", ".inc": "header", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".rs": "rust", ".java": "java",
	".ll": "llvm", ".litmus": "litmus", ".cat": "cat",
}

// Check refuses a request that is malformed or asks for more than the limits allow.
func (r *Request) Check(l Limits) error {
	if !slices.Contains([]string{"check", "litmus", "compare", "find", "jmm"}, r.Kind) {
		return fmt.Errorf("kind %q: it is check, litmus, compare, find or jmm", r.Kind)
	}
	if len(r.Files) == 0 && r.Kind != "find" {
		return fmt.Errorf("there is no file to %s", r.Kind)
	}
	if len(r.Files) > l.Files {
		return fmt.Errorf("%d files are too many: at most %d", len(r.Files), l.Files)
	}
	size, seen := 0, map[string]bool{}
	for _, f := range r.Files {
		size += len(f.Text)
		switch ext := path.Ext(f.Name); {
		case len(f.Name) > 100 || !isFile(f.Name):
			return fmt.Errorf("%q is no name for a file: it has letters, digits and _ . + - in it, and folders are separated by /", f.Name)
		case extensions[ext] == "":
			return fmt.Errorf("%s: what is a %q file? The page takes .c .h .cpp .hpp .rs .java .ll .litmus .cat", f.Name, ext)
		case seen[f.Name]:
			return fmt.Errorf("there are two files %s", f.Name)
		case !l.Compilers && slices.Contains(compiled, extensions[ext]):
			return fmt.Errorf("%s: there is no compiler here, only litmus tests, models and LLVM IR run", f.Name)
		}
		seen[f.Name] = true
	}
	if size > l.Bytes {
		return fmt.Errorf("%d bytes of source are too many: at most %d", size, l.Bytes)
	}
	if len(r.Models) > l.Models {
		return fmt.Errorf("%d models are too many at once: at most %d", len(r.Models), l.Models)
	}
	for _, f := range r.Flags {
		if !allowedFlag().MatchString(f) || len(f) > 200 {
			return fmt.Errorf("the flag %s is not allowed here: -DNAME=VALUE, -UNAME, -std=… and -O… are", f)
		}
	}
	if len(r.Flags) > 20 {
		return fmt.Errorf("%d flags are too many", len(r.Flags))
	}
	for _, m := range r.Models {
		if !isName(m) {
			return fmt.Errorf("%q is no name of a model", m)
		}
		if strings.HasSuffix(m, ".cat") && !seen[m] {
			return fmt.Errorf("there is no file %s in the request", m)
		}
	}
	if r.Unroll < 0 || r.Unroll > 1000 {
		return fmt.Errorf("unroll %d: it is from 0 to 1000", r.Unroll)
	}
	return nil
}

// sources returns the files of some languages.
func (r *Request) sources(languages ...string) (list []ravel.Source) {
	for _, f := range r.Files {
		if slices.Contains(languages, extensions[path.Ext(f.Name)]) {
			list = append(list, ravel.Source{Name: f.Name, Text: []byte(f.Text)})
		}
	}
	return list
}
