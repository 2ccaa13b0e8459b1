package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

var (
	chaosRounds = flag.Int("chaos-rounds", 2, "rounds of TestChaos")
	chaosLong   = flag.Bool("chaos-long", false, "programs of ten seconds and more in TestChaos")
	chaosSeed   = flag.Uint64("chaos-seed", 1, "of the first round of TestChaos")
)

// A victim is a program of testdata with a model, and N.
type victim struct {
	file, model string
	n           int
}

var (
	victims = []victim{{"nest.c", "rc11", 3}, {"buffering.c", "imm", 3}, {"layout.c", "rc11", 4}, {"locks.c", "rc11", 4}}
	large   = []victim{
		{"layout.c", "sc", 5},
		{"layout.c", "rc11", 5},
		{"buffering.c", "imm", 4},
		{"buffering.c", "armv8", 4},
		{"buffering.c", "xmm", 4},
		{"barrier.c", "rc11", 5},
		{"barrier.c", "rc11.cat", 5},
		{"barrier.c", "tso", 5},
		{"nest.c", "rc11", 3},
		{"locks.c", "rc11", 4},
	}
)

// TestChaos checks programs with a server, workers and a client that are real processes, and kills them at random with kill -9. The counts are those
// of a plain run. In every third round there are three servers that keep copies, and one of them is killed and never comes back.
func TestChaos(t *testing.T) {
	needClang(t)
	ravel := build(t)
	list := victims
	if *chaosLong {
		list = large
	}
	plain := map[victim]counts{}
	for round := range *chaosRounds {
		seed := *chaosSeed + uint64(round)
		rng := rand.New(rand.NewPCG(seed, 1))
		v := list[int(seed)%len(list)]
		want, ok := plain[v]
		if !ok {
			want = countsOf(t, run(t, ravel, v.args()...))
			plain[v] = want
		}
		servers := 1
		if seed%3 == 0 {
			servers = 3
		}
		c := newChaos(t, ravel, servers, rng)
		got, kills := c.run(v)
		c.close()
		if got != want {
			t.Fatalf("seed %d, %v, %d servers: %+v after %d kills, want %+v", seed, v, servers, got, kills, want)
		}
		t.Logf("seed %d, %v, %d servers: %+v after %d kills", seed, v, servers, got, kills)
	}
}

func (v victim) args() []string {
	return []string{"check", "--json", "--model", v.model, filepath.Join("testdata", v.file), "--", fmt.Sprint("-DN=", v.n)}
}

// counts are what has to be the same.
type counts struct {
	Verdict                            string
	Complete, Blocked, Moot, Duplicate int64
}

func countsOf(t *testing.T, out []byte) counts {
	t.Helper()
	var r struct {
		Verdict    string
		Executions struct{ Complete, Blocked, Moot, Duplicate int64 }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return counts{r.Verdict, r.Executions.Complete, r.Executions.Blocked, r.Executions.Moot, r.Executions.Duplicate}
}

// needClang skips a test that compiles programs and takes its time.
func needClang(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH: scripts/setup installs it")
	}
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ravel")
	if out, err := exec.Command("go", "build", "-o", file, "ravel/cmd/ravel").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// run runs the command and returns its output.
func run(t *testing.T, ravel string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(ravel, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited || len(out) == 0 {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return out
}

// A chaos is a cluster of processes.
type chaos struct {
	t       *testing.T
	ravel   string
	dir     string
	rng     *rand.Rand
	urls    string
	ports   []int
	servers []*process
	workers []*process
}

// A process is one that may be killed and begun again.
type process struct {
	cmd  *exec.Cmd
	args []string
	log  *os.File
	out  bytes.Buffer
	done chan struct{}
}

func newChaos(t *testing.T, ravel string, servers int, rng *rand.Rand) *chaos {
	t.Helper()
	c := &chaos{t: t, ravel: ravel, dir: t.TempDir(), rng: rng}
	var urls, routes []string
	for range servers {
		c.ports = append(c.ports, freePort(t), freePort(t))
	}
	for i := range servers {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", c.ports[2*i]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", c.ports[2*i+1]))
	}
	c.urls = strings.Join(urls, ",")
	for i := range servers {
		args := []string{"cluster", "serve", "--sync=false", "--addr", fmt.Sprintf("127.0.0.1:%d", c.ports[0]), "--store", filepath.Join(c.dir, "s0")}
		if servers > 1 {
			conf := filepath.Join(c.dir, fmt.Sprintf("s%d.conf", i))
			text := fmt.Sprintf("listen: 127.0.0.1:%d\nserver_name: s%d\njetstream { store_dir: %q }\ncluster { name: chaos, listen: 127.0.0.1:%d, routes: [%s] }\n",
				c.ports[2*i], i, filepath.Join(c.dir, fmt.Sprint("s", i)), c.ports[2*i+1], strings.Join(routes, ", "))
			if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args = []string{"cluster", "serve", "--config", conf}
		}
		c.servers = append(c.servers, c.start(fmt.Sprint("server", i), args...))
	}
	c.ready()
	for i := range 2 + rng.IntN(3) {
		c.workers = append(c.workers, c.start(fmt.Sprint("worker", i), "worker", "--cluster", c.urls, "--workers", "1", "--replicas", fmt.Sprint(servers)))
	}
	return c
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// ready waits until JetStream answers, and makes the streams.
func (c *chaos) ready() {
	a := Access{URL: c.urls, Replicas: len(c.servers)}
	var err error
	for range 300 {
		var s *store
		if s, err = a.open(c.t.Context(), "test", slog.New(slog.DiscardHandler)); err == nil {
			s.close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.t.Fatalf("the servers are not ready: %v", err)
}

// start starts a process whose log is in a file.
func (c *chaos) start(name string, args ...string) *process {
	c.t.Helper()
	log, err := os.OpenFile(filepath.Join(c.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		c.t.Fatal(err)
	}
	p := &process{args: args, log: log}
	c.again(p)
	return p
}

// again starts a process that has ended again.
func (c *chaos) again(p *process) {
	c.t.Helper()
	p.out.Reset()
	p.cmd, p.done = exec.Command(c.ravel, p.args...), make(chan struct{})
	p.cmd.Stdout, p.cmd.Stderr = &p.out, p.log
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(p.cmd, p.done)
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// run has v checked, kills processes meanwhile, and returns what the client says at last.
func (c *chaos) run(v victim) (counts, int) {
	args := append([]string{"check", "--cluster", c.urls, "--replicas", fmt.Sprint(len(c.servers)), "--scout", "1ms", "--log-level", "info"}, v.args()[1:]...)
	client := c.start("client", args...)
	kills, gone := 0, false
	deadline := time.Now().Add(10 * time.Minute)
	for {
		select {
		case <-client.done:
			if len(client.out.Bytes()) > 0 {
				return countsOf(c.t, client.out.Bytes()), kills
			}
			c.again(client) // it gave up on a server that was away too long
		case <-time.After(time.Duration(100+c.rng.IntN(900)) * time.Millisecond):
		}
		if time.Now().After(deadline) {
			c.t.Errorf("there is no result after %d kills\n%s", kills, c.logs())
			client.kill()
			return counts{}, kills
		}
		if kills == maxKills {
			continue // under xmm, the end takes a while of the client alone
		}
		kills++
		switch n := c.rng.IntN(8); {
		case n == 0:
			client.kill()
			c.pause()
			c.again(client)
		case n < 3 && len(c.servers) == 1:
			c.servers[0].kill()
			c.pause()
			c.again(c.servers[0])
		case n < 3 && !gone: // never to come back
			c.servers[c.rng.IntN(len(c.servers))].kill()
			gone = true
		default:
			w := c.workers[c.rng.IntN(len(c.workers))]
			w.kill()
			c.pause()
			c.again(w)
		}
	}
}

// maxKills is after how many of them a round is left alone.
const maxKills = 60

func (c *chaos) pause() { time.Sleep(time.Duration(c.rng.IntN(300)) * time.Millisecond) }

// logs returns the ends of all logs.
func (c *chaos) logs() string {
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		fmt.Fprintf(&b, "---- %s\n%s\n", filepath.Base(f), data[max(0, len(data)-1500):])
	}
	return b.String()
}

func (c *chaos) close() {
	for _, p := range append(c.workers, c.servers...) {
		p.kill()
		p.log.Close()
	}
}

// TestFailures has workers that hang, records that are torn or lie about their version, and an item that no worker survives: nothing is lost, and what
// is wrong is said.
func TestFailures(t *testing.T) {
	needClang(t)
	ravel := build(t)
	v := victim{"layout.c", "rc11", 4}
	want := countsOf(t, run(t, ravel, v.args()...))
	c := newChaos(t, ravel, 1, rand.New(rand.NewPCG(7, 7)))
	defer c.close()

	// One worker hangs for good, and another one for longer than the server waits.
	hangs := c.workers[0].cmd.Process
	_ = hangs.Signal(syscall.SIGSTOP)
	defer func() { _ = hangs.Signal(syscall.SIGCONT) }()
	time.AfterFunc(time.Second, func() { _ = c.workers[1].cmd.Process.Signal(syscall.SIGSTOP) })
	time.AfterFunc(time.Second+2*ackWait, func() { _ = c.workers[1].cmd.Process.Signal(syscall.SIGCONT) })

	// Somebody sends records that are wrong, for whatever is in the queue.
	nc, err := nats.Connect(c.urls)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	var mu sync.Mutex
	forged := 0
	_, err = nc.Subscribe("rv.item.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		if forged++; forged > 6 {
			return
		}
		parts := strings.Split(m.Subject, ".")
		subject := "rv.done." + strings.Join(parts[3:], ".")
		data := []byte("0000")
		if forged%2 == 0 {
			data = sealed([]byte(`{"Build":"another","n":[1000000,0,0,0,0,0]}`))
		}
		_ = nc.Publish(subject, data)
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = nc.Flush()
	got, _ := c.follow(v)
	if got != want {
		t.Errorf("%+v, want %+v\n%s", got, want, c.logs())
	}
	log, _ := os.ReadFile(filepath.Join(c.dir, "client.log"))
	for _, words := range []string{"torn", "another version"} {
		if !strings.Contains(string(log), words) {
			t.Errorf("the client says nothing of %q:\n%s", words, log)
		}
	}
}

// follow has v checked, and kills nobody.
func (c *chaos) follow(v victim) (counts, []byte) {
	c.t.Helper()
	args := append([]string{"check", "--cluster", c.urls, "--scout", "1ms", "--log-level", "info"}, v.args()[1:]...)
	client := c.start("client", args...)
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Minute)
	defer cancel()
	select {
	case <-client.done:
		return countsOf(c.t, client.out.Bytes()), client.out.Bytes()
	case <-ctx.Done():
		client.kill()
		c.t.Fatalf("there is no result\n%s", c.logs())
	}
	return counts{}, nil
}

// TestCheckpoint kills a run on one machine at random, and goes on with it until it has ended.
func TestCheckpoint(t *testing.T) {
	needClang(t)
	ravel := build(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, v := range []victim{{"nest.c", "rc11", 3}, {"buffering.c", "imm", 3}, {"barrier.c", "rc11.cat", 4}} {
		want := countsOf(t, run(t, ravel, v.args()...))
		kept := filepath.Join(t.TempDir(), "run")
		out, kills := killed(t, ravel, rng, kept, append([]string{"check", "--checkpoint", kept, "--scout", "1ms"}, v.args()[1:]...))
		if got := countsOf(t, out); got != want {
			t.Errorf("%v: %+v after %d kills, want %+v", v, got, kills, want)
		}
		t.Logf("%v: %+v after %d kills", v, want, kills)
	}
}

// TestCheckpointStates is TestCheckpoint for the engine of states.
func TestCheckpointStates(t *testing.T) {
	needClang(t)
	ravel := build(t)
	rng := rand.New(rand.NewPCG(4, 4))
	spill := t.TempDir()
	for _, args := range []string{
		"--model tso --por=false --symmetry=false ../../testdata/c/states/counting.c -- -DSTART -DINCS=4",
		"--model pso --workers 1 --por=false --symmetry=false --spill " + spill + " ../../testdata/c/states/counting.c -- -DSTART -DINCS=4",
		"--model rmo --workers 1 --por=false ../../testdata/c/states/boxes.c -- -DROUNDS=3",
		"--model all --workers 1 --keep-going --liveness ../../testdata/c/states/peterson.c",
	} {
		command := append([]string{"check", "--json", "--engine", "states"}, strings.Fields(args)...)
		want := statesOf(t, run(t, ravel, command...))
		kept := filepath.Join(t.TempDir(), "run")
		out, kills := killed(t, ravel, rng, kept, append([]string{"check", "--checkpoint", kept}, command[1:]...))
		if got := statesOf(t, out); got != want {
			t.Errorf("%s: %+v after %d kills, want %+v", args, got, kills, want)
		}
		t.Logf("%s: %+v after %d kills", args, want, kills)
	}
}

// statesOf returns what a run of the engine of states has found.
func statesOf(t *testing.T, out []byte) string {
	t.Helper()
	var r struct {
		Verdict string
		States  struct{ Stored, Transitions int64 }
		Errors  []struct {
			Kind, Message  string
			StrongestModel string `json:"strongest_model"`
			Steps          []struct{ Text string }
		}
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return fmt.Sprintf("%+v", r)
}

// killed runs a command that keeps its run in a folder, kills it at random, by kill -9 and by Ctrl-C, and goes on with it until it has ended. It returns what it prints.
func killed(t *testing.T, ravel string, rng *rand.Rand, kept string, begin []string) (result []byte, kills int) {
	t.Helper()
	args := begin
	signal := []os.Signal{syscall.SIGKILL, syscall.SIGINT}
	for result == nil {
		var out, errs bytes.Buffer
		cmd := exec.Command(ravel, args...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			_ = cmd.Wait()
			close(done)
		}()
		if kills < 4 {
			select {
			case <-done:
			case <-time.After(time.Duration(300+rng.IntN(1200)) * time.Millisecond):
				_ = cmd.Process.Signal(signal[kills%2])
				kills++
			}
		}
		<-done
		_, graphs := os.Stat(filepath.Join(kept, "jetstream"))
		if graphs == nil || HadStates(kept) {
			args = []string{"check", "--resume", kept, "--json"}
		}
		switch said := errs.String(); {
		case strings.Contains(said, "nothing to go on with"): // it was killed too early
			args = begin
		case out.Len() > 0 && !strings.Contains(said, "The run is kept"):
			result = out.Bytes()
		case kills >= 4 && out.Len() == 0 && errs.Len() > 0:
			t.Fatalf("%v: %s", begin, said)
		}
	}
	if out, err := exec.Command(ravel, "check", "--resume", kept).CombinedOutput(); err == nil || !strings.Contains(string(out), "has ended") {
		t.Errorf("resume after the end: %v\n%s", err, out)
	}
	return result, kills
}
