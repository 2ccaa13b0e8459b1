package jmm

import (
	"fmt"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/litmus"
)

// A translator makes a test for a processor from one in Java, statement by statement and without optimisation: it is
// the scheme that is on trial. Registers keep their names, so that final states are those of the source.
type translator struct {
	scheme *Scheme
	test   *litmus.Test
	src    *litmus.Thread
	dst    *litmus.Thread
	temps  int
}

// Translate returns the test as a scheme compiles it.
func Translate(test *litmus.Test, s *Scheme) (out *litmus.Test, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			out, err = nil, r.err
		default:
			panic(r)
		}
	}()
	c := *test
	c.Arch, c.Name, c.Threads = s.Dialect.Name, test.Name+" for "+s.Name, nil
	for _, th := range test.Threads {
		t := &translator{scheme: s, test: test, src: th}
		c.Threads = append(c.Threads, t.thread())
	}
	return &c, nil
}

func (t *translator) thread() *litmus.Thread {
	t.dst = &litmus.Thread{ID: t.src.ID, Labels: map[string]int{}, Init: t.src.Init, Types: t.src.Types}
	ops := t.src.Ops
	place := make([]int, len(ops)+1) // where each operation of the source begins
	for i := 0; i < len(ops); i++ {
		place[i] = len(t.dst.Ops)
		last := t.op(i)
		for ; i < last; i++ {
			place[i+1] = len(t.dst.Ops)
		}
	}
	place[len(ops)] = len(t.dst.Ops)
	for i := range t.dst.Ops {
		op := &t.dst.Ops[i]
		if op.Kind == litmus.Branch && op.To <= -2 { // of the source
			op.To = place[-2-op.To]
		}
	}
	return t.dst
}

// emit appends an operation of a new instruction.
func (t *translator) emit(from *litmus.Op, text string, op litmus.Op) int {
	in := t.src.Instrs[from.Ins]
	in.Text = text
	t.dst.Instrs = append(t.dst.Instrs, in)
	return t.more(op)
}

// more appends an operation of the same instruction.
func (t *translator) more(op litmus.Op) int {
	op.Ins = len(t.dst.Instrs) - 1
	if op.Kind != litmus.Store || op.Pair == 0 {
		op.Pair = -1
	} else {
		op.Pair--
	}
	if op.Kind != litmus.Branch {
		op.To = -1
	}
	op.Join = -1 // what comes after a branch depends on it
	t.dst.Ops = append(t.dst.Ops, op)
	return len(t.dst.Ops) - 1
}

func (t *translator) fail(op *litmus.Op, format string, args ...any) {
	w := &writer{test: t.test, th: t.src}
	w.fail(op, format, args...)
}

func (t *translator) fence(from *litmus.Op, tag event.Tag) {
	if tag != event.NoTag {
		t.emit(from, t.scheme.FenceAsm(tag), litmus.Op{Kind: litmus.Fence, Sets: []string{t.scheme.FenceSet(tag)}})
	}
}

// op translates an operation, or all of a read-modify-write, and returns the index of the last one.
func (t *translator) op(i int) int {
	ops := t.src.Ops
	op := &ops[i]
	if ofObject(op) {
		t.fail(op, "compile does not do final fields: %s", t.src.Instrs[op.Ins].Text)
	}
	switch op.Kind {
	case litmus.Set:
		t.emit(op, fmt.Sprintf("%s = %s", op.Dst, op.X), litmus.Op{Kind: litmus.Set, Dst: op.Dst, X: op.X, If: op.If})
	case litmus.Branch:
		text := "branch"
		if op.X != nil {
			text = fmt.Sprintf("branch if %s", op.X)
		}
		t.emit(op, text, litmus.Op{Kind: litmus.Branch, X: op.X, To: -2 - op.To})
	case litmus.Fence:
		name, _, _ := strings.Cut(strings.TrimPrefix(t.src.Instrs[op.Ins].Text, "VarHandle."), "(")
		t.fence(op, t.scheme.fenceOf(name))
	case litmus.Choose: // of a weak compare-and-set; only an exclusive store fails without reason
		if !t.scheme.Locked {
			t.emit(op, "the store may fail", litmus.Op{Kind: litmus.Choose, Dst: op.Dst})
		} else {
			t.emit(op, "", litmus.Op{Kind: litmus.Set, Dst: op.Dst, X: litmus.Number(1)})
		}
	case litmus.Load:
		for j := i + 1; j < len(ops) && ops[j].Ins == op.Ins; j++ {
			if ops[j].Kind == litmus.Store && ops[j].Pair == i {
				t.update(i, j)
				return j
			}
		}
		a := t.scheme.Load[modeOf(op.Sets)]
		t.fence(op, a.Before)
		t.emit(op, fmt.Sprintf("%s %s, [%s]", t.scheme.Asm.Load[a.Mark], op.Dst, op.Addr), litmus.Op{Kind: litmus.Load, Dst: op.Dst, Addr: op.Addr, Size: op.Size, Sets: t.scheme.sets(a)})
		t.fence(op, a.After)
	case litmus.Store:
		a := t.scheme.Store[modeOf(op.Sets)]
		t.fence(op, a.Before)
		t.emit(op, fmt.Sprintf("%s [%s], %s", t.scheme.Asm.Store[a.Mark], op.Addr, op.X), litmus.Op{Kind: litmus.Store, Addr: op.Addr, X: op.X, Size: op.Size, Sets: t.scheme.sets(a)})
		t.fence(op, a.After)
	default:
		t.fail(op, "compile does not do this: %s", t.src.Instrs[op.Ins].Text)
	}
	return i
}

// update translates a read-modify-write, operations i to j of the source.
func (t *translator) update(i, j int) {
	load, store := &t.src.Ops[i], &t.src.Ops[j]
	m := max(modeOf(load.Sets), modeOf(store.Sets))
	read, write := t.scheme.Read[m], t.scheme.Write[m]
	t.fence(load, read.Before)
	if !t.scheme.Locked {
		t.exclusive(i, j, read, write)
	} else {
		name := t.scheme.instruction(t.src.Instrs[load.Ins].Text) + t.scheme.Asm.Suffix[m]
		n := t.emit(load, fmt.Sprintf("%s [%s]", name, load.Addr), litmus.Op{Kind: litmus.Load, Dst: load.Dst, Addr: load.Addr, Size: load.Size, Sets: t.scheme.updateSets(read)})
		for k := i + 1; k < j; k++ {
			t.more(litmus.Op{Kind: litmus.Set, Dst: t.src.Ops[k].Dst, X: t.src.Ops[k].X})
		}
		t.more(litmus.Op{Kind: litmus.Store, Addr: store.Addr, X: store.X, If: store.If, Size: store.Size, Sets: t.scheme.updateSets(write), Pair: n + 1})
	}
	t.fence(load, write.After)
}

// exclusive is a loop over a load-exclusive and a store-exclusive that succeeds: rounds that fail only read. A
// comparison branches around the store, which is a control dependency for all that follows.
func (t *translator) exclusive(i, j int, read, write arch.Access) {
	load, store := &t.src.Ops[i], &t.src.Ops[j]
	t.emit(load, fmt.Sprintf("%s %s, [%s]", t.scheme.Asm.Updates["load"], load.Dst, load.Addr), litmus.Op{Kind: litmus.Load, Dst: load.Dst, Addr: load.Addr, Size: load.Size, Sets: t.scheme.updateSets(read), Excl: true})
	skip := -1
	for k := i + 1; k < j; k++ {
		t.emit(load, fmt.Sprintf("%s = %s", t.src.Ops[k].Dst, t.src.Ops[k].X), litmus.Op{Kind: litmus.Set, Dst: t.src.Ops[k].Dst, X: t.src.Ops[k].X})
	}
	if store.If != nil {
		skip = t.emit(load, "branch if different", litmus.Op{Kind: litmus.Branch, X: &litmus.Unary{Op: litmus.LNot, Width: 64, X: store.If}, To: 0})
	}
	t.temps++
	failed := litmus.Reg(fmt.Sprintf("$x%d", t.temps))
	t.emit(load, fmt.Sprintf("%s [%s], %s", t.scheme.Asm.Updates["store"], store.Addr, store.X), litmus.Op{Kind: litmus.Store, Dst: failed, Addr: store.Addr, X: store.X, Size: store.Size, Sets: t.scheme.updateSets(write), Excl: true})
	t.more(litmus.Op{Kind: litmus.Assume, X: &litmus.Unary{Op: litmus.LNot, Width: 64, X: failed}})
	if skip >= 0 {
		t.dst.Ops[skip].To = len(t.dst.Ops)
	}
}

// Listing prints the compiled threads one after the other.
func Listing(test *litmus.Test) string {
	var b strings.Builder
	for _, th := range test.Threads {
		fmt.Fprintf(&b, "Thread%d\n", th.ID)
		last := -1
		for i := range th.Ops {
			if ins := th.Ops[i].Ins; ins != last && th.Instrs[ins].Text != "" {
				fmt.Fprintf(&b, "  %4d  %s\n", i, th.Instrs[ins].Text)
				if op := &th.Ops[i]; op.Kind == litmus.Branch {
					b.WriteString("        to " + fmt.Sprint(op.To) + "\n")
				}
			}
			last = th.Ops[i].Ins
		}
	}
	return b.String()
}
