package llvm

import (
	"strings"

	"ravel/internal/ir"
)

// Output is thrown away, so a call of printf does nothing but count characters and read strings. The library's printf does that. Where nobody
// uses the number, which is what most calls are, they become calls of the machine's __ravel_print, which looks at what is printed.

// formatOf has the numbers of the arguments that are formats.
var formatOf = map[string]int{"printf": 0, "fprintf": 1, "dprintf": 1, "__printf_chk": 1, "__fprintf_chk": 2, "__dprintf_chk": 2}

// printsOnly returns the arguments from the format on of a call of s, one of the library's functions, if only what it prints matters.
func (l *lowerer) printsOnly(in *inst, s *symbol, args []value) (printed []value, ok bool) {
	at, ok := formatOf[s.name]
	if !ok || !s.mod.runtime || l.mod.runtime || at >= len(args) {
		return nil, false
	}
	format, ok := constantText(args[at])
	return args[at:], ok && isPlain(format) && !l.uses(in.res)
}

// isPlain reports whether a format has no conversion but those of numbers, characters, strings and pointers: none that stores.
func isPlain(format string) bool {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return true
		}
		rest = strings.TrimLeft(rest, "-+ #0123456789.*hlzjtLq")
		if rest == "" || strings.IndexByte("%csdiuoxXaAeEfFgGp", rest[0]) < 0 {
			return false
		}
		format = rest[1:]
	}
}

// constantText returns the string that v points to, if it is constant.
func constantText(v value) (text string, ok bool) {
	for v.kind == vConst && v.c.kind == cExpr {
		e := v.c.expr
		for _, i := range e.args[1:] {
			if i.kind != vInt || i.bits != 0 {
				return "", false
			}
		}
		if !e.noop && e.op != opGEP {
			return "", false
		}
		v = e.args[0]
	}
	if v.kind != vConst || v.c.kind != cGlobal {
		return "", false
	}
	g := v.c.sym.gv
	if g == nil || !g.isConst || !g.hasInit || g.init.kind != vConst || g.init.c.kind != cBytes {
		return "", false
	}
	text, _, ok = strings.Cut(g.init.c.text, "\x00")
	return text, ok
}

// uses reports whether an instruction of the function uses the local.
func (l *lowerer) uses(local int32) bool {
	if local < 0 {
		return false
	}
	for _, b := range l.f.blocks {
		for i := range b.insts {
			for _, a := range b.insts[i].args {
				if a.kind == vLocal && a.id == local {
					return true
				}
			}
		}
	}
	return false
}

// printer returns the machine's function that prints.
func (lk *linker) printer() *ir.Func {
	if lk.print == nil {
		lk.print = &ir.Func{Name: lk.unique("__ravel_print")}
		lk.prog.AddFunc(lk.print)
		lk.declared[lk.print] = true
	}
	return lk.print
}
