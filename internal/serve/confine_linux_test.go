package serve

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfined: without the overlay of clang and the checks of Rust, the kernel would still refuse.
func TestConfined(t *testing.T) {
	if !canConfine() {
		t.Skip("the kernel has no Landlock")
	}
	const again = "RAVEL_TEST_CONFINED"
	if os.Getenv(again) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestConfined$", "-test.v")
		cmd.Env = append(os.Environ(), again+"=1", "TMPDIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("confined now")) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if os.Getenv(confined) == "" {
		t.Fatal(confine(Defaults(true).Limits))
	}
	t.Log("confined now")
	for _, f := range []string{"/etc/passwd", "/proc/self/environ", "server_test.go"} {
		if _, err := os.ReadFile(f); err == nil {
			t.Errorf("%s can be read", f)
		}
	}
	if out, err := exec.Command("cat", "/etc/passwd").CombinedOutput(); err == nil {
		t.Errorf("cat can read /etc/passwd: %s", out)
	}
	if err := os.WriteFile("/var/tmp/ravel-confined", nil, 0o600); err == nil {
		t.Error("/var/tmp can be written")
	}
	if err := os.WriteFile(filepath.Join(os.TempDir(), "a"), []byte("a"), 0o600); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "permission") && landlockVersion() >= 4 {
		t.Errorf("the network can be used: %v, %v", c, err)
	}
}
