package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
type Server struct{ *server.Server }

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
	if err := os.MkdirAll(o.StoreDir, 0o755); err != nil {
		return nil, err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	s.SetLoggerV2(serverLog{c.Log}, false, false, false)
	s.Start()
	if !s.ReadyForConnections(20*time.Second) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, errors.New("the server did not start: its log says why")
	}
	return &Server{s}, nil
}

// Stop stops the server, and waits until its files are closed.
func (s *Server) Stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// serverLog passes what the server logs on.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l serverLog) Warnf(format string, v ...any) {
	l.log.Warn(fmt.Sprintf(format, v...), "from", "server")
}

func (l serverLog) Fatalf(format string, v ...any) {
	l.log.Error(fmt.Sprintf(format, v...), "from", "server")
}

func (l serverLog) Errorf(format string, v ...any) {
	l.log.Error(fmt.Sprintf(format, v...), "from", "server")
}
func (l serverLog) Debugf(string, ...any) {}
func (l serverLog) Tracef(string, ...any) {}

// A Checkpoint is a folder in which a run on this machine keeps its records.
type Checkpoint struct {
	Dir    string
	server *Server
	lock   *os.File
}

// OpenCheckpoint starts a server without a port whose files are in dir. Only one process can have it.
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
		return nil, fmt.Errorf("%s %s: there is no run; --checkpoint %s begins one", flag, dir, dir)
	}
	if HadStates(dir) {
		return nil, fmt.Errorf("%s %s: there is a run of --engine states; go on with it by --resume %s, or remove the folder", flag, dir, dir)
	}
	lock, err := lockFolder(flag, dir)
	if err != nil {
		return nil, err
	}
	s, err := Serve(ServerConfig{Dir: dir, Sync: true, Log: log})
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("%s %s: %w", flag, dir, err)
	}
	k := &Checkpoint{dir, s, lock}
	if isNew && used {
		if err := k.unused(log); err != nil {
			k.Close()
			return nil, fmt.Errorf("%s %s: %w", flag, dir, err)
		}
	}
	return k, nil
}

// lockFolder locks the folder of a run, for the flag.
func lockFolder(flag, dir string) (*os.File, error) {
	lock, err := lockFile(filepath.Join(dir, "lock"))
	for range 100 { // ravel status has it for a moment, and so has a process that was just started, until it runs its own program
		if err == nil {
			return lock, nil
		}
		time.Sleep(30 * time.Millisecond)
		lock, err = lockFile(filepath.Join(dir, "lock"))
	}
	if err != nil {
		err = fmt.Errorf("%s %s: another process has it (ravel status %s): %w", flag, dir, dir, err)
	}
	return lock, err
}

// unused returns an error if the folder has a job. A run that ended before it submitted one leaves nothing.
func (k *Checkpoint) unused(log *slog.Logger) error {
	a := k.Access()
	s, err := a.open(context.Background(), "ravel", log)
	if err != nil {
		return err
	}
	defer s.close()
	jobs, err := s.list(context.Background())
	if err == nil && len(jobs) > 0 {
		err = fmt.Errorf("there is a run already; go on with it by --resume %s, or remove the folder", k.Dir)
	}
	return err
}

// Access returns how this process comes to the server.
func (c *Checkpoint) Access() Access {
	return Access{inProcess: c.server.Server}
}

// Close stops the server.
func (c *Checkpoint) Close() {
	c.server.Stop()
	c.lock.Close()
}

// IsAddress reports whether s is the address of a server, and not a folder.
func IsAddress(s string) bool { return strings.Contains(s, "://") }
