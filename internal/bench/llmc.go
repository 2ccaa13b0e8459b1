package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/limits"
	"ravel/internal/states"
)

// llmc prints the state spaces of the LLMC thesis with ours beside them.
func (b *bench) llmc(w io.Writer, rows []map[string]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "program\tbuffer\tthesis states\tseconds\tMiB\tstates\ttransitions\tCPU s\tper second\tB/state\tfewer\t")
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		res, cpu, err := b.runStates(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
		note := res.GaveUp
		if note == "" {
			note = res.Cut
		}
		if note == "" {
			b.figure(r["where"], r["program"], "states", r["states"], fmt.Sprint(res.Stored))
			b.figure(r["where"], r["program"], "transitions", r["transitions"], fmt.Sprint(res.Transitions))
		}
		fewer := ""
		if theirs := number(strings.TrimPrefix(r["states"], ">")); note == "" {
			fewer = fmt.Sprintf("%.0f", theirs/float64(res.Stored))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t%.0f\t%.1f\t%s\t  %s\n",
			r["program"], r["buffer"], r["states"], r["seconds"], r["mib"], res.Stored, res.Transitions, cpu.Seconds(),
			float64(res.Stored)/cpu.Seconds(), float64(res.Memory.Bytes)/float64(res.Stored), fewer, note)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	return b.fences(w)
}

// fenceTables are tables 5.1 to 5.6 of the thesis: whether an assertion fails (X) under lmo with one of fenceNames in the one kind of thread (row) and in
// the other (column).
var fenceTables = []struct{ where, test, want string }{
	{"5.1", "SB", "XXXX XXXX XXoo XXoo"},
	{"5.2", "LB", "XXXX XoXo XXXX XoXo"},
	{"5.3", "IRIW", "XXXX XoXo XXXX XoXo"},
	{"5.4", "IRIWaddr", "oooo oooo oooo oooo"},
	{"5.5", "MP", "XXXX XXXX XoXo XoXo"},
	{"5.6", "MPdep", "XXXX XXXX oooo oooo"},
}

var fenceNames = []string{"relaxed", "acquire", "release", "seq_cst"}

// fences prints the tables of fences.
func (b *bench) fences(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\ntable\tfences, X: the assertion fails\tours\tthesis\t")
	for _, t := range fenceTables {
		if !strings.Contains(t.test, b.Only) {
			continue
		}
		rows := strings.Fields(t.want)
		for i, f0 := range fenceNames {
			var ours strings.Builder
			for _, f1 := range fenceNames {
				failed, err := b.fails("litmus.c", "-D"+t.test, "-DF0="+f0, "-DF1="+f1)
				if err != nil {
					return fmt.Errorf("%s: %w", t.test, err)
				}
				ours.WriteByte(map[bool]byte{true: 'X', false: 'o'}[failed])
			}
			b.figure(t.where, t.test, f0+" and "+strings.Join(fenceNames, ", "), rows[i], ours.String())
			fmt.Fprintf(tw, "%s\t%s, %s and %s\t%s\t%s\t\n", t.where, t.test, f0, strings.Join(fenceNames, " "), ours.String(), rows[i])
		}
	}
	return tw.Flush()
}

// fails reports whether an assertion of a program fails under lmo.
func (b *bench) fails(file string, flags ...string) (bool, error) {
	p, err := check.Load([]string{filepath.Join(b.dir, "c", "states", file)}, b.Clang, flags)
	if err != nil {
		return false, err
	}
	m, err := states.ModelByName("lmo")
	if err != nil {
		return false, err
	}
	res, err := states.Explore(context.Background(), p, states.Options{
		Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Symmetry: true, Timeout: b.Timeout}, Buffer: 5, POR: true,
	})
	if err != nil {
		return false, err
	}
	if res.GaveUp != "" {
		return false, fmt.Errorf("%s", res.GaveUp)
	}
	return len(res.Errors) > 0, nil
}

// runStates explores the states of the program of a row.
func (b *bench) runStates(r map[string]string) (*states.Result, time.Duration, error) {
	m, err := states.ModelByName(r["model"])
	if err != nil {
		return nil, 0, err
	}
	buffer, err := strconv.Atoi(r["buffer"])
	if err != nil {
		return nil, 0, err
	}
	merge := r["all_steps"] == ""
	return b.verifyStates(filepath.Join("states", r["file"]), strings.Fields(r["flags"]), states.Options{
		Model: m, Options: engine.Options{MemoryCheck: true, Symmetry: merge}, Buffer: buffer, POR: merge,
	})
}

// verifyStates explores the states of a program without errors, with one worker.
func (b *bench) verifyStates(file string, flags []string, o states.Options) (*states.Result, time.Duration, error) {
	p, err := check.Load([]string{filepath.Join(b.dir, "c", file)}, b.Clang, flags)
	if err != nil {
		return nil, 0, err
	}
	o.Workers, o.Timeout = 1, b.Timeout
	start := limits.CPUTime()
	res, err := states.Explore(context.Background(), p, o)
	if err != nil {
		return nil, 0, err
	}
	if len(res.Errors) > 0 {
		return nil, 0, fmt.Errorf("%s: %s", res.Errors[0].Location, res.Errors[0].Message)
	}
	return res, limits.CPUTime() - start, nil
}
