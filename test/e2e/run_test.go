//go:build integration

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// honest checks what every good result must hold.
func honest(t *testing.T, r result.Run, agents int) {
	t.Helper()
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Equal(t, 1, r.Schema)
	require.Equal(t, "run", r.Kind)
	require.Empty(t, r.Missing)
	require.True(t, r.Reconcile.OK)
	require.Equal(t, r.Reconcile.Issued, r.Reconcile.Recorded)
	require.Equal(t, r.Reconcile.Recorded, r.Reconcile.Merged)
	require.NotZero(t, r.Reconcile.Merged)
	require.Len(t, r.Provenance.Agents, agents)
	require.NotNil(t, r.Start)
	require.NotEmpty(t, r.Resolved["recordcount"])
	var all uint64
	for _, p := range r.Phases {
		var ops, inSeries uint64
		for _, o := range p.Operations {
			require.Len(t, o.Agents, agents, o.Op)
			var shares uint64
			for _, a := range o.Agents {
				shares += a.Count
			}
			require.Equal(t, o.Count, shares, "%s: the agents' counts add up", o.Op)
			if o.PartOf == nil {
				ops += o.Count
			}
		}
		for _, point := range p.Series {
			inSeries += point.Ops
		}
		require.Equal(t, p.Ops, ops, "operations add up")
		require.Equal(t, p.Ops, inSeries, "the series adds up")
		all += ops
	}
	require.Equal(t, r.Reconcile.Merged, all)
}

func TestThreeAgentsMakeOneResult(t *testing.T) {
	h := newHouse(t)
	h.agents("a", "b", "c")
	stdout, stderr, code := h.ctl("submit", "--db", "null", "-p", "recordcount=1000", "-p", "null.service=lognormal 200us 0.5",
		"--threads", "4", "--warmup", "1s", "--duration", "3s", "--seed", "7", "--wait", "-o", "json", "--note", "a note", "--tag", "k=v")
	require.Zero(t, code, stderr)
	r := parse(t, stdout)
	honest(t, r, 3)
	require.Equal(t, "a note", r.Note)
	require.Equal(t, map[string]string{"k": "v"}, r.Tags)
	require.EqualValues(t, 7, r.Provenance.Seed)
	require.Len(t, r.Phases, 2)
	require.Equal(t, "warmup", r.Phases[0].Name)
	require.Equal(t, "measure", r.Phases[1].Name)
	require.Equal(t, "closed", r.Phases[1].Loop)
	require.InDelta(t, 3, r.Phases[1].Seconds, 0.001)
	require.Nil(t, r.Phases[1].Offered)
	require.Less(t, r.Start.SkewMS, 50.0)

	again, stderr, code := h.ctl("show", r.ID, "-o", "json")
	require.Zero(t, code, stderr)
	require.JSONEq(t, stdout, again, "what was waited for is what is shown later")
}

func TestOneProcessIsTheSameAsMany(t *testing.T) {
	stdout, stderr, code := run(t, time.Minute, "benchctl", "run", "--db", "null", "--agents", "3", "--threads-total", "7",
		"--phase", "load,run", "-p", "recordcount=2000", "-p", "operationcount=30000", "-p", "requestdistribution=zipfian", "-o", "json")
	require.Zero(t, code, stderr)
	r := parse(t, stdout)
	honest(t, r, 3)
	require.Len(t, r.Phases, 2)
	require.Equal(t, "load", r.Phases[0].Name)
	require.EqualValues(t, 2000, r.Phases[0].Rows)
	require.EqualValues(t, 2000, r.Phases[0].Ops)
	require.EqualValues(t, 30000, r.Phases[1].Ops)
	require.Equal(t, 3, r.Provenance.Agents[0].Workers)
	require.Equal(t, 2, r.Provenance.Agents[2].Workers)
}

func TestAnOpenLoopOffersWhatItWasTold(t *testing.T) {
	stdout, stderr, code := run(t, time.Minute, "benchctl", "run", "--db", "null", "--agents", "2", "--threads", "8",
		"--target", "2000", "--duration", "5s", "-p", "recordcount=1000", "-o", "json")
	require.Zero(t, code, stderr)
	r := parse(t, stdout)
	honest(t, r, 2)
	p := r.Phases[0]
	require.Equal(t, "open", p.Loop)
	require.NotNil(t, p.Offered)
	require.InDelta(t, 2000, *p.Offered, 2)
	require.InDelta(t, 10_000, p.Ops, 16, "every intended operation is sent, however late")
}

func TestTwoRunsOnDisjointAgentsGoAtOnceAndAThirdWaits(t *testing.T) {
	h := newHouse(t)
	h.agent("a", "--label", "side=left")
	h.agent("b", "--label", "side=right")
	h.connected(2)
	work := []string{"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration"}
	left := h.submit(append(work, "6s", "--select", "side=left")...)
	right := h.submit(append(work, "6s", "--select", "side=right")...)
	third := h.submit(append(work, "1s", "--agents", "2")...)
	h.until(left, "running")
	h.until(right, "running")
	require.Equal(t, "queued", h.status(third))
	h.until(left, "complete")
	h.until(right, "complete")
	h.until(third, "complete")
	a, b, c := h.show(left), h.show(right), h.show(third)
	honest(t, a, 1)
	honest(t, b, 1)
	honest(t, c, 2)
	require.Less(t, a.Start.Planned.Sub(b.Start.Planned).Abs(), 5*time.Second, "the two went at once")
	require.Greater(t, c.Start.Planned.Sub(a.Start.Planned), 6*time.Second, "the third waited")
}
