package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// watches waits for the order that sets whether the agent watches the target.
func (p *fakeAgent) watches(target bool) *benchdv1.Observe {
	p.t.Helper()
	return await(p, func(m *benchdv1.SessionResponse) *benchdv1.Observe {
		if o := m.GetObserve(); o != nil && o.GetTarget() == target {
			return o
		}
		return nil
	})
}

// observes sends an observation of the agent at an instant of the run's time.
func (p *fakeAgent) observes(id *benchdv1.ShardId, at time.Duration, value float64, more result.Observations) {
	more.Figures = append(more.Figures, result.Observed{Name: "hbase.regionserver.regions", Source: "rs1:16020", Unit: "1", At: []time.Duration{at}, Values: []float64{value}})
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Observations{Observations: wire.FromObservations(id, more)}})
}

// One agent watches the target; when it is away, another one does. The observations of both are in the result, and events
// have their own instants.
func TestAnotherAgentWatchesTheTargetWhenOneIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := h.submitRun(2, "duration=1m", "telemetry=true")
		a.ready()
		b.ready()
		ofA, ofB := a.begin(), b.begin()
		require.Equal(t, time.Second, time.Duration(a.watches(true).GetHostEveryNs()))
		b.watches(false)
		a.observes(ofA.GetId(), 100*time.Millisecond, 3, result.Observations{
			Happenings: []result.Happening{{At: 50 * time.Millisecond, Kind: "split", Text: "a region was split"}}, Warnings: []string{"no JMX", "no JMX"},
		})
		a.window(ofA.GetId(), 0, 10, "OK", false)
		a.acked(0)

		a.cancel()
		require.Error(t, a.refused())
		b.watches(true)
		b.observes(ofB.GetId(), 150*time.Millisecond, 4, result.Observations{})
		a.hold(ofA)
		a.connect()
		a.watches(false)

		a.window(ofA.GetId(), 1, 10, "OK", true)
		b.window(ofB.GetId(), 0, 10, "OK", false)
		b.window(ofB.GetId(), 1, 10, "OK", true)
		a.ended(ofA.GetId(), 2, 20)
		b.ended(ofB.GetId(), 2, 20)
		h.until(id, result.Complete)
		r := h.result(id)
		require.Equal(t, []string{"no JMX"}, r.Warnings)
		p := r.Phases[0]
		require.Equal(t, []result.Observation{{Name: "hbase.regionserver.regions", Source: "rs1:16020", Unit: "1", Points: [][2]float64{{0.1, 3}, {0.15, 4}}}}, p.Observations)
		require.Contains(t, p.Events, result.Event{T: 0.05, Kind: "split", Text: "a region was split"})
	})
}

func TestWithoutTelemetryNoAgentIsOrderedToWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, of := measuring(t, "duration=1m")
		a.window(of.GetId(), 0, 10, "OK", true)
		order := await(a, func(m *benchdv1.SessionResponse) *benchdv1.SessionResponse {
			if m.GetAck() != nil || m.GetObserve() != nil {
				return m
			}
			return nil
		})
		require.Nil(t, order.GetObserve())
		a.ended(of.GetId(), 1, 10)
		h.until(id, result.Complete)
		require.Empty(t, h.result(id).Phases[0].Observations)
	})
}
