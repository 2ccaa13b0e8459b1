package report_test

import (
	"os"

	"ravel/internal/event"
	"ravel/internal/report"
)

func ExampleWriteText() {
	at := func(line int) report.Location {
		return report.Location{File: "inc.c", Line: line, Column: 2, Function: "inc"}
	}
	write := &report.Ref{Thread: 1, Index: 0}
	x := &report.Execution{Threads: []report.Thread{
		{ID: 1, Name: "inc", Events: []report.Event{
			{Kind: report.Write, Mode: event.Rlx, Loc: "x", Value: "1", CoIndex: 1, Order: 1, Location: at(4)},
		}},
		{ID: 2, Name: "inc", Events: []report.Event{
			{Kind: report.Read, Mode: event.AcqRel, RMW: event.Add.String(), Loc: "x", Value: "1", From: write, Order: 2, Location: at(7)},
			{Kind: report.Write, Mode: event.AcqRel, RMW: event.Add.String(), Loc: "x", Value: "2", CoIndex: 2, Order: 3, Location: at(7)},
			{Kind: report.Failure, Value: "x < 2", Mark: "the assertion", Order: 4, Location: at(8)},
		}},
	}}
	r := &report.Result{
		Verdict: report.Wrong, Model: "rc11", Engine: "graphs", File: "inc.c",
		Executions: report.Executions{Complete: 1}, Seconds: 0.01,
		Errors: []report.Error{{
			Kind: "assertion", Message: "assertion failed: `x < 2`", Location: at(8), Thread: 2, Execution: x,
		}},
	}
	source := "\n\n\n\tx = 1;\n\n\n\tx += 1;\n\tassert(x < 2);\n"
	report.WriteText(os.Stdout, r, report.Options{
		Source: func(string) ([]byte, error) { return []byte(source), nil },
	})
	// Output:
	// error[assertion]: assertion failed: `x < 2`
	//  --> inc.c:8:2 in inc (thread 2)
	//   |
	// 8 |     assert(x < 2);
	//   |     ^^^^^^^^^^^^^ fails here
	//   |
	//
	//     T1 inc        │ T2 inc
	//     ──────────────┼─────────────────────────────
	//   1 4 x = 1 (rlx) │
	//   2               │ 7 add x 1→2 (acqrel)  ⟵ T1:4
	// ▶ 3               │ 8 ✗ x < 2
	//                   │   └ the assertion
	//
	// error: 1 error after 1 execution (rc11) in 0.01 s
}
