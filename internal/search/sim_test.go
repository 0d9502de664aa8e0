package search_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/search"
)

// queue is an M/M/c system: servers with exponential service times, and Poisson arrivals.
type queue struct {
	servers int
	service float64 // mean service time in ms
}

// capacity is the rate that saturates it, per second.
func (q queue) capacity() float64 { return 1000 * float64(q.servers) / q.service }

// later is the probability that a request takes longer than some milliseconds at a rate (Erlang's C formula).
func (q queue) later(rate, ms float64) float64 {
	mu, load := 1/q.service, rate/1000*q.service
	c := float64(q.servers)
	blocking := 1.0
	for n := 1.0; n <= c; n++ {
		blocking = load * blocking / (n + load*blocking)
	}
	waits := blocking / (1 - load/c*(1-blocking))
	theta := c*mu - rate/1000
	if math.Abs(theta-mu) < 1e-9 {
		theta += 1e-6
	}
	return (1-waits)*math.Exp(-mu*ms) + waits*(theta*math.Exp(-mu*ms)-mu*math.Exp(-theta*ms))/(theta-mu)
}

// p99 is the exact 99th percentile of response times in ms; infinite without a steady state.
func (q queue) p99(rate float64) float64 {
	if rate >= q.capacity() {
		return math.Inf(1)
	}
	return zero(0, 1e6, func(ms float64) float64 { return q.later(rate, ms) - 0.01 })
}

// truth is the rate at which the p99 is some milliseconds.
func (q queue) truth(ms float64) float64 {
	return zero(1e-3, q.capacity()*(1-1e-9), func(rate float64) float64 { return ms - q.p99(rate) })
}

// zero is where a falling function is 0.
func zero(low, high float64, f func(float64) float64) float64 {
	for range 80 {
		middle := (low + high) / 2
		if f(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// play makes the probes of a search until it is done.
func play(t *testing.T, s search.Space, probe func(value float64) search.Probe) ([]search.Probe, search.Step) {
	t.Helper()
	require.NoError(t, s.Validate())
	var probes []search.Probe
	for {
		step := s.Decide(probes)
		if step.Done {
			return probes, step
		}
		require.GreaterOrEqual(t, step.Next, s.From)
		require.LessOrEqual(t, step.Next, s.To)
		require.Less(t, len(probes), 1000)
		p := probe(step.Next)
		p.Value = step.Next
		probes = append(probes, p)
	}
}

// noisy is a run of the queue at a rate: its p99 has an error of some percent, and some runs meet a disturbance.
func noisy(q queue, limit, sd, disturbed float64, r *rand.Rand) func(float64) search.Probe {
	return func(rate float64) search.Probe {
		p99 := q.p99(rate) * math.Exp(sd*r.NormFloat64())
		if r.Float64() < disturbed {
			p99 *= 3
		}
		done := min(rate, q.capacity()) * (1 + 0.002*r.NormFloat64())
		p := search.Probe{Outcome: search.Kept, Throughput: done, Because: fmt.Sprintf("p99 is %.2f ms", p99)}
		if p99 >= limit || done < 0.99*rate {
			p.Outcome = search.Missed
		}
		return p
	}
}

func TestTheAnswerIsNearTheTruthOfAQueue(t *testing.T) {
	const searches = 100
	tests := []struct {
		sd, disturbed float64 // of the p99 of a run; share of the runs that meet a disturbance
		near          int     // searches within 5 % of the truth, at least
		probes        float64 // mean number, at most
	}{
		{0, 0, 100, 16},
		{0.02, 0, 98, 17},
		{0.05, 0, 95, 18},
		{0.05, 0.02, 93, 19},
	}
	for _, test := range tests {
		r := rand.New(rand.NewPCG(18, 7))
		near, probes := 0, 0
		for range searches {
			q := queue{servers: 1 + r.IntN(32), service: 0.2 + 5*r.Float64()}
			limit := q.service * (5 + 10*r.Float64())
			truth := q.truth(limit)
			space := search.Space{Vary: search.Rate, From: truth / (2 + 30*r.Float64()), To: truth * (1.2 + 4*r.Float64())}
			made, step := play(t, space, noisy(q, limit, test.sd, test.disturbed, r))
			probes += len(made)
			if step.Answer.Status == search.Found && math.Abs(*step.Answer.Value/truth-1) <= 0.05 {
				near++
			}
		}
		mean := float64(probes) / searches
		t.Logf("sd %v, disturbed %v: %d of %d within 5 %%, %.1f probes", test.sd, test.disturbed, near, searches, mean)
		require.GreaterOrEqual(t, near, test.near)
		require.LessOrEqual(t, mean, test.probes)
	}
}

// A search that is continued after any of its probes makes the same ones.
func TestASearchContinuesAfterEveryProbe(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q := queue{servers: 4, service: 2}
	space := search.Space{Vary: search.Rate, From: 100, To: 4000}
	probes, last := play(t, space, noisy(q, 12, 0.1, 0.1, r))
	for i, p := range probes {
		text, err := json.Marshal(probes[:i])
		require.NoError(t, err)
		var archived []search.Probe
		require.NoError(t, json.Unmarshal(text, &archived))
		step := space.Decide(archived)
		require.False(t, step.Done)
		require.InDelta(t, p.Value, step.Next, 0)
		require.Equal(t, last.Purposes[i], step.Purpose)
		require.Equal(t, last.Purposes[:i], step.Purposes)
		require.Equal(t, search.Unfinished, step.Answer.Status)
	}
}
