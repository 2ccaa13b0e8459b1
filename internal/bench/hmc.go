package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"ravel/internal/engine"
	"ravel/internal/limits"
	"ravel/internal/states"
)

// hmc prints the tables of HMC with our figures beside the published ones: rc11 is GenMC's part, imm that of HMC. Executions differ if
// their rf does.
func (b *bench) hmc(w io.Writer, rows []map[string]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "program\trc11\timm\trc11 s\timm s\timm / rc11\tgenmc\thmc\thmc / genmc\tnidhugg\tcdschecker\therd\trmem\tdartagnan\t")
	var ours, theirs logMean
	var points []point
	var endless []map[string]string
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		var m [2]measure
		for i, model := range []string{"rc11", "imm"} {
			var err error
			if m[i], err = b.steady(r, model); err != nil {
				return fmt.Errorf("%s: %w", r["program"], err)
			}
		}
		cost, published := math.NaN(), number(r["hmc"])/number(r["genmc"])
		if m[0].gaveUp == "" && m[1].gaveUp == "" {
			cost = ours.add(m[1].cpu.Seconds() / m[0].cpu.Seconds())
			points = append(points, point{r["program"], m[0].cpu.Seconds(), m[1].cpu.Seconds(), false})
		}
		if m[0].gaveUp != "" || m[1].gaveUp != "" {
			endless = append(endless, r)
		}
		if number(r["genmc"]) > 0.1 { // as in the paper: the others end at once
			theirs.add(published)
			points = append(points, point{r["program"], number(r["genmc"]), number(r["hmc"]), true})
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r["program"], m[0].count(), m[1].count(), m[0].seconds(), m[1].seconds(), ratio(cost),
			r["genmc"], r["hmc"], ratio(published), r["nidhugg_power"], r["cdschecker"], r["herd_armv8"], r["rmem"], r["dartagnan_armv7"])
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if ours.n > 0 {
		fmt.Fprintf(w, "imm costs %s times rc11 (geometric mean).\n", ratio(ours.mean()))
	}
	if theirs.n > 0 {
		fmt.Fprintf(w, "HMC costs %s times GenMC on the rows over 0.1 s, and 1.89 times in the paper, on more programs.\n", ratio(theirs.mean()))
	}
	for _, r := range endless {
		if err := b.byStates(w, r); err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
	}
	if b.SVG == "" {
		return nil
	}
	return os.WriteFile(b.SVG, []byte(scatter(points)), 0o666)
}

// byStates prints what explicit states say about a program with too many executions.
func (b *bench) byStates(w io.Writer, r map[string]string) error {
	m, err := states.ModelByName("tso")
	if err != nil {
		return err
	}
	res, cpu, err := b.verifyStates(r["file"], strings.Fields(r["flags"]), states.Options{
		Model: m, Options: engine.Options{RaceCheck: true, MemoryCheck: true, Symmetry: true}, Buffer: 5, POR: true,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s has too many executions for %s. ", r["program"], b.Timeout)
	if note := cmp.Or(res.GaveUp, res.Cut); note != "" {
		fmt.Fprintf(w, "Explicit states do not decide it either: %s.\n", note)
		return nil
	}
	fmt.Fprintf(w, "Explicit states verify it under tso, a stronger model (--engine states --model tso): %d states, %.2f s.", res.Stored, cpu.Seconds())
	p, _, err := b.load(r)
	if err != nil {
		return err
	}
	start := limits.CPUTime()
	n, why, err := states.Count(context.Background(), p, states.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Timeout: b.Timeout}})
	switch {
	case err != nil:
		return err
	case n == nil:
		fmt.Fprintf(w, " How many executions it has under sc is not known: %s.", why)
	default:
		fmt.Fprintf(w, " Under sc it has %v executions, told apart by rf and co, which are counted state by state: %.2f s.", n, (limits.CPUTime() - start).Seconds())
	}
	fmt.Fprintln(w)
	return nil
}

// steady runs the program of a row as often as takes a tenth of a second, and returns the mean.
func (b *bench) steady(r map[string]string, model string) (measure, error) {
	p, unroll, err := b.load(r)
	if err != nil {
		return measure{}, err
	}
	var sum measure
	for n := 1; ; n++ {
		m, err := b.runProgram(p, unroll, model, 1, observed)
		if err != nil || m.gaveUp != "" {
			return m, err
		}
		sum.Counts = m.Counts
		sum.wall += m.wall
		sum.cpu += m.cpu
		if sum.cpu > time.Second/10 || n == 100 {
			sum.wall /= time.Duration(n)
			sum.cpu /= time.Duration(n)
			return sum, nil
		}
	}
}

// count is the number of executions, or - if they were not all explored.
func (m *measure) count() string {
	if m.gaveUp != "" {
		return "-"
	}
	return fmt.Sprint(m.Complete)
}

func (m *measure) seconds() string {
	if m.gaveUp != "" {
		return "-"
	}
	return fmt.Sprintf("%.4f", m.cpu.Seconds())
}

func ratio(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// A point is a program in the picture of overheads: seconds under rc11 and under imm.
type point struct {
	name      string
	x, y      float64
	published bool
}

// scatter draws figure 3 of the paper: the time under imm over that under rc11, by logarithms, with ours.
func scatter(points []point) string {
	const size, margin, least, most = 480.0, 60.0, -5, 3 // powers of ten
	at := func(s float64) float64 {
		return size * (math.Log10(max(s, 1e-5)) - least) / (most - least)
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11">`, size+2*margin, size+2*margin)
	p(`<rect width="100%%" height="100%%" fill="white"/>`)
	p(`<g transform="translate(%.0f %.0f)">`, margin, margin)
	for k := least; k <= most; k++ {
		d := at(math.Pow10(k))
		p(`<path d="M%.1f 0V%.0fM0 %.1fH%.0f" stroke="#ddd"/>`, d, size, size-d, size)
		p(`<text x="%.1f" y="%.0f" text-anchor="middle">%g</text><text x="-6" y="%.1f" text-anchor="end">%g</text>`, d, size+16, math.Pow10(k), size-d+4, math.Pow10(k))
	}
	p(`<path d="M0 %.0fL%.0f 0" stroke="#888"/>`, size, size)
	for _, pt := range points {
		fill, tool := "#1f6fb4", "ravel"
		if pt.published {
			fill, tool = "none", "HMC"
		}
		p(`<circle cx="%.1f" cy="%.1f" r="4" fill="%s" stroke="#1f6fb4"><title>%s, %s: %.4g s, %.4g s</title></circle>`, at(pt.x), size-at(pt.y), fill, pt.name, tool, pt.x, pt.y)
	}
	p(`<text x="%.0f" y="%.0f" text-anchor="middle">seconds under rc11 (GenMC)</text>`, size/2, size+36)
	p(`<text transform="translate(-44 %.0f) rotate(-90)" text-anchor="middle">seconds under imm (HMC)</text>`, size/2)
	p(`<text x="8" y="-10">● ravel, CPU seconds   ○ as published, rows over 0.1 s</text>`)
	p("</g>\n</svg>")
	return b.String()
}
