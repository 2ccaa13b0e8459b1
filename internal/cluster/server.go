package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A ServerConfig says how to serve.
type ServerConfig struct {
	Addr   string // host:port; "" is no port: only this process has access
	Dir    string // for files
	Config string // file of nats-server, with all else: TLS, accounts, other servers of the cluster
	Sync   bool   // write to the disk before a message counts: a power cut loses nothing
	Store  int64  // bytes of files at most; 0 is what the disk has
	Log    *slog.Logger
}

// A Server is a NATS server in this process.
type Server struct {
	*server.Server
	dir  string
	lock *os.File
	life context.Context // ends when it can't store anything any more; its cause says why
	end  context.CancelCauseFunc
}

// Life returns a context that ends when the server can't store anything any more. Its cause says why.
func (s *Server) Life() context.Context { return s.life }

// fail ends the life of the server. It does not recover from an error of the disk before it is started again.
func (s *Server) fail(why error) {
	s.end(fmt.Errorf("%s can't be written, make room and go on: %w", s.dir, why))
}

// Serve starts a server.
func Serve(c ServerConfig) (*Server, error) {
	o := &server.Options{}
	if c.Config != "" {
		var err error
		if o, err = server.ProcessConfigFile(c.Config); err != nil {
			return nil, fmt.Errorf("--config %s: %w", c.Config, err)
		}
		if !o.JetStream {
			return nil, fmt.Errorf("--config %s: it has no jetstream section", c.Config)
		}
	}
	o.NoSigs, o.JetStream = true, true
	if c.Dir != "" {
		o.StoreDir = c.Dir
	}
	if c.Sync {
		o.SyncAlways = true
	}
	if c.Store > 0 {
		o.JetStreamMaxStore = c.Store
	} else if o.JetStreamMaxStore <= 0 {
		o.JetStreamMaxStore = 1 << 60 // by default it is a share of what is free now, also if there is room later
	}
	if c.Addr != "" {
		host, port, err := net.SplitHostPort(c.Addr)
		if err != nil {
			return nil, fmt.Errorf("--addr %s: it takes host:port, such as 0.0.0.0:4222", c.Addr)
		}
		if o.Port, err = strconv.Atoi(port); err != nil {
			return nil, fmt.Errorf("--addr %s: it takes host:port, such as 0.0.0.0:4222", c.Addr)
		}
		o.Host = host
		if o.Port == 0 {
			o.Port = server.RANDOM_PORT
		}
	} else if c.Config == "" {
		o.DontListen, o.ServerName = true, "ravel"
	}
	if o.StoreDir == "" {
		return nil, fmt.Errorf("--config %s: its jetstream section has no store_dir, and there is no --store", c.Config)
	}
	if err := os.MkdirAll(o.StoreDir, 0o755); err != nil {
		return nil, err
	}
	s := &Server{dir: o.StoreDir}
	var err error
	if !o.DontListen { // else it is the folder of a Checkpoint, which has locked it
		if s.lock, err = lockFolder("--store", s.dir); err != nil {
			return nil, err
		}
	}
	if s.Server, err = server.NewServer(o); err != nil {
		s.lock.Close()
		return nil, err
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	s.SetLoggerV2(serverLog{c.Log, s}, false, false, false)
	s.Start()
	for begin := time.Now(); !s.ReadyForConnections(50*time.Millisecond) && s.life.Err() == nil && time.Since(begin) < time.Minute; {
	}
	if s.life.Err() != nil || !s.JetStreamEnabled() {
		s.Stop()
		return nil, cmp.Or(context.Cause(s.life), errors.New("the server did not start: its log says why"))
	}
	return s, nil
}

// Measure keeps the metrics of the server up to date while it lives.
func (s *Server) Measure(m *Metrics) {
	if m == nil {
		return
	}
	s.measure(m)
	go func() {
		tick := time.NewTicker(helloEvery)
		defer tick.Stop()
		for s.life.Err() == nil && s.Running() {
			s.measure(m)
			<-tick.C
		}
	}()
}

func (s *Server) measure(m *Metrics) {
	m.gauge("ravel_server_connections", float64(s.NumClients()))
	if v, err := s.Varz(nil); err == nil {
		m.count("ravel_server_received_total", float64(v.InMsgs))
	}
	if j, err := s.Jsz(nil); err == nil {
		m.gauge("ravel_server_messages", float64(j.Messages))
		m.gauge("ravel_server_stored_bytes", float64(j.Store))
	}
}

// Stop stops the server, and waits until its files are closed.
func (s *Server) Stop() {
	s.Shutdown()
	s.WaitForShutdown()
	s.lock.Close()
}

// serverLog passes what the server logs on.
type serverLog struct {
	log *slog.Logger
	s   *Server
}

func (l serverLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l serverLog) Warnf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	switch {
	case strings.Contains(text, syscall.ENOSPC.Error()):
		l.Errorf("%s", text)
	case strings.Contains(text, "will rebuild"), strings.Contains(text, "Recovering stream state from index errored"):
		l.log.Info(text, "from", "server") // it was killed, and reads its files instead of an index of them
	default:
		l.log.Warn(text, "from", "server")
	}
}

// Fatalf passes on why the server does not start.
func (l serverLog) Fatalf(format string, v ...any) {
	l.s.end(fmt.Errorf(format, v...))
}

// Errorf passes an error on. That the disk can't be written is told in the log only.
func (l serverLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if why := writeError(text); why != "" {
		if l.s.life.Err() == nil {
			l.s.fail(errors.New(why))
		}
		l.log.Debug(text, "from", "server") // once for each try
		return
	}
	l.log.Error(text, "from", "server")
}
func (l serverLog) Debugf(string, ...any) {}
func (l serverLog) Tracef(string, ...any) {}

// writeError returns the error of the disk that a message of the server tells, "" if none.
func writeError(text string) string {
	lower := strings.ToLower(text)
	if _, why, ok := strings.Cut(lower, "write error: "); ok {
		return text[len(text)-len(why):]
	}
	for _, words := range []string{"failed to store", "will be disabled", "disabling jetstream", syscall.ENOSPC.Error()} {
		if strings.Contains(lower, words) {
			return text
		}
	}
	return ""
}

// A Checkpoint is a folder in which a run on this machine keeps its records.
type Checkpoint struct {
	Dir    string
	isNew  bool
	lock   *os.File
	server *Server // nil until there is something to keep
}

// OpenCheckpoint takes the folder. Only one process can have it.
func OpenCheckpoint(dir string, isNew bool, log *slog.Logger) (*Checkpoint, error) {
	flag := "--resume"
	if isNew {
		flag = "--checkpoint"
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	_, err := os.Stat(filepath.Join(dir, "jetstream"))
	used := err == nil
	if !isNew && !used {
		return nil, fmt.Errorf("%s %s: there is nothing to go on with: no run, or one that ended or was killed before it kept anything; --checkpoint %s begins one", flag, dir, dir)
	}
	if HadStates(dir) {
		return nil, fmt.Errorf("%s %s: there is a run of --engine states; go on with it by --resume %s, or remove the folder", flag, dir, dir)
	}
	lock, err := lockFolder(flag, dir)
	if err != nil {
		return nil, err
	}
	k := &Checkpoint{Dir: dir, isNew: isNew, lock: lock}
	if used {
		if err = k.start(log); err == nil && isNew {
			err = k.clear(log)
		}
	}
	if err != nil {
		k.Close()
		return nil, fmt.Errorf("%s %s: %w", flag, dir, err)
	}
	return k, nil
}

// lockFolder locks a folder, for the flag.
func lockFolder(flag, dir string) (*os.File, error) {
	for range 100 { // ravel status has it for a moment, and so has a process that was just started, until it runs its own program
		lock, err := lockFile(filepath.Join(dir, "lock"))
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, syscall.EAGAIN) {
			return nil, fmt.Errorf("%s %s: %w", flag, dir, err)
		}
		time.Sleep(30 * time.Millisecond)
	}
	return nil, fmt.Errorf("%s %s: another process has it, and ravel status shows how far a run is", flag, dir)
}

// start starts a server without a port whose files are in the folder, if there is none.
func (k *Checkpoint) start(log *slog.Logger) (err error) {
	if k.server == nil {
		k.server, err = Serve(ServerConfig{Dir: k.Dir, Sync: true, Log: log})
	}
	return err
}

// clear removes what a run that has ended has left in the folder. It returns an error if there is one that has not.
func (k *Checkpoint) clear(log *slog.Logger) error {
	ctx := context.Background()
	a := k.Access()
	s, err := a.open(ctx, "ravel", log)
	if err != nil {
		return err
	}
	defer s.close()
	jobs, err := s.list(ctx)
	for _, j := range jobs {
		if j.State != ended {
			return fmt.Errorf("there is a run already; go on with it by --resume %s, or remove the folder", k.Dir)
		}
		if err := s.forget(ctx, j); err != nil {
			return err
		}
	}
	_ = os.Remove(filepath.Join(k.Dir, statusFile))
	return err
}

// Access returns how this process comes to the server.
func (k *Checkpoint) Access() Access { return Access{here: k.server} }

// Close stops the server.
func (k *Checkpoint) Close() {
	if k.server != nil {
		k.server.Stop()
	}
	k.lock.Close()
}

// IsAddress reports whether s is the address of a server, and not a folder.
func IsAddress(s string) bool { return strings.Contains(s, "://") }
