package jmm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The code that C2 of JDK 17 makes for a monitor is one block each, which is lifted as a whole. There are several paths. If the monitor is not inflated, a locked instruction takes it and another
// one releases it. If it is, a locked instruction takes it, and a store releases it, unless others wait. Otherwise the runtime does the same.
//
// Definition. To lock m is lifted to an xchg that puts 1 into m. If 1 was there, the thread ends, and the execution does not count. To unlock m is lifted to a store of 0.
//
// Lemma. The lifted test has the outcomes of the code, whichever of the paths its threads take.
//
// Proof. Take an execution of the code in which all threads end. An attempt that fails is a locked instruction that changes nothing, or a wait in the runtime: no variable of the test is accessed. Without it
// less is ordered, and the values are the same. The attempt that succeeds is a locked instruction on every path, as xchg is. A release is a store to what the next attempt reads, or a locked instruction, which
// orders more than a store. So the lifted test has the outcome. Conversely, its executions that count are those in which every attempt succeeds, the monitors are inflated, and nobody waits. ∎
//
// A monitor that is locked again by its owner is not lifted.

// A pattern is code with names for registers and places.
type pattern []string

var lockPattern = pattern{
	"mov (OBJ),%rax",
	"test $0x2,%rax",
	"jne @inflated",
	"or $0x1,%rax",
	"mov %rax,(BOX)",
	"lock cmpxchg BOX,(OBJ)",
	"je @done",
	"sub %rsp,%rax",
	"and $0xfffffffffffff007,%rax",
	"mov %rax,(BOX)",
	"jmp @done",
	"inflated: mov %rax,TMP",
	"xor %rax,%rax",
	"lock cmpxchg %r15,OWNER(TMP)",
	"movq $0x3,(BOX)",
	"je @done",
	"cmp %rax,%r15",
	"jne @done",
	"incq DEPTH(TMP)",
	"xor %rax,%rax",
	"done: jne @slow",
}

var unlockPattern = pattern{
	"cmpq $0x0,(%rax)",
	"je @done",
	"mov (OBJ),TMP",
	"test $0x2,TMP",
	"je @stacked",
	"cmpq $0x0,DEPTH(TMP)",
	"je @last",
	"decq DEPTH(TMP)",
	"jmp @good",
	"last: mov FIRST(TMP),%rax",
	"or SECOND(TMP),%rax",
	"jne @others",
	"movq $0x0,OWNER(TMP)",
	"jmp @done",
	"others: cmpq $0x0,NEXT(TMP)",
	"je @bad",
	"xor %rax,%rax",
	"movq $0x0,OWNER(TMP)",
	"lock addl $0x0,(%rsp)",
	"cmpq $0x0,NEXT(TMP)",
	"jne @good",
	"lock cmpxchg %r15,OWNER(TMP)",
	"jne @good",
	"bad: or $0x1,%eax",
	"jmp @done",
	"good: test $0x0,%eax",
	"jmp @done",
	"stacked: mov (%rax),TMP",
	"lock cmpxchg TMP,(OBJ)",
	"done: jne @slow",
}

var patternName = regexp.MustCompile(`@?[A-Z]+|@[a-z]+`)

// match returns what the names of p stand for in the code from i on, nil if that is other code. The slow path has to come back to what follows.
func (p pattern) match(code []instr, index map[uint64]int, i int) map[string]string {
	if i+len(p) >= len(code) {
		return nil
	}
	bound, places := map[string]string{}, map[string]int{}
	for k, want := range p {
		if name, rest, ok := strings.Cut(want, ": "); ok {
			places[name], want = i+k, rest
		}
		var names []string
		var re strings.Builder
		last := 0
		for _, at := range patternName.FindAllStringIndex(want, -1) {
			re.WriteString(regexp.QuoteMeta(want[last:at[0]]))
			name := want[at[0]:at[1]]
			names = append(names, name)
			switch {
			case name[0] == '@':
				re.WriteString(`(?:0x)?([0-9a-f]+)`)
			case name == "OBJ" || name == "BOX" || name == "TMP":
				re.WriteString(`(%r\w+)`)
			default:
				re.WriteString(`(0x[0-9a-f]+)`)
			}
			last = at[1]
		}
		re.WriteString(regexp.QuoteMeta(want[last:]))
		have, _, _ := strings.Cut(code[i+k].text, "#")
		have = strings.ReplaceAll(have, "0x0(", "(") // some registers can't do without
		m := regexp.MustCompile("^" + re.String() + "$").FindStringSubmatch(strings.Join(strings.Fields(have), " "))
		if m == nil {
			return nil
		}
		for n, name := range names {
			if old, ok := bound[name]; ok && old != m[n+1] {
				return nil
			}
			bound[name] = m[n+1]
		}
	}
	for name, value := range bound {
		if name[0] != '@' {
			continue
		}
		to, err := strconv.ParseUint(value, 16, 64)
		j, ok := index[to]
		if place, here := places[name[1:]]; err != nil || !ok || here && place != j || !here && !comesBack(code, index, j, i+len(p)) {
			return nil
		}
	}
	return bound
}

// comesBack reports whether the code from i on calls the runtime and goes to place to.
func comesBack(code []instr, index map[uint64]int, i, to int) bool {
	for called := false; i < len(code); i++ {
		switch op, args := parseInstr(code[i].text); {
		case strings.HasPrefix(op, "call"):
			called = true
		case strings.HasPrefix(op, "j"):
			at, err := strconv.ParseUint(strings.TrimPrefix(args[0], "0x"), 16, 64)
			j, ok := index[at]
			return called && (op == "jmp" || op == "jmpq") && err == nil && ok && j == to
		case strings.HasPrefix(op, "ret"):
			return false
		}
	}
	return false
}

// monitor lifts the code that locks or unlocks a monitor, if it begins at i.
func (l *lifter) monitor(t int, code []instr, index map[uint64]int, i int, s *step) (ok bool, err error) {
	locks := lockPattern.match(code, index, i)
	unlocks := unlockPattern.match(code, index, i)
	bound, n := locks, len(lockPattern)
	if unlocks != nil {
		bound, n = unlocks, len(unlockPattern)
	}
	if bound == nil {
		return false, nil
	}
	name, ok := strings.CutPrefix(s.known[full(bound["OBJ"])], isRef(""))
	box := bound["BOX"]
	if unlocks != nil {
		box = "%rax"
	}
	if !ok || l.test.Var(name).Array || s.known[full(box)] != isStack {
		return false, fmt.Errorf("%s: a monitor that is not one of the test", code[i].text)
	}
	if locks != nil {
		if s.known[held(name)] != "" {
			return false, fmt.Errorf("%s: the monitor %s is locked twice", code[i].text, name)
		}
		l.waits = true
		s.known[held(name)] = "yes"
		here := fmt.Sprintf("M%d%d", t, i)
		s.lines = []string{"movl $1,%eax", fmt.Sprintf("xchgl %%eax,(%s)", name), "testl %eax,%eax", "je " + here, fmt.Sprintf("movl $1,(%s)", waitsName), fmt.Sprint("jmp E", t), here + ":"}
	} else {
		if s.known[held(name)] == "" {
			return false, fmt.Errorf("%s: the monitor %s may not be locked", code[i].text, name)
		}
		delete(s.known, held(name))
		s.lines = []string{fmt.Sprintf("movl $0,(%s)", name)}
	}
	for _, r := range []string{"%rax", box, bound["TMP"]} {
		delete(s.known, full(r))
	}
	s.next = i + n
	return true, nil
}
