package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

// a64More reads the rarer arithmetic of AArch64: with carry, of bits and bytes, of double width, and conditional comparisons.
func (a *asm) a64More() bool {
	switch a.name {
	case "ADC", "ADCS", "SBC", "SBCS", "NGC", "NGCS":
		d := a.a64()
		a.comma()
		x := num(0)
		if !strings.HasPrefix(a.name, "N") {
			x = a.a64().val()
			a.comma()
		}
		y := a.a64().val()
		if !strings.HasPrefix(a.name, "A") {
			y = un(litmus.Not, d.bits, y)
		}
		a.a64Carry(d, x, y)
	case "CCMP", "CCMN":
		a.a64Compare()
	case "CLZ", "CLS", "RBIT", "REV", "REV16", "REV32", "REV64", "ABS":
		d := a.a64()
		a.comma()
		a.set(d.reg, a.bits(a.name, d.bits, a.a64().val()))
	case "SMAX", "SMIN", "UMAX", "UMIN":
		d := a.a64()
		a.comma()
		x := a.a64().val()
		a.comma()
		a.set(d.reg, un(litmus.Trunc, d.bits, atomicOps[a.name](d.bits, x, a.a64Second(d.bits))))
	case "BFM", "BFI", "BFXIL", "BFC":
		a.a64Insert()
	case "EXTR":
		d := a.a64()
		a.comma()
		x := a.a64().val()
		a.comma()
		y := a.a64().val()
		a.comma()
		n := a.imm() & int64(d.bits-1)
		if n > 0 {
			y = bin(litmus.Or, d.bits, bin(litmus.Shl, d.bits, x, num(int64(d.bits)-n)), bin(litmus.LShr, d.bits, y, num(n)))
		}
		a.set(d.reg, y)
	case "SMULL", "UMULL", "SMNEGL", "UMNEGL", "SMADDL", "UMADDL", "SMSUBL", "UMSUBL":
		wide := map[byte]litmus.UnaryOp{'S': litmus.SExt, 'U': litmus.Trunc}[a.name[0]]
		d := a.a64()
		a.comma()
		x := un(wide, 32, a.a64().val())
		a.comma()
		r := bin(litmus.Mul, 64, x, un(wide, 32, a.a64().val()))
		switch a.name[1:] {
		case "MNEGL":
			r = bin(litmus.Sub, 64, num(0), r)
		case "MADDL", "MSUBL":
			a.comma()
			r = bin(map[string]litmus.BinaryOp{"MADDL": litmus.Add, "MSUBL": litmus.Sub}[a.name[1:]], 64, a.a64().val(), r)
		}
		a.set(d.reg, r)
	default:
		return false
	}
	return true
}

// a64Carry sets d to x + y + C, and the flags if the mnemonic ends with S.
func (a *asm) a64Carry(d a64, x, y litmus.Expr) {
	t := a.temp()
	w := d.bits
	a.set(t, bin(litmus.Add, w, bin(litmus.Add, w, x, y), litmus.Reg("C")))
	if strings.HasSuffix(a.name, "S") {
		top := num(int64(w - 1))
		carry := bin(litmus.Or, w, bin(litmus.And, w, x, y), bin(litmus.And, w, bin(litmus.Or, w, x, y), un(litmus.Not, w, t)))
		over := bin(litmus.And, w, bin(litmus.Xor, w, x, t), bin(litmus.Xor, w, y, t))
		a.set("N", bin(litmus.SLt, w, t, num(0)))
		a.set("Z", bin(litmus.Eq, w, t, num(0)))
		a.set("C", bin(litmus.LShr, w, carry, top))
		a.set("V", bin(litmus.LShr, w, over, top))
	}
	a.set(d.reg, t)
}

// a64Compare reads CCMP and CCMN: the flags of a comparison if a condition holds, else those given.
func (a *asm) a64Compare() {
	x := a.a64()
	a.comma()
	var y litmus.Expr
	if a.atImm() {
		y = num(a.imm())
	} else {
		y = a.a64().val()
	}
	a.comma()
	flags := a.imm()
	a.comma()
	cond := a.temp()
	a.set(cond, a.a64Cond())
	from := len(a.th.Ops)
	a.setFlags(x.bits, map[string]litmus.BinaryOp{"CCMP": litmus.Sub, "CCMN": litmus.Add}[a.name], x.val(), y)
	for i, bit := range []int64{8, 4, 2, 1} {
		op := &a.th.Ops[from+i]
		op.X = sel(cond, op.X, num(map[bool]int64{true: 1}[flags&bit != 0]))
	}
}

// bits returns what an instruction on the bits of one register computes, by its name on Arm.
func (a *asm) bits(name string, w int, x litmus.Expr) litmus.Expr {
	ones := uint64(0xffffffffffffffff)
	// swap exchanges neighbours of n bits.
	swap := func(x litmus.Expr, n int64) litmus.Expr {
		m := num(int64(ones / (1<<n + 1))) // n ones, n zeros, …
		return bin(litmus.Or, w, bin(litmus.And, w, bin(litmus.LShr, w, x, num(n)), m), bin(litmus.Shl, w, bin(litmus.And, w, x, m), num(n)))
	}
	swaps := func(sizes ...int64) litmus.Expr {
		for _, n := range sizes {
			x = swap(x, n)
		}
		return x
	}
	switch name {
	case "RBIT", "REV", "REV64":
		first := int64(8)
		if name == "RBIT" {
			first = 1
		}
		var sizes []int64
		for n := first; n < int64(w); n *= 2 {
			sizes = append(sizes, n)
		}
		return swaps(sizes...)
	case "REV16":
		return swaps(8)
	case "REV32":
		return swaps(8, 16)
	case "ABS":
		sign := bin(litmus.AShr, w, x, num(int64(w-1)))
		return bin(litmus.Sub, w, bin(litmus.Xor, w, x, sign), sign)
	case "CLS":
		x = bin(litmus.Or, w, bin(litmus.Xor, w, x, bin(litmus.Shl, w, x, num(1))), num(1))
	}
	// Leading zeros: fill all bits below the first one, and count the others.
	for n := int64(1); n < int64(w); n *= 2 {
		t := a.temp()
		a.set(t, bin(litmus.Or, w, x, bin(litmus.LShr, w, x, num(n))))
		x = t
	}
	return a.countOnes(w, un(litmus.Not, w, x))
}

// countOnes returns how many bits of x are 1.
func (a *asm) countOnes(w int, x litmus.Expr) litmus.Expr {
	ones := uint64(0xffffffffffffffff)
	for n := int64(1); n < int64(w); n *= 2 {
		m := num(int64(ones / (1<<n + 1)))
		t := a.temp()
		a.set(t, bin(litmus.Add, w, bin(litmus.And, w, x, m), bin(litmus.And, w, bin(litmus.LShr, w, x, num(n)), m)))
		x = t
	}
	return x
}

// a64Insert reads BFM and its aliases: a field of one register becomes a field of another, whose other bits stay.
func (a *asm) a64Insert() {
	d := a.a64()
	a.comma()
	x := num(0)
	if a.name != "BFC" {
		x = a.a64().val()
		a.comma()
	}
	n := a.imm()
	a.comma()
	m := a.imm()
	w := int64(d.bits)
	from, to, width := int64(0), n, m // BFI and BFC
	switch {
	case a.name == "BFXIL":
		from, to = n, 0
	case a.name == "BFM" && m >= n:
		from, to, width = n, 0, m-n+1
	case a.name == "BFM":
		to, width = w-n, m+1
	}
	if from < 0 || to < 0 || width < 1 || from+width > w || to+width > w {
		a.fail(a.at, "a field of %d bits at %d does not fit", width, max(from, to))
	}
	field := litmus.Mask(^uint64(0), uint8(width)) << to
	moved := bin(litmus.Shl, d.bits, bin(litmus.LShr, d.bits, x, num(from)), num(to))
	a.set(d.reg, bin(litmus.Or, d.bits, bin(litmus.And, d.bits, d.val(), num(int64(^field))), bin(litmus.And, d.bits, moved, num(int64(field)))))
}
