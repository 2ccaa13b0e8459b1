package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// xmm prints the tables of the thesis on XMM, with ours beside them.
func (b *bench) xmm(w io.Writer, rows []map[string]string) error {
	counts, seconds := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight), tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(counts, "table\tprogram\trc11\tours\timm\tours\tWMC\txmm\tours\tcyclic\tLB races\tours\tduplicates of WMC\tof xmm\tours\t")
	fmt.Fprintln(seconds, "table\tseconds\trc11\tours\timm\tours\tWMC\txmm\tCPU\tours\t")
	timesOf := map[string]string{"7.2": "7.3", "7.4": "7.5", "7.6": "7.7"}
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		m := map[string]measure{}
		for _, model := range []string{"rc11", "imm", "xmm"} {
			x, err := b.run(r, model, 1, total)
			if err != nil {
				return fmt.Errorf("%s: %w", r["program"], err)
			}
			m[model] = x
			b.figure(r["table"], r["program"], model, r[model], x.count())
		}
		rc11, imm, xmm := m["rc11"], m["imm"], m["xmm"]
		races, again := fmt.Sprint(xmm.LBRaces), fmt.Sprint(xmm.Duplicate)
		if xmm.gaveUp != "" {
			races, again = "-", "-"
		}
		b.figure(r["table"], r["program"], "LB races", r["lb_races"], races)
		fmt.Fprintf(counts, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r["table"], r["program"], r["rc11"], rc11.count(),
			r["imm"], imm.count(), r["wmc"], r["xmm"], xmm.count(), xmm.Cyclic, r["lb_races"], races, r["dup_wmc"], r["dup_xmm"], again, xmm.gaveUp)
		if t := timesOf[r["table"]]; t != "" {
			fmt.Fprintf(seconds, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", t, r["program"], r["rc11_s"], rc11.seconds(), r["imm_s"], imm.seconds(),
				r["wmc_s"], r["xmm_s"], r["xmm_cpu"], xmm.seconds())
		}
	}
	if err := counts.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return seconds.Flush()
}
