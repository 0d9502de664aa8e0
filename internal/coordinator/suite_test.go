package coordinator_test

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// submitSuite submits a suite file.
func (h *harness) submitSuite(req *benchdv1.SubmitRequest, file string) (string, error) {
	file = strings.ReplaceAll(file, "\t", "  ")
	req.Submission = &benchdv1.Submission{Suite: &benchdv1.SourceFile{Name: "s.yaml", Content: []byte(file)}}
	resp, err := h.runs.Submit(h.t.Context(), req)
	return resp.GetId(), wire.FromStatus(err)
}

// suite reads a suite's result.
func (h *harness) suite(id string) result.Suite {
	var s result.Suite
	h.decode(id, &s)
	return s
}

func (h *harness) statuses(id string) string {
	var b strings.Builder
	for _, r := range h.suite(id).Runs {
		fmt.Fprintf(&b, "%s %s%d %s; ", strings.TrimPrefix(r.ID, id), r.Case, r.Repeat, r.Status)
	}
	return b.String()
}

const twoTargets = `
suite: two
order: abba
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 0, updateproportion: 0, insertproportion: 1}
targets: {A: {table: a}, B: {table: b}}
datasets: {plain: {load: false}}
scenarios:
	- {name: inserts, dataset: plain, targets: [A, B], repeats: 2}
	- {name: reads, dataset: plain, targets: [A], agents: 2, properties: {readproportion: 1, insertproportion: 0}}
`

// serveRun lets fakeAgents execute a run of 20 operations each, whose last inserts are below a key number.
func serveRun(below int64, fakeAgents ...*fakeAgent) []*benchdv1.Prepare {
	var orders []*benchdv1.Prepare
	for _, p := range fakeAgents {
		orders = append(orders, p.ready())
	}
	for _, p := range fakeAgents {
		start := p.begin()
		p.window(start.GetId(), 0, 20, "OK", true)
		p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
			Id: start.GetId(), Phase: "measure", EndedNs: 1e8, Windows: 1, Final: true, Issued: 20, Recorded: 20, InsertedBelow: below,
		}}})
	}
	return orders
}

func TestASuiteRunsItsCasesInItsOrderAndOverwritesNoRow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, twoTargets)
		require.NoError(t, err)

		bases := make(map[string]string)
		for i, below := range []int64{120, 120, 140, 0} {
			order := serveRun(below, a)[0]
			require.Equal(t, fmt.Sprintf("%s.%d", id, i+1), order.GetId().GetRun())
			bases[fmt.Sprint(i+1, order.GetProperties()["table"])] = order.GetProperties()["insertbase"]
		}
		serveRun(0, a, b)
		h.until(id+".5", result.Complete)

		require.Equal(t, map[string]string{"1a": "0", "2b": "0", "3b": "120", "4a": "120"}, bases, "0 is behind recordcount")
		s := h.suite(id)
		require.Equal(t, result.Complete, s.Status)
		var ran []string
		for _, turn := range s.Ran {
			ran = append(ran, strings.TrimPrefix(turn.Run, id)+turn.Target+strconv.Itoa(turn.Repeat))
		}
		require.Equal(t, []string{".1A1", ".2B1", ".3B2", ".4A2", ".5A1"}, ran)
		require.Len(t, s.Runs[4].Provenance.Agents, 2)
		require.Len(t, s.Runs[3].Provenance.Agents, 1)
		require.Equal(t, "120", s.Runs[3].Resolved["insertbase"], "it is in the result")
	})
}

// The agents of a run with inserts take turns with the row numbers, and end at different ones: the numbers skipped at the
// end are in the result, and the next run of the suite does not read them.
func TestRowNumbersThatInsertsLeftOutAreNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 2, WaitAgents: wait()}, `
suite: gap
properties: {db: "null", recordcount: 100, operationcount: 30, interval: 100ms, readproportion: 0.5, updateproportion: 0, insertproportion: 0.5}
datasets: {plain: {load: false}}
scenarios:
	- {name: latest, dataset: plain, repeats: 2}
`)
		require.NoError(t, err)
		// Shard 0 inserts rows 100, 102, 104 and 106, shard 1 rows 101 to 117: 108, 110, 112, 114 and 116 have no row.
		inserts := []struct{ below, rows int64 }{{107, 4}, {118, 9}}
		for run := range 2 {
			var orders []*benchdv1.Prepare
			for _, p := range []*fakeAgent{a, b} {
				orders = append(orders, p.ready())
			}
			if run == 1 {
				require.Equal(t, "118", orders[0].GetProperties()["insertbase"])
				h.event(id+".2", "an earlier run of the suite skipped some of the row numbers 108 to 117: this run reads none of them")
			}
			for i, p := range []*fakeAgent{a, b} {
				start := p.begin()
				shard := int(start.GetId().GetShard())
				rows := inserts[shard].rows
				end := &benchdv1.PhaseEnded{
					Id: start.GetId(), Phase: "measure", EndedNs: 1e8, Windows: 1, Final: true, Issued: 20, Recorded: 20,
					InsertedBelow: inserts[shard].below + int64(18*run), InsertedRows: &rows,
				}
				if run == 1 && i == 0 {
					end.InsertedRows = nil // an older agent
				}
				p.watermark(start.GetId(), []int64{108, 119}[shard]+int64(18*run))
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: end}})
			}
			h.until(fmt.Sprintf("%s.%d", id, run+1), result.Complete)
		}
		five := int64(5)
		require.Equal(t, &result.RowGap{First: 108, Last: 117, Count: &five}, h.result(id+".1").RowGap)
		require.Equal(t, &result.RowGap{First: 126, Last: 135}, h.result(id+".2").RowGap)
	})
}

// watermark sends a run's only window, with the shard's watermark of inserts.
func (p *fakeAgent) watermark(id *benchdv1.ShardId, below int64) {
	var h latency.Histogram
	for range 20 {
		h.Record(int64(time.Millisecond))
	}
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(&latency.Window{
		ID:  latency.WindowID{Run: id.GetRun(), Phase: "measure", Shard: int(id.GetShard()), Attempt: 1},
		End: 100 * time.Millisecond, Last: true, Issued: 20, Recorded: 20, Watermark: below,
		Series: []latency.Series{{Key: latency.Key{Op: "INSERT", Outcome: "OK"}, Response: &h, Service: &h}},
	})}})
}

func TestTheListShowsTheProgressOfASuite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		const timed = "suite: s\nproperties: {db: 'null', recordcount: 100, interval: 100ms}\nscenarios:\n" +
			"  - {name: short, properties: {operationcount: 20}}\n  - {name: long, properties: {duration: 1h, warmup: 30m}, repeats: 3}\n"
		id, err := h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, timed)
		require.NoError(t, err)
		listed := func() *benchdv1.SuiteSummary {
			list, err := h.runs.List(t.Context(), &benchdv1.ListRequest{})
			require.NoError(t, err)
			require.Len(t, list.GetSuites(), 1)
			return list.GetSuites()[0]
		}
		require.Zero(t, listed().GetRunsEnded())
		require.Nil(t, listed().GetAhead(), "the time for 20 operations is unknown")
		serveRun(0, a)
		h.until(id+".1", result.Complete)
		now := listed()
		require.EqualValues(t, 4, now.GetRuns())
		require.EqualValues(t, 1, now.GetRunsEnded())
		require.Equal(t, 3*90*time.Minute, now.GetAhead().AsDuration())

		a.ready()
		a.begin()
		h.until(id+".2", result.Running)
		left := listed().GetAhead().AsDuration()
		require.LessOrEqual(t, left, 3*90*time.Minute)
		require.Greater(t, left, 2*90*time.Minute, "the rest of the current run counts, too")

		h.cancel(id + ".4")
		h.until(id+".4", result.Cancelled)
		require.EqualValues(t, 2, listed().GetRunsEnded())
		require.LessOrEqual(t, listed().GetAhead().AsDuration(), 2*90*time.Minute)
	})
}

// The next run inserts behind all rows that an agent without a report may have inserted.
func TestUnreportedInsertsOfALostAgentAreNotOverwritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{WaitAgents: wait()}, `
suite: two
on-failure: continue
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 0, updateproportion: 0, insertproportion: 1}
datasets: {plain: {load: false}}
scenarios: [{name: inserts, dataset: plain, repeats: 2}]
`)
		require.NoError(t, err)
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 20, "OK", true)
		a.acked(0)
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
			Id: start.GetId(), Phase: "measure", EndedNs: 1e8, Windows: 1, Final: true, Issued: 20, Recorded: 20, Error: "out of memory",
		}}})
		h.until(id+".1", result.Failed)
		order := serveRun(142, a)[0]
		require.Equal(t, "121", order.GetProperties()["insertbase"])
		h.until(id+".2", result.Complete)
		require.Equal(t, result.Failed, h.suite(id).Status)
	})
}

func TestRunsAfterAFailedRun(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{
		"stop":     ".1 r1 failed; .2 r2 cancelled; .3 r3 cancelled; ",
		"continue": ".1 r1 failed; .2 r2 complete; .3 r3 complete; ",
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				a := newFakeAgent(h, "a").connect()
				id, err := h.submitSuite(&benchdv1.SubmitRequest{WaitAgents: wait()}, `
suite: s
on-failure: `+policy+`
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 1, updateproportion: 0}
scenarios: [{name: r, repeats: 3}]
`)
				require.NoError(t, err)
				order := await(a, (*benchdv1.SessionResponse).GetPrepare)
				a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: order.GetId(), Error: "no such table"}}})
				if policy == "continue" {
					serveRun(0, a)
					serveRun(0, a)
				}
				h.until(id+".1", result.Failed)
				if policy == "stop" {
					h.until(id+".2", result.Cancelled)
					h.until(id+".3", result.Cancelled)
					require.Equal(t, "not started, because run "+id+".1 failed: agent a cannot prepare: no such table", h.suite(id).Runs[2].Reason)
				} else {
					h.until(id+".3", result.Complete)
				}
				require.Equal(t, want, h.statuses(id))
				require.Equal(t, result.Failed, h.suite(id).Status)
			})
		})
	}
}

func TestOneRunOfASuiteOrAllAreCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		submit := func() string {
			id, err := h.submitSuite(&benchdv1.SubmitRequest{WaitAgents: wait()}, `
suite: s
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 1, updateproportion: 0}
scenarios: [{name: r, repeats: 4}]
`)
			require.NoError(t, err)
			return id
		}
		id := submit()
		order := a.ready()
		_, err := h.runs.Cancel(t.Context(), &benchdv1.CancelRequest{Id: id + ".3", By: "ann"})
		require.NoError(t, err)
		h.until(id+".3", result.Cancelled)
		start := a.begin()
		require.Equal(t, order.GetId().GetRun(), start.GetId().GetRun())
		a.window(start.GetId(), 0, 20, "OK", true)
		a.ended(start.GetId(), 1, 20)
		serveRun(0, a)
		serveRun(0, a)
		h.until(id+".4", result.Complete)
		require.Equal(t, ".1 r1 complete; .2 r2 complete; .3 r3 cancelled; .4 r4 complete; ", h.statuses(id))
		require.Equal(t, result.Cancelled, h.suite(id).Status)

		id = submit()
		await(a, (*benchdv1.SessionResponse).GetPrepare) // without being ready, or it could start meanwhile
		_, err = h.runs.Cancel(t.Context(), &benchdv1.CancelRequest{Id: id, By: "ann"})
		require.NoError(t, err)
		stop := await(a, (*benchdv1.SessionResponse).GetRelease)
		require.Equal(t, id+".1", stop.GetId().GetRun())
		h.until(id+".4", result.Cancelled)
		h.until(id+".1", result.Cancelled)
		require.Equal(t, ".1 r1 cancelled; .2 r2 cancelled; .3 r3 cancelled; .4 r4 cancelled; ", h.statuses(id))
	})
}

// A coordinator that was killed restores all queued runs, and completes a pending cancellation.
func TestTheQueueOfASuiteSurvivesARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{WaitAgents: wait()}, `
suite: s
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 1, updateproportion: 0}
scenarios: [{name: r, repeats: 12}]
`)
		require.NoError(t, err)
		serveRun(0, a)
		h.until(id+".1", result.Complete)
		h.close()
		h.open()
		a.connect()
		for i := range 11 {
			require.Equal(t, fmt.Sprintf("%s.%d", id, i+2), serveRun(0, a)[0].GetId().GetRun())
		}
		h.until(id+".12", result.Complete)
		require.Equal(t, result.Complete, h.suite(id).Status)
		require.Len(t, h.suite(id).Ran, 12)
	})
}

// A suite is resumed while another of its runs is in progress: the added run waits for that run, and for those before it.
func TestRunsAreAddedToASuiteThatGoesOn(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	a := newFakeAgent(h, "a").connect()
	id, err := h.submitSuite(&benchdv1.SubmitRequest{WaitAgents: wait()}, `
suite: s
on-failure: continue
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 1, updateproportion: 0}
scenarios: [{name: r, repeats: 3}]
`)
	require.NoError(t, err)
	order := await(a, (*benchdv1.SessionResponse).GetPrepare)
	a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: order.GetId(), Error: "no such table"}}})
	order = a.ready()
	require.Equal(t, id+".2", order.GetId().GetRun())
	start := a.begin()
	h.until(id+".2", result.Running)
	resp, err := h.runs.Submit(t.Context(), &benchdv1.SubmitRequest{Resume: id, WaitAgents: wait()})
	require.NoError(t, err)
	require.Equal(t, []string{"1 run of suite " + id + " run again, as " + id + ".4 to " + id + ".4; complete runs are kept"}, resp.GetWarnings())
	require.Equal(t, result.Running, h.suite(id).Status)
	a.window(start.GetId(), 0, 20, "OK", true)
	a.ended(start.GetId(), 1, 20)
	for _, run := range []string{".3", ".4"} {
		require.Equal(t, id+run, serveRun(0, a)[0].GetId().GetRun())
	}
	h.until(id+".4", result.Complete)
	require.Equal(t, ".1 r1 failed; .2 r2 complete; .3 r3 complete; .4 r1 complete; ", h.statuses(id))
	require.Equal(t, result.Complete, h.suite(id).Status)
}

// A suite that has not ended although all of its runs have was left open: a coordinator that plans no more runs ends it.
func TestASuiteThatWasLeftOpenEnds(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	a := newFakeAgent(h, "a").connect()
	id, err := h.submit(&benchdv1.SubmitRequest{WaitAgents: wait()}, "operationcount=20")
	require.NoError(t, err)
	serveRun(0, a)
	h.until(id, result.Complete)
	h.close()
	opened, err := sqlite.Open(t.Context(), h.dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, opened.Apply(t.Context(), archive.Change{Suite: id, Status: result.Running}))
	require.NoError(t, opened.Close(t.Context()))
	h.open()
	suites, err := h.runs.List(t.Context(), &benchdv1.ListRequest{})
	require.NoError(t, err)
	require.Equal(t, string(result.Complete), suites.GetSuites()[0].GetStatus())
}

// Complete runs are not repeated, and the rows of failed ones are not overwritten.
func TestASuiteIsResumedWhereItStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, err := h.submitSuite(&benchdv1.SubmitRequest{WaitAgents: wait()}, `
suite: s
properties: {db: "null", recordcount: 100, operationcount: 20, interval: 100ms, readproportion: 0, updateproportion: 0, insertproportion: 1}
datasets: {plain: {load: false}}
scenarios: [{name: r, dataset: plain, repeats: 4}]
`)
		require.NoError(t, err)
		serveRun(115, a)
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 20, "OK", true)
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
			Id: start.GetId(), Phase: "measure", EndedNs: 1e8, Windows: 1, Final: true, Issued: 20, Recorded: 20, InsertedBelow: 130, Error: "out of paper",
		}}})
		h.until(id+".4", result.Cancelled)
		h.until(id+".3", result.Cancelled)
		require.Equal(t, ".1 r1 complete; .2 r2 failed; .3 r3 cancelled; .4 r4 cancelled; ", h.statuses(id))

		resume := func() []string {
			resp, err := h.runs.Submit(t.Context(), &benchdv1.SubmitRequest{Resume: id, WaitAgents: wait()})
			require.NoError(t, err)
			require.Equal(t, id, resp.GetId())
			return resp.GetWarnings()
		}
		require.Contains(t, resume()[0], "3 runs of suite "+id+" run again, as "+id+".5 to "+id+".7")
		require.Contains(t, resume()[0], "is in progress")
		require.Equal(t, "130", serveRun(140, a)[0].GetProperties()["insertbase"])
		h.until(id+".5", result.Complete)
		h.close() // a coordinator that is killed here resumes by itself
		h.open()
		a.connect()
		require.Equal(t, "140", serveRun(150, a)[0].GetProperties()["insertbase"])
		require.Equal(t, "150", serveRun(160, a)[0].GetProperties()["insertbase"])
		h.until(id+".7", result.Complete)
		require.Equal(t, ".1 r1 complete; .2 r2 failed; .3 r3 cancelled; .4 r4 cancelled; .5 r2 complete; .6 r3 complete; .7 r4 complete; ", h.statuses(id))
		s := h.suite(id)
		require.Equal(t, result.Complete, s.Status, "each of its runs, or its replacement, is complete")
		require.Equal(t, id+".5", s.Runs[1].ReplacedBy)
		require.Empty(t, s.Runs[0].ReplacedBy)
		require.Contains(t, resume()[0], "is complete")

		_, err = h.runs.Submit(t.Context(), &benchdv1.SubmitRequest{Resume: id + ".1"})
		require.ErrorContains(t, wire.FromStatus(err), "resume the whole suite "+id)
		_, err = h.runs.Submit(t.Context(), &benchdv1.SubmitRequest{Resume: "nobody"})
		require.ErrorContains(t, wire.FromStatus(err), "no suite or run")
	})
}
