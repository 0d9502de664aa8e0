package coordinator_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// watched is what a watcher has received, until the end.
type watched struct {
	messages []*benchdv1.WatchResponse
	err      error
}

func (h *harness) watch(id string) <-chan watched {
	stream, err := h.runs.Watch(h.t.Context(), &benchdv1.WatchRequest{Id: id})
	require.NoError(h.t, err)
	out := make(chan watched, 1)
	go func() {
		var w watched
		for {
			msg, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				w.err = wire.FromStatus(err)
				break
			}
			w.messages = append(w.messages, msg)
		}
		out <- w
	}()
	return out
}

func (w watched) statuses() []string {
	var out []string
	for _, m := range w.messages {
		if n := len(out); n == 0 || out[n-1] != m.GetStatus() {
			out = append(out, m.GetStatus())
		}
	}
	return out
}

func (w watched) events() map[string]int {
	out := make(map[string]int)
	for _, m := range w.messages {
		for _, e := range m.GetEvents() {
			out[e.GetText()]++
		}
	}
	return out
}

func TestAWatcherGetsEachEventOnceAndTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=300ms")
		early, ofRun := h.watch(id), h.watch(id+".1")
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 10, "OK", false)
		h.until(id, result.Running)
		a.window(start.GetId(), 1, 10, "OK", true)
		a.ended(start.GetId(), 2, 10)

		for _, w := range []watched{<-early, <-ofRun, <-h.watch(id)} {
			require.NoError(t, w.err)
			last := w.messages[len(w.messages)-1]
			require.True(t, last.GetEnded())
			require.Equal(t, string(result.Complete), last.GetStatus())
			require.Equal(t, id, last.GetSuite())
			require.Equal(t, id+".1", last.GetRun())
			require.EqualValues(t, 1, last.GetRuns())
			require.EqualValues(t, 1, last.GetRunsEnded())
			require.Equal(t, map[string]int{"measure starts": 1}, w.events())
			for _, m := range w.messages[:len(w.messages)-1] {
				require.False(t, m.GetEnded())
			}
		}
	})
}

func TestAWatcherGetsNoEndBeforeTheFinalStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=300ms")
		watching := h.watch(id)
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 10, "NOT_FOUND", true)
		a.ended(start.GetId(), 1, 10)
		w := <-watching
		require.NoError(t, w.err)
		require.NotContains(t, w.statuses(), string(result.Complete), "too few operations to be stopped by the limit, but checked before the end is sent")
		require.Equal(t, string(result.Failed), w.messages[len(w.messages)-1].GetStatus())
		require.Equal(t, 1, w.events()["measure starts"])
		run := h.result(id)
		require.True(t, run.Violated)
		require.Contains(t, run.Reason, "found no row")
	})
}

func TestAWatcherAfterARestartGetsTheEarlierEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=1m")
		watching := h.watch(id)
		a.ready()
		start := a.begin()
		h.event(id, "measure starts")
		h.close()
		w := <-watching
		require.ErrorIs(t, w.err, wire.ErrUnreachable)
		require.ErrorContains(t, w.err, "goes on without it")

		h.open()
		watching = h.watch(id)
		a.hold(start)
		a.connect()
		await(a, (*benchdv1.SessionResponse).GetStart)
		a.window(start.GetId(), 0, 10, "OK", true)
		a.ended(start.GetId(), 1, 10)
		w = <-watching
		require.NoError(t, w.err)
		events := w.events()
		require.Equal(t, 1, events["measure starts"])
		require.Equal(t, 1, events["the coordinator was restarted or replaced"])
		for text, n := range events {
			require.Equal(t, 1, n, text)
		}
		require.Equal(t, events, (<-h.watch(id)).events(), "the archive has the same")
	})
}

func TestWatchingAnUnknownSuiteFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		require.ErrorIs(t, (<-h.watch("nope")).err, wire.ErrNotFound)
	})
}

func TestPrometheusFindsTheAgentsThatServeMetrics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		find := func() (groups []struct {
			Targets []string
			Labels  map[string]string
		},
		) {
			rec := httptest.NewRecorder()
			h.c.Discovery().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sd/agents", http.NoBody))
			require.Equal(t, "application/json", rec.Header().Get("Content-Type"))
			require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &groups))
			return groups
		}
		require.NotNil(t, find(), "no agent is an empty list, not null")
		require.Empty(t, find())
		a := newFakeAgent(h, "a")
		a.hello.MetricsAddress = "10.0.0.1:9100"
		a.hello.Labels = map[string]string{"zone-1": "x"}
		a.connect().welcomed()
		newFakeAgent(h, "b").connect().welcomed() // serves none
		secured := newFakeAgent(h, "c")
		secured.hello.MetricsAddress = "https://10.0.0.2:9100"
		secured.connect().welcomed()
		groups := find()
		require.Len(t, groups, 2)
		require.Equal(t, []string{"10.0.0.2:9100"}, groups[1].Targets)
		require.Equal(t, map[string]string{"agent": "c", "__scheme__": "https"}, groups[1].Labels)
		require.Equal(t, []string{"10.0.0.1:9100"}, groups[0].Targets)
		require.Equal(t, map[string]string{"agent": "a", "__meta_benchd_label_zone_1": "x"}, groups[0].Labels)
		a.cancel()
		require.Error(t, a.refused())
		require.Eventually(t, func() bool { return len(find()) == 1 }, patience, 10e6)
	})
}
