package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var quiet = slog.New(slog.DiscardHandler)

// TestAccess uses the configuration of examples/cluster, with one server: TLS, and nkeys of a client and of a worker that may do no more than it needs. A job runs, and
// those without a key, with a wrong one or without the certificate of the authority are refused.
func TestAccess(t *testing.T) {
	dir := t.TempDir()
	client, worker, other := seed(t, dir, "client"), seed(t, dir, "worker"), seed(t, dir, "other")
	certificate(t, dir)
	text, err := os.ReadFile("../../examples/cluster/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	conf := string(text)
	conf = conf[:strings.Index(conf, "cluster {")] + conf[strings.Index(conf, "tls {"):]
	conf = strings.NewReplacer("0.0.0.0:4222", fmt.Sprintf("127.0.0.1:%d", freePort(t)), "/var/lib/ravel", filepath.Join(dir, "js"), "/etc/ravel/", dir+"/", "UCLIENT", client, "UWORKER", worker).Replace(conf)
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Serve(ServerConfig{Config: file, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	access := func(key string) Access {
		return Access{URL: strings.Replace(s.ClientURL(), "nats://", "tls://", 1), NKey: filepath.Join(dir, key), CA: filepath.Join(dir, "ca.pem")}
	}
	for _, bad := range []struct {
		name, want string
		a          Access
	}{
		{"no key", "Authorization", Access{URL: access("").URL, CA: filepath.Join(dir, "ca.pem")}},
		{"another key", "Authorization", access("other")},
		{"no authority", "certificate", Access{URL: access("").URL, NKey: filepath.Join(dir, "client")}},
		{"no file", "--nkey", access("missing")},
	} {
		if _, err := bad.a.open(t.Context(), "test", quiet); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", bad.name, err, bad.want)
		}
	}
	_ = other
	a := access("client")
	st, err := a.open(t.Context(), "test", quiet) // makes the streams, which a worker may not
	if err != nil {
		t.Fatal(err)
	}
	st.close()
	p, opts := writers(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	metrics := NewMetrics()
	go func() {
		left <- Work(ctx, WorkerConfig{Access: access("worker"), Build: "b", Slots: 2, Log: quiet, Metrics: metrics})
	}()
	want, err := explore.Explore(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	c := &ClientConfig{Access: a, Build: "b", Model: Model{Name: "rc11"}, Scout: time.Millisecond, Log: quiet, Metrics: metrics}
	got, err := c.Run(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	c.End()
	cancel()
	if err := <-left; err != nil {
		t.Error(err)
	}
	if diff := differences(got, want); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"ravel_worker_executions_total", "ravel_worker_slices_total"} {
		if !strings.Contains(metrics.String(), "# TYPE "+name+" counter\n"+name) {
			t.Errorf("no %s in\n%s", name, metrics)
		}
	}
}

// writers returns a program with 5,040 executions.
func writers(t *testing.T) (*ir.Program, explore.Options) {
	t.Helper()
	m, err := model.Get("rc11", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := explore.Options{Model: m}
	opts.Options = engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}
	return brute.Lower(brute.MustParse(strings.TrimSuffix(strings.Repeat("x=1 || ", 7), " || "))), opts
}

// seed writes the seed of a new key to a file, and returns its public part.
func seed(t *testing.T, dir, name string) string {
	t.Helper()
	k, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := k.Seed()
	if err := os.WriteFile(filepath.Join(dir, name), s, 0o600); err != nil {
		t.Fatal(err)
	}
	public, _ := k.PublicKey()
	return public
}

// certificate writes a certificate of an authority, and one of a server here.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, _ := x509.MarshalPKCS8PrivateKey(key)
	for name, b := range map[string]*pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: der}, "server.pem": {Type: "CERTIFICATE", Bytes: der}, "server.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lines is a log that goroutines share.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestFullStore has a server that takes almost nothing: the job is refused with a message, and nothing is wrong.
func TestFullStore(t *testing.T) {
	s, err := Serve(ServerConfig{Addr: fmt.Sprintf("127.0.0.1:%d", freePort(t)), Dir: t.TempDir(), Store: 1, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	p, opts := writers(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	c := &ClientConfig{Access: Access{URL: s.ClientURL()}, Build: "b", Model: Model{Name: "rc11"}, Scout: time.Nanosecond, Log: quiet}
	_, err = c.Run(ctx, p, opts)
	if err == nil || !strings.Contains(err.Error(), "insufficient") && !strings.Contains(err.Error(), "resource") {
		t.Errorf("error %v", err)
	}
}

// TestMetrics serves metrics.
func TestMetrics(t *testing.T) {
	m := NewMetrics()
	m.gauge("ravel_job_share", 0.5)
	addr := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	stop, err := m.Serve(addr)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for path, want := range map[string]string{"/metrics": "ravel_job_share 0.5\n", "/healthz": "ok\n"} {
		r, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 1000)
		n, _ := r.Body.Read(data)
		r.Body.Close()
		if !strings.HasSuffix(string(data[:n]), want) {
			t.Errorf("%s: %s", path, data[:n])
		}
	}
	for name := range help {
		if !strings.HasPrefix(name, "ravel_") {
			t.Errorf("%s", name)
		}
	}
}

// TestOtherVersion has a worker of another build: the client says so.
func TestOtherVersion(t *testing.T) {
	s, err := Serve(ServerConfig{Addr: fmt.Sprintf("127.0.0.1:%d", freePort(t)), Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	a := Access{URL: s.ClientURL()}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	var workerLog, clientLog lines
	go func() {
		_ = Work(ctx, WorkerConfig{Access: a, Build: "old", Version: "0.1", Slots: 1, Log: slog.New(slog.NewTextHandler(&workerLog, nil))})
	}()
	p, opts := writers(t)
	c := &ClientConfig{Access: a, Build: "new", Version: "0.2", Model: Model{Name: "rc11"}, Scout: time.Millisecond, Log: slog.New(slog.NewTextHandler(&clientLog, nil))}
	res, err := c.Run(ctx, p, opts)
	if err != nil || res.GaveUp != "interrupted" || !c.Paused() {
		t.Errorf("%+v, %v", res, err)
	}
	c.End()
	if !strings.Contains(workerLog.String(), "another version") || !strings.Contains(clientLog.String(), "have version 0.1") {
		t.Errorf("worker: %s\nclient: %s", workerLog.String(), clientLog.String())
	}
	jobs, err := Jobs(t.Context(), a, c)
	if err != nil || len(jobs) != 1 || jobs[0].State != paused {
		t.Fatalf("%+v, %v", jobs, err)
	}
	if _, err := json.Marshal(jobs); err != nil {
		t.Error(err)
	}
	if err := Remove(t.Context(), a, c, jobs[0].Job); err != nil {
		t.Error(err)
	}
	if jobs, err = Jobs(t.Context(), a, c); err != nil || len(jobs) != 0 {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// TestMemoryLimit has a job that may take next to nothing, and then a worker that may not: the first is given up, the second goes on with another worker.
func TestMemoryLimit(t *testing.T) {
	s, err := Serve(ServerConfig{Addr: fmt.Sprintf("127.0.0.1:%d", freePort(t)), Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	a := Access{URL: s.ClientURL()}
	_, opts := writers(t)
	p := brute.Lower(brute.MustParse(strings.TrimSuffix(strings.Repeat("x=1 || ", 12), " || ")))
	ctx, cancel := context.WithCancel(t.Context())
	var log lines
	left := make(chan error, 1)
	go func() {
		left <- Work(ctx, WorkerConfig{Access: a, Build: "b", Slots: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	}()
	c := &ClientConfig{Access: a, Build: "b", Model: Model{Name: "rc11"}, Scout: time.Millisecond, Limits: Limits{MaxMemory: 1}, Log: quiet}
	res, err := c.Run(t.Context(), p, opts)
	if err != nil || !strings.Contains(res.GaveUp, "--max-memory") {
		t.Errorf("%+v, %v", res, err)
	}
	c.End()
	cancel()
	<-left

	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	go func() {
		left <- Work(ctx, WorkerConfig{Access: a, Build: "b", Slots: 1, MaxMemory: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	}()
	c = &ClientConfig{Access: a, Build: "b", Model: Model{Name: "rc11"}, Scout: time.Millisecond, Log: quiet}
	res, err = c.Run(ctx, p, opts)
	if err != nil || res.GaveUp != "interrupted" || !c.Paused() {
		t.Errorf("%+v, %v", res, err)
	}
	c.End()
	<-left
	if !strings.Contains(log.String(), "has come to its memory limit") {
		t.Errorf("the worker does not say that it has too little memory:\n%s", log.String())
	}
}
