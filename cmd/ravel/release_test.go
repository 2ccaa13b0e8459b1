package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestRelease builds a release for this machine twice, as other users would, and compares the bytes.
func TestRelease(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" || !hasProgram("git") {
		t.Skip("it builds the program twice")
	}
	if err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("not in a repository")
	}
	var sums []string
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, env := range []string{"TZ=Asia/Tokyo", "TZ=America/Lima"} {
		cmd := exec.Command("sh", "-c", `umask 00$0; exec scripts/release v1.2.3 "$1"`, []string{"22", "77"}[i], dirs[i])
		cmd.Dir = root
		cmd.Env = append(os.Environ(), env, "TARGETS=linux/"+runtime.GOARCH)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
		}
		sums = append(sums, string(out))
	}
	if sums[0] != sums[1] || !strings.Contains(sums[0], "ravel-1.2.3-linux-") {
		t.Errorf("two builds differ:\n%s%s", sums[0], sums[1])
	}
	name := "ravel-1.2.3-linux-" + runtime.GOARCH
	unpack := exec.Command("tar", "-xzf", name+".tar.gz")
	unpack.Dir = dirs[0]
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	commit, err := exec.Command("git", "-C", root, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(dirs[0], name, "ravel"), "--version").Output()
	if want := "ravel 1.2.3 (" + strings.TrimSpace(string(commit)); err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("--version says %q, want %q (%v)", out, want, err)
	}
	for file, want := range map[string]string{
		"share/man/man1/ravel-check.1": ".TH \"RAVEL\" \"1\"", "share/completions/_ravel": "#compdef ravel", "share/completions/ravel.bash": "bash completion", "share/completions/ravel.fish": "fish completion", "share/completions/ravel.ps1": "powershell", "LICENSE": "", "ravel.wasm": "\x00asm",
	} {
		if text, err := os.ReadFile(filepath.Join(dirs[0], name, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q in %.200s", file, err, want, text)
		}
	}
}
