package machine

import (
	"math/rand/v2"
	"testing"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// A bit that the rules call defined must not depend on the undefined bits of the operands: change these at random, and it
// stays as it is.
func TestUndefinedBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(w uint8) pair {
		x := pair{Lo: rng.Uint64(), Hi: rng.Uint64()}
		switch rng.IntN(4) {
		case 0:
			x = pair{Lo: rng.Uint64() & rng.Uint64() & rng.Uint64()}
		case 1:
			x = pair{Lo: uint64(rng.IntN(8))}
		case 2:
			x = pair{}
		}
		return arith.Clip(x, w)
	}
	for op := ir.Copy; op <= ir.Gep; op++ {
		for _, w := range []uint8{1, 8, 16, 32, 64, 128} {
			for range 400 {
				in := ir.Instr{Op: op, Width: w, Dst: 0, Dst2: ir.NoReg}
				to := w
				switch op {
				case ir.Freeze: // its result may be anything, but is defined
					continue
				case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
				case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs, ir.FSqrt, ir.FCmp:
					if w != 32 && w != 64 {
						continue
					}
				case ir.FPToUI, ir.FPToSI, ir.FPTrunc, ir.FPExt, ir.UIToFP, ir.SIToFP:
					continue // nothing of them is defined
				case ir.Cmp:
					in.Pred = ir.Pred(rng.IntN(10))
				case ir.Trunc:
					if to = []uint8{1, 8, 32, 64}[rng.IntN(4)]; to > w {
						continue
					}
					in.To = to
				case ir.ZExt, ir.SExt:
					if to = []uint8{16, 32, 64, 128}[rng.IntN(4)]; to <= w {
						continue
					}
					in.To = to
				case ir.BSwap:
					if w%16 != 0 {
						continue
					}
				case ir.Gep:
					if w != 64 {
						continue
					}
					in.Scale, in.Off = int64(rng.IntN(20)), int64(rng.IntN(100))-50
				}
				v := [3]pair{word(w), word(w), word(w)}
				u := [3]pair{word(w), word(w), word(w)}
				wide := (&instr{Instr: in}).isWide()
				switch op {
				case ir.Select:
					v[0], u[0] = word(1), word(1)
				case ir.UDiv, ir.SDiv, ir.URem, ir.SRem: // an undefined divisor is an error
					u[1] = pair{}
				}
				compute := func(v [3]pair) (pair, uint64, string) {
					if wide {
						return arith.EvalWide(&in, v[0], v[1], v[2])
					}
					r, r2, fault := arith.Eval(&in, v[0].Lo, v[1].Lo, v[2].Lo)
					return pair{Lo: r}, r2, fault
				}
				r, over, fault := compute(v)
				m, m2 := undefined(&in, v, u, wide)
				if m != arith.Clip(m, max(to, w)) {
					t.Fatalf("%v.%d.%d: mask %#x is too wide", op, w, in.To, m)
				}
				for range 20 {
					x := v
					for i := range x {
						noise := word(w)
						x[i] = pair{Lo: v[i].Lo&^u[i].Lo | noise.Lo&u[i].Lo, Hi: v[i].Hi&^u[i].Hi | noise.Hi&u[i].Hi}
					}
					r2, over2, fault2 := compute(x)
					if fault != "" || fault2 != "" {
						continue
					}
					if (r.Lo^r2.Lo)&^m.Lo != 0 || (r.Hi^r2.Hi)&^m.Hi != 0 || (over^over2)&^m2 != 0 {
						t.Fatalf("%v.%d.%d pred %v: operands %#x with %#x undefined: result %#x, of which %#x undefined; but operands %#x give %#x",
							op, w, in.To, in.Pred, v, u, r, m, x, r2)
					}
				}
			}
		}
	}
}

// What bit fields and copies by parts need to be exact about.
func TestUndefinedExactly(t *testing.T) {
	for _, test := range []struct {
		name         string
		in           ir.Instr
		a, b, ua, ub uint64
		want         uint64
	}{
		{"and with a constant", ir.Instr{Op: ir.And, Width: 32}, 0, 0xf0, 0xffff, 0, 0xf0},
		{"or with a constant", ir.Instr{Op: ir.Or, Width: 32}, 0, 0xf0, 0xffff, 0, 0xff0f},
		{"shift out", ir.Instr{Op: ir.LShr, Width: 32}, 0, 8, 0xff, 0, 0},
		{"shift by an undefined amount", ir.Instr{Op: ir.LShr, Width: 32}, 1, 8, 0, 1, 0xffffffff},
		{"sign", ir.Instr{Op: ir.SExt, Width: 8, To: 32}, 0, 0, 0x80, 0, 0xffffff80},
		{"no sign", ir.Instr{Op: ir.SExt, Width: 8, To: 32}, 0, 0, 0x40, 0, 0x40},
		{"no carry", ir.Instr{Op: ir.Add, Width: 32}, 0, 0x100, 0xff, 0, 0xff},
		{"carry", ir.Instr{Op: ir.Add, Width: 32}, 0, 1, 3, 0, 7},
		{"times four", ir.Instr{Op: ir.Mul, Width: 8}, 0, 4, 1, 0, 0xfc},
		{"select of the same", ir.Instr{Op: ir.Xor, Width: 32}, 5, 5, 1, 2, 3},
		{"sign test", ir.Instr{Op: ir.Cmp, Width: 32, Pred: ir.SLT}, 0, 0, 0x7fffffff, 0, 0},
		{"equality", ir.Instr{Op: ir.Cmp, Width: 32, Pred: ir.EQ}, 1, 2, 0x100, 0, 1},
		{"freeze", ir.Instr{Op: ir.Freeze, Width: 64}, 0, 0, ^uint64(0), 0, 0},
	} {
		got, _ := undefined(&test.in, [3]pair{{Lo: test.a}, {Lo: test.b}}, [3]pair{{Lo: test.ua}, {Lo: test.ub}}, false)
		if got.Lo != test.want {
			t.Errorf("%s: %#x are undefined, want %#x", test.name, got.Lo, test.want)
		}
	}
}
