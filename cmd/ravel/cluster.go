package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ravel"
	"ravel/internal/cluster"
	"ravel/internal/explore"
	"ravel/internal/ir"
)

// accessFlags are those of all commands that connect to a server.
type accessFlags struct{ cluster.Access }

func (a *accessFlags) define(fl *pflag.FlagSet) {
	fl.StringVar(&a.Creds, "creds", "", "`FILE` with credentials for the server (a JWT and its key)")
	fl.StringVar(&a.NKey, "nkey", "", "`FILE` with the seed of an nkey for the server")
	fl.StringVar(&a.CA, "tls-ca", "", "`FILE` with certificates of authorities to trust")
	fl.StringVar(&a.Cert, "tls-cert", "", "`FILE` with the certificate of this side")
	fl.StringVar(&a.Key, "tls-key", "", "`FILE` with the key of --tls-cert")
	fl.IntVar(&a.Replicas, "replicas", 1, "copies of streams that do not exist yet: 1, or 3 in a cluster of servers")
}

// logFlags say what is logged, on the standard error.
type logFlags struct{ level, format, metrics string }

func (l *logFlags) define(fl *pflag.FlagSet, level string) {
	fl.StringVar(&l.level, "log-level", level, "what to log: debug, info, warn or error")
	fl.StringVar(&l.format, "log-format", "text", "how to log: text or json")
	fl.StringVar(&l.metrics, "metrics", "", "serve Prometheus metrics at `ADDR`, e.g. :9090")
}

// logger returns the logger.
func (l *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, oneOf("--log-level", l.level, "debug", "info", "warn", "error")
	}
	switch l.format {
	case "text":
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
	}
	return nil, oneOf("--log-format", l.format, "text", "json")
}

// serveMetrics begins to serve metrics, if they are asked for.
func (l *logFlags) serveMetrics() (*cluster.Metrics, func(), error) {
	if l.metrics == "" {
		return nil, func() {}, nil
	}
	m := cluster.NewMetrics()
	stop, err := m.Serve(l.metrics)
	return m, stop, err
}

// away are the flags of ravel check for runs that survive their process or are explored by others.
type away struct {
	checkpoint, resume string
	access             accessFlags
	log                logFlags
	first              time.Duration

	saved  savedRun
	kept   *cluster.Checkpoint
	states *cluster.StatesRun // of --engine states, in place of kept and client
	client *cluster.ClientConfig
	stop   func()
}

// A savedRun is what a client needs to go on with a run.
type savedRun struct {
	Flags         map[string]string
	Name          string
	Notes         []string
	CompilerFlags []string
	Model         cluster.Model
}

func (a *away) define(fl *pflag.FlagSet) {
	fl.StringVar(&a.checkpoint, "checkpoint", "", "keep what is explored in `FOLDER`, so that the run can go on after an interruption, a crash or a reboot")
	fl.StringVar(&a.resume, "resume", "", "go on with the run in `FOLDER`, with its program and its flags")
	fl.StringVar(&a.access.URL, "cluster", "", "let the workers of a cluster explore: `URL` of a NATS server with JetStream, e.g. nats://host:4222")
	fl.DurationVar(&a.first, "first-slice", 0, "with --checkpoint and --cluster: how long to explore before anything is kept (default 200ms)")
	_ = fl.MarkHidden("first-slice")
	a.access.define(fl)
	a.log.define(fl, "warn")
}

// here are the flags that may be given again with --resume: they say nothing about what is found.
var here = []string{"resume", "workers", "timeout", "max-memory", "json", "log-level", "log-format", "metrics", "cpu-profile", "sarif", "html", "dot", "svg"}

func (a *away) used() bool { return a.checkpoint != "" || a.resume != "" || a.access.URL != "" }

// check refuses flags that do not go together.
func (a *away) check(f *checkFlags, fl *pflag.FlagSet) error {
	for _, name := range []string{"creds", "nkey", "tls-ca", "tls-cert", "tls-key", "replicas"} {
		if fl.Changed(name) && a.access.URL == "" {
			return fmt.Errorf("--%s is for --cluster", name)
		}
	}
	for _, name := range []string{"log-level", "log-format", "metrics", "first-slice"} {
		if fl.Changed(name) && !a.used() {
			return fmt.Errorf("--%s is for --checkpoint, --resume and --cluster", name)
		}
	}
	if !a.used() {
		return nil
	}
	if a.checkpoint != "" && a.access.URL != "" {
		return errors.New("--checkpoint keeps a run on this machine, and --cluster on a server: give one of them")
	}
	if a.access.URL != "" && !cluster.IsAddress(a.access.URL) {
		return fmt.Errorf("--cluster %s: it takes the address of a NATS server, such as nats://host:4222", a.access.URL)
	}
	if f.o.Engine == ravel.States && a.access.URL != "" {
		return errors.New("--cluster is for --engine graphs; --checkpoint keeps a run of --engine states on this machine")
	}
	if f.o.Engine == ravel.States && (fl.Changed("metrics") || fl.Changed("first-slice")) {
		return errors.New("--metrics and --first-slice are for --engine graphs")
	}
	for _, name := range []string{"print-executions", "explain", "suggest", "print-ir", "bound", "states-aut", "states-dot", "states-svg"} {
		if fl.Changed(name) {
			return fmt.Errorf("--%s is for one process: it does not go with --checkpoint and --cluster", name)
		}
	}
	if strings.Contains(f.o.Model, ",") {
		return errors.New("--checkpoint and --cluster are for one model at a time")
	}
	a.saved.Flags = map[string]string{}
	fl.Visit(func(flag *pflag.Flag) {
		if slices.Contains(here, flag.Name) || flag.Name == "checkpoint" {
			return
		}
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		a.saved.Flags[flag.Name] = value
	})
	return nil
}

// goOn goes on with the run of --resume.
func (f *checkFlags) goOn(fl *pflag.FlagSet, args []string) error {
	a := &f.away
	if len(args) > 0 {
		return errors.New("--resume goes on with the program of the run: no files and no compiler flags, please")
	}
	var wrong error
	fl.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(here, flag.Name) {
			wrong = fmt.Errorf("--resume goes on with the flags of the run: --%s can't be given again", flag.Name)
		}
	})
	if wrong != nil {
		return wrong
	}
	log, err := a.log.logger(os.Stderr)
	if err != nil {
		return err
	}
	defer a.close()
	client, program, err := a.open(log)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(client, &a.saved); err != nil {
		return fmt.Errorf("%s: %w", a.resume, err)
	}
	for name, value := range a.saved.Flags {
		if err := fl.Set(name, value); err != nil {
			return fmt.Errorf("%s: --%s %s: %w", a.resume, name, value, err)
		}
	}
	if err := f.setEngine(fl); err != nil {
		return err
	}
	f.p = ravel.Program{Name: a.saved.Name, Notes: a.saved.Notes, CompilerFlags: a.saved.CompilerFlags, Linked: program}
	f.o.Model = a.saved.Model.Name
	if len(a.saved.Model.Files) > 0 {
		return f.withModel(a.saved.Model.Files, f.run)
	}
	return f.run()
}

// open opens the folder of --resume. It returns what this command has kept there, and the program.
func (a *away) open(log *slog.Logger) (client json.RawMessage, program []byte, err error) {
	if cluster.HadStates(a.resume) {
		a.states, client, program, err = cluster.OpenStates(a.resume, cluster.Build(version, commit), log)
		return client, program, err
	}
	if a.kept, err = cluster.OpenCheckpoint(a.resume, false, log); err != nil {
		return nil, nil, err
	}
	job, program, err := a.kept.Saved(interruption(), &cluster.ClientConfig{Build: cluster.Build(version, commit), Log: log})
	if err != nil {
		return nil, nil, err
	}
	return job.Client, program, nil
}

// withModel runs do with a model in cat whose files are part of the run.
func (f *checkFlags) withModel(files map[string]string, do func() error) error {
	main := filepath.Base(f.o.Model)
	sources := []ravel.Source{{Name: main, Text: []byte(files[main])}}
	for name, text := range files {
		if name != main {
			sources = append(sources, ravel.Source{Name: name, Text: []byte(text)})
		}
	}
	names, free := ravel.ModelsInMemory(sources...)
	defer free()
	f.o.Model = names[0]
	return do()
}

// begin has o explored elsewhere. The function that it returns ends that.
func (a *away) begin(f *checkFlags, o *ravel.CheckOptions) (func(), error) {
	log, err := a.log.logger(os.Stderr)
	if err != nil {
		return nil, err
	}
	metrics, stopMetrics, err := a.log.serveMetrics()
	if err != nil {
		return nil, err
	}
	if a.resume == "" {
		a.saved.Name, a.saved.Notes, a.saved.CompilerFlags = f.p.Name, f.p.Notes, f.p.CompilerFlags
		if a.saved.Name == "" {
			var names []string
			for _, s := range f.p.Files {
				names = append(names, s.Name)
			}
			a.saved.Name = strings.Join(names, " ")
		}
		a.saved.Model = cluster.Model{Name: o.Model, Raw: o.Mapping == "raw", Checker: o.Checker, Variants: o.Variants}
		if err := a.saved.Model.Collect(); err != nil {
			stopMetrics()
			return nil, err
		}
	}
	saved, err := json.Marshal(a.saved)
	if err != nil {
		stopMetrics()
		return nil, err
	}
	if o.Engine == ravel.States {
		if a.states == nil {
			if a.states, err = cluster.NewStates(a.checkpoint, cluster.Build(version, commit), a.saved.Name, o.Model, saved, log); err != nil {
				return nil, err
			}
		}
		o.Keep = a.states.Begin
		return stopMetrics, nil
	}
	a.client = &cluster.ClientConfig{
		Access: a.access.Access, Build: cluster.Build(version, commit), Version: version, Model: a.saved.Model, Name: a.saved.Name, Client: saved,
		First: a.first, Log: log, Metrics: metrics,
	}
	if f.maxMemory != "" && a.access.URL != "" {
		a.client.Limits.MaxMemory = o.MaxMemory
	}
	if a.access.URL != "" {
		a.client.Limits.Slots = o.Workers
		o.Explorer = func(ctx context.Context, p *ir.Program, e explore.Options) (*explore.Result, error) {
			return a.client.Run(ctx, p, e)
		}
		return stopMetrics, nil
	}
	if a.kept == nil {
		if a.kept, err = cluster.OpenCheckpoint(a.checkpoint, true, log); err != nil {
			stopMetrics()
			return nil, err
		}
	}
	slots := o.Workers
	o.Explorer = func(ctx context.Context, p *ir.Program, e explore.Options) (*explore.Result, error) {
		return a.kept.RunHere(ctx, a.client, slots, p, e)
	}
	return stopMetrics, nil
}

// told ends a run whose result has been printed, or says how to go on with it.
func (a *away) told(res *ravel.Result) {
	if a.states != nil {
		kept, err := a.states.Close(true)
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, "warning:", err)
		case kept:
			fmt.Fprintf(os.Stderr, "The run is kept: ravel check --resume %s goes on with it.\n", a.states.Dir)
		}
		return
	}
	if a.client == nil {
		return
	}
	a.client.End()
	a.close()
	switch job := a.client.Kept(); {
	case job == "":
	case a.access.URL != "":
		fmt.Fprintf(os.Stderr, "The job is kept on the server: the same command goes on with it, and ravel cluster remove %s --cluster %s ends it.\n", job, cluster.Redacted(a.access.URL))
	default:
		fmt.Fprintf(os.Stderr, "The run is kept: ravel check --resume %s goes on with it.\n", a.kept.Dir)
	}
}

func (a *away) close() {
	if a.kept != nil && a.stop == nil {
		a.kept.Close()
		a.stop = func() {}
	}
}

func newWorker() *cobra.Command {
	var access accessFlags
	var log logFlags
	var slots int
	var maxMemory string
	cmd := &cobra.Command{
		Use:   "worker --cluster URL",
		Short: "Explore for the jobs of a cluster",
		Long: `Explore for the jobs that ravel check --cluster submits to a NATS server with
JetStream. Any number of workers may come and go at any time. A worker explores
linked programs in ravel's own form: it runs no compiler and needs no sources.

On SIGTERM it records what it has explored, and leaves. If it is killed, others
explore its items again. It works only for jobs of its own version of ravel.`,
		Example: `  ravel worker --cluster nats://server:4222
  ravel worker --cluster tls://server:4222 --creds worker.creds --workers 8 --metrics :9090 --log-format json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !cluster.IsAddress(access.URL) {
				return errors.New("--cluster: which server? it takes an address, such as nats://host:4222")
			}
			logger, err := log.logger(os.Stderr)
			if err != nil {
				return err
			}
			limit := ravel.DefaultMemory()
			if maxMemory != "" {
				if limit, err = parseSize(maxMemory); err != nil {
					return err
				}
			}
			metrics, stop, err := log.serveMetrics()
			if err != nil {
				return err
			}
			defer stop()
			return cluster.Work(interruption(), cluster.WorkerConfig{
				Access: access.Access, Build: cluster.Build(version, commit), Version: version, Slots: slots, MaxMemory: limit, Log: logger, Metrics: metrics,
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&access.URL, "cluster", "", "`URL` of a NATS server with JetStream, or several with commas between")
	fl.IntVar(&slots, "workers", 0, "items to explore at a time (default: all cores)")
	fl.StringVar(&maxMemory, "max-memory", "", "give items up at this `SIZE` of memory, e.g. 2G (default: 70% of what the machine, control groups and ulimit allow)")
	access.define(fl)
	log.define(fl, "info")
	return cmd
}

func newCluster() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Serve the jobs of a cluster, or remove one",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newClusterServe(), newRemove())
	return cmd
}

func newClusterServe() *cobra.Command {
	var c cluster.ServerConfig
	var log logFlags
	var size string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the jobs of a cluster",
		Long: `Start a NATS server with JetStream, for those who have none. Clients and workers
connect to it with --cluster. All else that NATS can do, such as TLS, users, and several
servers with copies of each other's data, is in a configuration file of nats-server.`,
		Example: `  ravel cluster serve --store /var/lib/ravel
  ravel cluster serve --config nats.conf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if c.Log, err = log.logger(os.Stderr); err != nil {
				return err
			}
			if size != "" {
				if c.Store, err = parseSize(size); err != nil {
					return errors.New(strings.ReplaceAll(err.Error(), "--max-memory", "--max-store"))
				}
			}
			if c.Config != "" && !cmd.Flags().Changed("addr") {
				c.Addr = ""
			}
			if c.Config != "" && !cmd.Flags().Changed("store") {
				c.Dir = ""
			}
			metrics, stop, err := log.serveMetrics()
			if err != nil {
				return err
			}
			defer stop()
			s, err := cluster.Serve(c)
			if err != nil {
				return err
			}
			s.Measure(metrics)
			c.Log.Info("the server is ready", "address", s.ClientURL(), "store", c.Dir)
			select {
			case <-interruption().Done():
			case <-s.Life().Done():
				err = context.Cause(s.Life()) // nothing is lost: it goes on when it is started again
			}
			s.Stop()
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&c.Addr, "addr", "127.0.0.1:4222", "`HOST:PORT` to listen at")
	fl.StringVar(&c.Dir, "store", "ravel-cluster", "`FOLDER` for the server's files")
	fl.StringVar(&c.Config, "config", "", "`FILE` of nats-server with everything else")
	fl.BoolVar(&c.Sync, "sync", true, "write each message to the disk before it counts, so that a power cut loses nothing; without it, the server is faster")
	fl.StringVar(&size, "max-store", "", "use at most this `SIZE` of the disk, e.g. 10G")
	log.define(fl, "info")
	return cmd
}

func newRemove() *cobra.Command {
	var access accessFlags
	cmd := &cobra.Command{
		Use:     "remove JOB --cluster URL",
		Short:   "End a job and remove it from the server",
		Example: "  ravel cluster remove 3f2c…-a1b2 --cluster nats://server:4222",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return cluster.Remove(context.Background(), access.Access, &cluster.ClientConfig{Log: slog.New(slog.DiscardHandler)}, args[0])
		},
	}
	cmd.Flags().StringVar(&access.URL, "cluster", "", "`URL` of the server")
	access.define(cmd.Flags())
	return cmd
}

func newStatus() *cobra.Command {
	var access accessFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status FOLDER|URL",
		Short: "Show how far runs are",
		Long: `Show how far a run is: the one that ravel check --checkpoint keeps in a folder, or
the jobs of a server.`,
		Example: "  ravel status run1\n  ravel status nats://server:4222",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var list []cluster.Status
			if access.URL = args[0]; cluster.IsAddress(access.URL) {
				var err error
				list, err = cluster.Jobs(context.Background(), access.Access, &cluster.ClientConfig{Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					return err
				}
			} else {
				s, lives, err := cluster.StatusOf(args[0])
				if err != nil {
					return err
				}
				if !lives && s.State == "running" {
					s.State = "interrupted"
				}
				list = append(list, *s)
			}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(list)
			}
			for _, s := range list {
				printStatus(&s)
			}
			if len(list) == 0 {
				fmt.Println("no jobs")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an array of JSON objects")
	access.define(cmd.Flags())
	return cmd
}

// printStatus prints a status for people.
func printStatus(s *cluster.Status) {
	fmt.Printf("%s  %s, %s, for %v\n", s.Name, s.Model, s.State, (time.Duration(s.Seconds) * time.Second))
	switch {
	case s.State == "ended":
		fmt.Println("  its result was told")
		return
	case s.Workers == 0 && s.States > 0:
		printStates(s)
		return
	}
	fmt.Printf("  job %s, generation %d\n", s.Job, s.Generation)
	fmt.Printf("  %d executions", s.Executions)
	if s.Rate > 0 && s.State == "running" {
		fmt.Printf(", %.0f per second", s.Rate)
	}
	if s.Share > 0 {
		fmt.Printf(", about %.3g %% of all", 100*min(s.Share, 1))
		if s.Rate > 0 && s.Share < 1 && s.State == "running" {
			left := time.Duration(float64(s.Executions) * (1/s.Share - 1) / s.Rate * float64(time.Second))
			fmt.Printf(", %v left at this rate", left.Round(time.Second))
		}
	}
	fmt.Printf("\n  %d records, %d items open", s.Records, s.Open)
	if s.State == "running" {
		fmt.Printf(", %d workers with %d slots", s.Workers, s.Slots)
	}
	if s.Errors > 0 {
		fmt.Printf(", %d errors", s.Errors)
	}
	fmt.Println()
}

// printStates prints the status of a run of the engine of states.
func printStates(s *cluster.Status) {
	fmt.Printf("  %d states, %d transitions", s.States, s.Transitions)
	if s.Rate > 0 && s.State == "running" {
		fmt.Printf(", %.0f states per second", s.Rate)
	}
	fmt.Printf("\n  saved %d times\n", s.Records)
}
