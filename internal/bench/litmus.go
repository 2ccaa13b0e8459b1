package bench

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/limits"
)

// litmus prints the table of litmus tests that grow.
func (b *bench) litmus(w io.Writer, rows []map[string]string) error {
	m, err := enumerate.Load("armv8")
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "test\tthreads\texecutions\tstates\tobservation\travel CPU s\therd7\t")
	for _, r := range rows {
		n, err := strconv.Atoi(r["n"])
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s(%d)", r["shape"], n)
		if !strings.Contains(name, b.Only) {
			continue
		}
		t, err := frontend.Parse(name, []byte(Growing(r["shape"], n)))
		if err != nil {
			return err
		}
		ctx, stop := context.WithTimeout(context.Background(), b.Timeout)
		start := limits.CPUTime()
		res, err := enumerate.Run(t, m, enumerate.Options{Ctx: ctx})
		cpu := limits.CPUTime() - start
		stop()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		note := ""
		switch {
		case res.Stopped:
			note = "  out of time"
		case fmt.Sprint(res.Executions()) != r["executions"]:
			note = "  expected " + r["executions"] + " executions"
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%s\t%.3f\t%s\t%s\n", name, len(t.Threads), res.Executions(), len(res.States), res.Observation(), cpu.Seconds(), r["herd7"], note)
	}
	return tw.Flush()
}

// Growing returns a test of AArch64 of a shape that grows with n: a ring of n threads (SB, MP, LB; IRIW with n/2 writers
// and n/2 readers) with DMB between accesses, whose condition is what the barriers forbid; or n accesses of a kind.
func Growing(shape string, n int) string {
	g := &growing{}
	at := func(i int) string { return "x" + strconv.Itoa(i) }
	switch shape {
	case "SB+dmbs":
		for i := range n {
			t := g.thread()
			t.store(at(i), 1)
			t.barrier()
			g.see(i, t.load(at((i+1)%n)), 0)
		}
	case "LB+dmbs":
		for i := range n {
			t := g.thread()
			g.see(i, t.load(at(i)), 1)
			t.barrier()
			t.store(at((i+1)%n), 1)
		}
	case "MP+dmbs":
		for i := range n {
			t := g.thread()
			if i == 0 {
				t.store(at(0), 1)
			} else {
				g.see(i, t.load(at(i)), 1)
			}
			t.barrier()
			if i == n-1 {
				g.see(i, t.load(at(0)), 0)
			} else {
				t.store(at(i+1), 1)
			}
		}
	case "IRIW+dmbs":
		for i := range n / 2 {
			g.thread().store(at(i), 1)
		}
		for i := range n / 2 {
			t := g.thread()
			g.see(n/2+i, t.load(at(i)), 1)
			t.barrier()
			g.see(n/2+i, t.load(at((i+1)%(n/2))), 0)
		}
	case "nwrites-loc", "nwrites":
		for i := range n {
			x := "x"
			if shape == "nwrites" {
				x = at(i)
			}
			g.thread().store(x, i+1)
		}
		g.conds = append(g.conds, g.vars[0]+"=1")
	case "readers", "readers of 2 writes":
		writers := 1
		if shape != "readers" {
			writers = 2
		}
		for i := range writers {
			g.thread().store("x", i+1)
		}
		for i := range n {
			g.see(writers+i, g.thread().load("x"), 1)
		}
	case "fetch-adds":
		for range n {
			g.thread().fetchAdd("x")
		}
		g.conds = append(g.conds, "x="+strconv.Itoa(n))
	}
	return g.text(shape)
}

// growing builds a test.
type growing struct {
	threads []*column
	vars    []string
	conds   []string
}

// A column is one thread of it.
type column struct {
	g     *growing
	id    int
	init  []string
	code  []string
	loads int
}

func (g *growing) thread() *column {
	c := &column{g: g, id: len(g.threads)}
	g.threads = append(g.threads, c)
	return c
}

// see adds that register r of a thread is v to the condition.
func (g *growing) see(thread int, r string, v int) {
	g.conds = append(g.conds, fmt.Sprintf("%d:%s=%d", thread, r, v))
}

// addr returns a register with the address of a variable.
func (c *column) addr(x string) string {
	r := fmt.Sprintf("X%d", 20+len(c.init))
	c.init = append(c.init, fmt.Sprintf("%d:%s=%s;", c.id, r, x))
	c.g.vars = append(c.g.vars, x)
	return r
}

func (c *column) store(x string, v int) {
	c.code = append(c.code, fmt.Sprintf("MOV W9,#%d", v), fmt.Sprintf("STR W9,[%s]", c.addr(x)))
}

func (c *column) load(x string) string {
	c.code = append(c.code, fmt.Sprintf("LDR W%d,[%s]", c.loads, c.addr(x)))
	c.loads++
	return fmt.Sprintf("X%d", c.loads-1)
}

func (c *column) barrier() { c.code = append(c.code, "DMB SY") }

func (c *column) fetchAdd(x string) {
	c.code = append(c.code, "MOV W9,#1", fmt.Sprintf("LDADD W9,W0,[%s]", c.addr(x)))
}

func (g *growing) text(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "AArch64 %s\n{\n", strings.ReplaceAll(name, " ", "-"))
	rows := 0
	var names []string
	for _, c := range g.threads {
		fmt.Fprintln(&b, strings.Join(c.init, " "))
		rows = max(rows, len(c.code))
		names = append(names, fmt.Sprintf("P%d", c.id))
	}
	fmt.Fprintf(&b, "}\n %s ;\n", strings.Join(names, " | "))
	for i := range rows {
		var cells []string
		for _, c := range g.threads {
			cell := ""
			if i < len(c.code) {
				cell = c.code[i]
			}
			cells = append(cells, cell)
		}
		fmt.Fprintf(&b, " %s ;\n", strings.Join(cells, " | "))
	}
	fmt.Fprintf(&b, "exists (%s)\n", strings.Join(g.conds, ` /\ `))
	return b.String()
}
