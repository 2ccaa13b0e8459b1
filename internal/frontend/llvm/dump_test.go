package llvm

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDump(t *testing.T) {
	f := os.Getenv("DUMP")
	if f == "" {
		t.Skip()
	}
	p, err := Load(strings.Fields(f), Options{Clang: os.Getenv("CLANG"), Flags: strings.Fields(os.Getenv("FLAGS"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if os.Getenv("QUIET") == "" {
		for _, f := range p.Funcs {
			fmt.Print(f)
		}
		for _, g := range p.Globals {
			fmt.Printf("%s %x size %d %x tls=%v decl=%v %+v\n", g.Name, uint64(g.Addr), g.Size, g.Init, g.TLS, g.Decl, g.Shape)
		}
	}
	n := 0
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			n += len(b.Instrs)
			for _, in := range b.Instrs {
				if in.Op.String() == "unsupported" {
					fmt.Println(f.Name, in.Message)
				}
			}
		}
	}
	fmt.Println(len(p.Funcs), n, p.Main != nil, p.Warnings)
}
