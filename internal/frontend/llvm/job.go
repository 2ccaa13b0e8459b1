package llvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A job is one run of a compiler, or of llvm-dis, that makes text IR of a file.
type job struct {
	tool toolKind
	file string // in messages
	prog string
	args []string // all but where to put results
	dir  string   // to run in
}

type toolKind string

const (
	clangTool toolKind = "clang"
	rustcTool toolKind = "rustc"
	disTool   toolKind = "llvm-dis"
)

// run returns the text, from the cache if nothing changed that it depends on; note is what the compiler said although it succeeded.
func (j job) run(opts *Options) (text []byte, note string, err error) {
	k := opts.kept.unit(j, opts)
	if text, note, ok := opts.kept.get(k); ok {
		return text, note, nil
	}
	scratch, err := os.MkdirTemp("", "ravel")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(scratch)
	args, deps, out := j.args, filepath.Join(scratch, "deps"), ""
	switch j.tool {
	case clangTool:
		args = append([]string{"-o", "-"}, args...)
		if k != nil {
			args = append([]string{"-MD", "-MF", deps, "-MT", "x"}, args...)
		}
	case rustcTool:
		out = filepath.Join(scratch, "out.ll")
		// Without a folder for its output, rustc writes intermediate files to the working directory, where another rustc may overwrite them.
		args = append([]string{"--out-dir", scratch, "--emit=llvm-ir=" + out, "--emit=dep-info=" + deps}, args...)
	case disTool:
		args = append([]string{"-o", "-"}, args...)
	}
	if text, note, err = j.start(args, opts); err != nil {
		opts.kept.failed()
		return nil, "", err
	}
	if out != "" {
		if text, err = os.ReadFile(out); err != nil {
			return nil, "", err
		}
	}
	opts.kept.put(k, deps, text, note)
	return text, note, nil
}

// start runs the program and returns what it prints.
func (j *job) start(args []string, opts *Options) (text []byte, note string, err error) {
	ctx := opts.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	cmd := exec.CommandContext(ctx, j.prog, args...)
	cmd.Dir = j.dir
	if opts.Sealed {
		cmd.Env = sealedEnv()
	}
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	err = cmd.Run()
	note = strings.TrimRight(msg.String(), "\n")
	if ctx.Err() != nil {
		return nil, "", fmt.Errorf("%s: %s was stopped: %w", j.file, filepath.Base(j.prog), context.Cause(ctx))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if note == "" { // it was killed, perhaps for want of memory
			note = exit.Error()
		}
		return nil, "", &CompileError{File: j.file, Command: filepath.Base(j.prog), Output: note}
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: can't run %s: %w", j.file, j.prog, err)
	}
	return out.Bytes(), note, nil
}
