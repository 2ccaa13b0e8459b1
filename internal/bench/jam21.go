package bench

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/model"
)

// jam21 prints the tables of the JAM21 thesis.
func (b *bench) jam21(w io.Writer, rows []map[string]string) error {
	counts, speed := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight), tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(counts, "where\texecutions\trc11-2017\tpublished\tblocked\tpublished\tjam21\t--variant c11\tjam21-thesis\tpublished\tblocked\tpublished\t")
	fmt.Fprintln(speed, "CPU ms\texecutions\trc11\torder\ttimes\tvector\ttimes\tpublished times\tlinearisations\t")
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		p, err := check.Load([]string{filepath.Join(b.dir, "c", r["file"])}, b.Clang, strings.Fields(r["flags"]))
		if err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
		j := java{b, p}
		if r["part"] == "counts" {
			rc11, rc11Blocked := j.count("rc11-2017")
			jam21, jam21Blocked := j.count("jam21")
			c11, _ := j.count("jam21", "c11")
			thesis, _ := j.count("jam21-thesis")
			b.figure(r["where"], r["program"], "rc11", r["rc11"], rc11)
			b.figure(r["where"], r["program"], "jam21", r["jam21"], jam21)
			b.figure(r["where"], r["program"], "jam21-thesis", r["jam21"], thesis)
			if strings.HasPrefix(r["file"], "litmus/") { // the others wait, and how often depends on how a tool explores
				b.figure(r["where"], r["program"], "rc11 blocked", r["rc11_blocked"], rc11Blocked)
				b.figure(r["where"], r["program"], "jam21 blocked", r["jam21_blocked"], jam21Blocked)
			}
			fmt.Fprintf(counts, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r["where"], r["program"], rc11, r["rc11"], rc11Blocked, r["rc11_blocked"],
				jam21, c11, thesis, r["jam21"], jam21Blocked, r["jam21_blocked"])
			continue
		}
		if b.counts {
			continue
		}
		rc11, n := j.cpu("rc11", "")
		order, _ := j.cpu("jam21", "order")
		var vector time.Duration
		if r["vector"] != "" { // where it has not too many linearisations to try
			vector, _ = j.cpu("jam21", "vector")
		}
		fmt.Fprintf(speed, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r["program"], n, millis(rc11), millis(order), times(order, rc11),
			millis(vector), times(vector, rc11), r["ratio"], r["linearisations"])
	}
	if err := counts.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return speed.Flush()
}

// java is a program of the table.
type java struct {
	*bench
	p *ir.Program
}

func (j *java) options(name string, o model.Options) (explore.Options, error) {
	m, err := memmodel.Checker(name, o)
	return explore.Options{Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Timeout: j.Timeout, Machine: machine.Options{SpinAssume: true}}}, err
}

// count returns how many executions are complete and how many are blocked under a model, or what came instead.
func (j *java) count(name string, variants ...string) (complete, blocked string) {
	o, err := j.options(name, model.Options{Variants: variants})
	if err != nil {
		return err.Error(), ""
	}
	m, err := j.explore(j.p, o)
	switch {
	case err != nil:
		return "error", "error"
	case m.gaveUp != "":
		return "-", "-"
	}
	return fmt.Sprint(m.Complete), fmt.Sprint(m.Blocked)
}

// cpu returns the CPU time of one exploration, of as many as take a quarter of a second; 0 if it did not end.
func (j *java) cpu(name, checker string) (time.Duration, int64) {
	var sum time.Duration
	for runs := 1; ; runs++ {
		o, err := j.options(name, model.Options{Checker: checker})
		if err != nil {
			return 0, 0
		}
		m, err := j.explore(j.p, o)
		if err != nil || m.gaveUp != "" {
			return 0, 0
		}
		if sum += m.cpu; sum > time.Second/4 || runs == 1000 {
			return sum / time.Duration(runs), m.Complete
		}
	}
}

func millis(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000)
}

func times(d, of time.Duration) string {
	if d == 0 || of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", d.Seconds()/of.Seconds())
}
