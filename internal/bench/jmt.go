package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"
	"ravel/testdata"
)

// A jmtRow is a test of jMT's tables with what we find.
type jmtRow struct {
	test, group, expected string
	seconds               float64 // of jls04
	published, javasim    string  // seconds
	// Verdicts: yes, no, or - where the model does not apply or, for herd, the test is not supported.
	jls, herd, jam21 string
}

// jmt prints jMT's tables 3 to 9 with our verdicts and seconds, and the totals of its table 1.
func (b *bench) jmt(w io.Writer, rows []map[string]string) error {
	found, err := b.jmtRows(rows)
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "test\texpected\tjls04\tseconds\tjMT\ttimes\tJavaSim s\tjam21 as herd\tjam21\t")
	missing := 0
	for _, r := range found {
		if r.expected == "-" {
			missing++
			continue
		}
		seconds, ratio := "-", "-"
		if r.jls != "-" {
			seconds, ratio = fmt.Sprintf("%.4f", r.seconds), fmt.Sprintf("%.0f", number(r.published)/r.seconds)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.test, r.expected, r.jls, seconds, r.published, ratio, r.javasim, r.herd, r.jam21)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\ntable 1: pass / fail / not supported; %d rows have no program here\n", missing)
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "group\tjls04\tjMT\tjam21 as herd\therd\tjam21\tJavaSim\t")
	for _, t := range jmtTotals(found) {
		theirs := jmtPublished[t.group]
		if b.Only == "" { // otherwise they are totals of a part
			b.figure("table 1", t.group, "jls04", theirs.jls, t.jls)
			b.figure("table 1", t.group, "jam21 as herd", theirs.herd, t.herd)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", t.group, t.jls, theirs.jls, t.herd, theirs.herd, t.jam21, theirs.javasim)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "JavaSim is the simulator of Manson and Pugh; its source is not to be had, and the paper has no definition of what it does, so ravel has no column for it.")
	return err
}

// jmtPublished is table 1 of the paper.
var jmtPublished = map[string]struct{ jls, herd, javasim string }{
	"CTC 1-16":           {"13 / 0 / 0", "8 / 5 / 0", "11 / 0 / 2"},
	"CTC 17, 18":         {"2 / 0 / 0", "2 / 0 / 0", "0 / 2 / 0"},
	"jcstress Java 5":    {"27 / 0 / 0", "27 / 0 / 0", "27 / 0 / 0"},
	"jcstress VarHandle": {"", "24 / 1 / 3", ""},
	"S&A":                {"6 / 0 / 0", "4 / 2 / 0", "4 / 2 / 0"},
	"MT":                 {"24 / 0 / 0", "16 / 6 / 2", "18 / 4 / 2"},
	"total":              {"72 / 0 / 0", "81 / 14 / 5", "60 / 8 / 4"},
}

func (b *bench) jmtRows(rows []map[string]string) ([]*jmtRow, error) {
	var out []*jmtRow
	for _, r := range rows {
		if !strings.Contains(r["test"], b.Only) {
			continue
		}
		x := &jmtRow{test: r["test"], group: r["group"], expected: r["expected"], published: r["jmt"], javasim: r["javasim"], jls: "-", herd: "-", jam21: "-"}
		out = append(out, x)
		if r["file"] == "-" {
			continue
		}
		src, err := testdata.Java.ReadFile("java/" + r["file"] + ".litmus")
		if err != nil {
			return nil, err
		}
		test, err := frontend.Parse(r["file"]+".litmus", src)
		if err != nil {
			return nil, err
		}
		if r["jmt"] != "-" {
			start := time.Now()
			if x.jls, err = jmtVerdict(test, justify.Options{Timeout: b.Timeout}); err != nil {
				return nil, err
			}
			x.seconds = time.Since(start).Seconds()
		}
		if r["herd_jam21"] != "unsup" {
			if x.herd, err = jmtVerdict(test, justify.Options{Model: "jam21", Substitution: true, Timeout: b.Timeout}); err != nil {
				return nil, err
			}
		}
		if x.jam21, err = jmtVerdict(test, justify.Options{Model: "jam21", Timeout: b.Timeout}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func jmtVerdict(test *litmus.Test, o justify.Options) (string, error) {
	a, err := justify.Analyse(test, o)
	if err != nil {
		return "", err
	}
	if a.GaveUp != "" {
		return "", fmt.Errorf("%s: %s", test.Name, a.GaveUp)
	}
	w, err := a.Allows(test.Cond.Prop)
	if err != nil {
		return "", err
	}
	return map[bool]string{true: "yes", false: "no"}[w != nil], nil
}

// A jmtTotal is a row of table 1.
type jmtTotal struct{ group, jls, herd, jam21 string }

func jmtTotals(rows []*jmtRow) []jmtTotal {
	var groups []string
	for _, r := range rows {
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		}
	}
	count := func(group string, verdict func(*jmtRow) string) string {
		var pass, fail, unsup int
		for _, r := range rows {
			switch v := verdict(r); {
			case r.group != group && group != "total" || r.expected == "-":
			case v == "-":
				unsup++
			case v == r.expected:
				pass++
			default:
				fail++
			}
		}
		return fmt.Sprintf("%d / %d / %d", pass, fail, unsup)
	}
	var out []jmtTotal
	for _, g := range append(groups, "total") {
		out = append(out, jmtTotal{
			g, count(g, func(r *jmtRow) string { return r.jls }), count(g, func(r *jmtRow) string { return r.herd }),
			count(g, func(r *jmtRow) string { return r.jam21 }),
		})
	}
	return out
}
