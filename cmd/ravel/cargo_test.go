package main

import (
	"strings"
	"testing"
)

// TestCargo builds programs and tests of a project with cargo. The binary has the name of the library, so both leave texts with this name.
func TestCargo(t *testing.T) {
	if !hasProgram("cargo") || !hasProgram("rustc") {
		t.Skip("no Rust")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	manifest := "[package]\nname = \"twice\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	writeAll(t, dir, map[string]string{
		"p/Cargo.toml":           manifest,
		"p/src/lib.rs":           "pub fn twice(n: u32) -> u32 {\n    2 * n\n}\n#[test]\nfn result() -> Result<(), String> {\n    Ok(())\n}\nmod tests {\n    #[test]\n    fn four() {\n        assert_eq!(super::twice(2), 4);\n    }\n}\n",
		"p/src/main.rs":          "fn main() {\n    assert_eq!(twice::twice(2), 4);\n}\nmod tests {\n    #[test]\n    fn main_four() {\n        assert_eq!(twice::twice(2), 5);\n    }\n}\n",
		"p/examples/fails.rs":    "fn main() {\n    assert_eq!(twice::twice(1), 1);\n}\n",
		"p/tests/integration.rs": "#[test]\nfn four() {\n    assert_eq!(twice::twice(2), 4);\n}\n",
		"broken/Cargo.toml":      strings.Replace(manifest, "twice", "broken", 1),
		"broken/src/main.rs":     "fn main() {\n    nothing();\n}\n",
		"lacks/Cargo.toml":       manifest + "[dependencies]\nravel-has-no-such-crate = \"9\"\n",
		"lacks/src/main.rs":      "fn main() {}\n",
	})
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"check p/Cargo.toml", 0, "verified"},
		{"check p/Cargo.toml --json", 0, `"file":"p/Cargo.toml"`},
		{"check p/Cargo.toml --example fails", 1, "p/examples/fails.rs:2"},
		{"check p/Cargo.toml --test integration::four", 0, "verified"},
		{"check p/Cargo.toml --test main_four", 1, "left: 4, right: 5"},
		{"check p/Cargo.toml", 0, "verified"}, // tests leave texts, too
		{"check p/Cargo.toml --test four", 2, "integration::four or twice::tests::four"},
		{"check p/Cargo.toml --test result", 2, "there is no test result without a result; there is integration::four, twice::tests::four, twice::tests::main_four"},
		{"check p/Cargo.toml --bin none", 2, "there is no bin none, only twice"},
		{"check p", 2, "p has no C or C++ sources: name p/Cargo.toml"},
		{"check p/src/main.rs --bin twice", 2, "name the Cargo.toml"},
		{"check broken/Cargo.toml", 2, "cannot find function `nothing`"},
		{"check lacks/Cargo.toml", 2, "run cargo fetch if a dependency is missing"},
	} {
		status, out, errs := runRavel(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("ravel %s: status %d, want %d and %q:\n%s%s", c.args, status, c.status, c.want, out, errs)
		}
	}
}
