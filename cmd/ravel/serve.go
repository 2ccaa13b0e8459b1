package main

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"ravel/internal/serve"
)

func newServe() *cobra.Command {
	var addr, maxMemory string
	var hosts []string
	var public, worker bool
	o := serve.Defaults(false)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run programs and litmus tests on a page in the browser",
		Long: `Serve a page on which programs and litmus tests can be written, run and looked at: their
executions step by step, models side by side, suggestions to apply.

The page is for this machine only: other origins and hosts are refused. Programs are
compiled but never run; compilers see only the program and the headers of the system.
--public is for a server that strangers use; docs/serve.md says how to set one up.`,
		Example: `  ravel serve
  ravel serve --addr localhost:9000 --timeout 5m
  ravel serve --public --addr :8787 --host ravel.example.org`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if worker {
				return serve.Work(os.Stdin, os.Stdout)
			}
			d := serve.Defaults(public)
			fl := cmd.Flags()
			if fl.Changed("timeout") {
				d.Limits.Timeout = o.Limits.Timeout
			}
			if fl.Changed("runs") {
				d.Runs = max(1, o.Runs)
			}
			if fl.Changed("max-memory") {
				var err error
				if d.Limits.Memory, err = parseSize(maxMemory); err != nil {
					return err
				}
			}
			d.Hosts = hosts
			return serveAt(addr, d)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&addr, "addr", "localhost:8787", "`HOST:PORT` to listen at")
	fl.StringSliceVar(&hosts, "host", nil, "another `NAME` that the server is reached by; requests for others are refused")
	fl.BoolVar(&public, "public", false, "stricter limits, for a server that strangers use (docs/serve.md)")
	fl.DurationVar(&o.Limits.Timeout, "timeout", o.Limits.Timeout, "time of each run; with --public 10s unless given")
	fl.StringVar(&maxMemory, "max-memory", "2G", "memory of each run, a `SIZE`; with --public 512M unless given")
	fl.IntVar(&o.Runs, "runs", o.Runs, "runs at a time, others wait; with --public 2 unless given")
	fl.BoolVar(&worker, "worker", false, "do one run of the server: read it from the standard input")
	_ = fl.MarkHidden("worker")
	return cmd
}

// serveAt serves the page until Ctrl-C.
func serveAt(addr string, o serve.Options) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	o.Worker = []string{exe, "serve", "--worker"}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s, err := serve.New(l.Addr(), o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	fmt.Printf("the page is at http://%s\n", l.Addr())
	if o.Public && !s.Compiles() {
		fmt.Println("this system cannot confine compilers: only litmus tests, models and LLVM IR run")
	}
	go s.Warm(interruption())
	return s.Serve(interruption(), l)
}
