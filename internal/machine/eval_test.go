package machine

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// reference computes an integer operation on numbers of any size; ok is false where it is an error.
func reference(in *ir.Instr, a, b, c *big.Int) (r, r2 *big.Int, ok bool) {
	w := uint(in.Width)
	one := big.NewInt(1)
	modulus := new(big.Int).Lsh(one, w)
	clip := func(x *big.Int) *big.Int { return new(big.Int).Mod(x, modulus) }
	sgn := func(x *big.Int) *big.Int {
		if x.Bit(int(w)-1) != 0 {
			return new(big.Int).Sub(x, modulus)
		}
		return x
	}
	lowest := new(big.Int).Neg(new(big.Int).Lsh(one, w-1))
	highest := new(big.Int).Sub(new(big.Int).Lsh(one, w-1), one)
	zero := big.NewInt(0)
	boolean := func(x bool) *big.Int { return new(big.Int).SetUint64(arith.Truth(x)) }
	do := func(f func(z, x, y *big.Int) *big.Int, x, y *big.Int) *big.Int { return f(new(big.Int), x, y) }
	sa, sb := sgn(a), sgn(b)
	r2 = zero
	fits := func(x *big.Int) bool { return x.Cmp(lowest) >= 0 && x.Cmp(highest) <= 0 }
	fitsU := func(x *big.Int) bool { return x.Sign() >= 0 && x.Cmp(modulus) < 0 }
	amount := uint(1000)
	if b.IsUint64() && b.Uint64() < 1000 {
		amount = uint(b.Uint64())
	}
	switch in.Op {
	case ir.Add:
		r = do((*big.Int).Add, a, b)
	case ir.Sub:
		r = do((*big.Int).Sub, a, b)
	case ir.Mul:
		r = do((*big.Int).Mul, a, b)
	case ir.And:
		r = do((*big.Int).And, a, b)
	case ir.Or:
		r = do((*big.Int).Or, a, b)
	case ir.Xor:
		r = do((*big.Int).Xor, a, b)
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		if b.Sign() == 0 || (in.Op == ir.SDiv || in.Op == ir.SRem) && sa.Cmp(lowest) == 0 && sb.Cmp(big.NewInt(-1)) == 0 {
			return zero, zero, false
		}
		r = map[ir.Op]func() *big.Int{
			ir.UDiv: func() *big.Int { return do((*big.Int).Quo, a, b) }, ir.URem: func() *big.Int { return do((*big.Int).Rem, a, b) },
			ir.SDiv: func() *big.Int { return do((*big.Int).Quo, sa, sb) }, ir.SRem: func() *big.Int { return do((*big.Int).Rem, sa, sb) },
		}[in.Op]()
	case ir.Shl:
		r = new(big.Int).Lsh(a, amount)
	case ir.LShr:
		r = new(big.Int).Rsh(a, amount)
	case ir.AShr:
		r = new(big.Int).Rsh(sa, amount)
	case ir.Cmp:
		u, s := a.Cmp(b), sa.Cmp(sb)
		r = boolean([]bool{u == 0, u != 0, u < 0, u <= 0, u > 0, u >= 0, s < 0, s <= 0, s > 0, s >= 0}[in.Pred])
	case ir.Trunc:
		return new(big.Int).Mod(a, new(big.Int).Lsh(one, uint(in.To))), zero, true
	case ir.ZExt:
		return a, zero, true
	case ir.SExt:
		return new(big.Int).Mod(sa, new(big.Int).Lsh(one, uint(in.To))), zero, true
	case ir.Select:
		if a.Sign() != 0 {
			return b, zero, true
		}
		return c, zero, true
	case ir.SMin, ir.SMax:
		if r = a; (sa.Cmp(sb) < 0) != (in.Op == ir.SMin) {
			r = b
		}
	case ir.UMin, ir.UMax:
		if r = a; (a.Cmp(b) < 0) != (in.Op == ir.UMin) {
			r = b
		}
	case ir.Abs:
		r = new(big.Int).Abs(sa)
	case ir.Ctpop:
		n := int64(0)
		for i := range int(w) {
			n += int64(a.Bit(i))
		}
		r = big.NewInt(n)
	case ir.Ctlz:
		r = big.NewInt(int64(w) - int64(a.BitLen()))
	case ir.Cttz:
		if r = big.NewInt(int64(w)); a.Sign() != 0 {
			r = big.NewInt(int64(a.TrailingZeroBits()))
		}
	case ir.BitReverse:
		r = new(big.Int)
		for i := range int(w) {
			r.SetBit(r, int(w)-1-i, a.Bit(i))
		}
	case ir.BSwap:
		buf := make([]byte, w/8)
		a.FillBytes(buf)
		for i, j := 0, len(buf)-1; i < j; i, j = i+1, j-1 {
			buf[i], buf[j] = buf[j], buf[i]
		}
		r = new(big.Int).SetBytes(buf)
	case ir.FShl, ir.FShr:
		both := new(big.Int).Or(new(big.Int).Lsh(a, w), b)
		n := uint(new(big.Int).Mod(c, big.NewInt(int64(w))).Uint64())
		if in.Op == ir.FShl {
			r = new(big.Int).Rsh(new(big.Int).Lsh(both, n), w)
		} else {
			r = new(big.Int).Rsh(both, n)
		}
	case ir.UAddO, ir.UAddSat:
		r = do((*big.Int).Add, a, b)
		r2 = boolean(!fitsU(r))
		if in.Op == ir.UAddSat {
			if r2.Sign() != 0 {
				r = do((*big.Int).Sub, modulus, one)
			}
			r2 = zero
		}
	case ir.USubO, ir.USubSat:
		r = do((*big.Int).Sub, a, b)
		r2 = boolean(!fitsU(r))
		if in.Op == ir.USubSat {
			if r2.Sign() != 0 {
				r = zero
			}
			r2 = zero
		}
	case ir.UMulO:
		r = do((*big.Int).Mul, a, b)
		r2 = boolean(!fitsU(r))
	case ir.SMulO:
		r = do((*big.Int).Mul, sa, sb)
		r2 = boolean(!fits(r))
	case ir.SAddO, ir.SSubO, ir.SAddSat, ir.SSubSat:
		if r = do((*big.Int).Add, sa, sb); in.Op == ir.SSubO || in.Op == ir.SSubSat {
			r = do((*big.Int).Sub, sa, sb)
		}
		r2 = boolean(!fits(r))
		if in.Op == ir.SAddSat || in.Op == ir.SSubSat {
			if r.Cmp(lowest) < 0 {
				r = lowest
			} else if r.Cmp(highest) > 0 {
				r = highest
			}
			r2 = zero
		}
	}
	return clip(r), r2, true
}

// TestIntegers compares every integer operation with arithmetic on big numbers: eval, and the interpreter.
func TestIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	toPair := func(x *big.Int) pair {
		lo := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		return pair{Lo: lo, Hi: new(big.Int).Rsh(x, 64).Uint64()}
	}
	random := func(w uint8) *big.Int {
		x := new(big.Int).Lsh(new(big.Int).SetUint64(rng.Uint64()), 64)
		x.Or(x, new(big.Int).SetUint64(rng.Uint64()))
		switch rng.IntN(6) {
		case 0:
			x.SetUint64(uint64(rng.IntN(4)))
		case 1:
			x.Neg(big.NewInt(int64(rng.IntN(4))))
		case 2:
			x.Lsh(big.NewInt(1), uint(w)-1)
		case 3:
			x.SetUint64(uint64(rng.IntN(int(w))))
		case 4:
			x.Rsh(x, uint(rng.IntN(128)))
		}
		return x.Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	machines := map[string]*Program{}
	arena := &Arena{}
	for op := ir.Add; op < ir.Gep; op++ {
		switch op {
		case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs, ir.FSqrt, ir.FCmp, ir.FPToUI, ir.FPToSI, ir.UIToFP, ir.SIToFP, ir.FPTrunc, ir.FPExt:
			continue
		}
		for _, w := range []uint8{1, 8, 13, 16, 32, 64, 65, 96, 128} {
			if op == ir.BSwap && w%16 != 0 {
				continue
			}
			for range 60 {
				in := ir.Instr{Op: op, Width: w, Dst: 0, Dst2: ir.NoReg}
				switch op {
				case ir.Cmp:
					in.Pred = ir.Pred(rng.IntN(10))
				case ir.Trunc:
					in.To = []uint8{1, 8, 32, 64, 80}[rng.IntN(5)]
					if in.To > w {
						continue
					}
				case ir.ZExt, ir.SExt:
					in.To = []uint8{16, 32, 64, 100, 128}[rng.IntN(5)]
					if in.To <= w {
						continue
					}
				}
				a, b, c := random(w), random(w), random(w)
				if op == ir.Select {
					a = big.NewInt(int64(rng.IntN(2)))
				}
				r, r2, ok := reference(&in, a, b, c)
				want := fmt.Sprint(toPair(r), r2, ok)
				var v pair
				var v2 uint64
				var fault string
				if x := (instr{Instr: in}); x.isWide() {
					v, v2, fault = arith.EvalWide(&in, toPair(a), toPair(b), toPair(c))
				} else {
					v.Lo, v2, fault = arith.Eval(&in, a.Uint64(), b.Uint64(), c.Uint64())
				}
				if got := fmt.Sprint(v, v2, fault == ""); got != want {
					t.Fatalf("%v.%d.%d pred %d of %v, %v, %v: got %s, want %s", op, w, in.To, in.Pred, a, b, c, got, want)
				}
				key := fmt.Sprint(op, w, in.To, in.Pred)
				if machines[key] == nil {
					machines[key] = arithmeticProgram(t, in)
				}
				if got := runArithmetic(arena, machines[key], toPair(a), toPair(b), toPair(c)); got != want {
					t.Fatalf("%v.%d.%d pred %d of %v, %v, %v: the machine has %s, want %s", op, w, in.To, in.Pred, a, b, c, got, want)
				}
			}
		}
	}
}

// arithmeticProgram loads three operands, computes, and stores the results.
func arithmeticProgram(t *testing.T, in ir.Instr) *Program {
	p := &ir.Program{}
	g := &ir.Global{Name: "x", Size: 128}
	p.AddGlobal(g)
	at := uint64(g.Addr)
	none := ir.Instr{Dst: ir.NoReg, Dst2: ir.NoReg}
	var b ir.Block
	for r := range ir.Reg(6) {
		load := none
		load.Op, load.Dst, load.A, load.Size = ir.Load, r, ir.Imm(at), 8
		b.Instrs = append(b.Instrs, load)
	}
	in.A, in.B, in.C, in.Dst = ir.R(0), ir.R(2), ir.R(4), 6
	if in.Op >= ir.UAddO && in.Op <= ir.SMulO {
		in.Dst2 = 8
	}
	b.Instrs = append(b.Instrs, in)
	wide, _, _, _ := (&instr{Instr: in}).wide()
	for _, r := range []ir.Reg{6, 7, 8} {
		if r == 7 && !wide || r == 8 && in.Dst2 != 8 {
			continue
		}
		store := none
		store.Op, store.A, store.B, store.Size = ir.Store, ir.Imm(at+uint64(r)*8), ir.R(r), 8
		b.Instrs = append(b.Instrs, store)
	}
	ret := none
	ret.Op = ir.Ret
	b.Instrs = append(b.Instrs, ret)
	p.Main = &ir.Func{Name: "main", Regs: 9, Blocks: []*ir.Block{&b}}
	p.AddFunc(p.Main)
	c, err := Compile(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func runArithmetic(arena *Arena, p *Program, a, b, c pair) string {
	arena.Release(0)
	var act Action
	s := p.StartMain(arena, &act)
	in := []uint64{a.Lo, a.Hi, b.Lo, b.Hi, c.Lo, c.Hi}
	var v pair
	var v2 uint64
	for {
		switch act.Kind {
		case Load:
			s = p.Resume(arena, s, pair{Lo: in[0]}, &act)
			in = in[1:]
			continue
		case Store:
			switch act.Addr.Offset() / 8 {
			case 6:
				v.Lo = act.Val.Lo
			case 7:
				v.Hi = act.Val.Lo
			case 8:
				v2 = act.Val.Lo
			}
			s = p.Resume(arena, s, pair{}, &act)
			continue
		}
		return fmt.Sprint(v, v2, act.Kind == Exit)
	}
}
