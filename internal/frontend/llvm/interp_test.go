package llvm

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// An interp runs one thread of a program, to compare what the lowered code computes with what
// the compiler's own code does. It is slow and simple.
type interp struct {
	prog  *ir.Program
	funcs map[uint64]*ir.Func
	mem   map[uint64]byte
	stack uint64
	heap  uint64
	steps int

	printed uint64 // the only value of the last printf
}

type stop struct{ msg string }

// exitCode is what the program gave to exit.
type exitCode uint64

// runMain returns what main returns.
func runMain(p *ir.Program) (result uint64, err error) {
	result, _, err = runPrint(p)
	return result, err
}

// runPrint returns also the value that the program printed last.
func runPrint(p *ir.Program) (result, printed uint64, err error) {
	defer func() {
		if r := recover(); r != nil {
			if code, ok := r.(exitCode); ok {
				result = uint64(code)
				return
			}
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s", s.msg)
		}
	}()
	it := &interp{prog: p, funcs: map[uint64]*ir.Func{}, mem: map[uint64]byte{}, stack: 1 << 40}
	for _, f := range p.Funcs {
		it.funcs[uint64(f.Addr)] = f
	}
	for _, g := range p.Globals {
		for i, b := range g.Init {
			it.mem[uint64(g.Addr)+uint64(i)] = b
		}
	}
	for _, c := range p.Ctors {
		it.call(c, nil)
	}
	args := make([]uint64, len(p.Main.Params))
	if r := it.call(p.Main, args); len(r) > 0 {
		return r[0], it.printed, nil
	}
	return 0, it.printed, nil
}

func (it *interp) load(a uint64, size uint8) (v event.Value) {
	for i := range uint64(size) {
		b := uint64(it.mem[a+i])
		if i < 8 {
			v.Lo |= b << (8 * i)
		} else {
			v.Hi |= b << (8 * (i - 8))
		}
	}
	return v
}

func (it *interp) store(a uint64, v event.Value, size uint8) {
	for i := range uint64(size) {
		if i < 8 {
			it.mem[a+i] = byte(v.Lo >> (8 * i))
		} else {
			it.mem[a+i] = byte(v.Hi >> (8 * (i - 8)))
		}
	}
}

func (it *interp) call(f *ir.Func, args []uint64) []uint64 {
	if f.Blocks == nil {
		return it.builtin(f, args)
	}
	r := make([]uint64, f.Regs)
	for i, p := range f.Params {
		if i < len(args) {
			r[p] = args[i]
		}
	}
	saved := it.stack
	defer func() { it.stack = saved }()
	b := f.Blocks[0]
	for {
		for i := range b.Instrs {
			if it.steps++; it.steps > 20_000_000 {
				panic(stop{"too many steps"})
			}
			in := &b.Instrs[i]
			switch in.Op {
			case ir.Br:
				b = f.Blocks[in.Targets[0]]
			case ir.CondBr:
				if val(r, in.A) != 0 {
					b = f.Blocks[in.Targets[0]]
				} else {
					b = f.Blocks[in.Targets[1]]
				}
			case ir.Switch:
				k := len(in.Cases)
				for j, c := range in.Cases {
					if pair(r, in.A, in.Width) == (u128{lo: c}) {
						k = j
						break
					}
				}
				b = f.Blocks[in.Targets[k]]
			case ir.Ret:
				var out []uint64
				for _, a := range in.Args {
					out = append(out, val(r, a))
				}
				return out
			case ir.Unreachable, ir.Unsupported:
				panic(stop{f.Name + ": " + in.String()})
			default:
				it.step(in, r)
			}
		}
	}
}

func val(r []uint64, o ir.Operand) uint64 {
	if o.IsConst() {
		return o.Imm
	}
	return r[o.Reg]
}

func pair(r []uint64, o ir.Operand, width uint8) u128 {
	if width <= 64 {
		return u128{lo: val(r, o)}
	}
	return u128{r[o.Reg], r[o.Reg+1]}
}

func set(r []uint64, d ir.Reg, width int, v u128) {
	v = v.mask(width)
	r[d] = v.lo
	if width > 64 {
		r[d+1] = v.hi
	}
}

func b2u(b bool) u128 {
	if b {
		return u128{lo: 1}
	}
	return u128{}
}

func (it *interp) step(in *ir.Instr, r []uint64) {
	w := int(in.Width)
	a := func() u128 { return pair(r, in.A, in.Width) }
	b := func() u128 { return pair(r, in.B, in.Width) }
	c := func() u128 { return pair(r, in.C, in.Width) }
	switch op := in.Op; op {
	case ir.Undef:
		set(r, in.Dst, w, u128{})
	case ir.Copy:
		set(r, in.Dst, w, a())
	case ir.Cmp:
		set(r, in.Dst, 1, evalCmp(in.Pred, a(), b(), w))
	case ir.Trunc, ir.ZExt:
		set(r, in.Dst, int(in.To), a())
	case ir.SExt:
		set(r, in.Dst, int(in.To), fromBig(a().signed(w)))
	case ir.Select:
		if val(r, in.A)&1 != 0 {
			set(r, in.Dst, w, b())
		} else {
			set(r, in.Dst, w, c())
		}
	case ir.Ctpop:
		set(r, in.Dst, w, u128{lo: uint64(bits.OnesCount64(a().lo) + bits.OnesCount64(a().hi))})
	case ir.Ctlz:
		set(r, in.Dst, w, u128{lo: uint64(w - a().big().BitLen())})
	case ir.Cttz:
		n := w
		if v := a().big(); v.Sign() != 0 {
			n = int(v.TrailingZeroBits())
		}
		set(r, in.Dst, w, u128{lo: uint64(n)})
	case ir.BSwap:
		set(r, in.Dst, w, u128{lo: bits.ReverseBytes64(a().lo) >> (64 - w)})
	case ir.BitReverse:
		set(r, in.Dst, w, u128{lo: bits.Reverse64(a().lo) >> (64 - w)})
	case ir.Abs:
		set(r, in.Dst, w, fromBig(new(big.Int).Abs(a().signed(w))))
	case ir.SMin, ir.SMax, ir.UMin, ir.UMax:
		pred := map[ir.Op]ir.Pred{ir.SMin: ir.SLT, ir.SMax: ir.SGT, ir.UMin: ir.ULT, ir.UMax: ir.UGT}[op]
		v := b()
		if evalCmp(pred, a(), b(), w).lo != 0 {
			v = a()
		}
		set(r, in.Dst, w, v)
	case ir.FShl, ir.FShr:
		x := new(big.Int).Or(new(big.Int).Lsh(a().big(), uint(w)), b().big())
		n := uint(new(big.Int).Mod(c().big(), big.NewInt(int64(w))).Uint64())
		if op == ir.FShl {
			x.Rsh(x.Lsh(x, n), uint(w))
		} else {
			x.Rsh(x, n)
		}
		set(r, in.Dst, w, fromBig(x))
	case ir.UAddO, ir.SAddO, ir.USubO, ir.SSubO, ir.UMulO, ir.SMulO, ir.UAddSat, ir.SAddSat, ir.USubSat, ir.SSubSat:
		it.checked(in, r, a(), b())
	case ir.Gep:
		r[in.Dst] = val(r, in.A) + val(r, in.B)*uint64(in.Scale) + uint64(in.Off)
	case ir.TLSAddr:
		r[in.Dst] = uint64(in.Global.Addr)
	case ir.Alloca:
		it.stack = (it.stack + in.Align - 1) &^ (in.Align - 1)
		r[in.Dst] = it.stack
		it.stack += val(r, in.A) + 16
	case ir.Begin, ir.End:
	case ir.Load:
		v := it.load(val(r, in.A), in.Size)
		set(r, in.Dst, int(in.Size)*8, u128{v.Lo, v.Hi})
	case ir.Store:
		v := pair(r, in.B, in.Size*8)
		it.store(val(r, in.A), event.Value{Lo: v.lo, Hi: v.hi}, in.Size)
	case ir.RMW:
		old := it.load(val(r, in.A), in.Size)
		v := pair(r, in.B, in.Size*8)
		it.store(val(r, in.A), in.RMW.Apply(old, event.Value{Lo: v.lo, Hi: v.hi}, in.Size), in.Size)
		set(r, in.Dst, int(in.Size)*8, u128{old.Lo, old.Hi})
	case ir.CmpXchg:
		old := it.load(val(r, in.A), in.Size)
		e, n := pair(r, in.B, in.Size*8), pair(r, in.C, in.Size*8)
		ok := old == event.Value{Lo: e.lo, Hi: e.hi}
		if ok {
			it.store(val(r, in.A), event.Value{Lo: n.lo, Hi: n.hi}, in.Size)
		}
		set(r, in.Dst, int(in.Size)*8, u128{old.Lo, old.Hi})
		set(r, in.Dst2, 1, b2u(ok))
	case ir.Fence:
	case ir.MemCpy:
		it.memcpy(val(r, in.A), val(r, in.B), val(r, in.C))
	case ir.MemSet:
		for i := range val(r, in.C) {
			it.mem[val(r, in.A)+i] = byte(val(r, in.B))
		}
	case ir.Call:
		f := in.Callee
		if f == nil {
			if f = it.funcs[val(r, in.A)]; f == nil {
				panic(stop{"call of no function"})
			}
		}
		var args []uint64
		for _, o := range in.Args {
			args = append(args, val(r, o))
		}
		for i, v := range it.call(f, args) {
			if i < len(in.Results) {
				r[in.Results[i]] = v
			}
		}
	default:
		if op >= ir.Add && op <= ir.Xor {
			v, bad := evalBin(op, a(), b(), w)
			if bad != "" {
				panic(stop{bad})
			}
			set(r, in.Dst, w, v)
			return
		}
		it.float(in, r)
	}
}

func (it *interp) memcpy(to, from, n uint64) {
	buf := make([]byte, n)
	for i := range n {
		buf[i] = it.mem[from+i]
	}
	for i := range n {
		it.mem[to+i] = buf[i]
	}
}

func (it *interp) checked(in *ir.Instr, r []uint64, a, b u128) {
	w := int(in.Width)
	x, y := a.big(), b.big()
	signed := false
	switch in.Op {
	case ir.SAddO, ir.SSubO, ir.SMulO, ir.SAddSat, ir.SSubSat:
		signed = true
		x, y = a.signed(w), b.signed(w)
	}
	v := new(big.Int)
	switch in.Op {
	case ir.UAddO, ir.SAddO, ir.UAddSat, ir.SAddSat:
		v.Add(x, y)
	case ir.USubO, ir.SSubO, ir.USubSat, ir.SSubSat:
		v.Sub(x, y)
	default:
		v.Mul(x, y)
	}
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(w))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	over := v.Cmp(lo) < 0 || v.Cmp(hi) > 0
	if in.Op >= ir.UAddSat {
		if v.Cmp(lo) < 0 {
			v = lo
		} else if v.Cmp(hi) > 0 {
			v = hi
		}
	} else {
		set(r, in.Dst2, 1, b2u(over))
	}
	set(r, in.Dst, w, fromBig(v))
}

func toFloat(v uint64, w uint8) float64 {
	if w == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func fromFloat(f float64, w uint8) uint64 {
	if w == 32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func (it *interp) float(in *ir.Instr, r []uint64) {
	a, b := toFloat(val(r, in.A), in.Width), toFloat(val(r, in.B), in.Width)
	put := func(f float64) { r[in.Dst] = fromFloat(f, in.Width) }
	switch in.Op {
	case ir.FAdd:
		put(a + b)
	case ir.FSub:
		put(a - b)
	case ir.FMul:
		put(a * b)
	case ir.FDiv:
		put(a / b)
	case ir.FRem:
		put(math.Mod(a, b))
	case ir.FNeg:
		put(-a)
	case ir.FAbs:
		put(math.Abs(a))
	case ir.FSqrt:
		put(math.Sqrt(a))
	case ir.FPToSI:
		set(r, in.Dst, int(in.To), u128{lo: uint64(int64(a))})
	case ir.FPToUI:
		set(r, in.Dst, int(in.To), u128{lo: uint64(a)})
	case ir.SIToFP:
		r[in.Dst] = fromFloat(float64(int64(signExtend(val(r, in.A), int(in.Width)))), in.To)
	case ir.UIToFP:
		r[in.Dst] = fromFloat(float64(val(r, in.A)), in.To)
	case ir.FPExt, ir.FPTrunc:
		r[in.Dst] = fromFloat(a, in.To)
	case ir.FCmp:
		un := math.IsNaN(a) || math.IsNaN(b)
		var v bool
		switch in.Pred {
		case ir.FTrue:
			v = true
		case ir.FOEQ, ir.FUEQ:
			v = a == b
		case ir.FOGT, ir.FUGT:
			v = a > b
		case ir.FOGE, ir.FUGE:
			v = a >= b
		case ir.FOLT, ir.FULT:
			v = a < b
		case ir.FOLE, ir.FULE:
			v = a <= b
		case ir.FONE, ir.FUNE:
			v = a != b
		case ir.FORD:
			v = !un
		}
		if un && in.Pred != ir.FFalse && in.Pred != ir.FTrue {
			v = in.Pred >= ir.FUNO
		}
		set(r, in.Dst, 1, b2u(v))
	default:
		panic(stop{"interp: " + in.String()})
	}
}

func (it *interp) builtin(f *ir.Func, args []uint64) []uint64 {
	switch f.Name {
	case "pthread_create": // runs the thread to its end at once
		it.call(it.funcs[args[2]], args[3:])
		it.store(args[0], event.Value{Lo: 7}, 8)
		return []uint64{0}
	case "pthread_join", "pthread_detach", "sched_yield":
		return []uint64{0}
	case "exit":
		panic(exitCode(args[0]))
	case "realloc":
		p := it.builtin(&ir.Func{Name: "malloc"}, args[1:])
		it.memcpy(p[0], args[0], args[1])
		return p
	case "memcmp", "bcmp":
		for i := range args[2] {
			if a, b := it.mem[args[0]+i], it.mem[args[1]+i]; a != b {
				return []uint64{uint64(uint32(int32(a) - int32(b)))}
			}
		}
		return []uint64{0}
	case "malloc", "_Znwm", "calloc":
		p := it.heap + 1<<42
		it.heap += (args[0] + 31) &^ 15
		return []uint64{p}
	case "free", "_ZdlPv", "_ZdlPvm", "__cxa_atexit":
		return []uint64{0}
	case "floor":
		return []uint64{math.Float64bits(math.Floor(math.Float64frombits(args[0])))}
	case "sqrt":
		return []uint64{math.Float64bits(math.Sqrt(math.Float64frombits(args[0])))}
	case "strlen":
		n := uint64(0)
		for it.mem[args[0]+n] != 0 {
			n++
		}
		return []uint64{n}
	case "strcpy":
		for i := uint64(0); ; i++ {
			it.mem[args[0]+i] = it.mem[args[1]+i]
			if it.mem[args[0]+i] == 0 {
				return args[:1]
			}
		}
	case "printf":
		if len(args) == 2 {
			it.printed = args[1]
		}
		return []uint64{0}
	case "memcpy", "memmove":
		it.memcpy(args[0], args[1], args[2])
		return args[:1]
	case "memset":
		for i := range args[2] {
			it.mem[args[0]+i] = byte(args[1])
		}
		return args[:1]
	case "strcmp":
		for i := uint64(0); ; i++ {
			a, b := it.mem[args[0]+i], it.mem[args[1]+i]
			if a != b || a == 0 {
				return []uint64{uint64(uint32(int32(a) - int32(b)))}
			}
		}
	}
	panic(stop{"call of undefined " + f.Name})
}
