package jvm

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/ir"
	"ravel/internal/short"
)

// TestDamaged changes bytes of class files: Load refuses them or makes a program of them, and never panics.
func TestDamaged(t *testing.T) {
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no javac on PATH: scripts/setup installs it")
	}
	dir := t.TempDir()
	const corpus = "../../../testdata/java/programs/"
	if out, err := exec.Command("javac", "-g", "-d", dir, corpus+"Stack.java", corpus+"Buffer.java", corpus+"StoreBuffer.java").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"Stack.class", "Buffer.class", "StoreBuffer.class"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Library: func([]string) (*ir.Program, error) { return &ir.Program{}, nil }, Sources: map[string][]byte{}}
		for i := range short.Count(150, 30) {
			bad := append([]byte(nil), text...)
			for range 1 + rnd.IntN(3) {
				bad[rnd.IntN(len(bad))] = byte(rnd.IntN(256))
			}
			if i%5 == 0 {
				bad = bad[:rnd.IntN(len(bad))]
			}
			opts.Sources[name] = bad
			_, _, _ = lowerOnce(name, opts)
		}
	}
}

// TestStandins holds the class files of the stand-ins to their sources. The javac of another JDK makes other bytes.
func TestStandins(t *testing.T) {
	out, err := exec.Command("javac", "-version").Output()
	if err != nil || !strings.HasPrefix(string(out), "javac 17.") {
		t.Skip("no javac of JDK 17 on PATH: scripts/setup installs it")
	}
	dir := t.TempDir()
	var sources []string
	if err := filepath.WalkDir("lib", func(path string, d os.DirEntry, err error) error {
		if filepath.Ext(path) == ".java" {
			sources = append(sources, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-g", "-XDstringConcat=inline", "-nowarn", "--patch-module", "java.base=lib", "-d", dir}, sources...)
	if out, err := exec.Command("javac", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	count := func(root string) (n int) {
		_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			if filepath.Ext(path) == ".class" {
				n++
			}
			return err
		})
		return n
	}
	if count(dir) != count("classes") {
		t.Errorf("%d classes, want %d: run go generate", count("classes"), count(dir))
	}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join("classes", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its source says: run go generate", name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// lowerOnce is Load without the library, which would have to be there for a second time.
func lowerOnce(name string, opts Options) (prog *ir.Program, needed []string, err error) {
	defer recovered(name, &prog, &err)
	jdk, err := findJDK()
	if err != nil {
		return nil, nil, err
	}
	mods, err := openModules(filepath.Join(jdk, "lib", "modules"))
	if err != nil {
		return nil, nil, err
	}
	set := &classSet{opts: &opts, jdk: jdk, sources: map[string]string{}, classes: map[string][]byte{}}
	if err := set.read([]string{name}); err != nil {
		return nil, nil, err
	}
	prog, needed, _, err = set.lower(mods, nil, map[string]bool{})
	return prog, needed, err
}
