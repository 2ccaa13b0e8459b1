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
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
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
	client, worker := seed(t, dir, "client"), seed(t, dir, "worker")
	seed(t, dir, "other")
	certificates(t, dir)
	text, err := os.ReadFile("../../examples/cluster/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	conf := string(text)
	conf = conf[:strings.Index(conf, "cluster {")] + conf[strings.Index(conf, "tls {"):]
	conf = strings.NewReplacer("0.0.0.0:4222", "127.0.0.1:-1", "/var/lib/ravel", filepath.Join(dir, "js"), "/etc/ravel/", dir+"/", "UCLIENT", client, "UWORKER", worker).Replace(conf)
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
	a := access("client")
	st, err := a.open(t.Context(), "test", quiet) // makes the streams, which a worker may not
	if err != nil {
		t.Fatal(err)
	}
	st.close()
	metrics := runJob(t, a, access("worker"))
	for _, name := range []string{"ravel_worker_executions_total", "ravel_worker_slices_total"} {
		if !strings.Contains(metrics.String(), "# TYPE "+name+" counter\n"+name) {
			t.Errorf("no %s in\n%s", name, metrics)
		}
	}
}

// runJob has a worker and a client do a job, whose result must be that of a plain exploration.
func runJob(t *testing.T, client, worker Access) *Metrics {
	t.Helper()
	p, opts := writers(t)
	want, err := explore.Explore(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	metrics := NewMetrics()
	go func() {
		left <- Work(ctx, WorkerConfig{Access: worker, Build: "b", Slots: 2, Log: quiet, Metrics: metrics})
	}()
	c := &ClientConfig{Access: client, Build: "b", Model: Model{Name: "rc11"}, First: -1, Log: quiet, Metrics: metrics}
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
	return metrics
}

// TestClientCertificate has a server that asks for certificates of an authority. A job runs with one, and without one access is refused.
func TestClientCertificate(t *testing.T) {
	dir := t.TempDir()
	certificates(t, dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	s := serve(t, fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }\n", in("server.pem"), in("server.key"), in("ca.pem")))
	a := Access{URL: strings.Replace(s.ClientURL(), "nats://", "tls://", 1), CA: in("ca.pem"), Cert: in("client.pem"), Key: in("client.key")}
	for _, bad := range []struct {
		name, want string
		a          Access
	}{
		{"no certificate", "tls", Access{URL: a.URL, CA: a.CA}},
		{"no key", "--tls-key", Access{URL: a.URL, CA: a.CA, Cert: a.Cert}},
		{"the key of another", "--tls-key", Access{URL: a.URL, CA: a.CA, Cert: a.Cert, Key: in("server.key")}},
	} {
		if _, err := bad.a.open(t.Context(), "test", quiet); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", bad.name, err, bad.want)
		}
	}
	runJob(t, a, a)
}

// TestCreds has a server with an operator and accounts, as nsc makes them. A job runs with the credentials of a user, and without them, or with those of a user of an
// account that the server does not know, access is refused.
func TestCreds(t *testing.T) {
	dir := t.TempDir()
	operator, system, account, other := pair(t, nkeys.CreateOperator), pair(t, nkeys.CreateAccount), pair(t, nkeys.CreateAccount), pair(t, nkeys.CreateAccount)
	own := jwt.NewOperatorClaims(public(t, operator))
	signed := func(c jwt.Claims, by nkeys.KeyPair) string {
		text, err := c.Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	claims := jwt.NewAccountClaims(public(t, account))
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	creds := func(name string, of nkeys.KeyPair) string {
		user := pair(t, nkeys.CreateUser)
		secret, err := user.Seed()
		if err != nil {
			t.Fatal(err)
		}
		text, err := jwt.FormatUserConfig(signed(jwt.NewUserClaims(public(t, user)), of), secret)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	s := serve(t, fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\n", signed(own, operator), public(t, system),
		public(t, system), signed(jwt.NewAccountClaims(public(t, system)), operator), public(t, account), signed(claims, operator)))
	a := Access{URL: s.ClientURL(), Creds: creds("user.creds", account)}
	for _, bad := range []struct {
		name, want string
		a          Access
	}{
		{"no credentials", "see --creds", Access{URL: a.URL}},
		{"another account", "see --creds", Access{URL: a.URL, Creds: creds("other.creds", other)}},
		{"no file", "no such file", Access{URL: a.URL, Creds: filepath.Join(dir, "missing")}},
	} {
		if _, err := bad.a.open(t.Context(), "test", quiet); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", bad.name, err, bad.want)
		}
	}
	runJob(t, a, a)
}

func pair(t *testing.T, create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	t.Helper()
	k, err := create()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func public(t *testing.T, k nkeys.KeyPair) string {
	t.Helper()
	p, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// serve starts a server with a configuration, to which it adds a port and a place for files.
func serve(t *testing.T, conf string) *Server {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "nats.conf")
	conf += fmt.Sprintf("listen: \"127.0.0.1:-1\"\njetstream { store_dir: %q }\n", filepath.Join(dir, "js"))
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Serve(ServerConfig{Config: file, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// executions is how many the program of writers has: 7 writes of the same location are in 7! orders.
const executions = 5040

// writers returns a program.
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

// certificates writes the certificate of an authority, and of a server here and a client, with their keys.
func certificates(t *testing.T, dir string) {
	t.Helper()
	valid := x509.Certificate{NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	authority := valid
	authority.IsCA, authority.BasicConstraintsValid, authority.KeyUsage = true, true, x509.KeyUsageCertSign
	write := func(name, kind string, der []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var signer *ecdsa.PrivateKey
	for i, name := range []string{"ca", "server", "client"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := valid
		c.KeyUsage, c.ExtKeyUsage, c.IPAddresses = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, []net.IP{net.IPv4(127, 0, 0, 1)}
		if i == 0 {
			c, signer = authority, key
		}
		c.SerialNumber, c.Subject = big.NewInt(int64(i+1)), pkix.Name{CommonName: name}
		if i == 0 {
			authority = c
		}
		der, err := x509.CreateCertificate(rand.Reader, &c, &authority, &key.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		private, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		write(name+".pem", "CERTIFICATE", der)
		write(name+".key", "PRIVATE KEY", private)
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

// wait waits until the log has words.
func (l *lines) wait(ctx context.Context, words string) {
	for ctx.Err() == nil && !strings.Contains(l.String(), words) {
		time.Sleep(10 * time.Millisecond)
	}
}

// TestFullStore has a server that may store almost nothing: the log says why the job can't be submitted, until the client is interrupted.
func TestFullStore(t *testing.T) {
	s, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: t.TempDir(), Store: 1, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	p, opts := writers(t)
	ctx, cancel := context.WithCancel(t.Context())
	var log lines
	go func() {
		log.wait(ctx, "insufficient")
		cancel()
	}()
	c := &ClientConfig{Access: Access{URL: s.ClientURL()}, Build: "b", Model: Model{Name: "rc11"}, First: -1, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if res, err := c.Run(ctx, p, opts); err == nil {
		t.Errorf("%+v", res)
	}
	c.End()
}

// TestMetrics serves metrics.
func TestMetrics(t *testing.T) {
	m := NewMetrics()
	m.gauge("ravel_job_share", 0.5)
	srv := httptest.NewServer(m.handler())
	defer srv.Close()
	for path, want := range map[string]string{"/metrics": "ravel_job_share 0.5\n", "/healthz": "ok\n"} {
		r, err := http.Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.HasSuffix(string(data), want) {
			t.Errorf("%s: %s, %v", path, data, err)
		}
	}
	server, err := Serve(ServerConfig{Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	a := Access{here: server}
	s, err := a.open(t.Context(), "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := s.publish(t.Context(), "rv.done.j.1.i", []byte("a record")); err != nil {
		t.Fatal(err)
	}
	server.measure(m)
	for _, want := range []string{"ravel_server_connections 1\n", "ravel_server_messages 1\n", "counter\nravel_server_received_total "} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("no %q:\n%s", want, m)
		}
	}
	stop, err := m.Serve("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop()
	for name := range help {
		if !strings.HasPrefix(name, "ravel_") {
			t.Errorf("%s", name)
		}
	}
}

// TestOtherVersion has a worker of another build: the client says so.
func TestOtherVersion(t *testing.T) {
	s, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	a := Access{URL: s.ClientURL()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var workerLog, clientLog lines
	go func() {
		workerLog.wait(ctx, "another version")
		clientLog.wait(ctx, "have 0.1 (build old)")
		cancel()
	}()
	go func() {
		_ = Work(ctx, WorkerConfig{Access: a, Build: "old", Version: "0.1", Slots: 1, Log: slog.New(slog.NewTextHandler(&workerLog, nil))})
	}()
	p, opts := writers(t)
	c := &ClientConfig{Access: a, Build: "new", Version: "0.2", Model: Model{Name: "rc11"}, First: -1, Log: slog.New(slog.NewTextHandler(&clientLog, nil))}
	res, err := c.Run(ctx, p, opts)
	if err != nil || res.GaveUp != "interrupted" || c.Kept() == "" {
		t.Errorf("%+v, %v", res, err)
	}
	c.End()
	if !strings.Contains(workerLog.String(), "another version") || !strings.Contains(clientLog.String(), "have 0.1 (build old)") {
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
	s, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: t.TempDir(), Log: quiet})
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
	c := &ClientConfig{Access: a, Build: "b", Model: Model{Name: "rc11"}, First: -1, Limits: Limits{MaxMemory: 1}, Log: quiet}
	res, err := c.Run(t.Context(), p, opts)
	if err != nil || !strings.Contains(res.GaveUp, "--max-memory") {
		t.Errorf("%+v, %v", res, err)
	}
	c.End()
	cancel()
	<-left

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		log.wait(ctx, "has come to its memory limit")
		cancel()
	}()
	go func() {
		left <- Work(ctx, WorkerConfig{Access: a, Build: "b", Slots: 1, MaxMemory: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	}()
	c = &ClientConfig{Access: a, Build: "b", Model: Model{Name: "rc11"}, First: -1, Log: quiet}
	res, err = c.Run(ctx, p, opts)
	if err != nil || res.GaveUp != "interrupted" || c.Kept() == "" {
		t.Errorf("%+v, %v", res, err)
	}
	c.End()
	<-left
}

// TestBuild names builds: those of the same release are one on all systems, and those of changed source are none.
func TestBuild(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range []string{Build("1.0", "abc"), Build("1.0", "abc"), Build("1.1", "abc"), Build("1.0", "abd")} {
		seen[b] = true
	}
	if len(seen) != 3 {
		t.Errorf("the version and the commit name a build: %v", seen)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	if Build("1.0", "abc, changed") != Build("1.0", digest(data)) {
		t.Error("a build of changed source is named by its contents")
	}
}

// TestDeaf has a record of an open item that was not delivered.
func TestDeaf(t *testing.T) {
	srv, err := Serve(ServerConfig{Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	a := Access{here: srv}
	s, err := a.open(t.Context(), "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	f := &follower{ClientConfig: &ClientConfig{Log: quiet}, store: s, job: Job{ID: "j"}, generation: 1}
	f.frontier = f.roots()
	if f.isDeaf(t.Context()) {
		t.Error("deaf without a record")
	}
	if _, err := s.publish(t.Context(), doneSubject(&f.job, 1, "root"), []byte("a record")); err != nil {
		t.Fatal(err)
	}
	if !f.isDeaf(t.Context()) {
		t.Error("not deaf with a record")
	}
}

// TestSameStore has two servers that want the same folder.
func TestSameStore(t *testing.T) {
	dir := t.TempDir()
	srv, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: dir, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: dir, Log: quiet}); err == nil {
		other.Stop()
		t.Error("two servers have the same folder")
	} else if !strings.Contains(err.Error(), "another process has it") {
		t.Error(err)
	}
	srv.Stop()
	if srv, err = Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: dir, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	srv.Stop()
}

// TestEndedJobs has jobs that ended yesterday and today: the end of another one removes the first.
func TestEndedJobs(t *testing.T) {
	srv, err := Serve(ServerConfig{Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	a := Access{here: srv}
	s, err := a.open(t.Context(), "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	add := func(name string, state string, age time.Duration) *Job {
		j := &Job{Spec: Spec{Program: name}, ID: name, State: state, Ended: time.Now().Add(-age)}
		if err := s.set(t.Context(), "job."+j.key(), j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	add("old", ended, 25*time.Hour)
	add("new", ended, time.Hour)
	add("paused", paused, 25*time.Hour)
	f := &follower{ClientConfig: &ClientConfig{Log: quiet}, store: s, job: *add("this", ended, 0)}
	f.remove(t.Context())
	jobs, err := s.list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, j := range jobs {
		names = append(names, j.ID)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"new", "paused", "this"}) {
		t.Errorf("%v are left", names)
	}
}

// TestOpenTogether has many processes that come to a new server at once, all of which would make the streams.
func TestOpenTogether(t *testing.T) {
	s, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a := Access{URL: s.ClientURL()}
			st, err := a.open(t.Context(), "test", quiet)
			if err != nil {
				t.Error(err)
				return
			}
			st.close()
		})
	}
	wg.Wait()
}
