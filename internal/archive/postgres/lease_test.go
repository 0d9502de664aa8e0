//go:build integration

package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

func leaderOf(boot string) archive.Leader {
	return archive.Leader{Boot: boot, RPC: boot + ":7070", HTTP: "https://" + boot + ":7071"}
}

// expire ends the lease, as if its time had passed.
func expire(t *testing.T, a *Archive) {
	t.Helper()
	_, err := a.keeper.Exec(t.Context(), `UPDATE lease SET until = clock_timestamp() - interval '1 second'`)
	require.NoError(t, err)
}

func TestOneOfManyLeads(t *testing.T) {
	t.Parallel()
	url := freshURL()
	var leaders atomic.Int64
	var group errgroup.Group
	archives := make([]*Archive, 6)
	for i := range archives {
		archives[i] = openURL(t, url)
	}
	for i, a := range archives {
		group.Go(func() error {
			me := leaderOf(fmt.Sprint("boot", i))
			got, err := a.Lead(t.Context(), me)
			if err == nil && got.Boot == me.Boot {
				leaders.Add(1)
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.EqualValues(t, 1, leaders.Load())
}

func TestALeaseIsTakenRenewedAndYielded(t *testing.T) {
	t.Parallel()
	url := freshURL()
	a, b := openURL(t, url), openURL(t, url)
	require.ErrorIs(t, a.CreateSuite(t.Context(), archivetest.SuiteOf("S"), nil), archive.ErrFenced, "nobody leads")
	require.ErrorIs(t, a.Renew(t.Context()), archive.ErrFenced)
	require.NoError(t, a.Yield(t.Context()), "it has nothing to yield")

	first, err := a.Lead(t.Context(), leaderOf("a"))
	require.NoError(t, err)
	want := leaderOf("a")
	want.Term = 1
	require.Equal(t, want, first)
	seen, err := b.Lead(t.Context(), leaderOf("b"))
	require.NoError(t, err)
	require.Equal(t, want, seen, "who leads, with its addresses")
	require.ErrorIs(t, b.CreateSuite(t.Context(), archivetest.SuiteOf("S"), nil), archive.ErrFenced)
	require.NoError(t, a.CreateSuite(t.Context(), archivetest.SuiteOf("S"), nil))

	expire(t, a)
	require.NoError(t, a.Renew(t.Context()), "nobody has taken it since")
	seen, err = b.Lead(t.Context(), leaderOf("b"))
	require.NoError(t, err)
	require.Equal(t, want, seen)
	again, err := a.Lead(t.Context(), leaderOf("a"))
	require.NoError(t, err)
	require.Equal(t, want, again, "its own term")

	require.NoError(t, a.Yield(t.Context()))
	require.ErrorIs(t, a.CreateSuite(t.Context(), archivetest.SuiteOf("T"), nil), archive.ErrFenced)
	second, err := b.Lead(t.Context(), leaderOf("b"))
	require.NoError(t, err)
	require.Equal(t, "b", second.Boot)
	require.Greater(t, second.Term, first.Term)
	require.NoError(t, b.CreateSuite(t.Context(), archivetest.SuiteOf("T"), nil))
}

func TestAFormerLeaderIsFenced(t *testing.T) {
	t.Parallel()
	url := freshURL()
	a, b := leading(t, url), openURL(t, url)
	run := archivetest.Create(t, a, "S")
	window := archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1}, 5)
	createIn(t, a, "old", 2900)
	expire(t, a)
	lead(t, b)
	for name, write := range map[string]func() error{
		"windows": func() error {
			_, err := a.AddWindows(t.Context(), []latency.Window{window})
			return err
		},
		"suite": func() error { return a.CreateSuite(t.Context(), archivetest.SuiteOf("T"), nil) },
		"old suite": func() error {
			s := archivetest.SuiteOf("U")
			s.Created = time.Unix(0, 0)
			return a.CreateSuite(t.Context(), s, nil)
		},
		"schedule":   func() error { return a.PutSchedule(t.Context(), archivetest.ScheduleOf("n"), nil) },
		"record":     func() error { return a.Keep(t.Context(), "token/1", []byte("x")) },
		"hand over":  func() error { _, err := a.HandOver(t.Context(), run, 0, 2); return err },
		"the lease":  func() error { return a.Renew(t.Context()) },
		"removal":    func() error { return a.Remove(t.Context(), "old") },
		"expiration": func() error { _, err := a.Expire(t.Context(), time.Now()); return err },
	} {
		err := write()
		require.ErrorIs(t, err, archive.ErrFenced, name)
		require.ErrorContains(t, err, "this process does not lead", name)
	}
	require.Equal(t, []bool{true}, archivetest.Add(t, b, window))
	_, err := b.Suite(t.Context(), "T")
	require.ErrorIs(t, err, archive.ErrNotFound)
	require.Len(t, archivetest.WindowsIn(t, a, run), 1, "it still reads")
}

// A leader that stands still within a transaction, as a stopped process does, delays the next one for at most a few seconds, and what it still
// sends is refused. The server ends the transaction at the next leader's request, or else because it is idle.
func TestAStoppedLeaderDoesNotKeepTheLease(t *testing.T) {
	t.Parallel()
	for name, anonymous := range map[string]bool{"ended by the next leader": false, "ended by the server": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := freshURL()
			a, b := leading(t, url), openURL(t, url)
			run := archivetest.Create(t, a, "S")
			a.slot <- struct{}{}
			tx, err := a.begin(t.Context(), nil)
			require.NoError(t, err)
			tx.later(`INSERT INTO phase (run, name) VALUES ($1, 'late')`, run)
			if anonymous {
				_, err := b.keeper.Exec(t.Context(), `UPDATE lease SET client = ''`)
				require.NoError(t, err)
			}
			expire(t, b)
			before := time.Now()
			lead(t, b)
			t.Logf("the next one leads after %v", time.Since(before))
			err = a.commit(t.Context(), tx, nil)
			<-a.slot
			require.ErrorIs(t, err, archive.ErrFenced)
			require.ErrorIs(t, a.Annotate(t.Context(), "S", archive.Annotation{}), archive.ErrFenced)
			extents, err := b.Extents(t.Context(), run)
			require.NoError(t, err)
			require.Empty(t, extents)
			phases, err := phasesOf(t.Context(), b.reader, run)
			require.NoError(t, err)
			require.Empty(t, phases, "nothing of it is stored")
		})
	}
}

// While leaders follow each other, each acknowledged window is there for the next one, and nothing is stored twice.
func TestLeadersFollowEachOtherWhileTheyWrite(t *testing.T) {
	t.Parallel()
	url := freshURL()
	first := leading(t, url)
	run := archivetest.Create(t, first, "S")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var acknowledged [4]int
	var group errgroup.Group
	archives := []*Archive{first}
	for turn := range acknowledged {
		a := archives[turn]
		wrote := make(chan struct{}, 1000)
		group.Go(func() error {
			for seq := 0; ; seq++ {
				receipts, err := a.AddWindows(ctx, []latency.Window{archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: turn, Attempt: 1, Seq: seq}, 5)})
				switch {
				case errors.Is(err, archive.ErrFenced), ctx.Err() != nil:
					return nil //nolint:nilerr // another one leads, or the test ends
				case err != nil: // the next leader has ended its connection
					seq--
					continue
				}
				if !receipts[0].Fresh {
					return fmt.Errorf("window %d of turn %d is there already", seq, turn)
				}
				acknowledged[turn]++
				select {
				case wrote <- struct{}{}:
				default:
				}
			}
		})
		for range 20 {
			<-wrote
		}
		if turn == len(acknowledged)-1 {
			break
		}
		next := openURL(t, url)
		archives = append(archives, next)
		for {
			expire(t, next)
			got, err := next.Lead(t.Context(), leaderOf(fmt.Sprint("turn", turn+1)))
			require.NoError(t, err)
			if got.Boot == fmt.Sprint("turn", turn+1) {
				break
			}
		}
	}
	stop()
	require.NoError(t, group.Wait())
	counts, err := archives[len(archives)-1].Counts(t.Context(), run)
	require.NoError(t, err)
	require.Len(t, counts, len(acknowledged))
	for turn, c := range counts {
		require.Empty(t, c.Missing)
		require.GreaterOrEqual(t, c.Windows, acknowledged[turn])
		require.LessOrEqual(t, c.Windows, acknowledged[turn]+1, "the last one may have been stored without an answer")
	}
}

func TestRecordsAreKept(t *testing.T) {
	t.Parallel()
	url := freshURL()
	a := leading(t, url)
	require.NoError(t, a.Keep(t.Context(), "token/b", []byte{0, 1, 255}))
	require.NoError(t, a.Keep(t.Context(), "token/a", []byte("x")))
	require.NoError(t, a.Keep(t.Context(), "token/a", nil))
	require.NoError(t, a.Keep(t.Context(), "token%", []byte("y")))
	b := openURL(t, url)
	got, err := b.Kept(t.Context(), "token/b")
	require.NoError(t, err)
	require.Equal(t, []byte{0, 1, 255}, got)
	got, err = b.Kept(t.Context(), "token/a")
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = b.Kept(t.Context(), "token/c")
	require.ErrorIs(t, err, archive.ErrNotFound)
	names, err := b.KeptNames(t.Context(), "token/")
	require.NoError(t, err)
	require.Equal(t, []string{"token/a", "token/b"}, names)
	require.NoError(t, a.Drop(t.Context(), "token/"))
	require.NoError(t, a.Drop(t.Context(), "token/"))
	names, err = b.KeptNames(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []string{"token%"}, names)
	require.ErrorIs(t, a.Keep(t.Context(), "tök", nil), archive.ErrInvalid)
	require.ErrorIs(t, a.Keep(t.Context(), "large", make([]byte, archive.MaxKept+1)), archive.ErrInvalid)
}
