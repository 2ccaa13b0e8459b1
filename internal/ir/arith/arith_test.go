package arith

import (
	"math"
	"testing"

	"ravel/internal/ir"
)

func TestFloats(t *testing.T) {
	d, s := math.Float64bits, func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	nan := math.NaN()
	for _, test := range []struct {
		in      ir.Instr
		a, b, r uint64
	}{
		{ir.Instr{Op: ir.FAdd, Width: 64}, d(1.5), d(2), d(3.5)},
		{ir.Instr{Op: ir.FAdd, Width: 32}, s(1.5), s(2), s(3.5)},
		{ir.Instr{Op: ir.FSub, Width: 64}, d(1.5), d(2), d(-0.5)},
		{ir.Instr{Op: ir.FMul, Width: 32}, s(1.5), s(2), s(3)},
		{ir.Instr{Op: ir.FDiv, Width: 64}, d(1), d(0), d(math.Inf(1))},
		{ir.Instr{Op: ir.FRem, Width: 64}, d(-5.5), d(2), d(-1.5)},
		{ir.Instr{Op: ir.FNeg, Width: 32}, s(0), 0, s(0) | 1<<31},
		{ir.Instr{Op: ir.FAbs, Width: 64}, d(-2), 0, d(2)},
		{ir.Instr{Op: ir.FSqrt, Width: 64}, d(9), 0, d(3)},
		{ir.Instr{Op: ir.FCmp, Width: 64, Pred: ir.FOLT}, d(1), d(2), 1},
		{ir.Instr{Op: ir.FCmp, Width: 64, Pred: ir.FOLT}, d(1), d(nan), 0},
		{ir.Instr{Op: ir.FCmp, Width: 64, Pred: ir.FULT}, d(1), d(nan), 1},
		{ir.Instr{Op: ir.FCmp, Width: 64, Pred: ir.FONE}, d(1), d(nan), 0},
		{ir.Instr{Op: ir.FCmp, Width: 64, Pred: ir.FUNE}, d(nan), d(nan), 1},
		{ir.Instr{Op: ir.FCmp, Width: 32, Pred: ir.FUNO}, s(1), s(2), 0},
		{ir.Instr{Op: ir.FCmp, Width: 32, Pred: ir.FORD}, s(1), s(2), 1},
		{ir.Instr{Op: ir.FPToSI, Width: 64, To: 32}, d(-3.7), 0, 0xfffffffd},
		{ir.Instr{Op: ir.FPToSI, Width: 64, To: 32}, d(1e20), 0, 0x7fffffff},
		{ir.Instr{Op: ir.FPToSI, Width: 64, To: 8}, d(nan), 0, 0},
		{ir.Instr{Op: ir.FPToUI, Width: 32, To: 8}, s(300), 0, 255},
		{ir.Instr{Op: ir.FPToUI, Width: 64, To: 64}, d(1 << 63), 0, 1 << 63},
		{ir.Instr{Op: ir.FPToUI, Width: 64, To: 64}, d(-1), 0, 0},
		{ir.Instr{Op: ir.SIToFP, Width: 32, To: 64}, 0xffffffff, 0, d(-1)},
		{ir.Instr{Op: ir.UIToFP, Width: 32, To: 64}, 0xffffffff, 0, d(4294967295)},
		{ir.Instr{Op: ir.FPTrunc, Width: 64, To: 32}, d(0.1), 0, s(0.1)},
		{ir.Instr{Op: ir.FPExt, Width: 32, To: 64}, s(0.5), 0, d(0.5)},
	} {
		if r, _, fault := Eval(&test.in, test.a, test.b, 0); r != test.r || fault != "" {
			t.Errorf("%v %+v: got %#x %s, want %#x", test.in.Op, test, r, fault, test.r)
		}
	}
	for _, x := range []float64{0, 1, -1, 1e20, -1e20, 1e30, 0x1p100, -0x1p126} {
		in := ir.Instr{Op: ir.FPToSI, Width: 64, To: 128}
		v, _, _ := EvalWide(&in, pair{Lo: d(x)}, pair{}, pair{})
		back := ir.Instr{Op: ir.SIToFP, Width: 128, To: 64}
		if y, _, _ := EvalWide(&back, v, pair{}, pair{}); y.Lo != d(math.Trunc(x)) {
			t.Errorf("%v became %v", x, math.Float64frombits(y.Lo))
		}
	}
}

// TestOverflow compares what NSW and NUW find with arithmetic on large numbers, for all operands of small widths.
func TestOverflow(t *testing.T) {
	for _, width := range []uint8{1, 3, 5} {
		for a := range uint64(1) << width {
			for b := range uint64(1) << width {
				for _, op := range []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Shl} {
					if op == ir.Shl && b >= uint64(width) {
						continue
					}
					exact := func(x, y int64) int64 {
						return map[ir.Op]int64{ir.Add: x + y, ir.Sub: x - y, ir.Mul: x * y, ir.Shl: x << b}[op]
					}
					s, u := exact(Signed(a, width), Signed(b, width)), exact(int64(a), int64(b))
					for check, want := range map[ir.Checks]bool{
						ir.NSW: s != Signed(uint64(s), width),
						ir.NUW: u < 0 || u>>width != 0,
					} {
						_, _, fault := Eval(&ir.Instr{Op: op, Width: width, Check: check}, a, b, 0)
						if (fault != "") != want {
							t.Errorf("%v of %d bits, %d and %d, check %d: %q", op, width, a, b, check, fault)
						}
						_, _, fault = EvalWide(&ir.Instr{Op: op, Width: width, Check: check}, pair{Lo: a}, pair{Lo: b}, pair{})
						if (fault != "") != want {
							t.Errorf("wide %v of %d bits, %d and %d, check %d: %q", op, width, a, b, check, fault)
						}
					}
				}
			}
		}
	}
}
