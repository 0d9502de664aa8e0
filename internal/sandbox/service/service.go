// Package service is a sandbox's service-time model: each region server behaves as a queue with known mathematics, so
// that benchd's measurements of it can be checked against exact values.
//
//  1. An arriving request draws its service time; with exponential times the server is the M of M/M/c.
//  2. It waits until one of the region server's c handlers is free, in order of arrival.
//  3. It is served for its service time, accurate to some tens of microseconds; then Serve returns, and the request is
//     carried out.
//
// The completion time of a request is known when it arrives, because earlier requests never change theirs: there are no
// handler goroutines, and a late wake-up delays no other request.
package service

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/alarm"
	"github.com/benchd/benchd/internal/randdur"
)

// MaxHandlers bounds Config.Handlers.
const MaxHandlers = 10_000

// Config configures the service-time model of a region server.
type Config struct {
	// Time is the service time. Zero: no model, requests are served as fast as possible.
	Time randdur.Duration
	// Handlers is c, the number of requests served at once. Default 30, as in HBase.
	Handlers int
	// Seed seeds the service times. Each Model has its own seed, derived from this one and the server's number.
	Seed uint64
}

// EnsureDefaults fills in the defaults.
func (c *Config) EnsureDefaults() {
	if c.Handlers == 0 {
		c.Handlers = 30
	}
}

// Validate checks c.
func (c *Config) Validate() error {
	if c.Handlers < 0 || c.Handlers > MaxHandlers {
		return fmt.Errorf("%d handlers are out of bounds; a region server has 1 to %d", c.Handlers, MaxHandlers)
	}
	return nil
}

// String describes the model as in the sandbox's facts.
func (c *Config) String() string {
	if c.Time.IsZero() {
		return "none"
	}
	return fmt.Sprintf("%v by %d handlers", c.Time, c.Handlers)
}

// Model is the queue of one region server. A nil Model serves at once. It is safe for concurrent use.
type Model struct {
	config Config
	timer  *alarm.SharedTimer

	mu   sync.Mutex
	rng  *rand.Rand
	free []time.Duration // heap of the times at which handlers become free, since the model began; the earliest first
	zero time.Time

	begins []time.Duration // when the queued requests will begin, in order
}

// New makes the Model of a region server; number distinguishes it from the others. It is nil if config has no service
// time.
func New(config Config, number int) (*Model, error) {
	config.EnsureDefaults()
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("make service-time model: %w", err)
	}
	if config.Time.IsZero() {
		return nil, nil //nolint:nilnil // a nil Model serves at once
	}
	timer, err := alarm.NewSharedTimer()
	if err != nil {
		return nil, fmt.Errorf("make service-time model: %w", err)
	}
	return &Model{
		config: config,
		timer:  timer,
		rng:    rand.New(rand.NewPCG(config.Seed, uint64(number))),
		free:   make([]time.Duration, config.Handlers),
		zero:   time.Now(),
	}, nil
}

// Serve queues the request and serves it, and returns how long it was queued. A request whose ctx ends still takes its time:
// the server does not know that nobody waits any more.
func (m *Model) Serve(ctx context.Context) (queued time.Duration, err error) {
	if m == nil {
		return 0, nil
	}
	at := time.Since(m.zero)
	begin, done := m.enter(at)
	err = m.timer.Wait(ctx, m.zero.Add(done))
	if errors.Is(err, alarm.ErrClosed) {
		return begin - at, fmt.Errorf("serve request: %w", err)
	}
	return begin - at, err
}

// enter returns when a handler takes and completes a request that arrives at an instant.
func (m *Model) enter(at time.Duration) (begin, done time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	begin = max(at, m.free[0])
	done = begin + m.config.Time.Draw(m.rng)
	m.free[0] = done
	m.sink()
	m.begun(at)
	if begin > at {
		m.begins = append(m.begins, begin)
	}
	return begin, done
}

// sink restores the heap after its first element has grown.
func (m *Model) sink() {
	i, n := 0, len(m.free)
	for {
		least := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < n && m.free[child] < m.free[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		m.free[i], m.free[least] = m.free[least], m.free[i]
		i = least
	}
}

// begun removes the requests that have begun from the queue.
func (m *Model) begun(now time.Duration) {
	n := 0
	for n < len(m.begins) && m.begins[n] <= now {
		n++
	}
	m.begins = m.begins[n:]
}

// Load is the number of requests that wait for a handler, and of handlers that serve one. It includes requests whose clients
// no longer wait.
func (m *Model) Load() (queued, busy int) {
	if m == nil {
		return 0, 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Since(m.zero)
	m.begun(now)
	for _, at := range m.free {
		if at > now {
			busy++
		}
	}
	return len(m.begins), busy
}

// Close ends the Model; waiters get an error.
func (m *Model) Close() error {
	if m == nil {
		return nil
	}
	return m.timer.Close()
}
