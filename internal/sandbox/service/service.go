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

	waiting int // requests queued or in service
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

// Serve queues the request and serves it. A request whose ctx ends still takes its time: the server does not know that
// nobody waits any more.
func (m *Model) Serve(ctx context.Context) error {
	if m == nil {
		return nil
	}
	done := m.enter(time.Since(m.zero))
	defer m.leave()
	err := m.timer.Wait(ctx, m.zero.Add(done))
	if errors.Is(err, alarm.ErrClosed) {
		return fmt.Errorf("serve request: %w", err)
	}
	return err
}

// enter returns the completion time of a request that arrives at an instant.
func (m *Model) enter(at time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting++
	done := max(at, m.free[0]) + m.config.Time.Draw(m.rng)
	m.free[0] = done
	m.sink()
	return done
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

func (m *Model) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting--
}

// Waiting is the number of requests queued or in service.
func (m *Model) Waiting() int {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting
}

// Close ends the Model; waiters get an error.
func (m *Model) Close() error {
	if m == nil {
		return nil
	}
	return m.timer.Close()
}
