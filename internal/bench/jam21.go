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
	fmt.Fprintln(counts, "executions\trc11-2017\tpublished\tjam21\t--variant c11\tjam21-thesis\tpublished\t")
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
			thesis := "" // which is for small programs
			if strings.HasPrefix(r["file"], "litmus/") {
				thesis = j.count("jam21-thesis")
			}
			fmt.Fprintf(counts, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r["program"], j.count("rc11-2017"), r["rc11"],
				j.count("jam21"), j.count("jam21", "c11"), thesis, r["jam21"])
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

// count returns the number of executions under a model, or what came instead.
func (j *java) count(name string, variants ...string) string {
	o, err := j.options(name, model.Options{Variants: variants})
	if err != nil {
		return err.Error()
	}
	m, err := j.explore(j.p, o)
	switch {
	case err != nil:
		return "error"
	case m.gaveUp != "":
		return "-"
	}
	return fmt.Sprint(m.Complete)
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
