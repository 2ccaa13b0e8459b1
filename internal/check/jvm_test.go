package check

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// javac compiles files to a folder, all in one run because each one takes a second.
func javac(t *testing.T, dir string, args ...string) {
	t.Helper()
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on PATH: scripts/setup installs it", tool)
		}
	}
	cmd := exec.Command("javac", append([]string{"-g", "-XDstringConcat=inline", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-d", dir, "-cp", dir}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
}

func javaSources(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(corpus, "java", dir, "*.java"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no programs in %s: %v", dir, err)
	}
	return list
}

// runModel checks a program under a model and reports every error.
func runModel(t *testing.T, name, file string) (*report.Result, error) {
	t.Helper()
	m, err := model.Get(name, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Run(Config{Files: []string{file}, Explore: explore.Options{Model: m, Options: engine.Options{
		Workers: 1, RaceCheck: true, MemoryCheck: true, KeepGoing: true, Machine: machine.Options{SpinAssume: true},
	}}})
}

// TestJavaPrograms checks the programs of testdata/java/programs and compares each with its twin in C.
func TestJavaPrograms(t *testing.T) {
	needClang(t)
	classes := t.TempDir()
	javac(t, classes, javaSources(t, "programs")...)
	dir := filepath.Join(corpus, "java/programs")
	for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
		t.Run(r["program"], func(t *testing.T) {
			res, err := runModel(t, "jam21", filepath.Join(classes, r["program"]+".class"))
			if r["verdict"] == "unsupported" {
				if err == nil || !strings.Contains(err.Error(), r["where"]+": "+r["text"]) {
					t.Fatalf("error %v, want %s: %s", err, r["where"], r["text"])
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(res.Verdict) != r["verdict"] {
				t.Fatalf("verdict %s, want %s (%s)\n%s %v", res.Verdict, r["verdict"], r["note"], res.Reason, res.Errors)
			}
			expectCount(t, "complete", res.Executions.Complete, r["complete"], r["note"])
			if r["verdict"] == "bounded" && !strings.Contains(res.Reason, r["text"]) {
				t.Errorf("%s, want %s", res.Reason, r["text"])
			}
			if r["where"] != "" {
				at := res.Errors[0].Location
				if where := fmt.Sprintf("%s:%d", at.File, at.Line); where != r["where"] || !strings.Contains(res.Errors[0].Message, r["text"]) {
					t.Errorf("%s: %s, want %s: %s", where, res.Errors[0].Message, r["where"], r["text"])
				}
			}
			for _, w := range res.Warnings {
				if !strings.HasPrefix(w, "there may be other errors: ") {
					t.Errorf("warning: %s", w)
				}
			}
			if r["twin"] == "" {
				return
			}
			twin, err := runModel(t, "jam21", filepath.Join(dir, r["twin"]))
			if err != nil {
				t.Fatal(err)
			}
			if twin.Verdict != res.Verdict || twin.Executions.Complete != res.Executions.Complete || twin.Executions.Blocked != res.Executions.Blocked {
				t.Errorf("%s %+v, but in C %s %+v", res.Verdict, res.Executions, twin.Verdict, twin.Executions)
			}
		})
	}
}

// TestJavaSequential runs programs of one thread with java, and has ravel check that they compute the same. The random ones are expressions of all types.
func TestJavaSequential(t *testing.T) {
	if testing.Short() {
		t.Skip("runs java")
	}
	classes, gen := t.TempDir(), t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(gen, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	files := javaSources(t, "sequential")
	programs := []string{"Arithmetic", "Flow", "Objects2", "Handles", "Library", "Random"}
	files = append(files, write("Random.java", randomJava(20)))
	all := "public class All { public static void main(String[] args) {\n"
	for _, p := range programs {
		all += fmt.Sprintf("System.out.println(\"%s\"); %s.run();\n", p, p)
		files = append(files, write("Main"+p+".java", fmt.Sprintf(
			"public class Main%s { public static void main(String[] args) { Expected.VALUES = Expected.%s; %s.run(); assert Results.at == Expected.VALUES.length; } }", p, p, p)))
	}
	expected := func(values map[string][]string) string {
		text := "class Expected { static long[] VALUES;\n"
		for _, p := range programs {
			text += fmt.Sprintf("static final long[] %s = {%s};\n", p, strings.Join(values[p], ","))
		}
		return text + "}"
	}
	files = append(files, write("All.java", all+"} }"), write("Expected.java", expected(nil)))
	javac(t, classes, files...)
	out, err := exec.Command("java", "-XX:TieredStopAtLevel=1", "-cp", classes, "All").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	now := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		switch {
		case line != "" && strings.Trim(line, "-0123456789") == "":
			values[now] = append(values[now], line+"L")
		default:
			for _, p := range programs {
				if line == p {
					now = p
				}
			}
		}
	}
	javac(t, classes, write("Expected.java", expected(values)))
	for _, p := range programs {
		t.Run(p, func(t *testing.T) {
			if len(values[p]) < 10 {
				t.Fatalf("java printed %d results", len(values[p]))
			}
			res, err := runModel(t, "sc", filepath.Join(classes, "Main"+p+".class"))
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != report.Verified {
				t.Fatalf("verdict %s: %s\n%+v", res.Verdict, res.Reason, res.Errors)
			}
		})
	}
}

// randomJava returns a class that computes n random expressions of each type.
func randomJava(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	types := []string{"int", "long", "float", "double"}
	var expr func(kind, depth int) string
	literal := func(kind int) string {
		ints := []string{"0", "1", "-1", "3", "31", "255", "-128", "65536", "Integer.MAX_VALUE", "Integer.MIN_VALUE", "x", "y", "(byte) x", "(short) y", "(char) x"}
		longs := []string{"0L", "1L", "-1L", "63L", "1L << 40", "Long.MAX_VALUE", "Long.MIN_VALUE", "u", "v"}
		floats := []string{"0f", "-0f", "1.5f", "1e30f", "Float.NaN", "Float.MAX_VALUE", "f", "g"}
		doubles := []string{"0.0", "-0.0", "0.1", "1e300", "Double.NaN", "Double.NEGATIVE_INFINITY", "d", "e"}
		list := [][]string{ints, longs, floats, doubles}[kind]
		return list[rnd.IntN(len(list))]
	}
	expr = func(kind, depth int) string {
		if depth == 0 {
			return "(" + literal(kind) + ")"
		}
		a := expr(kind, depth-1)
		switch rnd.IntN(8) {
		case 0:
			return fmt.Sprintf("(%s) (%s)", types[kind], expr(rnd.IntN(4), depth-1))
		case 1:
			other := rnd.IntN(4)
			return fmt.Sprintf("(%s %s %s ? %s : %s)", expr(other, depth-1), []string{"<", "<=", ">", ">=", "==", "!="}[rnd.IntN(6)], expr(other, depth-1), a, expr(kind, depth-1))
		case 2:
			return "(-" + a + ")"
		case 3:
			if kind < 2 {
				return fmt.Sprintf("(%s %s %s)", a, []string{"<<", ">>", ">>>"}[rnd.IntN(3)], expr(rnd.IntN(2), depth-1))
			}
		case 4:
			if kind < 2 {
				return fmt.Sprintf("(%s %s %s)", a, []string{"&", "|", "^"}[rnd.IntN(3)], expr(kind, depth-1))
			}
		}
		if op := []string{"+", "-", "*", "/", "%"}[rnd.IntN(5)]; kind < 2 && (op == "/" || op == "%") {
			return fmt.Sprintf("(%s %s (%s | 1))", a, op, expr(kind, depth-1))
		} else {
			return fmt.Sprintf("(%s %s %s)", a, op, expr(kind, depth-1))
		}
	}
	var b bytes.Buffer
	b.WriteString("class Random {\n")
	results := []string{"%s", "%s", "Random.bits(%s)", "Random.bits(%s)"}
	var calls strings.Builder
	for i := range n {
		for kind := range types {
			fmt.Fprintf(&b, "static %s r%d_%d(int x, int y, long u, long v, float f, float g, double d, double e) { return %s; }\n", types[kind], i, kind, expr(kind, 4))
			call := fmt.Sprintf("r%d_%d(x, y, u, v, f, g, d, e)", i, kind)
			fmt.Fprintf(&calls, "h = h * 31 + %s;\n", fmt.Sprintf(results[kind], call))
		}
		calls.WriteString("Results.result(h);\n")
	}
	b.WriteString("static long bits(float v) { return v != v ? 7 : Float.floatToRawIntBits(v); }\nstatic long bits(double v) { return v != v ? 7 : Double.doubleToRawLongBits(v); }\n")
	b.WriteString("static long h;\nstatic void all(int x, int y, long u, long v, float f, float g, double d, double e) {\n" + calls.String() + "}\n")
	b.WriteString("static void run() {\nall(5, -7, 1L << 33, -9L, 2.5f, -1e10f, 1e-3, 7e200);\nall(Integer.MIN_VALUE, 33, -1L, Long.MIN_VALUE, 0f, Float.MIN_VALUE, -0.0, 1e18);\n}\n}\n")
	return b.String()
}
