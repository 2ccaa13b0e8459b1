package llvm

// An initWriter builds the initial bytes of a variable. The buffer grows to the last byte
// that is not zero.
type initWriter struct {
	lk  *linker
	s   *symbol
	buf []byte
}

func (w *initWriter) put(off, v uint64, n int) {
	if v == 0 {
		return
	}
	for i := range n {
		w.byte(off+uint64(i), byte(v>>(8*i)))
	}
}

func (w *initWriter) byte(off uint64, b byte) {
	if b == 0 {
		return
	}
	for uint64(len(w.buf)) <= off {
		w.buf = append(w.buf, 0)
	}
	w.buf[off] = b
}

func (w *initWriter) write(v value, off uint64) {
	lay := w.s.mod.lay
	lay.lay(v.typ)
	switch {
	case v.kind == vInt:
		w.put(off, v.bits, int(min(v.typ.size, 8)))
	case v.kind != vConst:
	case v.c.kind == cBytes:
		for i := 0; i < len(v.c.text); i++ {
			w.byte(off+uint64(i), v.c.text[i])
		}
	case v.c.kind == cElems && (v.typ.kind != kVector || v.typ.elem.scalarBits()%8 == 0):
		for i, e := range v.c.elems {
			_, o, _ := lay.field(v.typ, i)
			w.write(e, off+o)
		}
	case v.c.kind == cExpr && v.typ.isAggregate():
		w.lk.warn(w.s.mod, w.s.pos, "initialiser of '@%s' is not supported", w.s.name)
	default:
		w.words(v, off)
	}
}

// words writes a scalar or a vector that is not a list of elements.
func (w *initWriter) words(v value, off uint64) {
	words, bad := w.lk.eval(w.s.mod, v)
	if bad != "" {
		w.lk.warn(w.s.mod, w.s.pos, "in the initialiser of '@%s': %s is not supported", w.s.name, bad)
		return
	}
	if v.typ.kind == kVector && v.typ.elem.scalarBits()%8 != 0 {
		n := int(v.typ.size) * 8
		packed := make([]uint64, (n+63)/64)
		repackConst(packed, &Type{kind: kInt, bits: n}, words, v.typ)
		words = packed
	} else if v.typ.kind == kVector {
		step := v.typ.elem.nwords
		for i := range v.typ.lanes() {
			w.scalar(words[i*step:(i+1)*step], off+uint64(i)*v.typ.elem.size, v.typ.elem.size)
		}
		return
	}
	w.scalar(words, off, v.typ.size)
}

func (w *initWriter) scalar(words []uint64, off, size uint64) {
	for i, x := range words {
		if left := int(size) - 8*i; left > 0 {
			w.put(off+uint64(8*i), x, min(left, 8))
		}
	}
}
