package ir

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// filled returns a program in which every field of every struct has a value of its own, so that a field that Encode forgets is missed.
func filled() *Program {
	p := &Program{}
	n := uint64(0)
	inner := &Shape{Name: "int", Size: 4, Signed: true}
	list := &Shape{Name: "list", Size: 16, Fields: []Field{{Name: "value", Type: inner}, {Name: "next", Offset: 8}}}
	list.Fields[1].Type = &Shape{Name: "list *", Size: 8, IsPtr: true, Ptr: list} // a cycle
	var fill func(v reflect.Value, depth int)
	fill = func(v reflect.Value, depth int) {
		n++
		if !v.CanSet() { // unexported
			v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
		}
		switch x := v.Addr().Interface().(type) {
		case **Global, **Func, *[]*Global, *[]*Func: // below
			return
		case **Shape:
			*x = list
			return
		case *Pos, *Scope:
			v.Set(reflect.Zero(v.Type()))
			return
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString(strings.Repeat("s", int(n%100)+1))
		case reflect.Int, reflect.Int32, reflect.Int64:
			v.SetInt(-int64(n))
		case reflect.Uint8:
			v.SetUint(n%250 + 1)
		case reflect.Uint64:
			v.SetUint(^n)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			for i := range 2 {
				fill(v.Index(i), depth+1)
			}
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i), depth+1)
			}
		default:
			panic(v.Type().String())
		}
	}
	fill(reflect.ValueOf(p).Elem(), 0)
	g, f := &Global{}, &Func{}
	fill(reflect.ValueOf(g).Elem(), 0)
	fill(reflect.ValueOf(f).Elem(), 0)
	decl := &Func{Name: "declared"}
	p.Globals, p.Funcs = []*Global{g}, []*Func{f, decl}
	p.Ctors, p.Dtors, p.Main = []*Func{f, decl}, []*Func{decl}, f
	for i := range p.Positions {
		p.Positions[i].File, p.Positions[i].Scope, p.Positions[i].InlinedAt = i-1, i, Pos(i)
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			in.Global, in.Callee, in.Var, in.Pos = g, decl, f.Blocks[0].Instrs[0].Var, 1
			in.A, in.B, in.C = R(3), Imm(1<<63+5), R(0)
			in.Args = []Operand{R(7), Imm(9)}
		}
	}
	f.Blocks[1].Instrs[1] = Instr{Op: Ret, Dst: NoReg, Dst2: NoReg, A: Imm(0), B: Imm(0), C: Imm(0), Args: []Operand{}}
	return p
}

// TestEncode encodes and decodes a program that uses every field.
func TestEncode(t *testing.T) {
	p := filled()
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	q, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p, q) {
		t.Errorf("decoded:\n%+v\nwant:\n%+v", q, p)
	}
	if q.Funcs[0].Blocks[0].Instrs[0].Var != q.Funcs[0].Blocks[0].Instrs[1].Var || q.Ctors[0] != q.Funcs[0] {
		t.Error("what was one is two")
	}
	again, err := q.Encode()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("encoded again: other bytes (%v)", err)
	}
}

// TestEncodeIncomplete encodes a program that calls a function of another one.
func TestEncodeIncomplete(t *testing.T) {
	p := &Program{Main: &Func{Name: "elsewhere"}}
	if _, err := p.Encode(); err == nil {
		t.Error("no error")
	}
}

// TestDecodeDamaged decodes torn and damaged programs: the checksum tells, and without it there is an error or a program, no panic.
func TestDecodeDamaged(t *testing.T) {
	data, err := filled().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := Decode(data[:n]); err == nil {
			t.Fatalf("no error after %d of %d bytes", n, len(data))
		}
	}
	other := append([]byte(nil), data...)
	other[len(magic)] = Format + 1
	if _, err := Decode(sealed(other)); err == nil || !strings.Contains(err.Error(), "format") {
		t.Errorf("another format: %v", err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		broken := append([]byte(nil), data...)
		for range 1 + rng.IntN(3) {
			broken[len(magic)+rng.IntN(len(data)-len(magic)-sha256.Size)] = byte(rng.UintN(256))
		}
		if p, err := Decode(sealed(broken)); err == nil {
			_ = p.Check()
		}
	}
}

// sealed gives data the checksum that it should have.
func sealed(data []byte) []byte {
	n := len(data) - sha256.Size
	sum := sha256.Sum256(data[:n])
	return append(data[:n:n], sum[:]...)
}
