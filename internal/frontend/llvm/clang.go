package llvm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ravel/internal/lazy"
)

// ErrNoClang says that there is no compiler.
var ErrNoClang = errors.New("no clang on PATH: install one (apt-get install clang) or name it with --clang")

// FindClang returns the newest clang on PATH: clang-NN with the highest NN, else clang.
func FindClang() (string, error) {
	if p := newest("clang"); p != "" {
		return p, nil
	}
	return "", ErrNoClang
}

// HasCompiler reports whether a language can be compiled: c, c++ or rust.
func HasCompiler(language string) bool {
	if language == "rust" {
		return findRustc() != ""
	}
	return newest("clang") != ""
}

// newest finds tool-NN with the highest NN on PATH, or tool; "" if there is none.
func newest(tool string) string {
	best, version := "", -1
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		found, _ := filepath.Glob(filepath.Join(dir, tool+"-[0-9]*"))
		for _, f := range found {
			n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(f), tool+"-"))
			if err == nil && n > version && isProgram(f) {
				best, version = f, n
			}
		}
	}
	if best == "" {
		best, _ = exec.LookPath(tool)
	}
	return best
}

func isProgram(f string) bool {
	st, err := os.Stat(f)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// runClang compiles a file; note is what clang said although it succeeded, warning what the user should know.
func runClang(file string, opts Options) (text []byte, note, warning string, err error) {
	language := opts.language(file)
	cxx := language == "c++"
	clang := opts.Clang
	if clang == "" {
		if clang, err = FindClang(); err != nil {
			return nil, "", "", fmt.Errorf("%s: %w", file, err)
		}
	}
	args := []string{"-O0", "-Xclang", "-disable-O0-optnone", "-g", "-pthread", "-fno-color-diagnostics"}
	// Markers of lifetimes, which clang leaves out otherwise unless it optimises; nothing else of AddressSanitizer.
	args = append(args, "-Xclang", "-fsanitize-address-use-after-scope")
	if !cxx {
		// C compilers accepted these for decades, and programs under test still rely on that.
		args = append(args, "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
			"-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch", "-Wno-unknown-warning-option")
	}
	if filepath.Ext(file) == ".i" {
		// GCC's __malloc__ names the function that frees, which older versions of clang refuse. The text is preprocessed once more, without
		// any other macro.
		args = append(args, "-x", "c", "-undef", "-D__malloc__(...)=__malloc__")
	}
	unit := opts.Units[file]
	if unit.Language != "" {
		args = append(args, "-x", language)
	}
	opts.Flags = slices.Concat(unit.Flags, opts.Flags)
	if opts.mixed { // each language has its own standard
		opts.Flags = slices.DeleteFunc(opts.Flags, func(f string) bool {
			std, ok := strings.CutPrefix(strings.TrimLeft(f, "-"), "std=")
			return ok && strings.Contains(std, "++") != cxx
		})
	}
	source := file
	if unit.Dir != "" {
		if source, err = filepath.Abs(opts.path(file)); err != nil {
			return nil, "", "", err
		}
		opts.Dir = unit.Dir
	}
	target := targetOf(opts.Flags)
	if target == "" && runtime.GOARCH == "amd64" || strings.HasPrefix(target, "x86_64") {
		// No other target has arithmetic of 80 bits. Memory stays as aligned as with it.
		args = append(args, "-mlong-double-64")
		for _, member := range []string{"__clang_max_align_nonce1", "__clang_max_align_nonce2"} {
			args = append(args, "-D"+member+"="+member+" __attribute__((__aligned__(16)))")
		}
	}
	if opts.inline {
		args = append(args, "-fgnu89-inline")
	}
	if cxx {
		// libstdc++ has code that looks at two counters with one wider load, and a variant without
		// it for ThreadSanitizer, which takes mixed sizes as badly as ravel does. With assertions, std::string is compiled with the program
		// instead of being called in the library, where ravel can't see it, and wrong indices are found.
		// The linker knows functions of libstdc++ by their names (libstdcxx.go), so optimised code has to keep them apart.
		args = append([]string{"--driver-mode=g++"}, append(args, "-D_GLIBCXX_TSAN=1", "-D_GLIBCXX_ASSERTIONS=1", "-fno-inline")...)
	}
	if opts.IncludeDir != "" {
		args = append(args, "-isystem", opts.IncludeDir)
	}
	if opts.Sealed {
		overlay, err := overlayArgs(clang, cxx, &opts)
		if err != nil {
			return nil, "", "", err
		}
		args = append(args, overlay...)
	}
	args = append(args, opts.Flags...)
	args = append(args, "-S", "-emit-llvm", "--", source)
	compile := job{clangTool, file, clang, args, opts.Dir}
	text, note, err = compile.run(&opts)
	var failed *CompileError
	if errors.As(err, &failed) && target != "" && (strings.Contains(failed.Output, "file not found") || inHostHeader().MatchString(failed.Output)) {
		library, install := "headers of the C library for "+target, "apt-get install "+crossHeaders(target)
		if !cxx && opts.IncludeDir != "" { // ravel has small ones of its own
			compile.args = append([]string{"-nostdlibinc", "-isystem", filepath.Join(opts.IncludeDir, "cross")}, args...)
			if text, note, err := compile.run(&opts); err == nil {
				return text, note, library + " are not installed (" + install + "): ravel's own small ones were used", nil
			}
		}
		failed.Output += "\n" + library + ": " + install + ", or declare what you use"
	}
	if errors.As(err, &failed) && slices.Contains(opts.Flags, "-m32") && strings.Contains(failed.Output, "file not found") {
		failed.Output += "\nheaders of the C library for 32 bits: apt-get install libc6-dev-i386 (for C++ also g++-multilib)"
	}
	if errors.As(err, &failed) && cxx && !slices.ContainsFunc(opts.Flags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "std=") }) {
		// Clang's default may be as old as C++14.
		if _, _, err := compile.start(append([]string{"-std=c++20", "-fsyntax-only"}, args...), &opts); err == nil {
			failed.Output += "\nit is C++20: add -- -std=c++20"
		}
	}
	return text, note, "", err
}

// inHostHeader matches an error in a header of the C library of this machine, which is not for the target: with libc6-dev-i386, clang finds those.
var inHostHeader = lazy.Regexp(`(?m)^/usr/include/[^:\n]*:[0-9]+:[0-9]+: (fatal )?error: `)

// targetOf returns the target that flags of clang choose, "" if they choose none.
func targetOf(flags []string) string {
	target := ""
	for i, f := range flags {
		if t, ok := strings.CutPrefix(f, "--target="); ok {
			target = t
		} else if f == "-target" && i+1 < len(flags) {
			target = flags[i+1]
		}
	}
	return target
}

// crossHeaders returns the package with the headers of the C library for a target.
func crossHeaders(target string) string {
	cpu, _, _ := strings.Cut(target, "-")
	for prefix, name := range map[string]string{"aarch64": "arm64", "arm64": "arm64", "armv7": "armhf", "powerpc64le": "ppc64el", "ppc64le": "ppc64el", "riscv64": "riscv64", "x86_64": "amd64", "i686": "i386"} {
		if strings.HasPrefix(cpu, prefix) {
			return "libc6-dev-" + name + "-cross"
		}
	}
	return "a cross compiler's libc6-dev"
}

func disassemble(file string, opts Options) (text []byte, note string, err error) {
	dis := newest("llvm-dis")
	if dis == "" {
		return nil, "", fmt.Errorf("%s: no llvm-dis on PATH to read bitcode: install it (apt-get install llvm)", file)
	}
	text, note, err = job{disTool, file, dis, []string{file}, opts.Dir}.run(&opts)
	var failed *CompileError
	if errors.As(err, &failed) {
		failed.Output += "\nif the bitcode is of a newer LLVM: make text instead (clang -S -emit-llvm, rustc --emit=llvm-ir)"
	}
	return text, note, err
}
