package check

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/explore"
	"ravel/internal/model"
	"ravel/internal/report"
	"ravel/internal/short"
)

// TestWide compares arithmetic of more than 128 bits with math/big.
func TestWide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(bits int) *big.Int {
		n := new(big.Int)
		for range rnd.IntN(bits)/64 + 1 {
			n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(rnd.Uint64()>>rnd.IntN(64)))
		}
		return n.And(n, mask(bits))
	}
	var globals, body strings.Builder
	steps := 0
	for range short.Count(60, 6) {
		bits := 129 + rnd.IntN(200)
		if rnd.IntN(3) == 0 {
			bits = 192 + 64*rnd.IntN(2)
		}
		a, b := random(bits), random(bits)
		if b.Sign() == 0 {
			b.SetInt64(3)
		}
		by := new(big.Int).SetInt64(int64(rnd.IntN(bits)))
		for _, op := range []string{"add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "icmp ult", "icmp ule", "icmp ugt", "icmp uge", "icmp slt", "icmp sle", "icmp sgt", "icmp sge", "icmp eq"} {
			y := b
			if strings.HasSuffix(op, "sh") || strings.HasSuffix(op, "shr") || op == "shl" {
				y = by
			}
			want := wideResult(op, a, y, bits)
			typ := fmt.Sprintf("i%d", bits)
			result := typ
			if strings.HasPrefix(op, "icmp") {
				result = "i1"
			}
			fmt.Fprintf(&globals, "@a%d = global %s %s\n@b%d = global %s %s\n", steps, typ, a, steps, typ, y)
			fmt.Fprintf(&body, "  %%x%[1]d = load %[2]s, ptr @a%[1]d\n  %%y%[1]d = load %[2]s, ptr @b%[1]d\n  %%r%[1]d = %[3]s %[2]s %%x%[1]d, %%y%[1]d\n"+
				"  %%c%[1]d = icmp eq %[4]s %%r%[1]d, %[5]s\n  br i1 %%c%[1]d, label %%n%[1]d, label %%f%[1]d\nf%[1]d:\n  %%e%[1]d = call i32 @__ravel_fails%[1]d()\n  ret i32 1\nn%[1]d:\n",
				steps, typ, op, result, want)
			fmt.Fprintf(&globals, "declare i32 @__ravel_fails%d() ; %s %s %s %s is %s\n", steps, op, typ, a, y, want)
			steps++
		}
	}
	const layout = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\ntarget triple = \"x86_64-pc-linux-gnu\"\n"
	text := layout + globals.String() + "define i32 @main() {\n" + body.String() + "  ret i32 0\n}\n"
	m, err := model.Get("sc", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(Config{Files: []string{"wide.ll"}, Sources: map[string][]byte{"wide.ll": []byte(text)}, Explore: explore.Options{Model: m}})
	if err != nil { // a call of what is not defined names the step
		at := strings.Index(err.Error(), "__ravel_fails")
		if at >= 0 {
			name, _, _ := strings.Cut(err.Error()[at:], "`")
			_, line, _ := strings.Cut(text, "@"+name+"() ; ")
			line, _, _ = strings.Cut(line, "\n")
			t.Fatalf("%s: %s", name, line)
		}
		t.Fatal(err)
	}
	if res.Verdict != report.Verified {
		t.Errorf("%s %v", res.Verdict, res.Errors)
	}
}

func mask(bits int) *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1))
}

// wideResult returns the result of an operation of LLVM on unsigned numbers of so many bits, as an unsigned number.
func wideResult(op string, a, b *big.Int, bits int) string {
	signed := func(x *big.Int) *big.Int {
		if x.Bit(bits-1) == 1 {
			return new(big.Int).Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
		}
		return x
	}
	r := new(big.Int)
	if pred, ok := strings.CutPrefix(op, "icmp "); ok {
		c := a.Cmp(b)
		if pred[0] == 's' {
			c = signed(a).Cmp(signed(b))
		}
		yes := map[string]bool{"lt": c < 0, "le": c <= 0, "gt": c > 0, "ge": c >= 0}[pred[1:]] || pred == "eq" && c == 0
		return fmt.Sprint(yes)
	}
	switch op {
	case "add":
		r.Add(a, b)
	case "sub":
		r.Sub(a, b)
	case "mul":
		r.Mul(a, b)
	case "udiv":
		r.Quo(a, b)
	case "urem":
		r.Rem(a, b)
	case "sdiv":
		r.Quo(signed(a), signed(b))
	case "srem":
		r.Rem(signed(a), signed(b))
	case "shl":
		r.Lsh(a, uint(b.Uint64()))
	case "lshr":
		r.Rsh(a, uint(b.Uint64()))
	case "ashr":
		r.Rsh(signed(a), uint(b.Uint64()))
	case "and":
		r.And(a, b)
	case "or":
		r.Or(a, b)
	case "xor":
		r.Xor(a, b)
	}
	return r.And(r, mask(bits)).String()
}
