package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ravel/internal/ir"
)

// TestDebug compiles a program and asks where things are.
func TestDebug(t *testing.T) {
	src := `#include <stdatomic.h>
struct node { int v; char name[4]; const struct node *next; };
typedef struct node node_t;
node_t list[2];
atomic_int flag;
unsigned long grid[2][3];
enum color { RED } paint;
static inline __attribute__((always_inline)) void set(int n) {
  atomic_store(&flag, n);
}
int main(void) {
  set(3);
  return 0;
}
`
	file := filepath.Join(t.TempDir(), "x.c")
	os.WriteFile(file, []byte(src), 0o666)
	for _, clang := range allClangs(t) {
		p, err := Load([]string{file}, Options{Clang: clang, Flags: []string{"-O1"}})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, b := range p.Main.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.Store {
					continue
				}
				found = true
				pos := p.Positions[in.Pos]
				if p.Files[pos.File] != file || pos.Line != 9 || pos.Func != "set" || p.Positions[pos.InlinedAt].Line != 12 || p.Positions[pos.InlinedAt].Func != "main" {
					t.Errorf("%s: store at %+v, inlined at %+v", clang, pos, p.Positions[pos.InlinedAt])
				}
			}
		}
		if !found {
			t.Errorf("%s: no store in main", clang)
		}
		if pos := p.Positions[p.Main.Pos]; pos.Line != 11 || pos.Func != "main" {
			t.Errorf("%s: main at %+v", clang, pos)
		}
		list := globalNamed(p, "list")
		if pos := p.Positions[list.Pos]; pos.Line != 4 || p.Files[pos.File] != file {
			t.Errorf("%s: list at %+v", clang, pos)
		}
		s := list.Shape
		if s == nil || s.Size != 32 || s.Elem == nil || s.Elem.Size != 16 || len(s.Elem.Fields) != 3 {
			t.Fatalf("%s: shape of list %+v", clang, s)
		}
		checkVars(t, clang, file)
		f := s.Elem.Fields
		if f[0].Name != "v" || !f[0].Type.Signed || f[1].Offset != 4 || f[1].Type.Elem == nil || !f[1].Type.Elem.Char || f[2].Name != "next" || f[2].Offset != 8 || !f[2].Type.IsPtr || len(f[2].Type.Ptr.Fields) != 3 {
			t.Errorf("%s: fields %+v", clang, f)
		}
		if s := globalNamed(p, "flag").Shape; s == nil || s.Size != 4 || !s.Signed || s.Name != "atomic_int" {
			t.Errorf("%s: shape of flag %+v", clang, s)
		}
		if s := globalNamed(p, "grid").Shape; s == nil || s.Size != 48 || s.Elem == nil || s.Elem.Size != 24 || s.Elem.Elem == nil || s.Elem.Elem.Size != 8 || s.Elem.Elem.Signed {
			t.Errorf("%s: shape of grid %+v", clang, s)
		}
	}
}

// checkVars asks for the variables on the stack, which at -O0 are all there.
func checkVars(t *testing.T, clang, file string) {
	src := "struct s { int a; struct s *next; };\nint f(int n) {\n  struct s node[2];\n  { char c = 1; node->a = c; }\n  return node->a + n;\n}\nint main(void) { return f(0); }\n"
	file = filepath.Join(filepath.Dir(file), "vars.c")
	os.WriteFile(file, []byte(src), 0o666)
	p, err := Load([]string{file}, Options{Clang: clang})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if v := in.Var; v != nil {
					pos := p.Positions[v.Pos]
					got = append(got, fmt.Sprintf("%s:%d:%d %s %d", v.Name, pos.Line, pos.Col, pos.Func, v.Shape.Size))
					if in.Pos != v.Pos {
						t.Errorf("%s: alloca of %s at %+v", clang, v.Name, p.Positions[in.Pos])
					}
				}
			}
		}
	}
	want := []string{"n:2:11 f 4", "node:3:12 f 32", "c:4:10 f 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%s: variables %q, want %q", clang, got, want)
	}
}
