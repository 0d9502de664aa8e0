package coordinator_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/result"
)

// announced records what a coordinator announces: the event, the suite or run, and whether it was archived.
type announced struct {
	mu   sync.Mutex
	each []string
}

func (a *announced) announce(o notice.Occasion) func(archived bool) {
	text := string(o.Event) + " " + o.Suite
	if o.Run != "" {
		text = string(o.Event) + " " + o.Run
	}
	return func(archived bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.each = append(a.each, text+" "+strconv.FormatBool(archived))
	}
}

func (a *announced) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.each)
}

// announcing returns a harness that records what it announces.
func announcing(t *testing.T, wrap func(coordinator.Archive) coordinator.Archive) (*harness, *announced) {
	got := &announced{}
	h := &harness{t: t, dir: t.TempDir(), grace: 30 * time.Second, announce: got.announce, wrap: wrap}
	h.open()
	t.Cleanup(func() { h.close() })
	return h, got
}

func TestTheEndOfASuiteIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, got := announcing(t, nil)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, twoTargets)
		require.NoError(t, err)
		for _, below := range []int64{120, 120, 140, 0} {
			serveRun(below, a)
		}
		require.Empty(t, got.all(), "it has a further run")
		serveRun(0, a, b)
		h.until(id, result.Complete)
		synctest.Wait()
		require.Equal(t, []string{"suite_ended " + id + " true"}, got.all())
	})
}

func TestACancelledSuiteIsAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, got := announcing(t, nil)
		newFakeAgent(h, "a").connect().welcomed()
		id := h.submitRun(1, "duration=1m")
		_, err := h.runs.Cancel(t.Context(), &benchdv1.CancelRequest{Id: id})
		require.NoError(t, err)
		h.until(id, result.Cancelled)
		synctest.Wait()
		require.Equal(t, []string{"suite_ended " + id + " true"}, got.all())
	})
}

// refusing is an archive that refuses the first end of a suite.
type refusing struct {
	coordinator.Archive
	once sync.Once
}

func (r *refusing) Apply(ctx context.Context, change archive.Change) (err error) {
	if change.Status.Ended() {
		r.once.Do(func() { err = errors.New("disk full") })
	}
	if err != nil {
		return err
	}
	return r.Archive.Apply(ctx, change)
}

// What cannot be archived is announced again: the first announcement is in doubt.
func TestAViolatedLimitIsAnnouncedWhenItIsArchived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, got := announcing(t, func(opened coordinator.Archive) coordinator.Archive { return &refusing{Archive: opened} })
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=1m")
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 2000, "NOT_FOUND", false)
		require.Contains(t, await(a, (*benchdv1.SessionResponse).GetStop).GetReason(), "found no row")
		require.Empty(t, got.all(), "the run has not ended")
		a.window(start.GetId(), 1, 1, "OK", true)
		a.ended(start.GetId(), 2, 1)
		h.until(id, result.Failed)
		synctest.Wait()
		require.Equal(t, []string{
			"limit_violated " + id + ".1 false", "suite_ended " + id + " false",
			"limit_violated " + id + ".1 true", "suite_ended " + id + " true",
		}, got.all())
	})
}
