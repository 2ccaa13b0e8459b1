package llvm

import (
	"strings"

	"ravel/internal/ir"
)

// Intrinsics that are one ir operation, by the part of their name behind "llvm.".
var (
	unaryIntrinsics = map[string]ir.Op{
		"ctpop": ir.Ctpop, "ctlz": ir.Ctlz, "cttz": ir.Cttz, "bswap": ir.BSwap, "bitreverse": ir.BitReverse, "abs": ir.Abs,
		"fabs": ir.FAbs, "sqrt": ir.FSqrt,
	}
	binaryIntrinsics = map[string]ir.Op{
		"smin": ir.SMin, "smax": ir.SMax, "umin": ir.UMin, "umax": ir.UMax,
		"uadd.sat": ir.UAddSat, "sadd.sat": ir.SAddSat, "usub.sat": ir.USubSat, "ssub.sat": ir.SSubSat,
	}
	funnelIntrinsics   = map[string]ir.Op{"fshl": ir.FShl, "fshr": ir.FShr}
	overflowIntrinsics = map[string]ir.Op{
		"uadd.with.overflow": ir.UAddO, "sadd.with.overflow": ir.SAddO, "usub.with.overflow": ir.USubO,
		"ssub.with.overflow": ir.SSubO, "umul.with.overflow": ir.UMulO, "smul.with.overflow": ir.SMulO,
	}
	reduceIntrinsics = map[string]ir.Op{
		"vector.reduce.add": ir.Add, "vector.reduce.mul": ir.Mul, "vector.reduce.and": ir.And, "vector.reduce.or": ir.Or,
		"vector.reduce.xor": ir.Xor, "vector.reduce.smin": ir.SMin, "vector.reduce.smax": ir.SMax,
		"vector.reduce.umin": ir.UMin, "vector.reduce.umax": ir.UMax,
	}
)

// droppedIntrinsics have no effect here.
var droppedIntrinsics = map[string]bool{
	"va_end": true, "assume": true, "prefetch": true, "donothing": true, "x86.sse2.pause": true, "sideeffect": true,
	"pseudoprobe": true, "invariant.end": true, "experimental.noalias.scope.decl": true,
	"var.annotation": true, "codeview.annotation": true, "fake.use": true, "clear_cache": true, "instrprof.increment": true,
}

// zeroIntrinsics return 0.
var zeroIntrinsics = map[string]bool{
	"stacksave": true, "is.constant": true, "frameaddress": true, "returnaddress": true, "addressofreturnaddress": true,
	"invariant.start": true, "sponentry": true,
}

// copyIntrinsics return their first argument.
var copyIntrinsics = map[string]bool{
	"expect": true, "expect.with.probability": true, "launder.invariant.group": true, "strip.invariant.group": true,
	"ssa.copy": true, "annotation": true, "ptr.annotation": true, "canonicalize": true, "preserve.static.offset": true,
	"arithmetic.fence": true,
}

// libCalls are intrinsics that become calls of the C library; the float form has an f behind
// its name.
var libCalls = map[string]string{
	"floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "nearbyint": "nearbyint", "round": "round",
	"roundeven": "roundeven", "fma": "fma", "sin": "sin", "cos": "cos", "tan": "tan", "exp": "exp", "exp2": "exp2", "exp10": "exp10",
	"log": "log", "log2": "log2", "log10": "log10", "pow": "pow", "lround": "lround", "llround": "llround", "lrint": "lrint",
	"llrint": "llrint", "ldexp": "ldexp",
}

// splitIntrinsic divides llvm.memcpy.p0.p0.i64 into memcpy and p0.p0.i64: types begin with a letter
// and a digit, or with v and a digit; f32 and f64 too.
func splitIntrinsic(name string) (base, types string) {
	name = strings.TrimPrefix(name, "llvm.")
	for i := 0; i+2 < len(name); i++ {
		if name[i] != '.' {
			continue
		}
		c, d := name[i+1], name[i+2]
		isDigit := class[d]&cDigit != 0
		if strings.IndexByte("ipfvas", c) >= 0 && isDigit || c == 'b' && strings.HasPrefix(name[i+1:], "bf16") ||
			c == 'n' && strings.HasPrefix(name[i+1:], "nx") || strings.HasPrefix(name[i+1:], "sl_") || strings.HasPrefix(name[i+1:], "s_") || strings.HasPrefix(name[i+1:], "ppcf128") {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// impliedCalls returns the functions that an intrinsic is lowered to calls of.
func impliedCalls(name string) []string {
	if !strings.HasPrefix(name, "llvm.") {
		return nil
	}
	base, types := splitIntrinsic(name)
	switch base {
	case "trap", "ubsantrap", "debugtrap":
		return []string{"abort"}
	}
	if f := libName(base, types); f != "" {
		return []string{f}
	}
	return nil
}

func libName(base, types string) string {
	f := libCalls[base]
	switch {
	case f == "":
		return ""
	case types == "f64" || strings.HasSuffix(types, ".f64") || strings.HasPrefix(types, "f64."):
		return f
	case types == "f32" || strings.HasSuffix(types, ".f32") || strings.HasPrefix(types, "f32."):
		return f + "f"
	}
	return ""
}
