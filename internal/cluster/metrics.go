package cluster

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Metrics are numbers for Prometheus. A nil *Metrics takes them and forgets.
type Metrics struct {
	mu       sync.Mutex
	values   map[string]float64
	counters map[string]bool
}

// help says what the metrics mean.
var help = map[string]string{
	"ravel_worker_executions_total":   "Executions that this worker has explored, those of repeated items included.",
	"ravel_worker_slices_total":       "Slices of exploration.",
	"ravel_worker_busy_seconds_total": "Time spent exploring, over all slots.",
	"ravel_worker_busy_slots":         "Slots that explore an item now.",
	"ravel_job_executions":            "Executions of the job in its records.",
	"ravel_job_records":               "Records of the job.",
	"ravel_job_open_items":            "Items of the job that have no record.",
	"ravel_job_generation":            "Generation of the job: how often its search has begun anew.",
	"ravel_job_share":                 "Estimated share of the search that has been explored.",
	"ravel_job_workers":               "Workers of this version that are there.",
	"ravel_server_connections":        "Workers, clients and others that are connected.",
	"ravel_server_received_total":     "Messages that clients and workers have sent.",
	"ravel_server_messages":           "Messages that are stored: records, items, jobs and programs.",
	"ravel_server_stored_bytes":       "Bytes of stored messages on the disk.",
}

// NewMetrics returns metrics.
func NewMetrics() *Metrics {
	return &Metrics{values: map[string]float64{}, counters: map[string]bool{}}
}

func (m *Metrics) add(name string, n float64) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.values[name] += n
		m.counters[name] = true
	}
}

// count sets a counter that another one keeps.
func (m *Metrics) count(name string, n float64) {
	if m != nil {
		m.gauge(name, n)
		m.add(name, 0)
	}
}

func (m *Metrics) gauge(name string, n float64) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.values[name] = n
	}
}

// String returns the metrics in the text format of Prometheus.
func (m *Metrics) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		kind := "gauge"
		if m.counters[name] {
			kind = "counter"
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s %g\n", name, help[name], name, kind, name, m.values[name])
	}
	return b.String()
}

// ServeHTTP answers with the metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = fmt.Fprint(w, m)
}

// handler answers GET /metrics and GET /healthz.
func (m *Metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	return mux
}

// Serve serves the metrics at addr until close is called.
func (m *Metrics) Serve(addr string) (close func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics %s: %w", addr, err)
	}
	srv := &http.Server{Handler: m.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			_ = l.Close()
		}
	}()
	return func() { _ = srv.Close() }, nil
}
