//go:build integration

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

func TestThreeAgentsMakeOneResult(t *testing.T) {
	h := testcluster.New(t)
	h.Agents("a", "b", "c")
	stdout, stderr, code := h.Ctl("submit", "--db", "null", "-p", "recordcount=1000", "-p", "null.service=lognormal 200us 0.5",
		"--threads", "4", "--warmup", "1s", "--duration", "3s", "--seed", "7", "--wait", "-o", "json", "--note", "a note", "--tag", "k=v")
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, 3)
	require.Equal(t, "a note", r.Note)
	require.Equal(t, map[string]string{"k": "v"}, r.Tags)
	require.EqualValues(t, 7, r.Provenance.Seed)
	require.Len(t, r.Phases, 2)
	require.Equal(t, "warmup", r.Phases[0].Name)
	require.Equal(t, "measure", r.Phases[1].Name)
	require.Equal(t, "closed", r.Phases[1].Loop)
	require.InDelta(t, 3, r.Phases[1].Seconds, 0.001)
	require.Nil(t, r.Phases[1].Offered)
	require.Len(t, r.Start.Agents, 3)

	again, stderr, code := h.Ctl("show", r.ID, "-o", "json")
	require.Zero(t, code, stderr)
	require.JSONEq(t, stdout, again, "what was waited for is what is shown later")
}

func TestOneProcessIsTheSameAsMany(t *testing.T) {
	t.Parallel() // it waits most of the time
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "run", "--db", "null", "--agents", "3", "--threads-total", "7",
		"--phase", "load,run", "-p", "recordcount=2000", "-p", "operationcount=30000", "-p", "requestdistribution=zipfian", "-o", "json")
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, 3)
	require.Len(t, r.Phases, 2)
	require.Equal(t, "load", r.Phases[0].Name)
	require.EqualValues(t, 2000, r.Phases[0].Rows)
	require.EqualValues(t, 2000, r.Phases[0].Ops)
	require.EqualValues(t, 30000, r.Phases[1].Ops)
	require.Equal(t, 3, r.Provenance.Agents[0].Workers)
	require.Equal(t, 2, r.Provenance.Agents[2].Workers)
}

func TestAnOpenLoopOffersItsRate(t *testing.T) {
	tolerance.Retry(t, func(try *tolerance.Try) {
		stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "run", "--db", "null", "--agents", "2", "--threads", "8",
			"--target", "2000", "--duration", "2s", "-p", "recordcount=1000", "-o", "json")
		require.Zero(t, code, stderr)
		r := testcluster.Parse(t, stdout)
		testcluster.RequireConsistent(t, r, 2)
		p := r.Phases[0]
		require.Equal(t, "open", p.Loop)
		require.NotNil(t, p.Offered)
		require.InDelta(t, 2000, *p.Offered, 2)
		assert.InDelta(try, 4000, p.Ops, 16, "every intended operation is sent, however late, but for a stall at the end")
	})
}

func TestTwoRunsOnDisjointAgentsGoAtOnceAndAThirdWaits(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agent("a", "--label", "side=left")
	h.Agent("b", "--label", "side=right")
	h.Connected(2)
	work := []string{"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration"}
	left := h.Submit(append(work, "15s", "--select", "side=left")...)
	right := h.Submit(append(work, "15s", "--select", "side=right")...)
	third := h.Submit(append(work, "1s", "--agents", "2")...)
	h.Until(left, "running")
	h.Until(right, "running")
	require.Equal(t, "queued", h.Status(third))
	h.Until(left, "complete")
	h.Until(right, "complete")
	h.Until(third, "complete")
	a, b, c := h.Show(left), h.Show(right), h.Show(third)
	testcluster.RequireConsistent(t, a, 1)
	testcluster.RequireConsistent(t, b, 1)
	testcluster.RequireConsistent(t, c, 2)
	require.Less(t, a.Start.Planned.Sub(b.Start.Planned).Abs(), 15*time.Second, "the two ran in parallel")
	require.Greater(t, c.Start.Planned.Sub(a.Start.Planned), 15*time.Second, "the third waited")
}
