package explore

import (
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
)

// shrink returns a smaller program that differs under m too: without statements, dependencies, modes and tags that do
// not matter.
func shrink(t *testing.T, p *brute.Prog, m brute.Model) *brute.Prog {
	for again := true; again; {
		again = false
		for _, q := range smaller(p) {
			if compare(t, q, m, 1, false) != "" {
				p, again = q, true
				break
			}
		}
	}
	return p
}

// smaller returns the programs that are one step smaller than p.
func smaller(p *brute.Prog) (out []*brute.Prog) {
	add := func(i int, body []brute.Stmt) {
		q := &brute.Prog{Locs: p.Locs, Threads: slices.Clone(p.Threads)}
		q.Threads[i].Body = body
		if len(body) == 0 {
			q.Threads = slices.Delete(q.Threads, i, i+1)
		}
		if q, err := brute.Parse(q.String()); err == nil && len(q.Threads) > 0 && len(q.String()) < len(p.String()) {
			out = append(out, q)
		}
	}
	for i := range p.Threads {
		for _, body := range smallerBodies(p.Threads[i].Body) {
			add(i, body)
		}
	}
	return out
}

func smallerBodies(body []brute.Stmt) (out [][]brute.Stmt) {
	for k, s := range body {
		with := func(ss ...brute.Stmt) { out = append(out, slices.Concat(body[:k], ss, body[k+1:])) }
		with()
		if s.Kind == brute.If {
			with(s.Then...)
			with(s.Else...)
			for _, b := range smallerBodies(s.Then) {
				c := s
				c.Then = b
				with(c)
			}
			for _, b := range smallerBodies(s.Else) {
				c := s
				c.Else = b
				with(c)
			}
			continue
		}
		for _, c := range simpler(s) {
			with(c)
		}
	}
	return out
}

// simpler returns s with one thing less.
func simpler(s brute.Stmt) (out []brute.Stmt) {
	try := func(change func(c *brute.Stmt)) {
		c := s
		change(&c)
		out = append(out, c)
	}
	if s.Kind != brute.Fence {
		try(func(c *brute.Stmt) { c.Addr = brute.NoReg })
		try(func(c *brute.Stmt) { c.Mode, c.Fail = event.Rlx, event.Rlx })
		try(func(c *brute.Stmt) { c.Tag = event.NoTag })
	}
	switch s.Kind {
	case brute.Store, brute.Xchg, brute.FAdd, brute.CAS:
		try(func(c *brute.Stmt) { c.Val = brute.Const(max(1, c.Val.Const)) })
		try(func(c *brute.Stmt) { c.Exp = brute.Const(c.Exp.Const) })
	}
	switch s.Kind {
	case brute.Xchg, brute.FAdd, brute.CAS:
		try(func(c *brute.Stmt) { c.Kind, c.Reg = brute.Store, brute.NoReg })
		try(func(c *brute.Stmt) { c.Kind = brute.Load })
	}
	return out
}
