package brute

import (
	"fmt"
	"strings"
)

// Deque returns the work-stealing deque of testdata/c/structures/deque.h without its ring, with so many items in it at first: b is the bottom, t the top. Its owner pops,
// then pushes; each thief steals once. What a thread would compute is in the branches.
//
// Each change of t is a compare-and-swap that adds 1, so t is at most the number of those. The owner does not go on with more.
func Deque(items, pops, pushes, thieves int) *Prog {
	d := deque{pops, pushes, thieves}
	last := items + pushes
	text := fmt.Sprintf("b=%d.rel", items) + d.owner(items, 0) + strings.Repeat(" || r0=t; F.sc; r1=b.acq"+steal(0, last), thieves)
	return MustParse(text)
}

type deque struct{ pops, pushes, thieves int }

// owner is what the owner does after n pops and pushes, when the bottom is b.
func (d *deque) owner(b, n int) string {
	switch {
	case n == d.pops+d.pushes:
		return ""
	case n >= d.pops:
		return fmt.Sprintf("; r%d=t.acq; b=%d.rel", 2*n, b+1) + d.owner(b+1, n+1)
	}
	return fmt.Sprintf("; b=%d; F.sc; r%d=t", b-1, 2*n) + d.popped(b, n, 0)
}

// popped is the rest of a pop that has read a top of at least t.
func (d *deque) popped(b, n, t int) string {
	if t > d.thieves+n {
		return ""
	}
	empty := fmt.Sprintf("; b=%d", b) + d.owner(b, n+1)
	if t >= b {
		return empty
	}
	taken := d.owner(b-1, n+1)
	if t == b-1 {
		taken = fmt.Sprintf("; r%d=CAS(t,%d,%d).acqrel/acq", 2*n+1, t, t+1) + empty
	}
	return fmt.Sprintf("; if(r%d==%d){%s} else {%s}", 2*n, t, strings.TrimPrefix(taken, "; "), strings.TrimPrefix(d.popped(b, n, t+1), "; "))
}

// steal is the rest of a theft that has read a top of at least t.
func steal(t, last int) string {
	if t == last {
		return ""
	}
	take := ""
	for b := last; b > t; b-- {
		take = fmt.Sprintf("if(r1==%d){r2=CAS(t,%d,%d).rel/rlx} else {%s}", b, t, t+1, take)
	}
	return fmt.Sprintf("; if(r0==%d){%s} else {%s}", t, take, strings.TrimPrefix(steal(t+1, last), "; "))
}
