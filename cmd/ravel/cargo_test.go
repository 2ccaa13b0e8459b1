package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCargo builds programs and tests of a project with cargo. The binary has the name of the library, so both leave texts with this name.
func TestCargo(t *testing.T) {
	if testing.Short() {
		t.Skip("cargo and the standard library of Rust take long")
	}
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
		{"check p/Cargo.toml --test result", 0, "verified"},
		{"check p/Cargo.toml --test none", 2, "there is no test none; there is integration::four, twice::result, twice::tests::four, twice::tests::main_four"},
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

// TestCargoTests runs tests as the harness does: one that returns an error fails, and so does one that should panic and does not.
func TestCargoTests(t *testing.T) {
	if testing.Short() {
		t.Skip("cargo and the standard library of Rust take long")
	}
	if !hasProgram("cargo") || !hasProgram("rustc") {
		t.Skip("no Rust")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{
		"Cargo.toml":   "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n",
		"a/Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\ndefault = [\"small\"]\nsmall = []\nlarge = []\n",
		"b/Cargo.toml": "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2018\"\n",
		"b/src/lib.rs": "#[test]\nfn fine() {}\n",
		"a/src/lib.rs": `pub fn size() -> usize {
    if cfg!(feature = "large") {
        3
    } else if cfg!(feature = "small") {
        2
    } else {
        1
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn fine() -> Result<(), std::num::ParseIntError> {
        assert_eq!("2".parse::<usize>()?, size());
        Ok(())
    }
    #[test]
    fn threads() -> Result<(), String> {
        let t = std::thread::spawn(|| format!("{}", size())); // this closure returns a string, too
        assert_eq!(t.join().unwrap(), "2");
        Ok(())
    }
    #[test]
    fn refused() -> Result<(), std::num::ParseIntError> {
        assert_eq!("two".parse::<usize>()?, size());
        Ok(())
    }
    #[test]
    #[should_panic(expected = "out of bounds")]
    fn panics() {
        let list: Vec<usize> = vec![];
        assert_eq!(list[size()], 0);
    }
    #[test]
    #[should_panic(
        expected = r#"the size is "2""#
    )]
    fn says() {
        panic!("the size is {:?}", size().to_string());
    }
    #[test]
    #[should_panic(expected = "the size is 3")]
    fn says_other() {
        panic!("the size is {}", size());
    }
    #[test]
    #[should_panic = "Option::unwrap()"]
    fn nothing() {
        None::<u32>.unwrap();
    }
    /// Has more attributes.
    #[should_panic]
    #[test]
    fn calm() {
        size();
    }
}
`,
	})
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--test fine --package b", 0, "verified"},
		{"--test tests::fine", 0, "verified"},
		{"--test tests::fine --features large", 1, "left: 2, right: 3"},
		{"--test tests::fine --all-features", 1, "left: 2, right: 3"},
		{"--test tests::fine --no-default-features", 1, "left: 2, right: 1"},
		{"--test threads", 0, "verified"},
		{"--test refused", 1, "the test returns no error"},
		{"--test panics", 0, "verified"},
		{"--test says", 0, "verified"},
		{"--test says_other", 1, "assertion `the message of the panic has what the test expects: the size is 3` failed"},
		{"--test nothing", 0, "verified"},
		{"--test calm", 1, "the test panics"},
		{"--test fine --package c", 2, "there is no package c, only a, b"},
	} {
		status, out, errs := runRavel(t, append([]string{"check", "Cargo.toml"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("ravel check Cargo.toml %s: status %d, want %d and %q:\n%s%s", c.args, status, c.status, c.want, out, errs)
		}
	}
}

// TestRlib takes a crate from a library of Rust, as a file or by --extern.
func TestRlib(t *testing.T) {
	if testing.Short() {
		t.Skip("cargo and the standard library of Rust take long")
	}
	if !hasProgram("rustc") {
		t.Skip("no Rust")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{
		"flag.rs": `use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
pub struct Flag { set: AtomicBool, value: UnsafeCell<Option<Box<u32>>> }
unsafe impl Sync for Flag {}
impl Flag {
    pub const fn new() -> Flag { Flag { set: AtomicBool::new(false), value: UnsafeCell::new(None) } }
    pub fn put(&self, n: u32) {
        unsafe { *self.value.get() = Some(Box::new(n)) };
        self.set.store(true, if cfg!(wrong) { Ordering::Relaxed } else { Ordering::Release });
    }
    pub fn get(&self) -> Option<u32> {
        if self.set.load(Ordering::Acquire) { unsafe { (*self.value.get()).as_deref().copied() } } else { None }
    }
}
`,
		"main.rs": "use flag::Flag;\nstatic F: Flag = Flag::new();\nfn main() {\n    let t = std::thread::spawn(|| F.put(7));\n    assert!(matches!(F.get(), None | Some(7)));\n    t.join().unwrap();\n}\n",
		"old.rs":  "extern crate flag;\nfn main() {\n    let async = flag::Flag::new();\n    assert!(async.get() == None);\n}\n", // async is not a keyword in 2015
	})
	for _, flags := range []string{"--out-dir .", "--out-dir wrong --cfg wrong"} {
		args := append([]string{"--crate-type=rlib", "-g", "--edition=2021", "flag.rs"}, strings.Fields(flags)...)
		if out, err := exec.Command("rustc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"main.rs libflag.rlib", 0, "verified: no errors in 2 executions"},
		{"main.rs wrong/libflag.rlib", 1, "data race on `F.value`"},
		{"main.rs -- --extern flag=libflag.rlib", 0, "verified"},
		{"main.rs -- --extern flag -L wrong", 1, "flag.rs:8"},
		{"old.rs libflag.rlib -- --edition=2015", 0, "verified"},
		{"old.rs libflag.rlib", 2, "async"},
		{"libflag.rlib", 2, "name its .rs as well"},
		{"main.rs none.rlib", 2, "no such file"},
	} {
		status, out, errs := runRavel(t, append([]string{"check"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("ravel check %s: status %d, want %d and %q:\n%s%s", c.args, status, c.status, c.want, out, errs)
		}
	}
}
