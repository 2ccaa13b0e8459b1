package justify

import (
	"fmt"
	"slices"

	"ravel/internal/litmus"
)

// A program is a test made ready: its places in memory, its threads as sets of paths.
type program struct {
	test    *litmus.Test
	opts    Options
	places  []place
	threads [][]*path // by position in test.Threads
	started map[int]bool
	joined  map[int]bool
	cut     bool // some path was longer than the bound of loops
	freezes bool // there are final fields
	// constants are the numbers in the program, and 0 and 1.
	constants []uint64
}

// A place is a variable or an element of one, or a monitor.
type place struct {
	name string
	addr litmus.Value
	init uint64
	size uint8
	mon  bool // it is locked, never read or written
}

func newProgram(test *litmus.Test, opts Options) (*program, error) {
	p := &program{test: test, opts: opts, started: map[int]bool{}, joined: map[int]bool{}, constants: []uint64{0, 1}}
	for _, v := range test.Vars {
		for i, x := range v.Init {
			if x.Kind != litmus.Int {
				return nil, fmt.Errorf("%s: variable %s begins as %s: only numbers are supported", test.File, v.Name, x)
			}
			off := int64(i) * int64(v.Type.Size)
			pl := place{name: v.Name, addr: litmus.AddrOf(v.Name, off), size: v.Type.Size}
			if v.Type.Size < 8 {
				x.Int &= 1<<(8*v.Type.Size) - 1
			}
			pl.init = x.Int
			if v.Array {
				pl.name = fmt.Sprintf("%s[%d]", v.Name, i)
			}
			p.places = append(p.places, pl)
		}
	}
	accessed := map[string]bool{}
	for _, th := range test.Threads {
		for i := range th.Ops {
			if err := p.inspect(th, &th.Ops[i], accessed); err != nil {
				return nil, err
			}
		}
	}
	for i := range p.places {
		pl := &p.places[i]
		pl.mon = pl.mon && !accessed[pl.addr.Sym]
	}
	for _, th := range test.Threads {
		paths, err := p.paths(th)
		if err != nil {
			return nil, err
		}
		p.threads = append(p.threads, paths)
	}
	return p, nil
}

// inspect refuses what is not supported and notes how threads, monitors and variables are used.
func (p *program) inspect(th *litmus.Thread, op *litmus.Op, accessed map[string]bool) error {
	in := &th.Instrs[op.Ins]
	switch op.Kind {
	case litmus.Start:
		p.started[int(op.X.(litmus.Value).Int)] = true
	case litmus.Join:
		p.joined[int(op.X.(litmus.Value).Int)] = true
	case litmus.Freeze:
		p.freezes = true
	case litmus.Lock:
		p.places[p.place(op.Addr.(litmus.Value))].mon = true
	case litmus.Load, litmus.Store:
		symbols(op.Addr, func(v litmus.Value) { accessed[v.Sym] = true })
	}
	for _, x := range []litmus.Expr{op.X, op.If} {
		numbers(x, func(n uint64) {
			if n &= 1<<32 - 1; !slices.Contains(p.constants, n) && len(p.constants) < 16 {
				p.constants = append(p.constants, n)
			}
		})
		if bad := division(x); bad != nil {
			return p.errorAt(in, "not supported: a division by %s, which may be 0", bad)
		}
	}
	return nil
}

// symbols visits the addresses in an expression.
func symbols(e litmus.Expr, visit func(litmus.Value)) {
	switch e := e.(type) {
	case litmus.Value:
		if e.Kind == litmus.Addr {
			visit(e)
		}
	case *litmus.Binary:
		symbols(e.X, visit)
		symbols(e.Y, visit)
	}
}

// numbers visits the numbers in an expression.
func numbers(e litmus.Expr, visit func(uint64)) {
	switch e := e.(type) {
	case litmus.Value:
		if e.Kind == litmus.Int {
			visit(e.Int)
		}
	case *litmus.Unary:
		numbers(e.X, visit)
	case *litmus.Binary:
		numbers(e.X, visit)
		numbers(e.Y, visit)
	case *litmus.Select:
		numbers(e.X, visit)
		numbers(e.Y, visit)
	}
}

// division returns a divisor that may be 0: in Java that throws.
func division(e litmus.Expr) litmus.Expr {
	first := func(xs ...litmus.Expr) litmus.Expr {
		for _, x := range xs {
			if bad := division(x); bad != nil {
				return bad
			}
		}
		return nil
	}
	switch e := e.(type) {
	case *litmus.Unary:
		return first(e.X)
	case *litmus.Binary:
		switch e.Op {
		case litmus.SDiv, litmus.SRem, litmus.UDiv, litmus.URem:
			if v, ok := e.Y.(litmus.Value); !ok || v.Int == 0 {
				return e.Y
			}
		}
		return first(e.X, e.Y)
	case *litmus.Select:
		return first(e.If, e.X, e.Y)
	}
	return nil
}

// place returns the index of the place at an address, -1 if there is none.
func (p *program) place(addr litmus.Value) int {
	for i := range p.places {
		if p.places[i].addr == addr {
			return i
		}
	}
	return -1
}
