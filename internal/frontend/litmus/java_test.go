package litmus

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ravel/internal/litmus"
)

// TestJava has the micro code of what only Java has: monitors, threads, output, objects, arrays.
func TestJava(t *testing.T) {
	test, err := Parse("java.litmus", []byte(`Java all
{ x=0; int a[2]={1, 2}; 0:X=x; 0:A=a; 1:X=x; }
Thread0 { synchronized (m) { A.set(1, 5); m.notify(); } synchronized (m) { synchronized (m) { m.wait(); } } Thread1.start(); Thread1.join(); print(3); loadLoadFence(); }
Thread1 { X.setFinal(1); freeze(); int r = X.get(); int s = X.get(r); X.set(r, 2); }
required (1:r=1)
forbidden (1:s=0); required (a[1]=5)
~exists (1:r=2)`))
	if err != nil {
		t.Fatal(err)
	}
	text := test.String()
	at := 0
	for _, want := range []string{
		"lock [m]", "store.4 [a+4] = 5", "unlock [m]", "lock [m]", "lock [m]", "unlock [m]", "unlock [m]", "lock [m]", "lock [m]", "unlock [m]", "unlock [m]", "start 1", "join 1", "print 3", "fence {RA ACQ LL}",
		"store.4 [x] = 1 {Final}", "freeze", "load.4 [x]", "if r ==.32 0", "load.4 [x] of r", "if r ==.32 0", "store.4 [x] = 2 of r",
		"required (1:r=1)", "required (a[1]=5)", "forbidden (1:s=0)", "~exists (1:r=2)",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q after byte %d of\n%s", want, at, text)
		}
		at += i
	}
}

func TestJavaErrors(t *testing.T) {
	for _, test := range []struct{ thread, want string }{
		{"synchronized (m) { return; }", "return in a synchronized block is not supported"},
		{"m.wait();", "m.wait() throws outside of synchronized (m) { … }"},
		{"synchronized (k) { m.notify(); }", "m.notify() throws outside of synchronized (m) { … }"},
		{"synchronized (m) { synchronized (k) { m.wait(); } }", "m.wait() is not supported where the monitor k is held, too, since later"},
		{"synchronized (m) { m.notify(1); }", "m.notify takes fewer arguments than 1"},
		{"x = 1;", "x is a variable of all threads: access it by a VarHandle, as in 0:X=x"},
		{"int r = x + 1;", "x is a variable of all threads: access it by a VarHandle, as in 0:X=x"},
		{"lock.lock();", "lock is no VarHandle, whose names are in upper case, and no thread: lock.lock is not supported"},
		{"Y.set(1);", "VarHandle Y is not bound in the initial state: write 0:Y=x there"},
		{"boolean r = X.weakCompareAndSetVolatile(0, 1);", "VarHandle has no method \"weakCompareAndSetVolatile\""},
		{"int r = X.getAndSetFinal(1);", "VarHandle has no method \"getAndSetFinal\""},
		{"synchronized (m) X.set(1);", "where \"{\" should be"},
		{"Thread3.start();", "there is no Thread3"},
		{"Thread0.join();", "a thread that starts or waits for itself"},
		{"Thread1.stop();", "a thread has start() and join() only"},
		{"print(1, 2);", "print takes 1 argument, not 2"},
		{"A.set();", "A is an array: the first argument of set is the index"},
		{"int r = X.get(1);", "the object of X is a register that holds a reference"},
		{"int r = *X;", "Java has no pointers"},
		{"int r = 0; r[1] = 2;", "Java has no pointers"},
		{"X.lazySet(1);", "VarHandle has no method \"lazySet\": lazySet is setRelease"},
		{"int r = X.getAndUpdate(v -> v + 1);", "VarHandle has no method \"getAndUpdate\""},
		{"int r = this + 1;", "this is a monitor, or the first argument of a method of a VarHandle"},
		{"X.set(this 1);", "where \",\" or \")\" should be"},
		{"Thread.stop();", "of Thread, only onSpinWait(), yield() and sleep(n) are supported"},
		{"System.exit(1);", "of System, only System.out.println(x) is supported"},
		{"int r = X.getFinal();", "VarHandle has no method \"getFinal\""},
		{"int r = 1; synchronized (m) { r = X.get(r); }", "an access by a reference in a synchronized block is not supported"},
	} {
		_, err := Parse("e.litmus", []byte("Java e\n{ x=0; int a[2]; 0:X=x; 0:A=a; }\nThread0 { "+test.thread+" }\n"))
		var e *litmus.Error
		if !errors.As(err, &e) || e.Line != 3 || !strings.Contains(e.Msg, test.want) {
			t.Errorf("%s: %v, want %s", test.thread, err, test.want)
		}
	}
}

// What stands for the object of a field, and what a thread does while it waits, changes nothing.
func TestJavaSpellings(t *testing.T) {
	ops := func(thread string) string {
		test, err := Parse("s.litmus", []byte("Java s\n{ x=0; 0:X=x; }\nThread0 { "+thread+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(test.Threads[0].Ops)
	}
	for _, same := range [][2]string{
		{"X.set(this, 1); int r = (int) X.getVolatile(this);", "X.set(1); int r = X.getVolatile();"},
		{"boolean r = X.compareAndSet(this, 0, 1);", "boolean r = X.compareAndSet(0, 1);"},
		{"X.set(1); Thread.onSpinWait(); Thread.yield(); Thread.sleep(10); final var r = X.get();", "X.set(1); int r = X.get();"},
		{"int r = X.get(); System.out.println(r);", "int r = X.get(); print(r);"},
	} {
		if got, want := ops(same[0]), ops(same[1]); got != want {
			t.Errorf("%s: %s, want %s", same[0], got, want)
		}
	}
}

func TestJavaConditions(t *testing.T) {
	parse := func(cond string) (*litmus.Test, error) {
		return Parse("c.litmus", []byte("Java c\n{ x=0; boolean b=true; 0:X=x; 0:B=b; }\nThread0 { boolean r = X.compareAndSet(0, 1); }\nexists ("+cond+")\n"))
	}
	for _, test := range []struct{ cond, want string }{
		{"0:r=yes", "yes is no value: there are numbers, true, false and null"},
		{"0:s=1", "Thread0 has no register s"},
	} {
		if _, err := parse(test.cond); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.cond, err, test.want)
		}
	}
	for _, same := range [][2]string{{"0:r=true", "0:r=1"}, {"0:r=false", "0:r=0"}} {
		var text [2]string
		for i, c := range same {
			test, err := parse(c)
			if err != nil {
				t.Fatal(err)
			}
			text[i] = test.Cond.String()
		}
		if text[0] != text[1] {
			t.Errorf("%s: %s, want %s", same[0], text[0], text[1])
		}
	}
}
