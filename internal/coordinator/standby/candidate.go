package standby

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
)

// ErrLost reports that this process does not lead any more.
var ErrLost = errors.New("this coordinator no longer leads")

// askWithin bounds a request for the lease, and retry is the pause after a renewal that has failed.
const (
	askWithin = archive.LeaseTTL / 2
	retry     = 500 * time.Millisecond
)

// Config configures a Candidate. Lease and Me are required.
type Config struct {
	Lease archive.Lease
	Me    archive.Leader // without a term
	// Logger is the logger. Default: none.
	Logger *slog.Logger
	// Registerer registers the metrics. Default: none.
	Registerer prometheus.Registerer
}

// Candidate is a process that leads or waits to lead.
type Candidate struct {
	config Config
	log    *slog.Logger
	failed prometheus.Counter

	mu     sync.Mutex
	leader archive.Leader // the last one that is known; zero before
	asked  clock.Instant  // when the last successful request for the lease was sent
}

// New returns a Candidate, which does nothing yet.
func New(config Config) *Candidate {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Candidate{config: config, log: config.Logger, failed: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "benchd_lease_failures_total", Help: "Requests for the lease of the archive, and renewals of it, that failed.",
	})}
	if config.Registerer != nil {
		config.Registerer.MustRegister(c.failed, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_leader", Help: "1 while this coordinator leads those that share its archive, 0 while it is a standby.",
		}, func() float64 {
			if c.Leads() {
				return 1
			}
			return 0
		}))
	}
	return c
}

// Leads reports whether this process leads.
func (c *Candidate) Leads() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leader.Boot == c.config.Me.Boot
}

// Leader returns who leads, as far as is known; ok is false if nobody does, or if the archive has not answered for as long as a lease is valid.
func (c *Candidate) Leader() (who archive.Leader, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader.Boot == "" || c.asked.Elapsed() > archive.LeaseTTL {
		return archive.Leader{}, false
	}
	return c.leader, true
}

// Stand returns when this process leads. If another one leads now, serve runs until then in a goroutine; it ends with its context, and its error
// ends Stand. So does archive.ErrNewer.
func (c *Candidate) Stand(ctx context.Context, serve func(context.Context) error) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	var served chan error
	for failing := false; ; {
		leads, err := c.ask(ctx)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, archive.ErrNewer): // this process can never lead
			stop()
			if served != nil {
				err = errors.Join(err, <-served)
			}
			return err
		case err != nil:
			c.failed.Inc()
			if !failing {
				c.log.Warn("cannot ask for the lease of the archive; trying again", "error", err)
			}
		case leads:
			stop()
			if served != nil {
				return <-served
			}
			return nil
		}
		failing = err != nil
		if served == nil && ctx.Err() == nil {
			served = make(chan error, 1)
			go func() { served <- serve(serving) }()
		}
		timer := time.NewTimer(archive.LeaseLook)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if served == nil {
				return ctx.Err()
			}
			return errors.Join(ctx.Err(), <-served)
		case err := <-served:
			timer.Stop()
			if err == nil {
				err = errors.New("the servers of the standby have ended")
			}
			return err
		}
	}
}

// ask asks for the lease once, and reports whether this process has it.
func (c *Candidate) ask(ctx context.Context) (leads bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	sent := clock.Mono()
	leader, err := c.config.Lease.Lead(ctx, c.config.Me)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	former := c.leader
	c.leader, c.asked = leader, sent
	c.mu.Unlock()
	leads = leader.Boot == c.config.Me.Boot
	switch {
	case leads:
		c.log.Info("this coordinator leads", "term", leader.Term, "former", former.RPC)
	case leader.Boot != former.Boot:
		c.log.Info("this coordinator is a standby", "leader", leader.RPC, "term", leader.Term)
	}
	return leads, nil
}

// Hold renews the lease until ctx ends, and then returns nil. Otherwise its error is ErrLost: another process has the lease, or may have it because
// none of the renewals has succeeded for as long as it is valid. That time counts from before the last successful renewal was sent, so that this
// process gives up before another one can lead.
func (c *Candidate) Hold(ctx context.Context) error {
	wait := archive.LeaseRenew
	var failure error // of the last renewal
	for {
		timer := time.NewTimer(min(wait, c.left()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		if c.left() <= 0 {
			why := fmt.Errorf("it could not renew its lease of the archive for %s", archive.LeaseTTL)
			if failure != nil {
				why = fmt.Errorf("%w (%v)", why, failure) //nolint:errorlint // its kind is not that of this error
			}
			return c.lost(why, "another one may lead: start it again when the database answers")
		}
		err := c.renew(ctx)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it is that of ctx
		case errors.Is(err, archive.ErrFenced):
			return c.lost(fmt.Errorf("another one has taken the lease of the archive: %w", err), "its runs go on under the one that leads: start it again, and it becomes a standby")
		case err != nil:
			c.failed.Inc()
			c.log.Warn("cannot renew the lease of the archive", "error", err, "left", c.left().Round(time.Millisecond))
			wait, failure = retry, err
		default:
			wait, failure = archive.LeaseRenew, nil
		}
	}
}

// left returns how long the lease is certainly valid.
func (c *Candidate) left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return archive.LeaseTTL - c.asked.Elapsed()
}

// renew renews the lease once.
func (c *Candidate) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.left())
	defer cancel()
	sent := clock.Mono()
	if err := c.config.Lease.Renew(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = sent
	return nil
}

// lost makes this process a standby for its metrics, and returns the error.
func (c *Candidate) lost(why error, next string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leader = archive.Leader{}
	return fmt.Errorf("%w: %w; the process ends, and %s", ErrLost, why, next)
}
