package ravel_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"ravel"
)

// A message that is passed without order: under rc11 the reader may see the flag and not the data.
const message = `#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
int data;
atomic_int flag;
static void *writer(void *arg) {
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return 0;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	if (atomic_load_explicit(&flag, memory_order_acquire))
		assert(data == 42);
	return 0;
}
`

func ExampleCheck() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	program := ravel.Program{Files: []ravel.Source{{Name: "message.c", Text: []byte(message)}}}
	for _, model := range []string{"rc11", "tso"} {
		result, err := ravel.Check(ctx, program, ravel.CheckOptions{Model: model})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(model, result.Verdict)
		for _, e := range result.Errors {
			fmt.Println(e.Kind, "at", e.Location)
		}
	}
	// Output:
	// rc11 error
	// race at message.c:15:3
	// tso verified
}

// Text of LLVM IR needs no compiler.
func ExampleCheck_llvm() {
	const text = `@x = global i32 0
define i32 @main() {
  %v = load i32, ptr @x
  %r = sdiv i32 1, %v
  ret i32 %r
}
`
	result, err := ravel.Check(context.Background(), ravel.Program{Files: []ravel.Source{{Name: "divide.ll", Text: []byte(text)}}}, ravel.CheckOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict, result.Errors[0].Message)
	// Output: error division by zero
}

const storeBuffering = `X86_64 SB
{ }
 P0              | P1              ;
 movl $1,(x)     | movl $1,(y)     ;
 movl (y),%eax   | movl (x),%eax   ;
exists (0:rax=0 /\ 1:rax=0)
`

func ExampleLitmus() {
	tests := []ravel.Source{{Name: "SB.litmus", Text: []byte(storeBuffering)}}
	for _, model := range []string{"sc", "tso"} {
		err := ravel.Litmus(context.Background(), tests, ravel.LitmusOptions{Model: model}, func(r *ravel.LitmusResult) error {
			fmt.Println(r.Name, r.Model, r.Observation)
			return r.Err()
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// SB sc Never
	// SB tso Sometimes
}

func ExampleCompare() {
	tests := []ravel.Source{{Name: "SB.litmus", Text: []byte(storeBuffering)}}
	err := ravel.Compare(context.Background(), tests, ravel.CompareOptions{Models: []string{"sc", "tso"}}, func(c *ravel.Comparison) error {
		for _, d := range c.Differences {
			fmt.Println(d.State, "allowed by", d.Allowed, "forbidden by", d.Forbidden[0].Model)
		}
		return c.Err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: map[0:RAX:0 1:RAX:0] allowed by [tso] forbidden by sc
}

func ExampleDistinguish() {
	d, err := ravel.Distinguish(context.Background(), ravel.CompareOptions{Models: []string{"xmm", "rc11"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Differences[0].Cycle)
	// Output: PodRW Rfe PodRW Rfe
}

func ExampleModels() {
	for _, m := range ravel.Models() {
		if m.Name == "armv8" {
			fmt.Println(m.Title, m.Aliases, m.Engines)
		}
	}
	// Output: ARMv8, multi-copy atomic [arm64 aarch64] [graphs litmus]
}

func ExampleWriteJSON() {
	program := ravel.Program{Files: []ravel.Source{{Name: "empty.ll", Text: []byte("define i32 @main() {\n  ret i32 0\n}\n")}}}
	result, err := ravel.Check(context.Background(), program, ravel.CheckOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	result.Seconds, result.PeakMemory = 0, 0
	_ = ravel.WriteJSON(os.Stdout, result)
	// Output: {"verdict":"verified","model":"rc11","engine":"graphs","file":"empty.ll","executions":{"complete":1,"blocked":0,"duplicate":0,"moot":0,"cyclic":0,"lb_races":0},"states":{"stored":0,"transitions":0},"errors":[],"warnings":[],"seconds":0,"peak_memory_bytes":0,"version":"devel"}
}

func ExampleJMMCheck() {
	const text = `Java LB
{ x=0; y=0; 0:X=x; 0:Y=y; 1:X=x; 1:Y=y; }
Thread0 { int r1 = X.get(); Y.set(1); }
Thread1 { int r2 = Y.get(); X.set(1); }
exists (0:r1=1 /\ 1:r2=1)
`
	for _, model := range []string{"jls04", "sc"} {
		r, err := ravel.JMMCheck(context.Background(), ravel.Source{Name: "LB.litmus", Text: []byte(text)}, ravel.JMMOptions{Model: model})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Model, r.Observation)
	}
	// Output:
	// jls04 Sometimes
	// sc Never
}
