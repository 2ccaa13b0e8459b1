package bench

import (
	"fmt"
	"io"
	"strings"
)

// A Figure is a published one with ours beside it. Seconds and memory, which are those of a machine, are none.
type Figure struct {
	Table          string // of ravel bench
	Where          string // the table of the document
	Program        string
	What           string // the column
	Theirs, Ours   string
	Why, Reproduce string // of a difference
}

// documents name what the tables are of, in the order of the page.
var documents = []struct{ table, title string }{
	{"hmc", "HMC: Kokologiannakis, Vafeiadis, ASPLOS'20"},
	{"jam21", "JAM21: Rączkiewicz, Model Checking under JAM21, Delft"},
	{"xmm", "XMM: Meluzzi, Model Checking the XMM Memory Model"},
	{"jmt", "jMT: Panneke, Wehrheim, TACAS'26"},
	{"llmc", "LLMC: van der Berg, Model checking LLVM IR using LTSmin, Twente 2013"},
}

// figure notes a published figure and ours, unless one of them is missing.
func (b *bench) figure(where, program, what, theirs, ours string) {
	if theirs != "" && ours != "-" && ours != "" {
		b.figures = append(b.figures, Figure{Table: b.table, Where: where, Program: program, What: what, Theirs: theirs, Ours: ours})
	}
}

// Differences returns the figures that differ from the published ones, with the reasons: differences.tsv.
func Differences() ([]Figure, error) {
	rows, _, err := read("differences")
	if err != nil {
		return nil, err
	}
	var all []Figure
	for _, r := range rows {
		f := Figure{r["table"], r["where"], r["program"], r["what"], r["theirs"], r["ours"], r["why"], r["command"]}
		if f.Reproduce == "" {
			f.Reproduce = "ravel bench " + f.Table + " --only " + quoted(f.Program)
		}
		all = append(all, f)
	}
	return all, nil
}

// quoted puts a name in quotes if the shell would not take it as it is.
func quoted(name string) string {
	if strings.ContainsAny(name, " |;()<>*&'") {
		return `"` + name + `"`
	}
	return name
}

// WriteDifferences writes docs/differences.md.
func WriteDifferences(w io.Writer) error {
	all, err := Differences()
	if err != nil {
		return err
	}
	p := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	p("# Where figures differ from published ones\n\n")
	p("**For:** readers who compare ravel with the papers that it implements. `ravel bench differences` writes this page from `internal/bench/differences.tsv`.\n")
	p("A test compares it with what `ravel bench` prints. Seconds and memory are not listed, because the machines differ. Neither are blocked executions\nof programs that wait, and executions that are found again: these depend on how a tool explores.\n")
	for _, d := range documents {
		p("\n## %s\n\n", d.title)
		n := 0
		for _, f := range all {
			if f.Table != d.table {
				continue
			}
			if n++; n == 1 {
				p("| where | program | figure | theirs | ours | why | command |\n|---|---|---|---|---|---|---|\n")
			}
			p("| %s | %s | %s | %s | %s | %s | `%s` |\n", f.Where, cell(f.Program), f.What, f.Theirs, f.Ours, cell(f.Why), cell(f.Reproduce))
		}
		if n == 0 {
			p("No figure differs.\n")
		}
	}
	p("\n## Next\n\n[jam21.md](jam21.md), [xmm.md](xmm.md) and [jmm.md](jmm.md) describe the models.\n")
	return nil
}

// cell escapes a text for a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\\|`) }
