package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/model"
	"ravel/internal/report"
)

// A search is a way to look for errors.
type search struct {
	name  string
	bound int
	hunts bool
}

var searches = []search{{name: "exploration"}, {name: "--bound 4", bound: 4}, {name: "--hunt", hunts: true}}

// errors compares how long searches take to the first error.
func (b *bench) errors(w io.Writer, rows []map[string]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "program\tmodel\terror\t")
	for _, s := range searches {
		fmt.Fprint(tw, s.name, "\t")
	}
	fmt.Fprintln(tw)
	var notes []string
	for _, r := range rows {
		if r["kind"] == "" || !strings.Contains(r["program"], b.Only) {
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t", r["program"], r["model"], r["kind"])
		for _, s := range searches {
			found, took, err := b.look(r, s, nil)
			switch {
			case err != nil: // no rustc, say
				fmt.Fprint(tw, "-\t")
				if note := fmt.Sprintf("%s: %v", r["program"], err); !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			case len(found) == 0:
				fmt.Fprintf(tw, "> %.0f\t", took.Seconds())
			case found[0].Kind != r["kind"]:
				fmt.Fprintf(tw, "%s\t", found[0].Kind)
			default:
				fmt.Fprintf(tw, "%.2f\t", took.Seconds())
			}
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintln(w, n)
	}
	return nil
}

// look searches the program of a row, compiled with flags, for errors.
func (b *bench) look(r map[string]string, s search, flags []string) ([]report.Error, time.Duration, error) {
	p, err := check.Load([]string{filepath.Join(b.dir, "c", r["file"])}, b.Clang, flags)
	if err != nil {
		return nil, 0, err
	}
	m, err := memmodel.Checker(r["model"], model.Options{})
	if err != nil {
		return nil, 0, err
	}
	o := explore.Options{Model: m, Bound: s.bound, Seed: 1, Options: engine.Options{
		Workers: 2, RaceCheck: true, MemoryCheck: true, Liveness: r["kind"] == "liveness", Timeout: b.Timeout, Machine: machine.Options{SpinAssume: true},
	}}
	if s.hunts {
		o.Hunt = b.Timeout
	}
	start := time.Now()
	res, err := explore.Explore(context.Background(), p, o)
	if err != nil {
		return nil, 0, err
	}
	return res.Errors, time.Since(start), nil
}
