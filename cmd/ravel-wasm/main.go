//go:build js && wasm

// Command ravel-wasm is ravel for the browser: litmus tests, models in cat, comparisons, Java's models and LLVM IR. The page calls it from a worker
// (internal/web/assets/worker.js).
package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"syscall/js"

	"ravel"
	"ravel/internal/play"
)

// version is set by the linker in releases.
var version = "devel"

func main() {
	debug.SetGCPercent(400)
	ravel.Version = version
	js.Global().Set("ravelModel", js.FuncOf(func(_ js.Value, args []js.Value) any {
		cat, err := play.ModelText(args[0].String())
		if err != nil {
			return ""
		}
		return cat
	}))
	js.Global().Set("ravelRun", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var q play.Request
		tell := args[1]
		if err := json.Unmarshal([]byte(args[0].String()), &q); err != nil {
			tell.Invoke(text(play.Message{Problem: &play.Problem{Message: err.Error()}}), true)
			return nil
		}
		play.Run(context.Background(), &q, play.Browser, func(m play.Message) { tell.Invoke(text(m), m.Answer != nil || m.Problem != nil) })
		return nil
	}))
	js.Global().Set("ravelWarm", js.FuncOf(func(js.Value, []js.Value) any {
		go warm()
		return nil
	}))
	select {}
}

// warm runs a small test while the user looks at the page: what runs for the first time takes ten times as long, because browsers compile functions when they are called.
func warm() {
	const test = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n"
	q := &play.Request{Kind: "litmus", Files: []play.File{{Name: "warm.litmus", Text: test}}}
	play.Run(context.Background(), q, play.Browser, func(m play.Message) { text(m) })
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is plain data
	}
	return string(b)
}
