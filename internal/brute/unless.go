package brute

import (
	"math/rand/v2"
	"regexp"
)

var (
	anyCAS  = regexp.MustCompile(`\bW?CAS\(`)
	lockCAS = regexp.MustCompile(`\bW?CAS\((\w+),0,1\)`)
)

// AddUnless turns compare-and-swaps of p into additions that depend on what is there, as those of semaphores and read-write locks. It returns false if there are none.
func AddUnless(r *rand.Rand, p *Prog) (*Prog, bool) {
	text := p.String()
	if !anyCAS.MatchString(text) {
		return p, false
	}
	if r.IntN(2) == 0 {
		text = lockCAS.ReplaceAllString(text, "ADDUNLESS($1,1,1)")
	}
	if r.IntN(2) == 0 {
		text = anyCAS.ReplaceAllStringFunc(text, func(s string) string {
			if r.IntN(3) == 0 {
				return s
			}
			return "ADDUNLESS("
		})
	}
	return MustParse(text), true
}
