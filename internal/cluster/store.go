package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ravel/internal/explore"
	"ravel/internal/ir"
)

// Names of what is on the server.
const (
	itemStream  = "RAVEL_ITEMS"
	doneStream  = "RAVEL_DONE"
	jobBucket   = "ravel_jobs"
	programs    = "ravel_programs"
	helloPrefix = "rv.hello."
)

// ackWait is how long the server waits for a sign of life of a worker before it gives its item to another one.
const ackWait = 5 * time.Second

// Access says how to come to a server.
type Access struct {
	URL      string // nats://host:4222, tls://…; several with commas between; user and password or a token may be in it
	Creds    string // file with a JWT and its key
	NKey     string // file with the seed of an nkey
	CA       string // file with certificates of authorities
	Cert     string // file with the certificate of this side, and
	Key      string // its key
	Replicas int    // of streams and buckets that this process makes: 1 or 3

	here *Server // the server is in this process
}

// A store is a connection to a server with all that ravel keeps there.
type store struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	items    jetstream.Stream
	done     jetstream.Stream
	jobs     jetstream.KeyValue
	programs jetstream.ObjectStore
	log      *slog.Logger
	life     context.Context // ends when the server is in this process and can't store anything any more
}

// options returns the options of the connection.
func (a *Access) options(name string, log *slog.Logger) ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.RetryOnFailedConnect(false), nats.Timeout(5 * time.Second),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("the connection to the server is lost, trying again", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { log.Info("connected again", "server", nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("the server says", "error", err) }),
	}
	if a.here != nil {
		opts = append(opts, nats.InProcessServer(a.here))
	}
	if a.Creds != "" {
		opts = append(opts, nats.UserCredentials(a.Creds))
	}
	if a.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(a.NKey)
		if err != nil {
			return nil, fmt.Errorf("--nkey %s: %w", a.NKey, err)
		}
		opts = append(opts, o)
	}
	if a.CA != "" {
		opts = append(opts, nats.RootCAs(a.CA))
	}
	if a.Cert != "" || a.Key != "" {
		if _, err := tls.LoadX509KeyPair(a.Cert, a.Key); err != nil {
			return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", a.Cert, a.Key, err)
		}
		opts = append(opts, nats.ClientCert(a.Cert, a.Key))
	}
	return opts, nil
}

// open connects to a server and makes what is missing there.
func (a *Access) open(ctx context.Context, name string, log *slog.Logger) (*store, error) {
	opts, err := a.options(name, log)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(a.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", Redacted(a.URL), err, connectHelp(err))
	}
	s := &store{nc: nc, log: log, life: context.Background()}
	if a.here != nil {
		s.life = a.here.life
	}
	if s.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(10*time.Second)); err == nil {
		err = s.prepare(ctx, max(a.Replicas, 1), a.here != nil)
	}
	if err != nil {
		nc.Close()
		if a.here != nil {
			return nil, cmp.Or(context.Cause(a.here.life), err)
		}
		return nil, fmt.Errorf("%s: %w", Redacted(a.URL), err)
	}
	return s, nil
}

// Redacted returns the address without a password.
func Redacted(url string) string {
	if before, host, ok := strings.Cut(url, "@"); ok {
		scheme, _, _ := strings.Cut(before, "//")
		return scheme + "//…@" + host
	}
	return url
}

func connectHelp(err error) string {
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return "; ravel cluster serve starts one"
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return "; see --creds, --nkey, or user:password@ in the address"
	}
	return ""
}

// prepare finds the streams and buckets, or makes them. What exists is left as it is: an operator may have made it.
// The queue of a checkpoint is in memory: it is a cache, and the disk is slow.
func (s *store) prepare(ctx context.Context, replicas int, here bool) (err error) {
	limits := jetstream.StreamConfig{
		Storage: jetstream.FileStorage, Replicas: replicas, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, AllowDirect: true,
	}
	items, done := limits, limits
	items.Name, items.Subjects, items.Retention = itemStream, []string{"rv.item.>"}, jetstream.WorkQueuePolicy
	if here {
		items.Storage = jetstream.MemoryStorage
	}
	done.Name, done.Subjects, done.Retention = doneStream, []string{"rv.done.>"}, jetstream.LimitsPolicy
	if s.items, err = s.stream(ctx, items); err != nil {
		return fmt.Errorf("stream %s: %w", itemStream, err)
	}
	if s.done, err = s.stream(ctx, done); err != nil {
		return fmt.Errorf("stream %s: %w", doneStream, err)
	}
	s.jobs, err = findOrMake(ctx, jetstream.ErrBucketNotFound,
		func() (jetstream.KeyValue, error) { return s.js.KeyValue(ctx, jobBucket) },
		func() (jetstream.KeyValue, error) {
			return s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: jobBucket, Storage: jetstream.FileStorage, Replicas: replicas, Description: "jobs of ravel"})
		})
	if err != nil {
		return fmt.Errorf("bucket %s: %w", jobBucket, err)
	}
	s.programs, err = findOrMake(ctx, jetstream.ErrBucketNotFound,
		func() (jetstream.ObjectStore, error) { return s.js.ObjectStore(ctx, programs) },
		func() (jetstream.ObjectStore, error) {
			return s.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: programs, Storage: jetstream.FileStorage, Replicas: replicas, Description: "programs of jobs of ravel"})
		})
	if err != nil {
		return fmt.Errorf("bucket %s: %w", programs, err)
	}
	return nil
}

// findOrMake returns what find finds, or what create makes if it is missing. When two processes make it at once, one of them fails, and finds it then.
func findOrMake[T any](ctx context.Context, missing error, find, create func() (T, error)) (T, error) {
	begin := time.Now()
	for try := 1; ; try++ {
		x, err := find()
		if errors.Is(err, missing) {
			x, err = create()
		} else if !errors.Is(err, context.DeadlineExceeded) { // other servers have to agree on what to do without one that has died
			return x, err
		}
		if err == nil || try == 20 || time.Since(begin) > time.Minute || ctx.Err() != nil {
			return x, err
		}
		time.Sleep(time.Duration(try) * 20 * time.Millisecond)
	}
}

// stream returns a stream that has what matters of c.
func (s *store) stream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	st, err := findOrMake(ctx, jetstream.ErrStreamNotFound,
		func() (jetstream.Stream, error) { return s.js.Stream(ctx, c.Name) },
		func() (jetstream.Stream, error) { return s.js.CreateStream(ctx, c) })
	if err != nil {
		return nil, err
	}
	if h := st.CachedInfo().Config; !h.DiscardNewPerSubject || h.MaxMsgsPerSubject != 1 || h.Retention != c.Retention || h.AllowRollup {
		return nil, errors.New("it was made with other settings: it must keep one message per subject, refuse new ones, and allow no rollups (docs/scale-out.md)")
	}
	return st, nil
}

func (s *store) close() { s.nc.Close() }

// again calls f until it works, the context or the server's life ends, or a minute has passed.
func (s *store) again(outer context.Context, what string, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	var err error
	wait := 50 * time.Millisecond
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		if err = f(ctx); err == nil || refused(err) || fatal(err) {
			return err
		}
		if s.life.Err() != nil {
			return context.Cause(s.life)
		}
		if ctx.Err() != nil {
			return err
		}
		s.log.Warn("the server did not do it, trying again", "what", what, "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, 2*time.Second)
	}
	return err
}

// refused reports whether the server has a message of that subject.
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == 10077 && strings.Contains(api.Description, "per subject") // the code is also that of other limits of a stream
}

// fatal reports whether it makes no sense to try again.
func fatal(err error) bool {
	return errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrObjectNotFound) ||
		errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrMaxPayload)
}

// subjects
func itemSubject(j *Job, generation int, id string) string {
	return fmt.Sprintf("rv.item.%s.%s.%d.%s", j.Build, j.ID, generation, id)
}

func doneSubject(j *Job, generation int, id string) string {
	return fmt.Sprintf("rv.done.%s.%d.%s", j.ID, generation, id)
}

// A setup is the Setup of a generation.
type setup struct {
	Generation int
	Setup      explore.Setup
}

// program returns a program of the store.
func (s *store) program(ctx context.Context, name string) (*ir.Program, error) {
	var data []byte
	err := s.again(ctx, "load the program", func(ctx context.Context) (err error) {
		data, err = s.programs.GetBytes(ctx, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the program of the job: %w", err)
	}
	if digest(data) != name {
		return nil, errors.New("the program of the job is damaged: its hash is wrong")
	}
	p, err := ir.Decode(data)
	if err != nil {
		return nil, err
	}
	return p, p.Check()
}

// get reads a value of the bucket of jobs.
func (s *store) get(ctx context.Context, key string, v any) (revision uint64, err error) {
	err = s.again(ctx, "read "+key, func(ctx context.Context) error {
		e, err := s.jobs.Get(ctx, key)
		if err != nil {
			return err
		}
		revision = e.Revision()
		return json.Unmarshal(e.Value(), v)
	})
	return revision, err
}

// watch watches values of the bucket of jobs.
func (s *store) watch(ctx context.Context, keys string) (w jetstream.KeyWatcher, err error) {
	err = s.again(ctx, "watch "+keys, func(context.Context) error {
		w, err = s.jobs.Watch(ctx, keys) // until that ends
		return err
	})
	return w, err
}

// put writes a value of the bucket of jobs if its revision is the given one, 0 for none. Another revision is jetstream.ErrKeyExists.
func (s *store) put(ctx context.Context, key string, v any, revision uint64) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.again(ctx, "write "+key, func(ctx context.Context) error {
		if revision == 0 {
			_, err = s.jobs.Create(ctx, key, data)
		} else {
			_, err = s.jobs.Update(ctx, key, data, revision)
		}
		return err
	})
}

// set writes a value of the bucket of jobs, whatever is there.
func (s *store) set(ctx context.Context, key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.again(ctx, "write "+key, func(ctx context.Context) error {
		_, err = s.jobs.Put(ctx, key, data)
		return err
	})
}

// publish stores a message. It reports whether there was one of that subject already.
func (s *store) publish(ctx context.Context, subject string, data []byte) (old bool, err error) {
	err = s.again(ctx, "store a message", func(ctx context.Context) error {
		_, err := s.js.Publish(ctx, subject, data)
		return err
	})
	if refused(err) {
		return true, nil
	}
	return false, err
}

// enqueue puts items into the queue. Those that are there stay.
func (s *store) enqueue(ctx context.Context, j *Job, generation int, items map[string]explore.Item) error {
	for id, it := range items {
		if _, err := s.publish(ctx, itemSubject(j, generation, id), encodeItem(it)); err != nil {
			return err
		}
	}
	return nil
}

// record returns the record of an item as it is, nil if there is none.
func (s *store) record(ctx context.Context, j *Job, generation int, id string) (data []byte, err error) {
	err = s.again(ctx, "look for a record", func(ctx context.Context) error {
		m, err := s.done.GetLastMsgForSubject(ctx, doneSubject(j, generation, id))
		if err == nil {
			data = m.Data
		}
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return data, err
}
