package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// xmm prints the tables of the thesis on XMM, with ours beside them.
func (b *bench) xmm(w io.Writer, rows []map[string]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "table\tprogram\trc11\tours\txmm\tours\tcyclic\tLB races\tours\trc11 s\tours\txmm s\tCPU\tours\t")
	for _, r := range rows {
		if !strings.Contains(r["program"], b.Only) {
			continue
		}
		rc11, err := b.run(r, "rc11", 1, false)
		if err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
		xmm, err := b.run(r, "xmm", 1, false)
		if err != nil {
			return fmt.Errorf("%s: %w", r["program"], err)
		}
		note := r["note"]
		if xmm.gaveUp != "" {
			note = "not all: " + xmm.gaveUp
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%d\t%d\t%s\t%d\t%s\t%.3f\t%s\t%s\t%.3f\t  %s\n", r["table"], r["program"], r["rc11"], rc11.Complete,
			r["xmm"], xmm.Complete, xmm.Cyclic, r["lb_races"], xmm.LBRaces, r["rc11_s"], rc11.cpu.Seconds(), r["xmm_s"], r["xmm_cpu"], xmm.cpu.Seconds(), note)
	}
	return tw.Flush()
}
