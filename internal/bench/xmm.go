package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// xmm prints the tables of the thesis on XMM, with ours beside them.
func (b *bench) xmm(w io.Writer, rows []map[string]string) error {
	counts, seconds := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight), tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(counts, "table\tprogram\trc11\tours\timm\tours\tWMC\txmm\tours\tcyclic\tLB races\tours\tduplicates of WMC\tof xmm\tours\t")
	fmt.Fprintln(seconds, "table\tseconds\trc11\tours\timm\tours\tWMC\txmm\tCPU\tours\tto rc11\t")
	timesOf := map[string]string{"7.2": "7.3", "7.4": "7.5", "7.6": "7.7"}
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		m, longer, err := b.xmmRow(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
		for i, model := range xmmModels {
			b.figure(r["table"], r["program"], model, r[model], m[i].count())
		}
		rc11, imm, xmm := m[0], m[1], m[2]
		races, again := fmt.Sprint(xmm.LBRaces), fmt.Sprint(xmm.Duplicate)
		if xmm.gaveUp != "" {
			races, again = "-", "-"
		}
		b.figure(r["table"], r["program"], "LB races", r["lb_races"], races)
		fmt.Fprintf(counts, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r["table"], r["program"], r["rc11"], rc11.count(),
			r["imm"], imm.count(), r["wmc"], r["xmm"], xmm.count(), xmm.Cyclic, r["lb_races"], races, r["dup_wmc"], r["dup_xmm"], again, xmm.gaveUp)
		if t := timesOf[r["table"]]; t != "" {
			fmt.Fprintf(seconds, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t\n", t, r["program"], r["rc11_s"], rc11.seconds(), r["imm_s"], imm.seconds(),
				r["wmc_s"], r["xmm_s"], r["xmm_cpu"], xmm.seconds(), longer)
		}
	}
	if err := counts.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return seconds.Flush()
}

// xmmModels are the models of the table that are ours, too.
var xmmModels = [3]string{"rc11", "imm", "xmm"}

// xmmRow explores the program of a row under each of the models. If that takes less than a second, it does so five times, and takes the medians. It also returns how much longer xmm takes than rc11.
func (b *bench) xmmRow(r map[string]string) (m [len(xmmModels)]measure, longer float64, err error) {
	p, unroll, err := b.load(r)
	if err != nil {
		return m, 0, err
	}
	var all [len(xmmModels)][]measure
	var ratios []float64
	for start, round := time.Now(), 0; round < 5 && (round == 0 || time.Since(start) < time.Duration(round)*time.Second); round++ {
		for i, model := range xmmModels {
			x, err := b.runProgram(p, unroll, model, 1, total)
			if err != nil {
				return m, 0, err
			}
			all[i] = append(all[i], x)
		}
		ratios = append(ratios, all[2][round].cpu.Seconds()/all[0][round].cpu.Seconds())
	}
	for i := range all {
		slices.SortFunc(all[i], func(a, b measure) int { return cmp.Compare(a.cpu, b.cpu) })
		m[i] = all[i][len(all[i])/2]
	}
	slices.Sort(ratios)
	return m, ratios[len(ratios)/2], nil
}
