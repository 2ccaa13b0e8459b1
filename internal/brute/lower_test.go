package brute

import (
	"reflect"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// interpret runs a lowered thread with the values its reads receive, and tracks its dependencies.
func interpret(t *testing.T, p *Prog, prog *ir.Program, f *ir.Func, vals []uint32) []Event {
	regs := make([]uint64, f.Regs)
	deps := make([]Deps, f.Regs)
	var ctrl Deps
	get := func(o ir.Operand) uint64 {
		if o.IsConst() {
			return o.Imm
		}
		return regs[o.Reg]
	}
	dep := func(o ir.Operand) Deps {
		if o.IsConst() {
			return 0
		}
		return deps[o.Reg]
	}
	var evs []Event
	add := func(e Event) Deps {
		e.Ctrl = ctrl
		evs = append(evs, e)
		return 1 << (len(evs) - 1)
	}
	for block, i := f.Blocks[0], 0; ; i++ {
		in := block.Instrs[i]
		if in.Op.IsTerminator() != (i == len(block.Instrs)-1) {
			t.Fatalf("block %s does not end at its terminator", block.Name)
		}
		set := func(v uint64, d Deps) { regs[in.Dst], deps[in.Dst] = v, d }
		var v uint32 // what a read receives
		if in.Op == ir.Load || in.Op == ir.RMW || in.Op == ir.CmpXchg {
			v, vals = vals[0], vals[1:]
		}
		a, b := uint32(get(in.A)), uint32(get(in.B))
		both := dep(in.A) | dep(in.B)
		loc := p.LocAt(prog, event.Addr(get(in.A)))
		read := Event{Kind: R, Loc: loc, Val: v, Mode: in.Mode, Tag: in.Tag, Addr: dep(in.A), Locked: true}
		write := Event{Kind: W, Loc: loc, Val: b, Mode: in.Mode, Tag: in.Tag, Addr: dep(in.A), Data: dep(in.B)}
		switch in.Op {
		case ir.Copy:
			set(uint64(a), dep(in.A))
		case ir.Add:
			set(uint64(a+b), both)
		case ir.Mul:
			set(uint64(a*b), both)
		case ir.And:
			set(uint64(a&b), both)
		case ir.Gep:
			set(get(in.A)+get(in.B)*uint64(in.Scale)+uint64(in.Off), both)
		case ir.Cmp:
			set(0, both)
			if a == b {
				regs[in.Dst] = 1
			}
		case ir.Load:
			read.Locked = false
			set(uint64(v), add(read))
		case ir.Store:
			add(write)
		case ir.RMW:
			self := add(read)
			w := in.RMW.Apply(event.Value{Lo: uint64(v)}, event.Value{Lo: uint64(b)}, in.Size)
			write.Val, write.Locked = uint32(w.Lo), true
			if in.RMW != event.Xchg {
				write.Data |= self
			}
			add(write)
			set(uint64(v), self)
		case ir.CmpXchg:
			read.Cas = dep(in.B)
			if v != b {
				read.Mode = in.Fail
			}
			self := add(read)
			ctrl |= self | read.Cas
			if v == b {
				write.Val, write.Data, write.Locked = uint32(get(in.C)), dep(in.C), true
				add(write)
			}
			set(uint64(v), self)
		case ir.Fence:
			add(Event{Kind: F, Loc: NoLoc, Mode: in.Mode, Tag: in.Tag})
		case ir.Br:
			block, i = f.Blocks[in.Targets[0]], -1
		case ir.CondBr:
			ctrl |= dep(in.A)
			to := in.Targets[1]
			if a != 0 {
				to = in.Targets[0]
			}
			block, i = f.Blocks[to], -1
		case ir.Ret:
			return evs
		default:
			t.Fatalf("unexpected %v", in.Op)
		}
	}
}

// A lowered thread does what the thread does, whatever it reads, with the same dependencies.
func TestLower(t *testing.T) {
	check := func(p *Prog) {
		prog := Lower(p)
		calls := prog.Main.Blocks[0].Instrs
		if len(calls) != len(p.Threads)+1 {
			t.Fatalf("main has %d instructions", len(calls))
		}
		for i, paths := range p.paths(p.values()) {
			f := prog.Funcs[1+i]
			if calls[i].Op != ir.Call || calls[i].Callee.Name != CreateFunc || calls[i].Args[0].Imm != uint64(f.Addr) {
				t.Errorf("%v\nmain does not create thread %d", p, i)
			}
			for _, want := range paths {
				for k := range want {
					want[k].Open = 0 // the lowered code has no arms
				}
				vals := reads(want)
				if got := interpret(t, p, prog, f, vals); !reflect.DeepEqual(got, want) {
					t.Errorf("%v\nthread %d with %v: got %v, want %v", p, i, vals, got, want)
				}
			}
		}
	}
	programs(t, 200, Config{NA: true}, check)
	programs(t, 400, Config{Deps: true}, check)
	for _, m := range Weaker {
		programs(t, 100, Config{Deps: true, Tags: m}, check)
	}
}
