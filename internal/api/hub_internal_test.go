package api

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/remote"
)

func state(n int) *remote.Progress {
	return &remote.Progress{Suite: "s", Run: "s.1", Ops: uint64(n), Events: []remote.Event{{Kind: "action", Text: strconv.Itoa(n)}}}
}

func TestReadersShareTheBytesOfAnEvent(t *testing.T) {
	h := newHub()
	require.NoError(t, h.publish(state(1)))
	require.NoError(t, h.publish(state(2)))
	a, last, _, _, err := h.after(1)
	require.NoError(t, err)
	require.Equal(t, 2, last)
	b, _, _, _, _ := h.after(1)
	require.Same(t, &a[0][0], &b[0][0])
	whole, last, _, _, err := h.after(0)
	require.NoError(t, err)
	require.Equal(t, 2, last)
	again, _, _, _, _ := h.after(0)
	require.Same(t, &whole[0][0], &again[0][0], "a snapshot is encoded once, too")
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _, _, _, _ = h.after(1) }))
}

func TestASlowReaderContinuesWithASnapshot(t *testing.T) {
	h := newHub()
	for n := range 10 * keptEvents {
		require.NoError(t, h.publish(state(n+1)))
	}
	require.LessOrEqual(t, len(h.events), 2*keptEvents)
	events, last, _, _, err := h.after(3)
	require.NoError(t, err)
	require.Equal(t, 10*keptEvents, last)
	require.Len(t, events, 1)
	require.Contains(t, string(events[0]), "event: snapshot\n")
	events, _, _, _, err = h.after(last - keptEvents)
	require.NoError(t, err)
	require.Len(t, events, keptEvents)
	for n := range 3 * keptTimeline {
		require.NoError(t, h.publish(state(n)))
	}
	require.LessOrEqual(t, len(h.timeline), 2*keptTimeline)
	require.Zero(t, h.position("other-5"))
	require.Zero(t, h.position(h.boot+"-x"))
	require.Equal(t, 5, h.position(h.name(5)))
}

func TestATimelineWithoutEventsIsAList(t *testing.T) {
	h := newHub()
	require.NoError(t, h.publish(&remote.Progress{Run: "20260301-abcd.1"}))
	events, _, _, _, err := h.after(0)
	require.NoError(t, err)
	require.Contains(t, string(events[0]), `"timeline":[]`)
}

func TestLargeEventsAreKeptForAShorterTime(t *testing.T) {
	h := newHub()
	large := state(1)
	large.Steady = strings.Repeat("x", keptBytes/10)
	for range 50 {
		require.NoError(t, h.publish(large))
		kept := 0
		for _, text := range h.events {
			kept += len(text)
		}
		require.Equal(t, kept, h.size)
		require.LessOrEqual(t, kept, keptBytes)
	}
	require.Equal(t, 50, h.before+len(h.events))
	large.Steady = strings.Repeat("x", 2*keptBytes)
	for range 3 {
		require.NoError(t, h.publish(large))
		require.NotEmpty(t, h.events, "the newest one is for the readers that wait")
	}
}

func TestAHubOutlivesItsReadersForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, stop := context.WithCancel(t.Context())
		following := 0
		s := &hubs{byID: make(map[string]*followed), follow: func(ctx context.Context, _ string, h *hub) error {
			following++
			if err := h.publish(state(1)); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		first := s.join(running, "s")
		require.Same(t, first, s.join(running, "s"), "readers share it")
		synctest.Wait()
		s.leave(first)
		s.leave(first)
		<-time.After(lingerFor - time.Second)
		require.Same(t, first, s.join(running, "s"), "a reader comes back")
		<-time.After(2 * lingerFor)
		s.leave(first)
		<-time.After(lingerFor + time.Second)
		second := s.join(running, "s")
		require.NotSame(t, first, second)
		synctest.Wait()
		require.Equal(t, 2, following)
		stop()
		s.wait()
		require.Empty(t, s.byID)
		require.Nil(t, s.join(running, "s"))
		_, _, _, over, err := second.after(1)
		require.True(t, over)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestReadersAreBounded(t *testing.T) {
	running, stop := context.WithCancel(t.Context())
	s := &hubs{byID: make(map[string]*followed), follow: func(ctx context.Context, _ string, _ *hub) error { <-ctx.Done(); return nil }}
	for range maxReaders {
		require.NotNil(t, s.join(running, "s"))
	}
	require.Nil(t, s.join(running, "s"))
	stop()
	s.wait()
}
