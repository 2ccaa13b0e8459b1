package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sbText = `X86 SB
{ x=0; y=0; }
 P0         | P1         ;
 MOV [x],$1 | MOV [y],$1 ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
`

// TestLitmus checks exit statuses and what is printed where.
func TestLitmus(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	sb := write("sb.litmus", sbText)
	loop := write("loop.litmus", "AArch64 L\n{ 0:X1=x; }\n P0 ;\n L: ;\n LDR W0,[X1] ;\n CBZ W0,L ;\nexists (0:X0=1)\n")
	system := write("tlbi.litmus", "AArch64 T\n{ }\n P0 ;\n TLBI VMALLE1IS ;\nexists (true)\n")
	porf := write("porf.cat", "\"own\" include \"cos.cat\" acyclic po | rf | co | fr as mine\n")
	broken := write("broken.cat", "acyclic po | nothing\n")
	for _, test := range []struct {
		args   []string
		status int
		out    string // in the output
		errs   string // in the messages
	}{
		{[]string{sb}, 0, "Observation SB Sometimes 1 3\n", ""},
		{[]string{"--model", "sc", sb}, 1, "Observation SB Never 0 3\n", ""},
		{[]string{"--model", porf, "--explain", sb}, 1, "Forbidden by mine (1 execution)\n", ""},
		{[]string{"--json", sb}, 0, `"holds":true`, ""},
		{[]string{"--model", "tos", sb}, 2, "", `unknown memory model "tos": did you mean tso?`},
		{[]string{"--model", broken, sb}, 2, "", "broken.cat:1:14: unbound name nothing"},
		{[]string{loop}, 3, "Loop No\n", "loops go round more often than the bound"},
		{[]string{system}, 2, "", "tlbi.litmus:4:2: not supported: TLB maintenance: TLBI"},
		{[]string{"--json", system}, 2, `"unsupported":"TLB maintenance"`, ""},
		{[]string{dir}, 3, "Observation SB", "TLB maintenance"},
		{[]string{"--svg", filepath.Join(dir, "a.svg"), dir}, 2, "", "for one test"},
	} {
		status, out, errs := runRavel(t, append([]string{"litmus"}, test.args...)...)
		if status != test.status || !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) {
			t.Errorf("%v: status %d, want %d; printed\n%s%s", test.args, status, test.status, out, errs)
		}
	}
	svg := filepath.Join(dir, "sb.svg")
	if status, _, errs := runRavel(t, "litmus", "--svg", svg, sb); status != 0 {
		t.Fatal(errs)
	}
	if text, err := os.ReadFile(svg); err != nil || !strings.Contains(string(text), "SB: allowed") {
		t.Errorf("picture: %v", err)
	}
}
