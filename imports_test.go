package ravel_test

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "draw the imports in docs/architecture.md again")

// imports is who may import whom, without ravel/internal/: low packages first. A package imports nothing that is not above it.
var imports = []struct{ name, may string }{
	{"event", ""},
	{"cache", ""},
	{"lazy", ""},
	{"relation", ""},
	{"bitset", ""},
	{"spell", ""},
	{"limits", ""},
	{"runtime", ""},
	{"runtime/gen", ""},
	{"native", ""},
	{"short", ""},
	{"diy", ""},
	{"ravel/testdata", ""},
	{"ravel/docs", ""},
	{"ir", "event"},
	{"ir/arith", "event ir"},
	{"arch", "event"},
	{"graph", "event"},
	{"brute", "event ir"},
	{"litmus", "arch event"},
	{"litmus/symbolic", "litmus"},
	{"frontend/litmus", "litmus"},
	{"frontend/llvm", "arch cache event frontend/litmus ir ir/arith lazy limits litmus"},
	{"frontend/jvm", "event ir lazy"},
	{"machine", "bitset event ir ir/arith"},
	{"report", "event ir lazy limits"},
	{"orders", "event lazy report"},
	{"project", "lazy report spell"},
	{"engine", "cache ir machine report"},
	{"smt", "lazy litmus"},
	{"cat", "relation"},
	{"model", "arch event graph relation"},
	{"catmodel", "arch cat event graph model relation"},
	{"memmodel", "arch cat catmodel model spell"},
	{"explore", "engine event graph ir limits machine model report"},
	{"explore/exploretest", "brute event graph ir"},
	{"explore/piecetest", "engine explore ir"},
	{"explore/xmm", "event explore graph machine model relation report"},
	{"states", "arch bitset engine event ir limits machine report"},
	{"check", "arch cache event explore explore/xmm frontend/jvm frontend/llvm ir lazy limits machine report runtime states"},
	{"cluster", "cat catmodel engine event explore explore/xmm ir limits machine memmodel model report states"},
	{"enumerate", "arch cat catmodel litmus litmus/symbolic memmodel relation"},
	{"herd", "cat catmodel enumerate event explore/xmm frontend/litmus graph limits litmus memmodel relation report"},
	{"compare", "cat diy enumerate frontend/litmus herd limits litmus relation report"},
	{"justify", "bitset cat catmodel litmus litmus/symbolic memmodel relation report smt"},
	{"jmm", "arch diy enumerate event frontend/litmus herd justify lazy litmus report"},
	{"bench", "check engine enumerate explore explore/xmm frontend/litmus ir justify limits litmus machine memmodel model ravel/testdata report states"},
	{"ravel", "cache cat catmodel check compare diy engine enumerate explore frontend/jvm frontend/litmus frontend/llvm herd ir jmm justify lazy limits litmus machine memmodel model orders project report smt states"},
	{"play", "lazy ravel report"},
	{"web", "report"},
	{"web/webtest", ""},
	{"serve", "play web"},
	{"site", "play ravel ravel/docs ravel/testdata web"},
	{"lsp", "cat enumerate frontend/litmus justify litmus orders project ravel report"},
	{"ravel/cmd/ravel", "bench cluster explore ir limits lsp ravel serve site spell"},
}

// TestImports refuses an import that is not in the table, and checks that docs/architecture.md shows what there is.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	short := func(path string) string { return strings.TrimPrefix(path, "ravel/internal/") }
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := short(fields[0])
		found[name] = nil
		for _, f := range fields[1:] {
			if f == "ravel" || strings.HasPrefix(f, "ravel/") {
				found[name] = append(found[name], short(f))
			}
		}
	}
	var above []string
	for _, row := range imports {
		may := strings.Fields(row.may)
		for _, name := range found[row.name] {
			if !slices.Contains(may, name) {
				t.Errorf("%s imports %s, which is not in the table of imports_test.go: can the code live elsewhere?", row.name, name)
			}
		}
		for _, name := range may {
			if !slices.Contains(found[row.name], name) {
				t.Errorf("%s does not import %s any more: take it out of the table", row.name, name)
			}
			if !slices.Contains(above, name) {
				t.Errorf("%s may import %s, which is not above it in the table", row.name, name)
			}
		}
		above = append(above, row.name)
		delete(found, row.name)
	}
	for name := range found {
		t.Errorf("package %s is not in the table of imports_test.go", name)
	}
	checkDrawing(t)
}

// checkDrawing compares the drawing in docs/architecture.md with the table.
func checkDrawing(t *testing.T) {
	const file, begin, end = "docs/architecture.md", "<!-- imports: scripts/imports draws this -->\n", "<!-- end of imports -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the imports: %s…%s", file, begin, end)
	}
	want := drawing()
	if old == want {
		return
	}
	if !*updateDocs {
		t.Errorf("the imports in %s are not up to date: run scripts/imports", file)
		return
	}
	if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// drawing draws the imports for Mermaid. An arrow that follows from others is left out, and so are packages for tests and tools only.
func drawing() string {
	may := map[string][]string{}
	for _, row := range imports {
		may[row.name] = strings.Fields(row.may)
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(may[from], func(x string) bool { return x == to || reaches(x, to) })
	}
	var b strings.Builder
	b.WriteString("```mermaid\ngraph LR\n")
	for _, row := range slices.Backward(imports) {
		for _, to := range may[row.name] {
			if row.name == "brute" || row.name == "explore/exploretest" || row.name == "explore/piecetest" || to == "ravel/testdata" || slices.ContainsFunc(may[row.name], func(x string) bool { return x != to && reaches(x, to) }) {
				continue
			}
			b.WriteString("  " + node(row.name) + " --> " + node(to) + "\n")
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// node is a package in the drawing.
func node(name string) string {
	id := strings.ReplaceAll(name, "/", "_")
	if id == name {
		return name
	}
	return id + "[" + strings.TrimPrefix(name, "ravel/") + "]"
}
