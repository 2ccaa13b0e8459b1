package engine

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"ravel/internal/cache"
	"ravel/internal/event"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	"ravel/internal/machine"
	rt "ravel/internal/runtime"
)

var defines = regexp.MustCompile(`(?m)^define (?:dso_local |weak )*(?:i\d+|ptr|void|double) @(\w+)\(`)

// library returns what makes copies of a program: ravel's whole library, which has most instructions that there are.
func library(t *testing.T) func() *ir.Program {
	var names []string
	for _, m := range defines.FindAllSubmatch(rt.Library(), -1) {
		names = append(names, string(m[1]))
	}
	return program(t, names...)
}

// program returns what makes copies of a program that has these functions of the library.
func program(t *testing.T, names ...string) func() *ir.Program {
	p, err := llvm.Library(rt.Library(), names)
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return func() *ir.Program {
		p, err := ir.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// Code that is kept is what Compile makes.
func TestDecode(t *testing.T) {
	source := library(t)
	for i, opts := range []machine.Options{
		{},
		{SpinAssume: true, Rounds: true},
		{Unroll: 3, Overflow: true, Relaxed: true},
		{SpinAssume: true, Deps: true},
		{SpinAssume: true, Deps: true, Arms: true},
		{SpinAssume: true, Undef: true},
	} {
		if testing.Short() && i%4 != 1 {
			continue
		}
		p, q := source(), source()
		want, err := machine.Compile(p, opts)
		if err != nil {
			t.Fatal(err)
		}
		data, err := want.Encode()
		if err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		got, err := machine.Decode(q, opts, data)
		if err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: the code is another", opts)
		}
		for n := 0; n < len(data); n += 1 + len(data)/5 {
			if _, err := machine.Decode(source(), opts, data[:n]); err == nil {
				t.Fatalf("%+v: %d of %d bytes are code", opts, n, len(data))
			}
		}
	}
}

// The code of a program is kept for the same program with the same options only.
func TestCompile(t *testing.T) {
	source, small := library(t), program(t, "pthread_self")
	dir := t.TempDir()
	o := Options{Cache: cache.In(dir, cache.Limit)}
	compile := func(what string, entries int, p, q *ir.Program, opts machine.Options) {
		t.Helper()
		got, err := o.Compile(p, opts)
		if err != nil {
			t.Fatal(err)
		}
		want, err := machine.Compile(q, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the code is not that of the program", what)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != entries {
			t.Errorf("%s: %d entries, want %d, %v", what, len(files), entries, err)
		}
	}
	changed := func() *ir.Program {
		p := source()
		for _, f := range p.Funcs {
			for _, b := range f.Blocks {
				for i := range b.Instrs {
					if in := &b.Instrs[i]; in.Op == ir.RMW && in.Mode != event.Rlx {
						in.Mode = event.Rlx
						return p
					}
				}
			}
		}
		t.Fatal("the library has no read-modify-write")
		return nil
	}
	plain, tracked := machine.Options{SpinAssume: true}, machine.Options{SpinAssume: true, Undef: true}
	compile("at first", 1, source(), source(), plain)
	compile("again", 1, source(), source(), plain)
	compile("other options", 2, source(), source(), tracked)
	compile("another memory order", 3, changed(), changed(), plain)
	p, q := source(), source()
	compile("again", 3, p, q, plain)
	compile("a second time, after the first one added positions", 4, p, q, tracked)
	compile("again", 4, source(), source(), tracked)
	compile("a small program", 4, small(), small(), plain)

	entries, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Truncate(e, 1000); err != nil {
			t.Fatal(err)
		}
	}
	compile("damaged entries", 4, source(), source(), plain)
}
