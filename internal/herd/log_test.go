package herd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mp is message passing without fences: its four states follow from the values that each of the two reads may
// receive, all of which armv8 allows. The lines of the log are those of herd7's output: the hash is the test's own.
const mp = `AArch64 MP
"PodWW Rfe PodRR Fre"
Hash=211d5b298572012a0869d4ded6a40b7f
{
0:X1=x; 0:X3=y;
1:X1=y; 1:X3=x;
}
 P0          | P1          ;
 MOV W0,#1   | LDR W0,[X1] ;
 STR W0,[X1] | LDR W2,[X3] ;
 MOV W2,#1   |             ;
 STR W2,[X3] |             ;
exists (1:X0=1 /\ 1:X2=0)
`

const mpLog = `Test MP Allowed
States 4
1:X0=0; 1:X2=0;
1:X0=0; 1:X2=1;
1:X0=1; 1:X2=0;
1:X0=1; 1:X2=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (1:X0=1 /\ 1:X2=0)
Observation MP Sometimes 1 3
Time MP 0.00
Hash=211d5b298572012a0869d4ded6a40b7f

`

// runText runs one test.
func runText(t *testing.T, text string, c Config) *Entry {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.litmus")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out *Entry
	if err := Run(t.Context(), Files(file), c, func(e *Entry) error {
		out = e
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

var clock = regexp.MustCompile(`(?m)^(Time .*) [0-9.]+$`)

func logOf(t *testing.T, e *Entry) string {
	t.Helper()
	if e.Err != nil {
		t.Fatal(e.Err)
	}
	var b bytes.Buffer
	if err := e.WriteLog(&b); err != nil {
		t.Fatal(err)
	}
	return clock.ReplaceAllString(b.String(), "$1 0.00")
}

func TestLog(t *testing.T) {
	if got := logOf(t, runText(t, mp, Config{})); got != mpLog {
		t.Errorf("got\n%swant\n%s", got, mpLog)
	}
}

// TestStateText checks how the parts of a state are printed: registers first, by their numbers, then variables; whole arrays in braces; by their
// types. This is what the expected logs of herdtools7 have (AArch64/L056, RISCV/A017).
func TestStateText(t *testing.T) {
	log := logOf(t, runText(t, `AArch64 parts
{ int b[2]={7,8}; int a=-1; 0:X1=a; 1:X1=b; uint64_t 0:X10=-1; 0:X9=-1; }
 P0          | P1          ;
 LDR W2,[X1] | LDR W0,[X1] ;
locations [b; a;]
forall (1:X0=7 /\ 0:X10=-1 /\ 0:X9=-1 /\ b={7,8})
`, Config{}))
	for _, want := range []string{
		"\n0:X9=-1; 0:X10=18446744073709551615; 1:X0=7; [a]=-1; b={7,8};\n",
		"\nCondition forall (1:X0=7 /\\ 0:X10=-1 /\\ 0:X9=-1 /\\ b={7,8})\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
}

// TestQuantifiers checks the words of the three quantifiers, and that the witnesses of ~exists are those against it.
func TestQuantifiers(t *testing.T) {
	for _, test := range []struct{ model, cond, want string }{
		{"armv8", `exists (1:X0=1 /\ 1:X2=0)`, "Allowed|Ok|Positive: 1 Negative: 3|Sometimes 1 3"},
		{"armv8", `~exists (1:X0=1 /\ 1:X2=0)`, "Forbidden|No|Positive: 3 Negative: 1|Sometimes 1 3"},
		{"armv8", `forall (1:X0=1 /\ 1:X2=0)`, "Required|No|Positive: 1 Negative: 3|Sometimes 1 3"},
		{"sc", `exists (1:X0=1 /\ 1:X2=0)`, "Allowed|No|Positive: 0 Negative: 3|Never 0 3"},
		{"sc", `~exists (1:X0=1 /\ 1:X2=0)`, "Forbidden|Ok|Positive: 3 Negative: 0|Never 0 3"},
		{"sc", `forall (1:X0=0 \/ 1:X2=1)`, "Required|Ok|Positive: 3 Negative: 0|Always 3 0"},
	} {
		e := runText(t, strings.Replace(mp, `exists (1:X0=1 /\ 1:X2=0)`, test.cond, 1), Config{Model: test.model})
		log := logOf(t, e)
		for _, want := range strings.Split(test.want, "|") {
			if !strings.Contains(log, " "+want+"\n") && !strings.Contains(log, "\n"+want+"\n") {
				t.Errorf("%s under %s: no %q in\n%s", test.cond, test.model, want, log)
			}
		}
		if ok := strings.Contains(test.want, "|Ok"); (e.Status() == 0) != ok {
			t.Errorf("%s under %s: status %d", test.cond, test.model, e.Status())
		}
	}
}

// TestExplain checks that the cycle is the one of the test's name.
func TestExplain(t *testing.T) {
	text := strings.Replace(mp, "MOV W2,#1   |             ;", "DMB SY | ; MOV W2,#1   |             ;", 1)
	text = strings.Replace(text, "LDR W2,[X3] ;", "LDAR W2,[X3] ;", 1)
	text = strings.Replace(text, "LDR W0,[X1] ;", "LDAR W0,[X1] ;", 1)
	e := runText(t, text, Config{Explain: true, Picture: true})
	if len(e.Reasons) != 1 || e.Reasons[0].Check != "external" || e.Reasons[0].Executions != 1 {
		t.Fatalf("reasons %+v", e.Reasons)
	}
	cycle := strings.Join(e.Reasons[0].Cycle, "|")
	for _, want := range []string{"STR W0,[X1] (writes x = 1)", "STR W2,[X3] (writes y = 1)", "LDAR W0,[X1] (reads y = 1)", "LDAR W2,[X3] (reads x = 0)"} {
		if !strings.Contains(cycle, want) {
			t.Errorf("no %q in %s", want, cycle)
		}
	}
	var b bytes.Buffer
	if err := e.Picture.WriteSVG(&b); err != nil || !strings.Contains(b.String(), "forbidden by external") {
		t.Errorf("picture: %v", err)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := runText(t, mp, Config{Model: "sc"}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"name":"MP"`, `"arch":"AArch64"`, `"model":"sc"`, `"quantifier":"exists"`, `"observation":"Never"`, `"holds":false`,
		`"positive":0,"negative":3`, `"states":[{"1:X0":0,"1:X2":0},{"1:X0":0,"1:X2":1},{"1:X0":1,"1:X2":1}]`, `"executions":3`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}
