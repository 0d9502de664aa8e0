package standby_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/standby"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server has the lease, as the server of an archive has.
type server struct {
	mu     sync.Mutex
	leader archive.Leader
	until  time.Time
}

// lease is a connection of one process to the server.
type lease struct {
	at *server

	mu   sync.Mutex
	boot string
	term int64
	cut  bool  // requests get no answer
	err  error // of all requests
}

func (s *server) lease() *lease { return &lease{at: s} }

// reach waits for the server, whose answer takes a moment.
func (l *lease) reach(ctx context.Context) error {
	pass(time.Millisecond)
	l.mu.Lock()
	cut, err := l.cut, l.err
	l.mu.Unlock()
	if cut {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (l *lease) set(cut bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.err = cut, err
}

func (l *lease) Lead(ctx context.Context, me archive.Leader) (archive.Leader, error) {
	if err := l.reach(ctx); err != nil {
		return archive.Leader{}, err
	}
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	if l.at.leader.Boot != me.Boot && time.Now().Before(l.at.until) {
		return l.at.leader, nil
	}
	me.Term = l.at.leader.Term + 1
	l.at.leader, l.at.until = me, time.Now().Add(archive.LeaseTTL)
	l.boot, l.term = me.Boot, me.Term
	return me, nil
}

func (l *lease) Renew(ctx context.Context) error {
	if err := l.reach(ctx); err != nil {
		return err
	}
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	if l.at.leader.Term != l.term {
		return archive.ErrFenced
	}
	l.at.until = time.Now().Add(archive.LeaseTTL)
	return nil
}

func (l *lease) Yield(context.Context) error {
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	if l.at.leader.Term == l.term {
		l.at.until = time.Now()
	}
	return nil
}

// pass lets time pass in a bubble.
func pass(d time.Duration) { <-time.After(d) }

func candidate(l archive.Lease, name string) *standby.Candidate {
	return standby.New(standby.Config{Lease: l, Me: archive.Leader{Boot: "boot of " + name, RPC: name + ":7070", HTTP: name + ":7071"}})
}

// idle serves nothing until ctx ends.
func idle(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// stand starts a candidate, and returns its result.
func stand(ctx context.Context, c *standby.Candidate) <-chan error {
	led := make(chan error, 1)
	go func() { led <- c.Stand(ctx, idle) }()
	return led
}

func hold(ctx context.Context, c *standby.Candidate) <-chan error {
	lost := make(chan error, 1)
	go func() { lost <- c.Hold(ctx) }()
	return lost
}

func TestTheFirstLeadsAndServesNoRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := candidate(new(server).lease(), "a")
		require.False(t, c.Leads())
		_, known := c.Leader()
		require.False(t, known)
		require.NoError(t, c.Stand(t.Context(), func(context.Context) error {
			t.Error("a leader is not a standby first")
			return nil
		}))
		require.True(t, c.Leads())
		leader, known := c.Leader()
		require.True(t, known)
		require.Equal(t, archive.Leader{Boot: "boot of a", RPC: "a:7070", HTTP: "a:7071", Term: 1}, leader)
	})
}

func TestAStandbyLeadsWhenTheLeaderHasDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		a, b := candidate(at.lease(), "a"), candidate(at.lease(), "b")
		require.NoError(t, a.Stand(t.Context(), idle))
		alive, die := context.WithCancel(t.Context())
		held := hold(alive, a)
		led := stand(t.Context(), b)
		pass(time.Hour)
		synctest.Wait()
		require.Empty(t, led)
		leader, known := b.Leader()
		require.True(t, known)
		require.Equal(t, "a:7070", leader.RPC)
		die()
		require.NoError(t, <-held)
		died := time.Now()
		require.NoError(t, <-led)
		require.True(t, b.Leads())
		require.LessOrEqual(t, time.Since(died), archive.LeaseTTL+archive.LeaseLook)
	})
}

func TestAStandbyLeadsAtOnceWhenTheLeaderYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		first := at.lease()
		a, b := candidate(first, "a"), candidate(at.lease(), "b")
		require.NoError(t, a.Stand(t.Context(), idle))
		led := stand(t.Context(), b)
		synctest.Wait()
		require.NoError(t, first.Yield(t.Context()))
		yielded := time.Now()
		require.NoError(t, <-led)
		require.LessOrEqual(t, time.Since(yielded), archive.LeaseLook)
	})
}

func TestALeaderThatIsCutOffGivesUpBeforeAnotherLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		first := at.lease()
		a, b := candidate(first, "a"), candidate(at.lease(), "b")
		require.NoError(t, a.Stand(t.Context(), idle))
		held, led := hold(t.Context(), a), stand(t.Context(), b)
		pass(90 * time.Second)
		first.set(true, nil)
		err := <-held
		require.ErrorIs(t, err, standby.ErrLost)
		require.ErrorContains(t, err, "could not renew its lease of the archive for 6s")
		require.False(t, a.Leads())
		synctest.Wait()
		require.False(t, b.Leads(), "the lease is valid on the server for longer")
		require.NoError(t, <-led)
	})
}

// The error has the reason of the last renewal that failed, and does not promise that another coordinator leads.
func TestALeaderWithoutADatabaseNamesTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(server).lease()
		a := candidate(l, "a")
		require.NoError(t, a.Stand(t.Context(), idle))
		held := hold(t.Context(), a)
		l.set(false, errors.New("nothing listens there"))
		err := <-held
		require.ErrorIs(t, err, standby.ErrLost)
		require.ErrorContains(t, err, "could not renew its lease of the archive for 6s (nothing listens there); the process ends, and another one may lead: start it again when the database answers")
	})
}

func TestALeaderThatWasStoppedFindsItsSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		a, b := candidate(at.lease(), "a"), candidate(at.lease(), "b")
		require.NoError(t, a.Stand(t.Context(), idle))
		require.NoError(t, <-stand(t.Context(), b), "a does not renew")
		err := <-hold(t.Context(), a)
		require.ErrorIs(t, err, standby.ErrLost)
		require.False(t, a.Leads())
	})
}

func TestALeaderThatIsFencedEndsAtItsNextRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		a := candidate(at.lease(), "a")
		require.NoError(t, a.Stand(t.Context(), idle))
		held := hold(t.Context(), a)
		at.mu.Lock()
		at.leader = archive.Leader{Boot: "by hand", Term: 7}
		at.mu.Unlock()
		began := time.Now()
		err := <-held
		require.ErrorIs(t, err, standby.ErrLost)
		require.ErrorIs(t, err, archive.ErrFenced)
		require.ErrorContains(t, err, "its runs go on under the one that leads: start it again, and it becomes a standby")
		require.LessOrEqual(t, time.Since(began), archive.LeaseRenew+archive.LeaseLook)
	})
}

func TestFailedRenewalsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(server).lease()
		registry := prometheus.NewRegistry()
		a := standby.New(standby.Config{Lease: l, Me: archive.Leader{Boot: "a"}, Registerer: registry})
		require.NoError(t, a.Stand(t.Context(), idle))
		ctx, cancel := context.WithCancel(t.Context())
		held := hold(ctx, a)
		for range 3 {
			l.set(false, errors.New("the server restarts"))
			pass(archive.LeaseTTL / 2)
			l.set(false, nil)
			pass(time.Minute)
			require.Empty(t, held)
		}
		failures, err := testutil.GatherAndCount(registry, "benchd_leader", "benchd_lease_failures_total")
		require.NoError(t, err)
		require.Equal(t, 2, failures)
		cancel()
		require.NoError(t, <-held)
	})
}

func TestAStandbyForgetsALeaderWhenTheArchiveIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		second := at.lease()
		a, b := candidate(at.lease(), "a"), candidate(second, "b")
		require.NoError(t, a.Stand(t.Context(), idle))
		ctx, cancel := context.WithCancel(t.Context())
		held, led := hold(ctx, a), stand(ctx, b)
		synctest.Wait()
		second.set(true, nil)
		pass(2 * archive.LeaseTTL)
		_, known := b.Leader()
		require.False(t, known)
		second.set(false, nil)
		pass(archive.LeaseTTL)
		leader, known := b.Leader()
		require.True(t, known)
		require.Equal(t, "a:7070", leader.RPC)
		cancel()
		require.NoError(t, <-held)
		require.ErrorIs(t, <-led, context.Canceled)
	})
}

// A standby of an older version ends as soon as a newer one has changed the archive.
func TestAStandbyEndsWhenTheArchiveIsNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		second := at.lease()
		require.NoError(t, candidate(at.lease(), "a").Stand(t.Context(), idle))
		led := stand(t.Context(), candidate(second, "b"))
		synctest.Wait()
		newer := archive.Faultf(archive.ErrNewer, nil, "open archive x: it was written by a newer benchd")
		second.set(false, newer)
		pass(2 * archive.LeaseLook)
		require.ErrorIs(t, <-led, newer)
		require.ErrorIs(t, candidate(second, "c").Stand(t.Context(), idle), newer, "also the first time")
	})
}

func TestAStandbyEndsWithItsServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := new(server)
		require.NoError(t, candidate(at.lease(), "a").Stand(t.Context(), idle))
		broken := errors.New("the port is gone")
		require.ErrorIs(t, candidate(at.lease(), "b").Stand(t.Context(), func(context.Context) error { return broken }), broken)
	})
}
