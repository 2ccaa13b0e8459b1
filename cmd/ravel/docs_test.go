package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ravel"
	"ravel/internal/jmm"
	"ravel/internal/report"
)

var updateDocs = flag.Bool("update-docs", false, "write the generated sections of docs/reference.md, and the outputs in the documents")

const root = "../.."

// documents returns the paths of all documents, relative to the root.
func documents(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/tasks/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			names = append(names, strings.TrimPrefix(filepath.ToSlash(f), root+"/"))
		}
	}
	if len(names) < 10 {
		t.Fatalf("only %d documents", len(names))
	}
	return names
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeDocument(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// commands returns cmd and all commands below it that users see.
func commands(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "help" {
			list = append(list, commands(c)...)
		}
	}
	return list
}

// commandSection is the section of the reference about a command, from its own help.
func commandSection(cmd *cobra.Command) string {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(&b, "```\n%s\n\n%s\n```\n", cmd.UseLine(), text)
	first := true
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if first {
			b.WriteString("\n| flag | meaning |\n|---|---|\n")
			first = false
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			usage += " (default `" + f.DefValue + "`)"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), strings.ReplaceAll(usage, "|", "\\|"))
	})
	return b.String()
}

// TestReference compares docs/reference.md with the help of every command.
func TestReference(t *testing.T) {
	const file = "docs/reference.md"
	text := readDocument(t, file)
	section := regexp.MustCompile(`(?s)<!-- generated: ([a-z ]+) -->\n.*?<!-- end -->`)
	seen := map[string]bool{}
	want := map[string]string{}
	for _, c := range commands(newRoot()) {
		want[c.CommandPath()] = commandSection(c)
	}
	updated := section.ReplaceAllStringFunc(text, func(s string) string {
		name := section.FindStringSubmatch(s)[1]
		body, ok := want[name]
		if !ok {
			t.Errorf("%s has a section on %q, which is not a command", file, name)
			return s
		}
		seen[name] = true
		return fmt.Sprintf("<!-- generated: %s -->\n%s<!-- end -->", name, body)
	})
	for name := range want {
		if !seen[name] {
			t.Errorf("%s has no section on %q: add <!-- generated: %s --> and <!-- end -->", file, name, name)
		}
	}
	if updated == text {
		return
	}
	if *updateDocs {
		writeDocument(t, file, updated)
		return
	}
	t.Errorf("%s differs from --help: run go test ./cmd/ravel -run TestReference -update-docs\n%s", file, firstDifference(text, updated))
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(have, want string) string {
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(h), len(w)) {
		if h[i] != w[i] {
			return fmt.Sprintf("line %d\nhave %s\nwant %s", i+1, h[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(h), len(w))
}

// TestReferenceJSON checks that docs/reference.md names every field of the JSON output, and no other.
func TestReferenceJSON(t *testing.T) {
	text := readDocument(t, "docs/reference.md")
	for name, v := range map[string]any{
		"check":       ravel.Result{},
		"compare":     ravel.Difference{},
		"litmus":      ravel.LitmusRecord{},
		"models":      ravel.Model{},
		"test":        testRecord{},
		"jmm check":   jmm.Report{},
		"jmm compile": jmm.CompileReport{},
		"jmm stress":  jmm.StressReport{},
	} {
		have := documentedFields(t, text, name)
		want := jsonFields(reflect.TypeOf(v), "")
		for _, f := range want {
			if !slices.Contains(have, f) {
				t.Errorf("JSON of %s: %s is missing in the reference", name, f)
			}
		}
		for _, f := range have {
			if !slices.Contains(want, f) {
				t.Errorf("JSON of %s: the reference has %s, the output does not", name, f)
			}
		}
	}
}

// documentedFields returns the fields in the reference's table on the JSON of a command.
func documentedFields(t *testing.T, reference, command string) (fields []string) {
	t.Helper()
	_, after, ok := strings.Cut(reference, "### JSON of `"+command+"`\n")
	if !ok {
		t.Fatalf("no section on the JSON of %s", command)
	}
	section, _, _ := strings.Cut(after, "\n#")
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.\\[\\]]+)`").FindAllStringSubmatch(section, -1) {
		fields = append(fields, m[1])
	}
	return fields
}

// jsonFields lists the fields of a type as paths: errors[].location.line.
func jsonFields(typ reflect.Type, path string) []string {
	switch typ.Kind() {
	case reflect.Pointer:
		return jsonFields(typ.Elem(), path)
	case reflect.Slice:
		return jsonFields(typ.Elem(), path+"[]")
	case reflect.Struct:
	default:
		return nil
	}
	var list []string
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if path != "" {
			name = path + "." + name
		}
		list = append(list, name)
		list = append(list, jsonFields(f.Type, name)...)
	}
	return list
}

// TestDocuments runs the commands that the documents show and compares what they print.
//
// A block ```console has commands after $ and what they print. The commands are ravel, cat and `echo $?`. A line … stands
// for any lines, and figures of time and memory may differ.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands of all documents")
	}
	needClang(t)
	block := regexp.MustCompile("(?s)```console\n(.*?)```")
	for _, name := range documents(t) {
		text := readDocument(t, name)
		if !block.MatchString(text) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Chdir(root)
			updated := block.ReplaceAllStringFunc(text, func(s string) string {
				return "```console\n" + session(t, block.FindStringSubmatch(s)[1]) + "```"
			})
			if *updateDocs && updated != text {
				if err := os.WriteFile(name, []byte(updated), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// session runs the commands of a block and returns the block with what they print.
func session(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	status := 0
	for _, part := range strings.Split("\n"+strings.TrimSuffix(text, "\n"), "\n$ ")[1:] {
		line, want, printed := strings.Cut(part, "\n")
		if printed {
			want += "\n"
		}
		args := words(line)
		var have string
		switch {
		case args[0] == "ravel":
			if lacksCompiler(args) {
				have = want
				break
			}
			if args[1] == "check" {
				args = slices.Insert(args, 2, "--workers", "1") // which error comes first depends on the number of workers
			}
			var out, errs string
			status, out, errs = runRavel(t, args[1:]...)
			have = errs + out
		case args[0] == "cat" && len(args) == 2:
			content, err := os.ReadFile(args[1])
			if err != nil {
				t.Error(err)
			}
			have = string(content)
		case line == "echo $?":
			have = fmt.Sprintln(status)
		default:
			t.Errorf("what is %q?", line)
		}
		if !sameOutput(want, have) {
			t.Errorf("$ %s\nprints\n%s\nthe document has\n%s\nrun go test ./cmd/ravel -run TestDocuments -update-docs", line, have, want)
			want = have
		}
		fmt.Fprintf(&b, "$ %s\n%s", line, want)
	}
	return b.String()
}

// lacksCompiler reports whether there is no compiler for a program of a command, except for clang.
func lacksCompiler(args []string) bool {
	for _, a := range args {
		switch filepath.Ext(a) {
		case ".rs":
			if !hasProgram("rustc") {
				return true
			}
		case ".java":
			if !hasProgram("javac") {
				return true
			}
		}
	}
	return false
}

func hasProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

var figures = regexp.MustCompile(`[0-9.]+ m?s\b|"seconds":[0-9.e-]+|"peak_memory_bytes":[0-9]+|(?m)^Time .*`)

// sameOutput reports whether what a command printed is what the document has.
func sameOutput(want, have string) bool {
	split := func(text string) []string { return strings.Split(figures.ReplaceAllString(text, "#"), "\n") }
	return matchLines(split(want), split(have))
}

func matchLines(want, have []string) bool {
	switch {
	case len(want) == 0:
		return len(have) == 0
	case want[0] == "…":
		return matchLines(want[1:], have) || len(have) > 0 && matchLines(want, have[1:])
	}
	return len(have) > 0 && want[0] == have[0] && matchLines(want[1:], have[1:])
}

// words splits a command line at spaces outside of single quotes.
func words(line string) []string {
	var list []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// TestLinks checks that files which the documents link to are there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, name := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(readDocument(t, name), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// mostWords is the length of the longest sentence that documents and package comments may have.
const mostWords = 40

// TestSentences refuses long sentences in the documents: readers are in a hurry.
func TestSentences(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```|<!-- generated.*?<!-- end -->")
	spans := regexp.MustCompile("`[^`\n]*`")
	for _, name := range documents(t) {
		if name == "CHANGELOG.md" || name == "docs/status.md" {
			continue
		}
		text := spans.ReplaceAllString(code.ReplaceAllString(readDocument(t, name), ""), "x")
		for _, s := range sentences(text) {
			if n := len(strings.Fields(s)); n > mostWords {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
		}
	}
}

// sentences splits a document: paragraphs, items of lists and cells of tables end sentences, as do full stops.
func sentences(text string) []string {
	var list []string
	breaks := regexp.MustCompile(`\n\s*\n|\n\s*[-*] |\n\s*[0-9]+\. |\n#+ |\n\||\|`)
	stops := regexp.MustCompile(`[.?!][*)”]*\s`)
	for _, p := range breaks.Split(text, -1) {
		for _, s := range stops.Split(strings.Join(strings.Fields(p), " ")+" ", -1) {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
	}
	return list
}

// TestPackageComments checks that every package has a comment, that the files which it names are there, and that its sentences are short.
func TestPackageComments(t *testing.T) {
	file := regexp.MustCompile(`\b[a-z0-9_/]+\.(go|c|ll)\b`)
	for dir, text := range packageComments(t) {
		if text == "" {
			t.Errorf("%s has no package comment", dir)
		}
		for _, name := range file.FindAllString(text, -1) {
			_, here := os.Stat(filepath.Join(dir, name))
			_, above := os.Stat(filepath.Join(dir, "..", name))
			if here != nil && above != nil {
				t.Errorf("the comment of %s names %s, which is not there", dir, name)
			}
		}
		for _, s := range sentences(text) {
			if n := len(strings.Fields(s)); n > mostWords {
				t.Errorf("%s: %d words: %s", dir, n, s)
			}
		}
	}
}

// packageComments returns the package comments by folder, without preformatted lines.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, top := range []string{"ravel.go", "cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "testdata":
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			dir := filepath.Dir(path)
			comments[dir] += preformatted.ReplaceAllString(f.Doc.Text(), "")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return comments
}

var preformatted = regexp.MustCompile(`(?m)^\t.*$`)

// TestArchitecture checks that docs/architecture.md has every package.
func TestArchitecture(t *testing.T) {
	text := readDocument(t, "docs/architecture.md")
	for dir := range packageComments(t) {
		name := strings.TrimPrefix(filepath.ToSlash(dir), root+"/")
		if dir == root {
			name = "ravel.go"
		}
		if !strings.Contains(text, "(../"+name+")") && name != "internal/runtime/gen" {
			t.Errorf("docs/architecture.md does not mention %s", name)
		}
	}
}

// TestPictures checks that the pictures of the documents are those that scripts/pictures makes.
func TestPictures(t *testing.T) {
	needClang(t)
	t.Chdir(root)
	script, err := os.ReadFile("scripts/pictures")
	if err != nil {
		t.Fatal(err)
	}
	made := t.TempDir()
	for _, m := range regexp.MustCompile(`(?m)^\./ravel (.*?) >/dev/null`).FindAllStringSubmatch(string(script), -1) {
		args := words(m[1])
		at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "docs/pictures/") })
		if at < 0 {
			t.Fatalf("what does %q make?", m[1])
		}
		picture := args[at]
		args[at] = filepath.Join(made, filepath.Base(picture))
		runRavel(t, args...)
		have, err := os.ReadFile(picture)
		if err != nil {
			t.Error(err)
		}
		if want, err := os.ReadFile(args[at]); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not up to date: run scripts/pictures (%v)", picture, err)
		}
	}
}

// TestKinds compares the table of the reference, the kinds that reports document, and those that an engine can report.
func TestKinds(t *testing.T) {
	var documented, known []string
	_, text, _ := strings.Cut(readDocument(t, "docs/reference.md"), "## Kinds of errors")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(text, -1) {
		documented = append(documented, m[1])
	}
	for _, k := range report.Kinds {
		known = append(known, k.Name)
	}
	if !slices.Equal(documented, known) {
		t.Errorf("docs/reference.md has the kinds %v, report.Kinds has %v", documented, known)
	}
	source := readDocument(t, "internal/machine/action.go")
	for _, m := range regexp.MustCompile(`Error\s+ErrorKind = "([a-z]+)"`).FindAllStringSubmatch(source, -1) {
		if !slices.Contains(known, m[1]) {
			t.Errorf("the machine reports errors of kind %s, which report.Kinds does not document", m[1])
		}
	}
}
