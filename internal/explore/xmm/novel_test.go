package xmm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
)

// TestNovel has programs in which a thread does something for the first time within the cycle that makes it do so.
func TestNovel(t *testing.T) {
	for _, prog := range []string{
		// It reads z before it writes c.
		"e=1 || q=e; if(q==0){f=1; p=c; c=2} else {p=c; if(p==1){z=1}} || b=f; k=c; if(b==0){b=z}; if(b==1){c=1}",
		// It writes z, by an address that it computes.
		"e=1 || q=e; if(q==0){f=1; p=c; k=1} else {p=c; [y,z:p]=1} || b=f; h=k; if(b==0){b=z}; if(b==1){c=1}",
		"e=1 || q=e; if(q==0){f=1; p=c; k=1} else {p=c; XCHG([y,z:p],1)} || b=f; h=k; if(b==0){b=z}; if(b==1){c=1}",
		// It reads z, by an address that it computes.
		"e=1 || q=e; if(q==0){f=1; p=c; c=2} else {p=c; if(p==1){z=1}} || b=f; k=c; if(b==0){g=e; b=[y,z:g]}; if(b==1){c=1}",
		// It writes y, because a counter has a value that it has only if the thread that reads y adds to it.
		"a=FADD(x,1); if(a==3){y=1} || FADD(x,1) || FADD(x,1) || b=y; if(b==1){FADD(x,1)}",
		"a=FADD(x,1); if(a==2){y=1} || FADD(x,1) || b=y; if(b==1){FADD(x,1)}",
	} {
		if diff := difference(t, brute.MustParse(prog)); diff != "" {
			t.Errorf("%s:\n%s", prog, diff)
		}
	}
}

// TestNovelRandom is TestRandom for programs with accesses whose location depends on what was read, and parts that only some values lead to.
func TestNovelRandom(t *testing.T) {
	t.Parallel()
	compareRandom(t, 12, novel)
}

// TestCounters is TestRandom for programs with a counter, and parts that only some values of it lead to.
func TestCounters(t *testing.T) {
	t.Parallel()
	compareRandom(t, 14, counting)
}

// counting returns a random program of three or four threads that add to x, and write y or z, some of them depending on what they have read.
func counting(r *rand.Rand) string {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	var threads []string
	read := func(reg string) string {
		return reg + "=" + one("x", "y", "y", "z", "FADD(x,1)", "FADD(x,1)", "FADD(x,1)", "CAS(x,1,2)", "CAS(x,2,3)")
	}
	for range 3 + r.IntN(2) {
		write := func() string { return one("y=1", "y=1", "z=1", "FADD(x,1)", "FADD(x,1)", "CAS(x,1,2)", "y=a") }
		thread := read("a")
		switch r.IntN(5) {
		case 0:
		case 1, 2:
			thread += fmt.Sprintf("; if(a==%d){%s}", r.IntN(4), write())
		case 3:
			thread += fmt.Sprintf("; if(a==%d){%s} else {%s}", r.IntN(3), write(), write())
		case 4:
			thread += "; " + read("b") + fmt.Sprintf("; if(b==%d){%s}", 1+r.IntN(3), write())
		}
		threads = append(threads, thread)
		if n := len(threads); n == 4 { // not too many accesses for brute force
			threads[3] = one("FADD(x,1)", "y=1", "a=y; if(a==1){FADD(x,1)}")
		}
	}
	return strings.Join(threads, " || ")
}

// novel returns a random program of two or three threads, each of which reads, perhaps branches on that, and accesses one of two locations.
func novel(r *rand.Rand) string {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	loc := func() string { return one("x", "y", "z") }
	var threads []string
	for range 2 + r.IntN(2) {
		n := 0
		reg := func() string { n++; return fmt.Sprintf("r%d", n-1) }
		last := func() string { return fmt.Sprintf("r%d", r.IntN(n)) }
		place := func() string {
			if r.IntN(3) > 0 {
				return "[" + one("x,y", "y,z", "z,x") + ":" + last() + "]"
			}
			return loc()
		}
		write := func() string {
			if r.IntN(6) == 0 {
				return "XCHG(" + place() + "," + one("0", "1") + ")"
			}
			return place() + "=" + one("1", "1", last()) + one("", "", "", ".rel")
		}
		first := reg() + "=" + loc() + one("", "", ".acq")
		if n == 1 && r.IntN(2) == 0 {
			at := one(loc(), "["+one("x,y", "y,z")+":r0]")
			first += "; " + reg() + "=" + at
		}
		rest := write()
		switch r.IntN(4) {
		case 0:
			rest = fmt.Sprintf("if(%s==%d){%s} else {%s}", last(), r.IntN(2), rest, write())
		case 1:
			rest = fmt.Sprintf("if(%s==%d){%s}", last(), r.IntN(2), rest)
		case 2:
			rest += "; " + write()
		}
		threads = append(threads, first+"; "+rest)
	}
	if len(threads) == 2 {
		threads = append(threads, loc()+"=1")
	}
	return strings.Join(threads, " || ")
}
