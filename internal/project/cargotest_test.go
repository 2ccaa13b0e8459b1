package project

import "testing"

// The forms that the reference of Rust has for the attribute, and for strings.
func TestShouldPanic(t *testing.T) {
	for _, c := range []struct {
		attributes string
		panics     bool
		expects    string
	}{
		{"#[test]\n", false, ""},
		{"#[test]\n#[should_panic]\n", true, ""},
		{"#[should_panic] #[test] ", true, ""},
		{"// #[should_panic]\n#[test]\n", false, ""},
		{`#[should_panic(expected = "out of bounds")]`, true, "out of bounds"},
		{`#[should_panic = "out of bounds"]`, true, "out of bounds"},
		{"#[should_panic(\n    expected = \"a \\\"b\\\" \\\\ \\u{e9}\\x41\\n\\\n        c\",\n)]", true, "a \"b\" \\ éA\nc"},
		{`#[should_panic(expected = r"a\b")]`, true, `a\b`},
		{`#[should_panic(expected = r##"a "# b"##)]`, true, `a "# b`},
	} {
		if panics, expects := shouldPanic(c.attributes); panics != c.panics || expects != c.expects {
			t.Errorf("%s: %v, %q, want %v, %q", c.attributes, panics, expects, c.panics, c.expects)
		}
	}
}
