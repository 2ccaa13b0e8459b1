package machine

import (
	"fmt"
	"strings"

	"ravel/internal/ir"
)

// String prints a function, for failing tests.
func (f *fn) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s%v\n", f.name, f.params)
	op := func(o ir.Operand) string {
		switch {
		case o.Reg == ir.NoReg:
			return fmt.Sprintf("%#x", o.Imm)
		case o.Imm == 0:
			return fmt.Sprintf("r%d", o.Reg)
		}
		return fmt.Sprintf("r%d+%#x", o.Reg, o.Imm)
	}
	for i, b := range f.blocks {
		fmt.Fprintf(&s, "%d: %s\n", i, b.name)
		for k := range b.instrs {
			x := &b.instrs[k]
			name := map[ir.Op]string{midFreeStack: "freestack", midBuiltin: "builtin", midFail: "fail", midSpin: "spin", midUnroll: "unroll"}[x.Op]
			if x.Op <= ir.Unsupported {
				name = x.Op.String()
			}
			fmt.Fprintf(&s, "\t")
			x.defs(func(r ir.Reg) { fmt.Fprintf(&s, "r%d ", r) })
			fmt.Fprintf(&s, "= %s.%d.%d", name, x.Width, x.Size)
			if x.Callee != nil {
				fmt.Fprintf(&s, " %s", x.Callee.Name)
			}
			x.eachOperand(func(o *ir.Operand, _ bool) { fmt.Fprintf(&s, " %s", op(*o)) })
			fmt.Fprintln(&s, "", x.Targets)
		}
	}
	return s.String()
}
