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
		theirs := number(strings.TrimPrefix(r["states"], ">"))
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t%.0f\t%.1f\t%.0f\t%s\n",
			r["program"], r["buffer"], r["states"], r["seconds"], r["mib"], res.Stored, res.Transitions, cpu.Seconds(),
			float64(res.Stored)/cpu.Seconds(), float64(res.Memory.Bytes)/float64(res.Stored), theirs/float64(res.Stored), note)
	}
	return tw.Flush()
}

// runStates explores the states of the program of a row.
func (b *bench) runStates(r map[string]string) (*states.Result, time.Duration, error) {
	p, err := check.Load([]string{filepath.Join(b.dir, "c", "states", r["file"])}, b.Clang, strings.Fields(r["flags"]))
	if err != nil {
		return nil, 0, err
	}
	m, err := states.ModelByName(r["model"])
	if err != nil {
		return nil, 0, err
	}
	buffer, err := strconv.Atoi(r["buffer"])
	if err != nil {
		return nil, 0, err
	}
	merge := r["all_steps"] == ""
	start := limits.CPUTime()
	res, err := states.Explore(context.Background(), p, states.Options{
		Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Symmetry: merge, Timeout: b.Timeout}, Buffer: buffer, POR: merge,
	})
	if err != nil {
		return nil, 0, err
	}
	if len(res.Errors) > 0 {
		return nil, 0, fmt.Errorf("%s: %s", res.Errors[0].Location, res.Errors[0].Message)
	}
	return res, limits.CPUTime() - start, nil
}
