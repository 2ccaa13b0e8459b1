package jmm

import (
	"fmt"
	"strings"

	"ravel/internal/justify"
	"ravel/internal/litmus"

	"ravel/internal/lazy"
)

// javaType is the type of a variable or register in Java.
func javaType(size uint8) string {
	if size == 8 {
		return "long"
	}
	return "int"
}

// A source is what both forms of a stress test are made of.
type source struct {
	test   *litmus.Test
	locs   []litmus.Loc
	bodies []string
}

func newSource(tool string, test *litmus.Test, locs []litmus.Loc) (*source, error) {
	s := &source{test: test, locs: locs}
	for _, v := range test.Vars {
		if v.Type.Size != 4 && v.Type.Size != 8 {
			return nil, fmt.Errorf("%s: variable %s has %d bytes; stress does int and long", test.File, v.Name, v.Type.Size)
		}
	}
	for _, th := range test.Threads {
		text, err := body(tool, test, th, 2)
		if err != nil {
			return nil, err
		}
		s.bodies = append(s.bodies, text)
	}
	return s, nil
}

// fields declares the variables and monitors of the test.
func (s *source) fields(pad string) string {
	var b strings.Builder
	for _, v := range s.test.Vars {
		t := javaType(v.Type.Size)
		switch {
		case s.monitor(v):
			fmt.Fprintf(&b, "%sfinal Object %s = new Object();\n", pad, v.Name)
		case v.Array:
			var elems []string
			for _, x := range v.Init {
				elems = append(elems, fmt.Sprint(int64(x.Int)))
			}
			fmt.Fprintf(&b, "%sfinal %s[] %s = {%s};\n", pad, t, v.Name, strings.Join(elems, ", "))
		default:
			fmt.Fprintf(&b, "%s%s %s = %d;\n", pad, t, v.Name, int64(v.Init[0].Int))
		}
	}
	return b.String()
}

// monitor reports whether a variable is only locked.
func (s *source) monitor(v *litmus.Var) bool {
	locked := false
	for _, th := range s.test.Threads {
		for i := range th.Ops {
			op := &th.Ops[i]
			used := strings.Contains(fmt.Sprint(op.Addr), v.Name)
			switch op.Kind {
			case litmus.Lock:
				locked = locked || op.Addr.(litmus.Value).Sym == v.Name
			case litmus.Load, litmus.Store:
				if a, ok := op.Addr.(litmus.Value); ok {
					used = a.Sym == v.Name
				}
				if used {
					return false
				}
			}
		}
	}
	return locked
}

// handles declares the VarHandles; owner is the class that has the fields.
func (s *source) handles(pad, owner string) string {
	var decl, init strings.Builder
	for _, v := range s.test.Vars {
		t := javaType(v.Type.Size)
		switch {
		case s.monitor(v):
		case v.Array:
			fmt.Fprintf(&decl, "%sstatic final VarHandle %s = MethodHandles.arrayElementVarHandle(%s[].class);\n", pad, handle(v.Name), t)
		default:
			fmt.Fprintf(&decl, "%sstatic final VarHandle %s;\n", pad, handle(v.Name))
			fmt.Fprintf(&init, "%s        %s = l.findVarHandle(%s.class, %q, %s.class);\n", pad, handle(v.Name), owner, v.Name, t)
		}
	}
	if init.Len() == 0 {
		return decl.String()
	}
	return decl.String() + pad + "static {\n" + pad + "    try {\n" + pad + "        MethodHandles.Lookup l = MethodHandles.lookup();\n" + init.String() +
		pad + "    } catch (ReflectiveOperationException e) {\n" + pad + "        throw new ExceptionInInitializerError(e);\n" + pad + "    }\n" + pad + "}\n"
}

// harness writes a program of its own: threads that walk over many states, batch by batch, and a histogram. It prints a
// line for each outcome: how often, and the values.
func harness(test *litmus.Test, locs []litmus.Loc) (string, error) {
	src, err := newSource("stress", test, locs)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("import java.lang.invoke.MethodHandles;\nimport java.lang.invoke.VarHandle;\nimport java.util.HashMap;\nimport java.util.Map;\nimport java.util.concurrent.atomic.AtomicInteger;\n\n")
	p("/** Litmus test %s, made by ravel jmm stress. */\npublic class Stress {\n", strings.ReplaceAll(test.Name, "*/", ""))
	p("    /** The shared variables, and what is observed; the rest keeps states apart in caches. */\n    static final class State {\n%s", src.fields("        "))
	for i, l := range locs {
		if l.Thread >= 0 {
			p("        %s o%d;\n", javaType(regSize(test, l)), i)
		}
	}
	p("        long p0, p1, p2, p3, p4, p5, p6, p7;\n    }\n\n%s\n", src.handles("    ", "State"))
	p("    static final int STATES = 4096, BATCH = 64, THREADS = %d;\n    static final AtomicInteger arrived = new AtomicInteger();\n\n", len(test.Threads))
	for t, th := range test.Threads {
		p("    static void thread%d(State[] all, int from, int to) {\n        for (int i = from; i < to; i++) {\n            try {\n                run%d(all[i]);\n            } catch (ArrayIndexOutOfBoundsException e) {\n                continue; // the thread ended\n            }\n        }\n    }\n\n", t, t)
		p("    static void run%d(State s) {\n%s", t, src.bodies[t])
		for i, l := range locs {
			if l.Thread == th.ID {
				p("        s.o%d = %s;\n", i, local(l.Reg))
			}
		}
		p("    }\n\n")
	}
	p(`    /** Waits until all threads have come to the n-th meeting. */
    static void meet(int n) {
        arrived.incrementAndGet();
        for (int spins = 0; arrived.get() < n * THREADS; spins++) {
            if (spins > 1000) Thread.yield(); else Thread.onSpinWait();
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        Map<String, Long> seen = new HashMap<>();
        while (System.nanoTime() < end) {
            State[] all = new State[STATES];
            for (int i = 0; i < STATES; i++) all[i] = new State();
            arrived.set(0);
            Thread[] threads = new Thread[THREADS];
            for (int t = 0; t < THREADS; t++) {
                int id = t;
                threads[t] = new Thread(() -> {
                    int n = 0;
                    for (int from = 0; from < STATES; from += BATCH) {
                        meet(++n);
                        switch (id) {
`)
	for t := range test.Threads {
		p("                        case %d: thread%d(all, from, from + BATCH); break;\n", t, t)
	}
	p("                        }\n                    }\n                });\n                threads[t].start();\n            }\n            for (Thread t : threads) t.join();\n            for (State s : all) {\n                seen.merge(")
	for i, l := range locs {
		if i > 0 {
			p(" + \" \" + ")
		} else {
			p("\"\" + ")
		}
		switch {
		case l.Thread >= 0:
			p("s.o%d", i)
		case l.Index >= 0 && test.Var(l.Var).Array:
			p("s.%s[%d]", l.Var, l.Index)
		default:
			p("s.%s", l.Var)
		}
	}
	p(", 1L, Long::sum);\n            }\n        }\n        seen.forEach((k, n) -> System.out.println(n + \" \" + k));\n    }\n}\n")
	return b.String(), nil
}

func regSize(test *litmus.Test, l litmus.Loc) uint8 {
	for _, th := range test.Threads {
		if th.ID == l.Thread && th.Types[l.Reg].Size == 8 {
			return 8
		}
	}
	return 4
}

var notIdent = lazy.Regexp(`[^A-Za-z0-9_]+`)

// ClassName is the name of the jcstress class of a test.
func ClassName(test *litmus.Test) string {
	name := notIdent().ReplaceAllString(test.Name, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "T_" + name
	}
	return name
}

// JCStress writes the test for jcstress: what the model allows is acceptable, all else is forbidden.
func JCStress(a *justify.Analysis) (string, error) {
	test, locs := a.Test, a.Locs
	src, err := newSource("stress", test, locs)
	if err != nil {
		return "", err
	}
	letters := ""
	memory := false
	for _, l := range locs {
		var size uint8
		if l.Thread >= 0 {
			size = regSize(test, l)
		} else {
			size = test.Var(l.Var).Type.Size
			memory = true
		}
		letters += map[uint8]string{4: "I", 8: "J"}[size]
	}
	if len(letters) == 0 || len(letters) > 8 {
		return "", fmt.Errorf("%s: jcstress has results of 1 to 8 values, this test observes %d", test.File, len(letters))
	}
	result := letters + "_Result"
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("import java.lang.invoke.MethodHandles;\nimport java.lang.invoke.VarHandle;\n\nimport org.openjdk.jcstress.annotations.*;\nimport org.openjdk.jcstress.infra.results.%s;\n\n", result)
	p("/** Litmus test %s, made by ravel jmm stress; the outcomes are those of model %s. */\n@JCStressTest\n@State\n", strings.ReplaceAll(test.Name, "*/", ""), a.Model)
	for _, o := range a.Outcomes {
		var vals []string
		numbers := a.Numbers(o.Values)
		for _, l := range locs {
			vals = append(vals, fmt.Sprint(numbers[l.String()]))
		}
		p("@Outcome(id = %q, expect = Expect.ACCEPTABLE, desc = \"allowed\")\n", strings.Join(vals, ", "))
	}
	name := ClassName(test)
	p("@Outcome(expect = Expect.FORBIDDEN, desc = \"not allowed by %s\")\npublic class %s {\n%s\n%s\n", a.Model, name, src.fields("    "), src.handles("    ", name))
	for t, th := range test.Threads {
		p("    @Actor\n    public void thread%d(%s r) {\n        %s s = this;\n%s", t, result, name, src.bodies[t])
		for i, l := range locs {
			if l.Thread == th.ID {
				p("        r.r%d = %s;\n", i+1, local(l.Reg))
			}
		}
		p("    }\n\n")
	}
	if memory {
		p("    @Arbiter\n    public void last(%s r) {\n", result)
		for i, l := range locs {
			switch {
			case l.Thread >= 0:
			case l.Index >= 0 && test.Var(l.Var).Array:
				p("        r.r%d = %s[%d];\n", i+1, l.Var, l.Index)
			default:
				p("        r.r%d = %s;\n", i+1, l.Var)
			}
		}
		p("    }\n")
	}
	p("}\n")
	return b.String(), nil
}
