package check

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/ir"
	"ravel/internal/report"
)

// A site is a place in the user's source that has a memory order: all the instructions that it became.
type site struct {
	access   report.Access
	at       report.Location
	argument int // of the call there, counted from 1; 0 if the order is that of the access
	orders   []order
	added    bool       // a fence that the program does not have
	from     event.Mode // as the program has it, various if its instructions have different ones
	now      event.Mode
}

// various is the order of a site whose instructions keep those that they have: which of them runs is decided at run time.
const various = event.NA

// An order is where the program keeps a memory order: in an instruction, or in a constant that is passed to a function of <atomic> or
// core::sync::atomic.
type order struct {
	mode  *event.Mode
	value *uint64
	codes []uint64   // by mode: what the constant is
	from  event.Mode // as the program has it
}

var (
	cxxCodes  = []uint64{event.Rlx: 0, event.Acq: 2, event.Rel: 3, event.AcqRel: 4, event.SC: 5}
	rustCodes = []uint64{event.Rlx: 0, event.Rel: 1, event.Acq: 2, event.AcqRel: 3, event.SC: 4}
)

func (o order) get() (event.Mode, bool) {
	if o.mode != nil {
		return *o.mode, true
	}
	m := slices.Index(o.codes[event.Rlx:], *o.value)
	return event.Rlx + event.Mode(m), m >= 0
}

func (o order) set(m event.Mode) {
	if o.mode != nil {
		*o.mode = m
		return
	}
	*o.value = o.codes[m]
}

func (s *site) set(m event.Mode) {
	s.now = m
	for _, o := range s.orders {
		if m == various {
			o.set(o.from)
		} else {
			o.set(m)
		}
	}
}

// choices returns the orders to try, the weakest first. What is decided at run time is only ever replaced by something stronger.
func (s *site) choices(wrong bool) []event.Mode {
	switch {
	case s.from != various:
		return levels[s.access]
	case wrong:
		return append([]event.Mode{various}, levels[s.access][1:]...)
	}
	return nil
}

// levels are the orders that an access can have, the weakest first. A relaxed fence does nothing.
var levels = map[report.Access][]event.Mode{
	report.LoadAccess:    {event.Rlx, event.Acq, event.SC},
	report.StoreAccess:   {event.Rlx, event.Rel, event.SC},
	report.UpdateAccess:  {event.Rlx, event.Acq, event.Rel, event.AcqRel, event.SC},
	report.FailureAccess: {event.Rlx, event.Acq, event.SC},
	report.FenceAccess:   {event.Rlx, event.Acq, event.Rel, event.AcqRel, event.SC},
}

// atLeast reports whether a is as strong as b, or stronger.
func atLeast(a, b event.Mode) bool {
	return a >= b && !(a == event.Rel && b == event.Acq)
}

// suggest finds out which memory orders of a program are missing, if it has an error, or stronger than it needs, if it has none: it
// weakens them one by one, from the strongest there are or from those of the program, as far as no execution goes wrong. So none of what it
// says can be left out, but other choices may do as well.
func suggest(ctx context.Context, p *ir.Program, opts explore.Options, res *report.Result, start time.Time) (*report.Suggestion, error) {
	if res.Verdict == report.Unknown {
		return nil, nil
	}
	opts.OnExecution, opts.KeepGoing, opts.Cache = nil, false, nil
	xmm.Use(&opts, nil)
	t := &trial{timeout: opts.Timeout, start: start, bounded: res.Verdict != report.Verified, explore: func(timeout time.Duration) (*report.Result, error) {
		opts.Timeout = timeout
		found, err := explore.Explore(ctx, p, opts)
		if err != nil {
			return nil, err
		}
		res := &report.Result{Verdict: report.Verified, Errors: found.Errors}
		settle(res, outcomeOf(found), false)
		return res, nil
	}}
	return t.suggest(sitesOf(p), res.Verdict == report.Wrong)
}

// suggest is suggest for the explicit-state engine. Where stronger orders do not help, it adds fences: one before each access is enough for sc, and as many as possible are
// left out again. That is the placement of barriers that the thesis (states/doc.go) has as future work.
func (s States) suggest(ctx context.Context, p *ir.Program, res *report.Result, start time.Time) (*report.Suggestion, error) {
	if res.Verdict == report.Unknown {
		return nil, nil
	}
	s.Options.KeepGoing, s.Options.Cache, s.OnSpace, s.Keep = false, nil, nil, nil
	t := &trial{timeout: s.Options.Timeout, start: start, bounded: res.Verdict != report.Verified, explore: func(timeout time.Duration) (*report.Result, error) {
		s.Options.Timeout = timeout
		found, _, err := s.explore(ctx, p)
		if err != nil {
			return nil, err
		}
		res := &report.Result{Verdict: report.Verified, Errors: found.Errors}
		settle(res, outcomeOfStates(found), false)
		return res, nil
	}}
	wrong := res.Verdict == report.Wrong
	out, err := t.suggest(sitesOf(p), wrong)
	if err != nil || !wrong || len(out.Changes) > 0 || t.late {
		return out, err
	}
	added, remove := addFences(p)
	defer remove()
	sites := sitesOf(p)
	for _, s := range sites {
		s.added = s.access == report.FenceAccess && !slices.ContainsFunc(s.orders, func(o order) bool { return !added[o.mode] })
	}
	return t.suggest(sites, wrong)
}

// addFences adds a fence that does nothing before each access of the user's source that may be to shared memory. It returns their orders, and a function that
// removes them.
func addFences(p *ir.Program) (added map[*event.Mode]bool, remove func()) {
	added = map[*event.Mode]bool{}
	before := map[*ir.Block][]ir.Instr{}
	for _, f := range p.Funcs {
		if f.Runtime {
			continue
		}
		own := map[ir.Reg]bool{} // addresses of the function's own variables
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if b.Instrs[i].Op == ir.Alloca {
					own[b.Instrs[i].Dst] = true
				}
			}
		}
		for _, b := range f.Blocks {
			before[b] = b.Instrs
			var list []ir.Instr
			var at []int
			for _, in := range b.Instrs {
				switch in.Op {
				case ir.Load, ir.Store, ir.RMW, ir.CmpXchg:
					if in.A.IsConst() || !own[in.A.Reg] {
						at = append(at, len(list))
						list = append(list, ir.Instr{Op: ir.Fence, Mode: event.Rlx, Dst: ir.NoReg, Dst2: ir.NoReg, Pos: in.Pos})
					}
				}
				list = append(list, in)
			}
			b.Instrs = list
			for _, i := range at {
				added[&list[i].Mode] = true
			}
		}
	}
	return added, func() {
		for b, list := range before {
			b.Instrs = list
		}
	}
}

// suggest weakens the orders of sites.
func (t *trial) suggest(sites []*site, wrong bool) (*report.Suggestion, error) {
	defer func() {
		for _, s := range sites {
			s.set(s.from)
		}
	}()
	if wrong {
		for _, s := range sites {
			s.set(event.SC)
		}
		if ok, err := t.right(); err != nil || !ok {
			return t.verdict(&report.Suggestion{Message: "stronger memory orders do not help: with seq_cst everywhere, an execution goes wrong too"}), err
		}
	}
	for _, s := range sites {
		for _, m := range s.choices(wrong) {
			if m == s.now || t.late {
				break
			}
			if !atLeast(s.now, m) || wrong && !atLeast(m, s.from) {
				continue
			}
			was := s.now
			s.set(m)
			ok, err := t.right()
			if err != nil {
				return nil, err
			}
			if ok {
				break
			}
			s.set(was)
		}
	}
	out := &report.Suggestion{Message: "no execution goes wrong with these memory orders"}
	if !wrong {
		out.Message = "some memory orders are stronger than this program needs, though others may need them: no execution goes wrong with all of these"
	}
	if slices.ContainsFunc(sites, func(s *site) bool { return s.added && s.now != s.from }) {
		out.Message = "no execution goes wrong with these fences"
	}
	for _, s := range sites {
		change := report.Change{Location: s.at, Access: s.access, Argument: s.argument, From: report.VariousOrders, To: s.now.Order()}
		if s.from != various {
			change.From = s.from.Order()
		}
		if s.added {
			if s.now == event.Rlx {
				continue
			}
			change.From = report.NoFence
		}
		if s.now != s.from {
			out.Changes = append(out.Changes, change)
		} else if s.from != various {
			out.Kept = append(out.Kept, change)
		}
	}
	out.Tried = !t.late && (!t.cut || t.bounded)
	if len(out.Changes) == 0 {
		out.Message = "no memory order of this program can be weaker"
		if len(sites) == 0 {
			out.Message = "the program has no atomic accesses and no fences whose memory order could be another"
		}
	}
	return t.verdict(out), nil
}

// A trial explores a program again and again.
type trial struct {
	explore func(timeout time.Duration) (*report.Result, error) // its result has a verdict
	timeout time.Duration
	start   time.Time
	bounded bool // an answer within bounds is good enough
	cut     bool // there was one
	late    bool // there is no time left
}

// right reports whether no execution of the program goes wrong.
func (t *trial) right() (bool, error) {
	timeout := t.timeout
	if timeout > 0 {
		if timeout -= time.Since(t.start); timeout <= 0 {
			t.late = true
			return false, nil
		}
	}
	res, err := t.explore(timeout)
	if err != nil {
		return false, err
	}
	switch res.Verdict {
	case report.Verified:
		return true, nil
	case report.Bounded:
		t.cut = true
		return t.bounded, nil
	case report.Unknown:
		t.late = true
	}
	return false, nil
}

// verdict adds what keeps a suggestion from being more.
func (t *trial) verdict(s *report.Suggestion) *report.Suggestion {
	switch {
	case t.late && len(s.Changes) == 0:
		s.Message = "there was not enough time to try other memory orders"
	case t.late:
		s.Message += " (there was not enough time to try all)"
	case t.cut && t.bounded:
		s.Message += ", within the bound"
	}
	return s
}

// sitesOf returns the places of the user's source that have memory orders, in the order of the source.
func sitesOf(p *ir.Program) []*site {
	c := &collector{names: report.NewNamer(p), byPlace: map[place]*site{}, byValue: map[*uint64]*site{}, passed: map[place]bool{}, callers: callersIn(p)}
	for _, inCalls := range []bool{true, false} {
		for _, f := range p.Funcs {
			if !f.Runtime {
				c.function(f, inCalls)
			}
		}
	}
	for k := range c.passed {
		if s := c.byPlace[k]; s != nil && s.orders[0].mode != nil {
			delete(c.byPlace, k)
		}
	}
	sites := slices.Collect(maps.Values(c.byPlace))
	slices.SortFunc(sites, func(a, b *site) int {
		return cmp.Or(cmp.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column),
			cmp.Compare(a.argument, b.argument), cmp.Compare(len(a.access), len(b.access)))
	})
	return sites
}

// A collector finds the sites of a program.
type collector struct {
	names   *report.Namer
	byPlace map[place]*site
	byValue map[*uint64]*site
	passed  map[place]bool // accesses whose order comes from constants elsewhere
	callers map[*ir.Func][]caller
}

type place struct {
	access   report.Access
	at       report.Location
	argument int
}

// add adds a memory order. A function of <atomic> that was inlined has instructions for all the orders that it may
// be called with: what matters then is the order that is passed.
func (c *collector) add(pos ir.Pos, access report.Access, argument int, o order) {
	m, ok := o.get()
	at := c.names.Location(pos)
	if !ok || at.Line == 0 || ir.IsSystem(at.File) {
		return
	}
	if s := c.byValue[o.value]; s != nil && o.value != nil {
		if s.access != access {
			s.access = report.UpdateAccess // one order for several accesses: all are possible
		}
		return
	}
	o.from = m
	k := place{access, at, argument}
	s := c.byPlace[k]
	switch {
	case s == nil:
		s = &site{access: access, at: at, argument: argument, from: m, now: m}
		c.byPlace[k] = s
	case o.mode != nil && s.orders[0].mode == nil:
		return
	case s.from != m:
		s.from, s.now = various, various
	}
	s.orders = append(s.orders, o)
	if o.value != nil {
		c.byValue[o.value] = s
	}
}

// function adds the memory orders of a function: those that calls pass, or those of instructions.
func (c *collector) function(f *ir.Func, inCalls bool) {
	params := map[ir.Reg]*ir.Var{} // variables that have a memory order
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			switch {
			case !inCalls:
				c.instruction(in)
			case in.Op == ir.Switch && !ir.IsSystem(c.names.File(f.Pos)):
				c.switched(f, in)
			case in.Op == ir.Alloca && in.Var != nil && c.isOrder(in.Var):
				params[in.Dst] = in.Var
			case in.Op == ir.Store && params[in.A.Reg] != nil && in.B.IsConst():
				at := params[in.A.Reg].Pos // the store has none
				c.add(at, accessOf(c.names.Function(at)), 0, order{value: &in.B.Imm, codes: cxxCodes})
			case in.Op == ir.Call && in.Callee != nil:
				c.call(f, in)
			}
		}
	}
}

// isOrder reports whether a variable is a parameter of <atomic> that is a memory order: their names in libstdc++ and libc++.
func (c *collector) isOrder(v *ir.Var) bool {
	switch v.Name {
	case "__m", "__m1", "__m2", "__s", "__f":
		return ir.IsSystem(c.names.File(v.Pos))
	}
	return false
}

func (c *collector) instruction(in *ir.Instr) {
	if in.Mode == event.NA || in.Tag != event.NoTag {
		return
	}
	o := order{mode: &in.Mode}
	switch in.Op {
	case ir.Load:
		c.add(in.Pos, report.LoadAccess, 0, o)
	case ir.Store:
		c.add(in.Pos, report.StoreAccess, 0, o)
	case ir.RMW:
		c.add(in.Pos, report.UpdateAccess, 0, o)
	case ir.Fence:
		c.add(in.Pos, report.FenceAccess, 0, o)
	case ir.CmpXchg:
		c.add(in.Pos, report.UpdateAccess, 0, o)
		c.add(in.Pos, report.FailureAccess, 0, order{mode: &in.Fail})
	}
}

// call adds the memory orders that are passed to the standard library of C++ or Rust: they are the last arguments.
func (c *collector) call(f *ir.Func, in *ir.Instr) {
	callee := c.names.Location(in.Callee.Pos)
	if !ir.IsSystem(callee.File) || strings.Contains(callee.Function, "operator&") {
		return
	}
	n, codes := 1, rustCodes
	switch name := in.Callee.Name; {
	case strings.Contains(name, "St12memory_order"):
		codes = cxxCodes
		if _, more, _ := strings.Cut(name, "St12memory_order"); strings.HasPrefix(more, "S") { // the same type again
			n = 2
		}
	case !strings.Contains(name, "4core4sync6atomic"):
		return
	case strings.Contains(name, "compare_exchange"), strings.Contains(name, "fetch_update"):
		n = 2
	}
	access := accessOf(callee.Function)
	last := in.Args[max(0, len(in.Args)-n):]
	for i := range last {
		if i == 1 {
			access = report.FailureAccess
		}
		if last[i].IsConst() {
			c.add(in.Pos, access, 0, order{value: &last[i].Imm, codes: codes})
		} else if !ir.IsSystem(c.names.File(f.Pos)) { // the library passes on what it is given
			t := &tracer{collector: c, access: access, codes: codes, seen: map[traced]bool{}}
			t.operand(f, &last[i], in.Pos, 0)
		}
	}
}

// accessOf returns what a function of the standard library does, by its name.
func accessOf(function string) report.Access {
	switch {
	case strings.Contains(function, "load"), strings.Contains(function, "wait"):
		return report.LoadAccess
	case strings.Contains(function, "store"):
		return report.StoreAccess
	case strings.Contains(function, "fence"):
		return report.FenceAccess
	}
	return report.UpdateAccess
}
