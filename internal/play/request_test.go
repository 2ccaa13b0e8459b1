package play

import (
	"regexp"
	"testing"
)

// Names of files are what this expression describes: none leads out of the folder, or is a flag.
func TestIsFile(t *testing.T) {
	want := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*$`)
	for _, name := range []string{
		"a.c", "a", "_", "0", "a/b.h", "A/b+-./_c", "a..b", "", "/", "/a", "a/", "a//b", "..", "../a", "a/../b", "a/.b", ".a", "-a", "+a", "a/-b", "a b", "a\n", "a\x00", "ä.c", "a\\b", "a:b", "a\"b", "~a", "a\xff",
	} {
		if isFile(name) != want.MatchString(name) {
			t.Errorf("%q: %v", name, isFile(name))
		}
	}
}
