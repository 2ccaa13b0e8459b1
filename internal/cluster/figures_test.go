package cluster

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var figures = flag.Bool("figures", false, "a program of ten seconds in TestFigures, so that its figures mean something")

// TestFigures prints what time a checkpoint costs, how much faster two workers are than one, and how soon eight are busy. Only wrong counts make it fail.
func TestFigures(t *testing.T) {
	needClang(t)
	ravel := build(t)
	v, rounds := victim{"nest.c", "rc11", "-DN=3"}, 1
	if *figures {
		v, rounds = large[1], 3
	}
	want := countsOf(t, run(t, ravel, v.args()...))
	plain, kept := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range rounds { // in turns, because the machine may have other things to do
		for _, x := range []struct {
			least *time.Duration
			args  []string
		}{{&plain, nil}, {&kept, []string{"--checkpoint", filepath.Join(t.TempDir(), "run")}}} {
			cmd := exec.Command(ravel, append(append([]string{"check", "--workers", "1"}, x.args...), v.args()[1:]...)...)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := countsOf(t, out); got != want {
				t.Errorf("%v: %+v, want %+v", x.args, got, want)
			}
			*x.least = min(*x.least, cpuOf(cmd))
		}
	}
	t.Logf("%.2f s of CPU time, with --checkpoint %.2f s: %+.1f %%", plain.Seconds(), kept.Seconds(), 100*(kept.Seconds()/plain.Seconds()-1))

	one, two := shared(t, ravel, 1, v, want), shared(t, ravel, 2, v, want)
	t.Logf("one worker: %v; two: %v", one, two)
	t.Logf("two workers are %.2f times as fast as one here, and %.2f times if each has a core of its own", one.wall/two.wall, 2*two.busy*one.cpu/(one.busy*two.cpu))
	t.Logf("eight workers are busy %.2f s after a job is submitted", shared(t, ravel, 8, v, want).spread)
}

// A share is what workers do for a job.
type share struct {
	wall   float64 // seconds from when it is submitted to its last slice
	cpu    float64 // seconds of all workers
	busy   float64 // the share of the time in which a worker has an item
	spread float64 // seconds from when it is submitted until all workers have had an item
}

func (s share) String() string {
	return fmt.Sprintf("%.2f s, %.2f s of CPU time, busy for %.1f %%", s.wall, s.cpu, 100*s.busy)
}

// shared has n worker processes explore v, and reads what they log.
func shared(t *testing.T, ravel string, n int, v victim, want counts) (s share) {
	c := newChaos(t, ravel, 1, nil)
	defer c.close()
	c.join(n, "--log-level", "debug", "--log-format", "json")
	for i := range n {
		for len(c.entries(fmt.Sprint("worker", i), "a worker has joined")) == 0 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	args := append([]string{"check", "--cluster", c.urls, "--log-level", "info", "--log-format", "json"}, v.args()[1:]...)
	client := c.start("client", args...)
	if got, _ := c.result(client); got != want {
		t.Errorf("%d workers: %+v, want %+v", n, got, want)
	}
	submitted := c.entries("client", "a job is submitted")
	if len(submitted) == 0 {
		return s // it was small
	}
	begin, end, busy := submitted[0].Time, submitted[0].Time, 0.0
	for i, w := range c.workers {
		_ = w.cmd.Process.Signal(syscall.SIGTERM)
		<-w.done
		s.cpu += cpuOf(w.cmd).Seconds()
		slices := c.entries(fmt.Sprint("worker", i), "a slice")
		for j, e := range slices {
			if j == 0 {
				s.spread = max(s.spread, e.Time.Sub(begin).Seconds()-e.Seconds)
			}
			busy += e.Seconds
			if e.Time.After(end) {
				end = e.Time
			}
		}
		if len(slices) == 0 {
			s.spread = math.Inf(1)
		}
	}
	s.wall = end.Sub(begin).Seconds()
	s.busy = busy / s.wall / float64(n)
	return s
}

// An entry is a line of a log.
type entry struct {
	Time    time.Time
	Msg     string
	Seconds float64
}

// entries returns the lines of a log with a message.
func (c *chaos) entries(name, msg string) (list []entry) {
	f, err := os.Open(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Msg == msg {
			list = append(list, e)
		}
	}
	return list
}

// cpuOf returns the CPU time of a command that has ended.
func cpuOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
