package brute

import (
	"reflect"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// interpret runs a lowered thread with the values its reads receive.
func interpret(t *testing.T, p *Prog, prog *ir.Program, f *ir.Func, vals []uint32) []Event {
	regs := make([]uint64, f.Regs)
	get := func(o ir.Operand) uint32 {
		if o.IsConst() {
			return uint32(o.Imm)
		}
		return uint32(regs[o.Reg])
	}
	receive := func() (v uint32) { v, vals = vals[0], vals[1:]; return v }
	var evs []Event
	for block, i := f.Blocks[0], 0; ; i++ {
		in := block.Instrs[i]
		if in.Op.IsTerminator() != (i == len(block.Instrs)-1) {
			t.Fatalf("block %s does not end at its terminator", block.Name)
		}
		loc := p.LocAt(prog, event.Addr(in.A.Imm))
		switch in.Op {
		case ir.Copy:
			regs[in.Dst] = uint64(get(in.A))
		case ir.Add:
			regs[in.Dst] = uint64(get(in.A) + get(in.B))
		case ir.Mul:
			regs[in.Dst] = uint64(get(in.A) * get(in.B))
		case ir.Cmp:
			regs[in.Dst] = 0
			if get(in.A) == get(in.B) {
				regs[in.Dst] = 1
			}
		case ir.Load:
			v := receive()
			regs[in.Dst] = uint64(v)
			evs = append(evs, Event{Kind: R, Loc: loc, Val: v, Mode: in.Mode})
		case ir.Store:
			evs = append(evs, Event{Kind: W, Loc: loc, Val: get(in.B), Mode: in.Mode})
		case ir.RMW:
			v := receive()
			w := in.RMW.Apply(event.Value{Lo: uint64(v)}, event.Value{Lo: uint64(get(in.B))}, in.Size)
			regs[in.Dst] = uint64(v)
			evs = append(evs, Event{Kind: R, Loc: loc, Val: v, Mode: in.Mode, Locked: true},
				Event{Kind: W, Loc: loc, Val: uint32(w.Lo), Mode: in.Mode, Locked: true})
		case ir.CmpXchg:
			v := receive()
			if v == get(in.B) {
				evs = append(evs, Event{Kind: R, Loc: loc, Val: v, Mode: in.Mode, Locked: true},
					Event{Kind: W, Loc: loc, Val: get(in.C), Mode: in.Mode, Locked: true})
			} else {
				evs = append(evs, Event{Kind: R, Loc: loc, Val: v, Mode: in.Fail, Locked: true})
			}
			regs[in.Dst] = uint64(v)
		case ir.Fence:
			evs = append(evs, Event{Kind: F, Loc: NoLoc, Mode: in.Mode})
		case ir.Br:
			block, i = f.Blocks[in.Targets[0]], -1
		case ir.CondBr:
			to := in.Targets[1]
			if get(in.A) != 0 {
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

// A lowered thread does what the thread does, whatever it reads.
func TestLower(t *testing.T) {
	programs(t, 200, Config{NA: true}, func(p *Prog) {
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
				var vals []uint32
				for _, e := range want {
					if e.Kind == R {
						vals = append(vals, e.Val)
					}
				}
				if got := interpret(t, p, prog, f, vals); !reflect.DeepEqual(got, want) {
					t.Errorf("%v\nthread %d with %v: got %v, want %v", p, i, vals, got, want)
				}
			}
		}
	})
}
