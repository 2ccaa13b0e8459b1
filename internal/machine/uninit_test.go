package machine

import "testing"

func TestUninitialised(t *testing.T) {
	const never = "uninitialised: read of a variable that was never written"
	for _, test := range []struct{ name, text, want string }{
		{"never", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n  ret %v\n}", never},
		{"written", "func main() 1 {\ne:\n  %a = alloca 4\n  store.4.na %a, 5\n  %v = load.4.na %a\n  ret %v\n}", "exit 5"},
		{"on one path", `
global x 4
func take(%p) 0 {
e:
  %v = load.4.na @x
  condbr %v, set, out
set:
  store.4.na %p, 1
  br out
out:
  ret
}
func main() 1 {
e:
  %a = alloca 4
  call @take(%a)
  %v = load.4.na %a
  ret %v
}`, "R4 x=0; " + never},
		{"in a loop", `
func main() 1 {
e:
  %i = alloca 4
  store.4.na %i, 0
  br h
h:
  %v = load.4.na %i
  %c = cmp.32.ult %v, 3
  condbr %c, body, out
body:
  %w = add.32 %v, 1
  store.4.na %i, %w
  br h
out:
  ret %v
}`, "exit 3"},
		{"copied", "global x 8\nfunc main() 1 {\ne:\n  %a = alloca 8\n  %b = alloca 8\n  store.4.na %a, 1\n  memcpy %b, %a, 8\n  %v = load.4.na %b\n  %p = gep %b, 4, 1, 0\n  %w = load.4.na %p\n  ret %v\n}", never},
		{"padding", "func main() 1 {\ne:\n  %a = alloca 8\n  store.4.na %a, 1\n  %v = load.8.na %a\n  ret %v\n}", "exit 1"},
		{"bit field", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n  %m = and.32 %v, -8\n  %o = or.32 %m, 1\n  store.4.na %a, %o\n  %w = load.4.na %a\n  ret %w\n}", "exit 1"},
		{"copied by a callee", `func copy(%p) 1 {
e:
  %t = alloca 16
  memcpy %t, %p, 16
  %v = load.8.na %t
  ret %v
}
func main() 1 {
e:
  %a = alloca 16
  store.8.na %a, 1
  %v = call @copy(%a)
  ret %v
}`, "exit 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := (&fake{p: compile(t, test.text, Options{})}).run(t); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}
