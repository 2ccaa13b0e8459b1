package litmus

import (
	"fmt"
	"slices"
	"strings"
)

// String returns the operation in one line, as in the package comment's table.
func (op *Op) String() string {
	var b strings.Builder
	excl := ""
	if op.Excl {
		excl = ".excl"
	}
	switch op.Kind {
	case Set:
		fmt.Fprintf(&b, "%s = %s", op.Dst, op.X)
	case Load:
		fmt.Fprintf(&b, "%s = load%s.%d [%s]", op.Dst, excl, op.Size, op.Addr)
	case Store:
		if op.Dst != "" {
			fmt.Fprintf(&b, "%s = ", op.Dst)
		}
		fmt.Fprintf(&b, "store%s.%d [%s] = %s", excl, op.Size, op.Addr, op.X)
		if op.Pair >= 0 {
			fmt.Fprintf(&b, " pair %d", op.Pair)
		}
	case Fence:
		b.WriteString("fence")
		if op.Addr != nil {
			fmt.Fprintf(&b, " [%s]", op.Addr)
		}
	case Branch:
		b.WriteString("goto ")
		fmt.Fprint(&b, op.To)
		if op.X != nil {
			fmt.Fprintf(&b, " if %s", op.X)
		}
		if op.Join >= 0 {
			fmt.Fprintf(&b, " join %d", op.Join)
		}
	case Jump:
		fmt.Fprintf(&b, "jump %s", op.X)
	case Clear:
		b.WriteString("clear")
	case Assume:
		fmt.Fprintf(&b, "assume %s", op.X)
	case Choose:
		fmt.Fprintf(&b, "%s = choose", op.Dst)
	case Lock:
		fmt.Fprintf(&b, "lock [%s]", op.Addr)
	case Unlock:
		fmt.Fprintf(&b, "unlock [%s]", op.Addr)
	case Start:
		fmt.Fprintf(&b, "start %s", op.X)
	case Join:
		fmt.Fprintf(&b, "join %s", op.X)
	case External:
		fmt.Fprintf(&b, "print %s", op.X)
	case Freeze:
		b.WriteString("freeze")
	}
	if len(op.Sets) > 0 {
		fmt.Fprintf(&b, " {%s}", strings.Join(op.Sets, " "))
	}
	if op.Else != nil {
		fmt.Fprintf(&b, " else {%s}", strings.Join(op.Else, " "))
	}
	if op.Ref != nil {
		fmt.Fprintf(&b, " of %s", op.Ref)
	}
	if op.If != nil {
		fmt.Fprintf(&b, " when %s", op.If)
	}
	return b.String()
}

// String returns the location as herd prints it.
func (l Loc) String() string {
	switch {
	case l.IsReg():
		return fmt.Sprintf("%d:%s", l.Thread, l.Reg)
	case l.Index >= 0:
		return fmt.Sprintf("%s[%d]", l.Var, l.Index)
	}
	return "[" + l.Var + "]"
}

func (a *Atom) String() string {
	op := "="
	if a.NotEqual {
		op = "!="
	}
	switch {
	case a.Elems != nil:
		return fmt.Sprintf("%s%s%s", a.Loc.Var, op, elements(a.Elems)) // without brackets, as herd has it
	case a.Other != nil:
		return fmt.Sprintf("%s%s%s", a.Loc, op, a.Other)
	}
	return fmt.Sprintf("%s%s%s", a.Loc, op, a.Value)
}

func elements(vals []Value) string {
	var s []string
	for _, v := range vals {
		s = append(s, v.String())
	}
	return "{" + strings.Join(s, ",") + "}"
}

func (x *Prop) String() string {
	switch x.Kind {
	case PTrue:
		return "true"
	case PFalse:
		return "false"
	case PAtom:
		return x.Atom.String()
	case PNot:
		return "not (" + x.Args[0].String() + ")"
	}
	mark := map[PropKind]string{PAnd: ` /\ `, POr: ` \/ `, PImplies: " => "}[x.Kind]
	var parts []string
	for _, a := range x.Args {
		s := a.String()
		if a.Kind >= PAnd {
			s = "(" + s + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, mark)
}

func (c Cond) String() string { return c.Quant.String() + " (" + c.Prop.String() + ")" }

// String returns all of a test, for people.
func (t *Test) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", t.Arch, t.Name)
	if t.Doc != "" {
		fmt.Fprintf(&b, " %q", t.Doc)
	}
	b.WriteByte('\n')
	for _, i := range t.Info {
		fmt.Fprintf(&b, "info %s=%s\n", i.Key, i.Value)
	}
	for _, v := range t.Vars {
		typ := v.Type.Name
		if typ == "" {
			typ = "int"
		}
		if v.Array {
			fmt.Fprintf(&b, "var %s %s[%d] = %s\n", typ, v.Name, len(v.Init), elements(v.Init))
		} else {
			fmt.Fprintf(&b, "var %s %s = %s\n", typ, v.Name, v.Init[0])
		}
	}
	for _, th := range t.Threads {
		th.print(&b)
	}
	if t.Scopes != "" {
		fmt.Fprintln(&b, t.Scopes)
	}
	if len(t.Locations) > 0 {
		b.WriteString("locations")
		for _, o := range t.Locations {
			fmt.Fprintf(&b, " %s", strings.TrimSpace(o.Loc.String()+" "+o.Type.Name))
		}
		b.WriteByte('\n')
	}
	if t.Filter != nil {
		fmt.Fprintf(&b, "filter %s\n", t.Filter)
	}
	for _, p := range t.Required {
		fmt.Fprintf(&b, "required (%s)\n", p)
	}
	for _, p := range t.Forbidden {
		fmt.Fprintf(&b, "forbidden (%s)\n", p)
	}
	fmt.Fprintln(&b, t.Cond)
	return b.String()
}

func (th *Thread) print(b *strings.Builder) {
	fmt.Fprintf(b, "P%d\n", th.ID)
	for _, i := range th.Init {
		fmt.Fprintf(b, "  init %s = %s\n", strings.TrimSpace(i.Type.Name+" "+string(i.Reg)), i.Value)
	}
	var labels []string
	for l := range th.Labels {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	ins := -1
	for i := 0; i <= len(th.Ops); i++ {
		for _, l := range labels {
			if th.Labels[l] == i {
				fmt.Fprintf(b, "  %s:\n", l)
			}
		}
		if i == len(th.Ops) {
			break
		}
		op := &th.Ops[i]
		if op.Ins != ins {
			ins = op.Ins
			fmt.Fprintf(b, "  ; %d:%d %s\n", th.Instrs[ins].Line, th.Instrs[ins].Col, th.Instrs[ins].Text)
		}
		fmt.Fprintf(b, "  %2d  %s\n", i, op)
	}
}
