package brute

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomOwnReads returns a random program in which a thread acquires what it wrote itself, and what it wrote depends on a read. What comes after the acquire may lead to the read. Other threads read the same
// locations.
func RandomOwnReads(r *rand.Rand) *Prog {
	locs := []string{"x", "y"}
	loc := func() string { return locs[r.IntN(len(locs))] }
	regs := 0
	newReg := func() string { regs++; return fmt.Sprintf("r%d", regs) }
	mode := func(strong string) string { return [...]string{"", "", strong, ".sc"}[r.IntN(4)] }
	value := func(read string) string {
		if read != "" && r.IntN(3) > 0 {
			return read + [...]string{"", "+1", "*0+1"}[r.IntN(3)]
		}
		return fmt.Sprint(1 + r.IntN(2))
	}
	some := func(read string) string {
		switch r.IntN(6) {
		case 0, 1:
			return newReg() + "=" + loc() + mode(".acq")
		case 2:
			return loc() + "=" + value(read) + mode(".rel")
		case 3:
			return newReg() + "=FADD(" + loc() + ",1)" + mode(".acq")
		case 4:
			return "F" + [...]string{".acq", ".rel", ".sc"}[r.IntN(3)]
		default:
			return newReg() + "=" + loc()
		}
	}
	join := func(parts ...string) string {
		var kept []string
		for _, p := range parts {
			if p != "" {
				kept = append(kept, p)
			}
		}
		return strings.Join(kept, "; ")
	}
	maybe := func(n int, s string) string {
		if r.IntN(n) > 0 {
			return ""
		}
		return s
	}
	x := loc()
	first, last := newReg(), newReg()
	threads := []string{
		join(maybe(4, some("")), first+"="+x, maybe(4, some(first)), x+"="+value(first), maybe(4, some(first)), newReg()+"="+x+".acq", maybe(5, some(first)), "l=1"+mode(".rel")),
		join(maybe(4, some("")), last+"=l"+mode(".acq"), maybe(3, some(last)), loc()+"="+value(last)+mode(".rel")),
		join(newReg()+"="+loc()+mode(".acq"), maybe(2, some(""))),
	}
	if r.IntN(5) == 0 {
		threads = append(threads, some(""))
	}
	r.Shuffle(len(threads), func(i, j int) { threads[i], threads[j] = threads[j], threads[i] })
	return MustParse(strings.Join(threads, " || "))
}
