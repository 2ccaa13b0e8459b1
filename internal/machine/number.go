package machine

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ravel/internal/ir/arith"
)

// The C library's conversions between numbers and text are done here, by strconv, as functions of words: a thread stays a function of the values it
// receives. The library (internal/runtime/src/format.c, stdlib.c) finds the numbers in its strings and puts the characters where they belong.

// maxWords is how many arguments such a function may have: the library's calls of parseNumber have the most.
const maxWords = 20

// A numberSpec is a conversion of printf: from the lowest bits up the letter, the flags, the width, and the precision plus one, 0 for none.
type numberSpec uint64

const (
	specLeft = 1 << iota
	specZero
	specPlus
	specSpace
	specAlt
)

func (s numberSpec) letter() byte       { return byte(s) }
func (s numberSpec) has(flag uint) bool { return uint(s>>8)&flag != 0 }
func (s numberSpec) width() int         { return int(s >> 16 & 0xffff) }
func (s numberSpec) precision() int     { return int(s>>32&0xffff) - 1 }

// formatWord returns eight characters of the number args[0] by the conversion args[1], from the one with number 8*args[2] on; how many there
// are, if that is -1.
func formatWord(_ *Program, args []uint64) uint64 {
	text := formatNumber(args[0], numberSpec(args[1]))
	if args[2] == math.MaxUint64 {
		return uint64(len(text))
	}
	var word [8]byte
	copy(word[:], text[min(8*args[2], uint64(len(text))):])
	return binary.LittleEndian.Uint64(word[:])
}

// formatNumber formats as C11 7.21.6.1 has it, and where that leaves a choice, as glibc does. Signed integers have 64 bits.
func formatNumber(v uint64, s numberSpec) string {
	var sign, prefix, digits string
	padZero := s.has(specZero)
	switch letter := s.letter(); letter {
	case 'd', 'i', 'u', 'o', 'x', 'X', 'p':
		if letter == 'p' && v == 0 {
			digits, padZero = "(nil)", false
			break
		}
		sign, prefix, digits = s.integer(v)
		padZero = padZero && s.precision() < 0
	default:
		sign, prefix, digits = s.float(math.Float64frombits(v))
		padZero = padZero && digits[0] < 'A'
		if strings.IndexByte("EFGA", letter) >= 0 {
			prefix, digits = strings.ToUpper(prefix), strings.ToUpper(digits)
		}
	}
	fill := max(s.width()-len(sign)-len(prefix)-len(digits), 0)
	switch {
	case s.has(specLeft):
		return sign + prefix + digits + strings.Repeat(" ", fill)
	case padZero:
		return sign + prefix + strings.Repeat("0", fill) + digits
	}
	return strings.Repeat(" ", fill) + sign + prefix + digits
}

// plus returns the sign of a number that is not negative.
func (s numberSpec) plus() string {
	switch {
	case s.has(specPlus):
		return "+"
	case s.has(specSpace):
		return " "
	}
	return ""
}

func (s numberSpec) integer(v uint64) (sign, prefix, digits string) {
	base := 10
	switch s.letter() {
	case 'd', 'i':
		if sign = s.plus(); int64(v) < 0 {
			sign, v = "-", -v
		}
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
		if s.has(specAlt) && v != 0 {
			prefix = "0x"
		}
	case 'p':
		base, sign, prefix = 16, s.plus(), "0x"
	}
	if v != 0 || s.precision() != 0 {
		digits = strconv.FormatUint(v, base)
	}
	digits = strings.Repeat("0", max(s.precision()-len(digits), 0)) + digits
	if base == 8 && s.has(specAlt) && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	if s.letter() == 'X' {
		prefix, digits = strings.ToUpper(prefix), strings.ToUpper(digits)
	}
	return sign, prefix, digits
}

func (s numberSpec) float(v float64) (sign, prefix, digits string) {
	if sign = s.plus(); math.Signbit(v) {
		sign, v = "-", -v
	}
	switch {
	case math.IsInf(v, 0):
		return sign, "", "inf"
	case math.IsNaN(v):
		return sign, "", "nan"
	}
	precision := s.precision()
	letter := s.letter() | 0x20
	if letter == 'a' {
		return sign, "0x", hexFloat(v, precision, s.has(specAlt))
	}
	if precision < 0 {
		precision = 6
	}
	trim := false
	if letter == 'g' {
		trim = !s.has(specAlt)
		precision = max(precision, 1)
		text := strconv.FormatFloat(v, 'e', precision-1, 64)
		exponent, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
		if letter = 'e'; exponent >= -4 && exponent < precision {
			letter = 'f'
			precision -= exponent
		}
		precision--
	}
	digits = strconv.FormatFloat(v, letter, precision, 64)
	mantissa, exponent := digits, ""
	if i := strings.IndexByte(digits, 'e'); i >= 0 {
		mantissa, exponent = digits[:i], digits[i:]
	}
	switch {
	case precision == 0 && s.has(specAlt):
		mantissa += "."
	case precision > 0 && trim:
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	}
	return sign, "", mantissa + exponent
}

// hexFloat formats v by %a, without the 0x.
func hexFloat(v float64, precision int, alt bool) string {
	const fraction = 52
	bits := math.Float64bits(v)
	exponent := int(bits>>fraction) - 1023
	mantissa := bits & (1<<fraction - 1)
	switch {
	case bits == 0:
		exponent = 0
	case exponent == -1023:
		exponent = -1022
	default:
		mantissa |= 1 << fraction
	}
	if precision >= 0 && precision < fraction/4 { // round to even
		shift := uint(fraction - 4*precision)
		half := uint64(1) << (shift - 1)
		rest := mantissa & (1<<shift - 1)
		mantissa >>= shift
		if rest > half || rest == half && mantissa&1 != 0 {
			mantissa++
		}
		mantissa <<= shift
	}
	digits := strconv.FormatUint(1<<fraction|mantissa&(1<<fraction-1), 16)[1:]
	if precision < 0 {
		digits = strings.TrimRight(digits, "0")
	} else {
		digits = (digits + strings.Repeat("0", max(precision-len(digits), 0)))[:precision]
	}
	text := strconv.FormatUint(mantissa>>fraction, 16)
	if digits != "" || alt {
		text += "." + digits
	}
	if exponent >= 0 {
		return text + "p+" + strconv.Itoa(exponent)
	}
	return text + "p" + strconv.Itoa(exponent)
}

// The requests to parseNumber, besides the size of the result in bits.
const inexact = 1 << 16

// parseNumber returns the number that the words after the first have the characters of, a floating-point number of args[0] bits as strconv
// knows it. With inexact, it returns whether the number is too small for that many bits: not 0, below the least normal number, and rounded.
func parseNumber(_ *Program, args []uint64) uint64 {
	var raw []byte
	for _, w := range args[1:] {
		raw = binary.LittleEndian.AppendUint64(raw, w)
	}
	text, _, _ := strings.Cut(string(raw), "\x00")
	size := int(args[0] &^ inexact)
	v, _ := strconv.ParseFloat(text, size) // out of range: an infinity or 0, as C has it
	if args[0]&inexact == 0 {
		return arith.FromFloat(v, uint8(size))
	}
	return arith.Truth(tiny(text, v, size))
}

// tiny reports whether text, of which v is the nearest number of size bits, denotes a number that is too small for them and not v.
func tiny(text string, v float64, size int) bool {
	mantissa, _, _ := strings.Cut(strings.TrimPrefix(text, "0x"), "e")
	if strings.HasPrefix(text, "0x") {
		mantissa, _, _ = strings.Cut(mantissa, "p")
	}
	least, bits := math.Ldexp(1, -1022), 53
	if size == 32 {
		least, bits = math.Ldexp(1, -126), 24
	}
	switch {
	case strings.Trim(mantissa, "0.") == "" || v > least:
		return false
	case v == 0:
		return true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok || exact.Cmp(new(big.Rat).SetFloat64(v)) == 0 {
		return false
	}
	// A number below the least normal one that becomes it by rounding is not tiny if it becomes it with all bits, too.
	limit := new(big.Rat).SetFloat64(least)
	step := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(bits+1)))
	limit.Sub(limit, step.Mul(step, limit))
	return exact.Cmp(limit) < 0
}

// constantByte returns the byte at args[0] if it never changes, otherwise -1.
func constantByte(p *Program, args []uint64) uint64 {
	s, local := p.slot(args[0])
	if s == nil || !s.ro || s.object < 0 {
		return math.MaxUint64
	}
	g := p.objects[s.object]
	switch off := local - s.base; {
	case off >= g.Size:
		return math.MaxUint64
	case off >= uint64(len(g.Init)):
		return 0
	default:
		return uint64(g.Init[off])
	}
}
