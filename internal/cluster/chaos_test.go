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
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ravel/internal/explore"
)

var (
	chaosRounds = flag.Int("chaos-rounds", 3, "rounds of TestChaos")
	chaosLong   = flag.Bool("chaos-long", false, "programs of ten seconds and more in TestChaos")
	chaosSeed   = flag.Uint64("chaos-seed", 1, "of the first round of TestChaos")
)

// A victim is a program of testdata with a model, and flags of the compiler.
type victim struct{ file, model, flags string }

var (
	victims = []victim{ // of two to four seconds of CPU time
		{"nest.c", "rc11", "-DN=3 -DMORE=4"},
		{"buffering.c", "imm", "-DN=4 -DMORE=3"},
		{"layout.c", "rc11", "-DN=5"},
		{"locks.c", "rc11", "-DN=4 -DMORE=8"},
	}
	large = []victim{ // of ten to fifteen
		{"layout.c", "sc", "-DN=5 -DMORE=13"},
		{"layout.c", "rc11", "-DN=5 -DMORE=4"},
		{"buffering.c", "imm", "-DN=4 -DMORE=17"},
		{"buffering.c", "armv8", "-DN=4 -DMORE=1"},
		{"buffering.c", "xmm", "-DN=4 -DMORE=2"},
		{"stack.c", "rc11", "-DN=6"},
		{"barrier.c", "rc11.cat", "-DN=5 -DMORE=3"},
		{"barrier.c", "tso", "-DN=5 -DMORE=13"},
		{"nest.c", "rc11", "-DN=3 -DMORE=18"},
		{"locks.c", "rc11", "-DN=4 -DMORE=27"},
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
		begin := time.Now()
		c := newChaos(t, ravel, servers, rng)
		c.join(2 + rng.IntN(3))
		got, kills := c.run(v)
		c.close()
		if got != want {
			t.Fatalf("seed %d, %v, %d servers: %+v after %d kills, want %+v", seed, v, servers, got, kills, want)
		}
		t.Logf("seed %d, %v, %d servers: %+v after %d kills in %.0f s", seed, v, servers, got, kills, time.Since(begin).Seconds())
	}
}

// args are the command. In pieces, all orders of equal threads are explored, and the threads of barrier.c are not equal.
func (v victim) args() []string {
	args := []string{"check", "--json", "--model", v.model}
	if v.file != "barrier.c" {
		args = append(args, "--symmetry=false")
	}
	return append(append(args, filepath.Join("testdata", v.file), "--"), strings.Fields(v.flags)...)
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

// run runs the command and returns its output. It logs how long that takes.
func run(t *testing.T, ravel string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(ravel, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited || len(out) == 0 {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	t.Logf("%s: %.1f s of CPU time", strings.Join(args, " "), cpuOf(cmd).Seconds())
	return out
}

// A chaos is a cluster of processes.
type chaos struct {
	t       *testing.T
	ravel   string
	dir     string
	rng     *rand.Rand
	urls    string
	servers []*process
	workers []*process
	all     []*process
}

// A process is one that may be killed and begun again.
type process struct {
	cmd  *exec.Cmd
	args []string
	log  *os.File
	out  bytes.Buffer
	done chan struct{}
}

// newChaos starts servers.
func newChaos(t *testing.T, ravel string, servers int, rng *rand.Rand) *chaos {
	t.Helper()
	c := &chaos{t: t, ravel: ravel, dir: t.TempDir(), rng: rng}
	var addrs, urls, routes []string
	for range servers {
		addr, route := freeAddr(t), freeAddr(t)
		addrs, urls, routes = append(addrs, addr), append(urls, "nats://"+addr), append(routes, "nats://"+route)
	}
	c.urls = strings.Join(urls, ",")
	for i := range servers {
		args := []string{"cluster", "serve", "--sync=false", "--addr", addrs[0], "--store", filepath.Join(c.dir, "s0")}
		if servers > 1 {
			conf := filepath.Join(c.dir, fmt.Sprintf("s%d.conf", i))
			text := fmt.Sprintf("listen: %q\nserver_name: s%d\njetstream { store_dir: %q }\ncluster { name: chaos, listen: %q, routes: [%s] }\n",
				addrs[i], i, filepath.Join(c.dir, fmt.Sprint("s", i)), strings.TrimPrefix(routes[i], "nats://"), strings.Join(routes, ", "))
			if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args = []string{"cluster", "serve", "--config", conf}
		}
		c.servers = append(c.servers, c.start(fmt.Sprint("server", i), args...))
	}
	c.ready()
	return c
}

// join starts n workers, with more flags.
func (c *chaos) join(n int, flags ...string) {
	for range n {
		args := append([]string{"worker", "--cluster", c.urls, "--workers", "1", "--replicas", fmt.Sprint(len(c.servers))}, flags...)
		c.workers = append(c.workers, c.start(fmt.Sprint("worker", len(c.workers)), args...))
	}
}

// freeAddr returns an address to listen at. Nobody else takes it while no server listens: it is one of the 16 million of this machine, and its port is not
// among those that the system gives to connections.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.%d.%d.%d:%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254), 10_000+rand.IntN(20_000))
		if runtime.GOOS != "linux" { // it has only one
			addr = fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		}
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	t.Fatal("no address is free")
	return ""
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
	c.all = append(c.all, p)
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

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// run has v checked, kills processes up to forty times meanwhile, and returns what the client says at last.
func (c *chaos) run(v victim) (counts, int) {
	args := append([]string{"check", "--cluster", c.urls, "--replicas", fmt.Sprint(len(c.servers)), "--first-slice", "1ms", "--log-level", "info"}, v.args()[1:]...)
	client := c.start("client", args...)
	kills, most, gone := 0, 10+c.rng.IntN(30), false
	deadline := time.Now().Add(30 * time.Minute)
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
		if kills == most {
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
	for _, p := range c.all {
		p.kill()
		p.log.Close()
	}
}

// TestFailures has records that are torn or lie about their version, and workers that hang, for good or until another one has their item. Nothing is lost, and what
// is wrong is said.
func TestFailures(t *testing.T) {
	needClang(t)
	ravel := build(t)
	v := victim{"nest.c", "rc11", "-DN=3"}
	want := countsOf(t, run(t, ravel, v.args()...))
	c := newChaos(t, ravel, 1, rand.New(rand.NewPCG(7, 7)))
	defer c.close()
	a := Access{URL: c.urls}
	s, err := a.open(t.Context(), "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()

	// While there is no worker, somebody sends wrong records for the items of the queue.
	var items []string
	queued, err := s.nc.SubscribeSync("rv.item.>")
	if err != nil {
		t.Fatal(err)
	}
	client := c.client(v)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-client.done
		cancel()
	}()
	for len(items) < 2 {
		m, err := queued.NextMsgWithContext(ctx)
		if err != nil {
			t.Fatalf("%v\n%s", err, c.logs())
		}
		data := []byte("0000")
		if len(items)%2 == 1 {
			data = sealed([]byte(`{"Build":"another","n":[1000000,0,0,0,0,0]}`))
		}
		items = append(items, m.Subject)
		parts := strings.Split(m.Subject, ".")
		if _, err := s.publish(t.Context(), "rv.done."+strings.Join(parts[3:], "."), data); err != nil {
			t.Fatal(err)
		}
	}
	build := strings.Split(items[0], ".")[2]

	// Two workers hang, each with an item. One of them goes on when others have done its item.
	queue, err := s.queue(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	pending := func() (held, again int) {
		info, err := queue.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.NumAckPending, info.NumRedelivered
	}
	for n := 1; n <= 2; n++ {
		c.join(1)
		c.hang(c.workers[n-1], func() bool { held, _ := pending(); return held >= n }, client.done)
	}
	c.join(2)
	for held, again := pending(); held > 0 && again == 0 && !client.ended(); held, again = pending() {
		time.Sleep(20 * time.Millisecond)
	}
	_ = c.workers[0].cmd.Process.Signal(syscall.SIGCONT)
	got, _ := c.result(client)
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

// hang stops a process when holds says that it has something, unless end comes first.
func (c *chaos) hang(p *process, holds func() bool, end <-chan struct{}) {
	for {
		select {
		case <-end:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if !holds() {
			continue
		}
		_ = p.cmd.Process.Signal(syscall.SIGSTOP)
		if holds() { // it is stopped, so it still has it
			return
		}
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
	}
}

// TestPoison has an item that every worker that takes it dies of: after some tries the job is given up, and the reason names the item.
func TestPoison(t *testing.T) {
	srv, err := Serve(ServerConfig{Addr: "127.0.0.1:0", Dir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	a := Access{URL: srv.ClientURL()}
	s, err := a.open(t.Context(), "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	queue, err := s.queue(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	p, opts := writers(t)
	c := &ClientConfig{Access: a, Build: "b", Model: Model{Name: "rc11"}, First: -1, Log: quiet}
	var res *explore.Result
	told := make(chan error, 1)
	go func() {
		var err error
		res, err = c.Run(t.Context(), p, opts)
		told <- err
	}()
	var m jetstream.Msg
	for m == nil { // a worker takes an item and dies
		m, _ = queue.Next(jetstream.FetchMaxWait(time.Second))
	}
	parts := strings.Split(m.Subject(), ".")
	if err := s.set(t.Context(), "try."+parts[3]+"."+parts[5], maxTries); err != nil {
		t.Fatal(err)
	}
	if err := m.Nak(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- Work(ctx, WorkerConfig{Access: a, Build: "b", Slots: 1, Log: quiet}) }()
	if err := <-told; err != nil {
		t.Fatal(err)
	}
	c.End()
	cancel()
	<-left
	if !strings.Contains(res.GaveUp, "8 workers") || !strings.Contains(res.GaveUp, parts[5]) {
		t.Errorf("gave up: %q, want item %s", res.GaveUp, parts[5])
	}
}

// client starts a client that has v checked.
func (c *chaos) client(v victim) *process {
	c.t.Helper()
	return c.start("client", append([]string{"check", "--cluster", c.urls, "--first-slice", "1ns", "--log-level", "info"}, v.args()[1:]...)...)
}

// result waits for a client.
func (c *chaos) result(client *process) (counts, []byte) {
	c.t.Helper()
	select {
	case <-client.done:
	case <-time.After(15 * time.Minute):
		client.kill()
		c.t.Fatalf("there is no result\n%s", c.logs())
	}
	return countsOf(c.t, client.out.Bytes()), client.out.Bytes()
}

// TestCheckpoint kills a run on one machine at random, and goes on with it until it has ended.
func TestCheckpoint(t *testing.T) {
	needClang(t)
	ravel := build(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, v := range []victim{{"nest.c", "rc11", "-DN=3 -DMORE=4"}, {"buffering.c", "imm", "-DN=4 -DMORE=3"}, {"barrier.c", "rc11.cat", "-DN=4 -DMORE=40"}} {
		want := countsOf(t, run(t, ravel, v.args()...))
		kept := filepath.Join(t.TempDir(), "run")
		out, kills := killed(t, ravel, rng, kept, append([]string{"check", "--checkpoint", kept, "--first-slice", "1ms"}, v.args()[1:]...))
		if got := countsOf(t, out); got != want {
			t.Errorf("%v: %+v after %d kills, want %+v", v, got, kills, want)
		}
		t.Logf("%v: %+v after %d kills", v, want, kills)
		again := append([]string{"check", "--checkpoint", kept}, v.args()[1:]...) // the folder is free
		if got := countsOf(t, run(t, ravel, again...)); got != want {
			t.Errorf("%v again: %+v, want %+v", v, got, want)
		}
	}
}

// TestCheckpointStates is TestCheckpoint for the engine of states.
func TestCheckpointStates(t *testing.T) {
	needClang(t)
	ravel := build(t)
	rng := rand.New(rand.NewPCG(4, 4))
	spill := t.TempDir()
	for _, args := range []string{
		"--model tso --por=false --symmetry=false ../../testdata/c/states/counting.c -- -DSTART -DINCS=5",
		"--model pso --workers 1 --por=false --symmetry=false --spill " + spill + " ../../testdata/c/states/counting.c -- -DSTART -DINCS=4",
		"--model rmo --workers 1 --por=false ../../testdata/c/states/boxes.c -- -DROUNDS=4",
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
	var last []byte // what the run that was killed last had printed
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
		isKilled := false
		if kills < 4 {
			select {
			case <-done:
			case <-time.After(time.Duration(300+rng.IntN(1200)) * time.Millisecond):
				isKilled = cmd.Process.Signal(signal[kills%2]) == nil
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
		case last != nil && strings.Contains(said, "has ended"): // it was killed after it had kept its end
			result = last
		case isKilled && !cmd.ProcessState.Exited(): // perhaps between its result and its end
			last = out.Bytes()
		case out.Len() > 0 && !strings.Contains(said, "The run is kept") && !(isKilled && strings.Contains(out.String(), `"verdict":"unknown"`)):
			result = out.Bytes()
		case !isKilled:
			t.Fatalf("%v: %s%s", begin, said, out.String())
		}
	}
	out, err := exec.Command(ravel, "check", "--resume", kept).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "has ended") && !strings.Contains(string(out), "nothing to go on with") {
		t.Errorf("resume after the end: %v\n%s", err, out)
	}
	if out, err := exec.Command(ravel, "status", kept).CombinedOutput(); err != nil || !strings.Contains(string(out), ", ended, ") {
		t.Errorf("status after the end: %v\n%s", err, out)
	}
	return result, kills
}
