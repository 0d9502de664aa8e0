// Package service is a sandbox's service-time model: each region server behaves as a queue of which the mathematics
// are known, so that what benchd measures of it can be held against the truth.
//
//  1. A request comes and draws its service time; with exponential times the server is the M of M/M/c.
//  2. It waits until one of the region server's c handlers is free, first come, first served.
//  3. It is being served until its time is up, to some tens of microseconds; then Serve returns, and the request is carried out.
//
// A request that comes knows at once when it is done, because those before it never change their mind: no handler runs,
// and one that wakes late makes no other late.
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

// Config says how a region server serves.
type Config struct {
	// Time is the service time. Zero: there is no model, and requests are served as fast as they can be.
	Time randdur.Duration
	// Handlers is c, how many requests a region server serves at once. Default 30, as HBase's.
	Handlers int
	// Seed is that of the service times. Each Model draws with a seed of its own, made from it and from the server's number.
	Seed uint64
}

// EnsureDefaults fills in what was left out.
func (c *Config) EnsureDefaults() {
	if c.Handlers == 0 {
		c.Handlers = 30
	}
}

// Validate reports what is wrong with c.
func (c *Config) Validate() error {
	if c.Handlers < 0 || c.Handlers > MaxHandlers {
		return fmt.Errorf("%d handlers are out of bounds; a region server has 1 to %d", c.Handlers, MaxHandlers)
	}
	return nil
}

// String describes the model as the sandbox's facts do.
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
	free []time.Duration // a heap: when each handler is free, since the model began; the earliest first
	zero time.Time

	waiting int // requests that have come and are not done
}

// New makes the Model of a region server; number distinguishes it from the others. It is nil when config has no service time.
func New(config Config, number int) (*Model, error) {
	config.EnsureDefaults()
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("make service-time model: %w", err)
	}
	if config.Time.IsZero() {
		return nil, nil //nolint:nilnil // a nil Model is one that serves at once
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

// Serve queues up and is served. A request whose ctx ends leaves its place in the queue empty: its server does not
// know that nobody waits any more.
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

// enter is when a request is done that comes at an instant.
func (m *Model) enter(at time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting++
	done := max(at, m.free[0]) + m.config.Time.Draw(m.rng)
	m.free[0] = done
	m.sink()
	return done
}

// sink restores the heap after its first has grown.
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

// Waiting is how many requests queue up or are being served.
func (m *Model) Waiting() int {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting
}

// Close ends the Model; its waiters get an error.
func (m *Model) Close() error {
	if m == nil {
		return nil
	}
	return m.timer.Close()
}
