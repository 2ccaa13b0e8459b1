// Package bench is `ravel bench`: the tables of the papers and the rates of other tools, with ours beside them. The programs
// are those of testdata. A table is a .tsv file in this folder, whose first lines name the source of its figures.
package bench

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/model"
	"ravel/testdata"
)

//go:embed *.tsv
var tables embed.FS

// Tables lists the tables.
func Tables() []string {
	return []string{"peers", "waits", "errors", "hmc", "llmc", "litmus", "jmt", "xmm", "jam21"}
}

// Options say how to run a table.
type Options struct {
	Clang   string
	Only    string        // rows whose name contains this
	Timeout time.Duration // of a row
	SVG     string        // a file for the picture of a table
	counts  bool          // leave out what only takes the time
}

// Run prints a table.
func Run(w io.Writer, table string, o Options) error {
	_, err := run(w, table, o)
	return err
}

// run prints a table and returns its figures.
func run(w io.Writer, table string, o Options) ([]Figure, error) {
	if o.SVG != "" && table != "hmc" {
		return nil, fmt.Errorf("the table %s has no picture: --svg is for hmc", table)
	}
	rows, head, err := read(table)
	if err != nil {
		return nil, err
	}
	dir, err := unpack()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &bench{Options: o, dir: dir, table: table}
	for _, h := range head {
		fmt.Fprintln(w, h)
	}
	print := map[string]func(io.Writer, []map[string]string) error{
		"peers": b.peers, "waits": b.waits, "errors": b.errors, "hmc": b.hmc, "llmc": b.llmc, "litmus": b.litmus, "jmt": b.jmt, "xmm": b.xmm, "jam21": b.jam21,
	}[table]
	err = print(w, rows)
	return b.figures, err
}

// read returns the rows of a table by column, and its comment lines.
func read(table string) (rows []map[string]string, head []string, err error) {
	data, err := tables.ReadFile(table + ".tsv")
	if err != nil {
		return nil, nil, fmt.Errorf("unknown table %q: the tables are %s", table, strings.Join(Tables(), ", "))
	}
	var columns []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, "# "); ok {
			head = append(head, text)
			continue
		}
		fields := strings.Split(line, "\t")
		if columns == nil {
			columns = fields
			continue
		}
		r := map[string]string{}
		for i, f := range fields {
			r[columns[i]] = f
		}
		rows = append(rows, r)
	}
	return rows, head, nil
}

// unpack writes the programs to a folder, for clang.
func unpack() (string, error) {
	dir, err := os.MkdirTemp("", "ravel-bench-")
	if err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, fs.FS(testdata.Programs))
}

type bench struct {
	Options
	dir     string
	table   string
	figures []Figure
}

// A measure is what one run took.
type measure struct {
	explore.Counts
	wall, cpu time.Duration
	gaveUp    string
}

// rate is in executions per CPU second.
func (m *measure) rate() float64 { return float64(m.Complete) / m.cpu.Seconds() }

// A counting says when executions differ.
type counting uint8

const (
	total    counting = iota // if their rf or co do
	observed                 // if their rf does
	unequal                  // if their rf or co do, and more than by a permutation of equal threads
)

// run explores the program of a row.
func (b *bench) run(r map[string]string, modelName string, workers int, how counting) (measure, error) {
	p, unroll, err := b.load(r)
	if err != nil {
		return measure{}, err
	}
	return b.runProgram(p, unroll, modelName, workers, how)
}

// load compiles the program of a row. unroll is the bound on its loops, 0 for none.
func (b *bench) load(r map[string]string) (p *ir.Program, unroll int, err error) {
	var flags []string
	for _, f := range strings.Fields(r["flags"]) {
		if n, ok := strings.CutPrefix(f, "--unroll="); ok {
			unroll, _ = strconv.Atoi(n)
			continue
		}
		flags = append(flags, f)
	}
	p, err = check.Load([]string{filepath.Join(b.dir, "c", r["file"])}, b.Clang, flags)
	return p, unroll, err
}

func (b *bench) runProgram(p *ir.Program, unroll int, modelName string, workers int, how counting) (measure, error) {
	m, err := memmodel.Checker(modelName, model.Options{})
	if err != nil {
		return measure{}, err
	}
	return b.explore(p, explore.Options{Model: m, Observed: how == observed, Twins: how == unequal, Options: engine.Options{
		Workers: workers, RaceCheck: true, MemoryCheck: true, Timeout: b.Timeout,
		NoReuse: true, Symmetry: true, // as with the tools that the tables are about
		Machine: machine.Options{SpinAssume: true, Unroll: unroll},
	}})
}

func (b *bench) explore(p *ir.Program, o explore.Options) (measure, error) {
	start, cpu := time.Now(), limits.CPUTime()
	if o.Model.Traits().Reexecutes {
		xmm.Use(&o, nil) // the tables of Java's models count executions without cycles
	}
	res, err := explore.Explore(context.Background(), p, o)
	if err != nil {
		return measure{}, err
	}
	m := measure{res.Counts, time.Since(start), limits.CPUTime() - cpu, res.GaveUp}
	if len(res.Errors) > 0 {
		return m, fmt.Errorf("%s: %s", res.Errors[0].Location, res.Errors[0].Message)
	}
	return m, nil
}

// peers compares executions per CPU second with those of another tool.
func (b *bench) peers(w io.Writer, rows []map[string]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "program\texecutions\tblocked\tCPU s\tper second\tGenMC same\tGenMC\tratio\t2 workers\timm per second\tGenMC imm\tratio\timm / rc11\t")
	var same, others, speedups, imms, costs logMean
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		var m [3]measure
		for i, how := range []struct {
			model   string
			workers int
		}{{"rc11", 1}, {"rc11", 2}, {"imm", 1}} {
			var err error
			if m[i], err = b.run(r, how.model, how.workers, total); err != nil {
				return fmt.Errorf("%s: %w", r["program"], err)
			}
		}
		one, two, imm := m[0], m[1], m[2]
		note := ""
		for _, x := range []measure{one, imm} {
			if want := r["executions"]; want != "" && want != fmt.Sprint(x.Complete) {
				note = "  expected " + want + " executions"
			}
			if x.gaveUp != "" {
				note = "  " + x.gaveUp
			}
		}
		times := same.add(one.rate() / number(r["genmc_same"]))
		if math.IsNaN(times) {
			times = others.add(one.rate() / number(r["genmc_per_second"]))
		}
		speedup := one.wall.Seconds() / two.wall.Seconds()
		if one.wall > time.Second {
			speedups.add(speedup)
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%.2f\t%.0f\t%s\t%s\t%s\t%.2f\t%.0f\t%s\t%s\t%.2f\t%s\n",
			r["program"], one.Complete, one.Blocked, one.cpu.Seconds(), one.rate(), r["genmc_same"], r["genmc_per_second"], ratio(times), speedup,
			imm.rate(), r["genmc_imm"], ratio(imms.add(imm.rate()/number(r["genmc_imm"]))), costs.add(imm.cpu.Seconds()/one.cpu.Seconds()), note)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "rc11 to GenMC: %s on the same programs; %s on the others\n", &same, &others)
	fmt.Fprintf(w, "imm to GenMC: %s\n", &imms)
	fmt.Fprintf(w, "imm to rc11, CPU seconds: %s\n", &costs)
	fmt.Fprintf(w, "two workers to one, rows over a second: %s\n", &speedups)
	return nil
}

// waits compares what is explored of programs whose threads wait with what another tool explores.
func (b *bench) waits(w io.Writer, rows []map[string]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "program\texecutions\tblocked\tmoot\tCPU s\tup to symmetry\tCPU s\tGenMC\tblocked\ts\t")
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		m, err := b.run(r, "rc11", 1, total)
		if err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
		fewer, err := b.run(r, "rc11", 1, unequal)
		if err != nil {
			return fmt.Errorf("%s up to symmetry: %w", r["program"], err)
		}
		note := cmp.Or(m.gaveUp, fewer.gaveUp)
		if want, err := strconv.ParseInt(r["genmc"], 10, 64); err == nil && m.Complete > want {
			note = "more than GenMC"
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%.2f\t%d\t%.2f\t%s\t%s\t%s\t  %s\n",
			r["program"], m.Complete, m.Blocked, m.Moot, m.cpu.Seconds(), fewer.Complete, fewer.cpu.Seconds(), r["genmc"], r["genmc_blocked"], r["genmc_s"], note)
	}
	return tw.Flush()
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// A logMean is a geometric mean.
type logMean struct {
	sum, least float64
	n          int
}

// add takes in x, unless it is not a number, and returns it.
func (m *logMean) add(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	if m.n == 0 || x < m.least {
		m.least = x
	}
	m.sum += math.Log(x)
	m.n++
	return x
}

// String is the mean and the least, for the line below a table.
func (m *logMean) String() string {
	if m.n == 0 {
		return "no figures"
	}
	return fmt.Sprintf("geometric mean %.2f, lowest %.2f", m.mean(), m.least)
}

func (m *logMean) mean() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return math.Exp(m.sum / float64(m.n))
}
