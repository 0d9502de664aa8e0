package coordinator_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const searching = `
suite: limits
properties: {db: "null", recordcount: 100, duration: 100ms, interval: 100ms, readproportion: 1, updateproportion: 0, warmup.ops: 0}
scenarios:
	- {name: before, properties: {operationcount: 20}}
	- {name: limit, search: {vary: rate, from: 10000, to: 80000, keep: p99(READ) < 10ms, tolerance: 20%, confirm: 2}}
	- {name: after, properties: {operationcount: 20}}
`

// ends waits for the end of a suite.
func (h *harness) ends(id string, want result.Status) {
	stream, err := h.runs.Watch(h.t.Context(), &benchdv1.WatchRequest{Id: id})
	require.NoError(h.t, err)
	for {
		msg, err := stream.Recv()
		require.NoError(h.t, err)
		if msg.GetEnded() {
			require.Equal(h.t, want, h.suite(id).Status)
			return
		}
	}
}

// probe lets the agent execute a run at the offered rate. Requests take a millisecond up to the limit, and 80 ms above it.
func (p *fakeAgent) probe(limit float64) *benchdv1.Prepare {
	order := p.ready()
	rate, err := strconv.ParseFloat(order.GetProperties()["rate"], 64)
	require.NoError(p.t, err, "the run has a rate")
	p.finish(order, int(rate/10), map[bool]time.Duration{true: time.Millisecond, false: 80 * time.Millisecond}[rate <= limit])
	return order
}

// finish ends a prepared run with a single window.
func (p *fakeAgent) finish(order *benchdv1.Prepare, ops int, each time.Duration) {
	start := p.begin()
	var h latency.Histogram
	for range ops {
		h.Record(int64(each))
	}
	w := &latency.Window{
		ID:  latency.WindowID{Run: order.GetId().GetRun(), Phase: "measure", Shard: 0, Attempt: int(order.GetId().GetAttempt())},
		End: 100 * time.Millisecond, Last: true, Issued: uint64(ops), Recorded: uint64(ops), Health: latency.Health{Cores: 2, HostIdle: 0.9},
	}
	w.Series = []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &h, Service: &h}}
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(w)}})
	p.ended(start.GetId(), 1, ops)
}

// fails lets the preparation of the next run fail.
func (p *fakeAgent) fails() *benchdv1.Prepare {
	order := await(p, (*benchdv1.SessionResponse).GetPrepare)
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: order.GetId(), Error: "no such table"}}})
	return order
}

// probes lists the runs of the search, each as its rate and status.
func (h *harness) probes(id string) (list []string) {
	for _, r := range h.suite(id).Runs {
		if r.Case == "limit" {
			list = append(list, fmt.Sprintf("%s:%d %s %s", strings.TrimPrefix(r.ID, id+"."), r.Repeat, r.Resolved["rate"], r.Status))
		}
	}
	return list
}

// serveSearch executes the probes of a search until the case after it begins, and returns the rates.
func serveSearch(a *fakeAgent, limit float64) (rates []string) {
	for {
		order := a.ready()
		for name := range order.GetProperties() {
			require.NotContains(a.t, name, "search.", "an agent of an earlier release does not know it")
		}
		if order.GetProperties()["operationcount"] != "0" {
			a.finish(order, 20, time.Millisecond)
			return rates
		}
		rates = append(rates, order.GetProperties()["rate"])
		rate, err := strconv.ParseFloat(order.GetProperties()["rate"], 64)
		require.NoError(a.t, err)
		a.finish(order, int(rate/10), map[bool]time.Duration{true: time.Millisecond, false: 80 * time.Millisecond}[rate <= limit])
	}
}

func TestASearchFindsTheHighestRateAndTheSuiteGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, searching)
		require.NoError(t, err)
		list, err := h.runs.List(t.Context(), &benchdv1.ListRequest{})
		require.NoError(t, err)
		require.EqualValues(t, 1+40+1, list.GetSuites()[0].GetRunsAtMost())
		serveRun(0, a)
		rates := serveSearch(a, 30000)
		h.ends(id, result.Complete)

		require.Equal(t, []string{"10000", "20000", "40000", "80000"}, rates[:4], "it scans")
		best := rates[len(rates)-1]
		require.Equal(t, best, rates[len(rates)-2], "the answer is confirmed")
		f, err := strconv.ParseFloat(best, 64)
		require.NoError(t, err)
		require.InDelta(t, 30000/1.1, f, 3000)
		s := h.suite(id)
		require.Len(t, s.Runs, 1+len(rates)+1)
		require.Equal(t, "after", s.Runs[len(s.Runs)-1].Case)
		for i, r := range s.Runs[1 : len(s.Runs)-1] {
			require.Equal(t, i+1, r.Repeat, "a probe is a repeat of its case")
			require.Equal(t, fmt.Sprintf("%s.%d", id, i+2), r.ID, "runs are numbered in their order")
		}
		require.NotNil(t, s.Plan.Cases[1].Search)
	})
}

// Everything follows from the records of the runs: a coordinator that is killed between two probes continues, also one
// that has not yet planned the next one.
func TestASearchSurvivesRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, searching)
		require.NoError(t, err)
		serveRun(0, a)
		var before []string
		for i := range 3 {
			before = append(before, a.probe(30000).GetProperties()["rate"])
			h.until(fmt.Sprintf("%s.%d", id, i+2), result.Complete)
			h.close()
			h.open()
			a.connect()
		}
		require.Equal(t, []string{"10000", "20000", "40000"}, before)
		rates := serveSearch(a, 30000)
		require.Equal(t, "80000", rates[0])
		h.ends(id, result.Complete)
		require.Len(t, h.suite(id).Runs, 1+3+len(rates)+1)
	})
}

func TestAProbeThatFailsIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, searching)
		require.NoError(t, err)
		serveRun(0, a)
		a.probe(30000)
		require.Equal(t, "20000", a.fails().GetProperties()["rate"])
		require.Equal(t, "20000", a.probe(30000).GetProperties()["rate"])
		require.Equal(t, "40000", a.probe(30000).GetProperties()["rate"])
		serveSearch(a, 30000)
		h.ends(id, result.Complete)
		require.Equal(t, []string{"2:1 10000 complete", "3:2 20000 failed", "4:2 20000 complete", "5:3 40000 complete"}, h.probes(id)[:4])
		require.Equal(t, result.Complete, h.suite(id).Status, "the run that failed was replaced")
	})
}

// The suite ends with the search, or goes on with the next case. A user can resume it later.
func TestAProbeThatFailsTwiceEndsItsSearch(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"stop", "continue"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				a := newFakeAgent(h, "a").connect()
				id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, strings.Replace(searching, "\nsuite: limits", "\nsuite: limits\non-failure: "+policy, 1))
				require.NoError(t, err)
				serveRun(0, a)
				a.probe(30000)
				a.fails()
				a.fails()
				if policy == "continue" {
					require.Equal(t, id+".5", serveRun(0, a)[0].GetId().GetRun(), "the case after the search")
				}
				h.ends(id, result.Failed)
				require.Equal(t, []string{"2:1 10000 complete", "3:2 20000 failed", "4:2 20000 failed"}, h.probes(id))

				if policy == "continue" {
					return
				}
				resp, err := h.runs.Submit(t.Context(), &benchdv1.SubmitRequest{Resume: id, WaitAgents: wait()})
				require.NoError(t, err)
				require.Contains(t, resp.GetWarnings()[0], "1 run of suite "+id+" run again")
				require.Equal(t, "20000", a.probe(30000).GetProperties()["rate"])
				require.Equal(t, "40000", a.probe(30000).GetProperties()["rate"])
				serveSearch(a, 30000)
				h.ends(id, result.Complete)
			})
		})
	}
}

func TestASearchIsCancelledAndResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, searching)
		require.NoError(t, err)
		serveRun(0, a)
		a.probe(30000)
		await(a, (*benchdv1.SessionResponse).GetPrepare)
		_, err = h.runs.Cancel(t.Context(), &benchdv1.CancelRequest{Id: id, By: "ann"})
		require.NoError(t, err)
		h.ends(id, result.Cancelled)
		require.Equal(t, []string{"2:1 10000 complete", "3:2 20000 cancelled"}, h.probes(id))
		_, err = h.runs.Submit(t.Context(), &benchdv1.SubmitRequest{Resume: id, WaitAgents: wait()})
		require.NoError(t, err)
		require.Equal(t, "20000", a.probe(30000).GetProperties()["rate"])
		serveSearch(a, 30000)
		h.ends(id, result.Complete)
	})
}

// The outcome of each probe reaches everybody who watches, also those who come later.
func TestWatchersOfASearchSeeItsProbes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, searching)
		require.NoError(t, err)
		serveRun(0, a)
		rates := serveSearch(a, 30000)
		h.ends(id, result.Complete)
		stream, err := h.runs.Watch(t.Context(), &benchdv1.WatchRequest{Id: id})
		require.NoError(t, err)
		msg, err := stream.Recv()
		require.NoError(t, err)
		require.True(t, msg.GetEnded())
		var lines []string
		for _, e := range msg.GetEvents() {
			if e.GetKind() == "probe" {
				lines = append(lines, e.GetText())
			}
		}
		require.Len(t, lines, len(rates))
		require.Regexp(t, `^probe 1: 10,000 ops/s, kept`, lines[0])
		require.Regexp(t, `^probe 3: 40,000 ops/s, missed \(`, lines[2])
	})
}

func TestASearchForThreadsBeginsWithAWorkerOnEachAgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		newFakeAgent(h, "a").connect()
		newFakeAgent(h, "b").connect()
		_, err := h.submit(&benchdv1.SubmitRequest{Agents: 2, WaitAgents: wait()}, "search.vary=threads", "search.from=1", "search.to=8")
		require.ErrorContains(t, err, "search.from is 1, and there are 2 agents: an agent would have no worker; raise search.from to 2, or take fewer agents")
	})
}
