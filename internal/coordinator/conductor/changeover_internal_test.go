package conductor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
)

// warming returns the change-over of a run of two shards, at the time elapsed in its warm-up.
func warming(elapsed time.Duration, phase plan.Phase) *changeover {
	phase.Name = plan.Warmup
	r := underWay(2, phase, plan.Phase{Name: plan.Measure, Joined: true, Duration: time.Minute})
	source, base := clock.NewSource(clock.Skew{}), new(timebase)
	base.begin(source, r)
	base.set(source.Now() - int64(elapsed))
	return &changeover{run: r, base: base, agents: newShardAgents(r, roster.New(), source), warmup: newWarmup(r)}
}

// merge adds windows of a warm-up, with ten reads each, of both shards.
func (c *changeover) merge(windows int) {
	for seq := range windows {
		c.warmup.add(reads(seq, 0, 10, "OK", time.Millisecond))
		c.warmup.add(reads(seq, 1, 10, "OK", time.Millisecond))
	}
}

// begin joins the next phase, as the lifecycle does.
func (c *changeover) begin(ch *change) {
	c.fix(ch)
	c.run.State.Life.Step(lifecycle.WarmedUp{Because: ch.because})
}

// A warm-up ends with a whole number of windows, as soon as all agents can receive the change in time, and never beyond
// its bound.
func TestWhenAWarmUpEnds(t *testing.T) {
	for name, test := range map[string]struct {
		phase   plan.Phase
		elapsed time.Duration
		windows int
		at      time.Duration // 0: it goes on
		because string
	}{
		"its operations are not done":         {plan.Phase{Ops: 201}, 10400 * time.Millisecond, 10, 0, ""},
		"its operations are done":             {plan.Phase{Ops: 200}, 10400 * time.Millisecond, 10, 11 * time.Second, "the warm-up has done 200 of 200 operations"},
		"too late for the next window":        {plan.Phase{Ops: 200}, 10800 * time.Millisecond, 10, 12 * time.Second, "the warm-up has done 200 of 200 operations"},
		"its bound comes before the window":   {plan.Phase{Ops: 200, Duration: 10750 * time.Millisecond}, 10400 * time.Millisecond, 10, 10750 * time.Millisecond, "the warm-up has done 200 of 200 operations"},
		"its bound is far":                    {plan.Phase{Ops: 201, Duration: 20 * time.Second}, 19 * time.Second, 10, 0, ""},
		"its bound comes":                     {plan.Phase{Ops: 201, Duration: 20 * time.Second}, 19300 * time.Millisecond, 10, 20 * time.Second, "the warm-up has reached its limit of 20s, with 200 of 201 operations done after 10s"},
		"its bound passed unseen":             {plan.Phase{Ops: 201, Duration: 20 * time.Second}, 25 * time.Second, 10, 26 * time.Second, "the warm-up has reached its limit of 20s, with 200 of 201 operations done after 10s"},
		"too few intervals to call it steady": {plan.Phase{Until: plan.Steady, Duration: time.Minute}, 20 * time.Second, 19, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := warming(test.elapsed, test.phase)
				c.merge(test.windows)
				ch := c.due()
				if test.at == 0 {
					require.Nil(t, ch)
					return
				}
				require.Equal(t, &change{next: 1, at: test.at, because: test.because}, ch)
			})
		})
	}
}

func TestASteadyWarmUpEndsWithItsVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := warming(20*time.Second, plan.Phase{Until: plan.Steady, Duration: time.Minute})
		require.Empty(t, c.progress(), "there is no interval yet")
		c.merge(20)
		ch := c.due()
		require.Equal(t, 21*time.Second, ch.at)
		require.Contains(t, ch.because, "steady after 20s of warm-up: throughput: trend p = 1.000")
		require.True(t, ch.verdict.Value)
		require.Contains(t, c.progress(), "throughput: trend p = 1.000")
		c.begin(ch)
		require.Equal(t, 21*time.Second, c.run.State.Begun[plan.Measure])
		require.Same(t, ch.verdict, c.run.State.Steady)
		require.Nil(t, c.due(), "the next phase has been announced")
		require.Empty(t, c.progress())
	})
}

func TestAWarmUpThatWasNotSteadyEndsAtItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := warming(time.Minute, plan.Phase{Until: plan.Steady, Duration: time.Minute})
		c.merge(3)
		ch := c.due()
		require.Contains(t, ch.because, "steady was not reached within 1m0s; after 3s: ")
		require.False(t, ch.verdict.Value)
	})
}

// Agents that changed over before a restart of the coordinator take the others with them.
func TestAChangeThatWasNotArchivedIsTakenFromAnAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := warming(5*time.Second, plan.Phase{Until: plan.Steady, Duration: time.Minute})
		require.Nil(t, c.passed(plan.Measure, 2*time.Second), "that is another phase")
		require.Nil(t, c.passed(plan.Warmup, 0), "it did not begin")
		require.Nil(t, c.passed(plan.Warmup, 6*time.Second), "that is still to come")
		ch := c.passed(plan.Warmup, 2*time.Second)
		require.Equal(t, 2*time.Second, ch.at)
		require.False(t, ch.verdict.Value)
		c.begin(ch)
		require.Nil(t, c.passed(plan.Warmup, 2*time.Second), "it is known")

		c = warming(5*time.Second, plan.Phase{Ops: 100})
		require.Nil(t, c.passed(plan.Warmup, 2*time.Second).verdict, "steadiness is not required")
	})
}

// After a restart a change whose instant has passed is moved, unless an agent may have followed it.
func TestAnUndeliveredChangeIsPostponed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := warming(10*time.Second, plan.Phase{Ops: 200})
		require.True(t, c.delivered(&windows{}), "there is none")
		c.merge(10)
		c.begin(c.due())
		require.Equal(t, 11*time.Second, c.run.State.Begun[plan.Measure])
		require.True(t, c.delivered(&windows{}), "it is still to come")
		<-time.After(2 * time.Second)
		require.False(t, c.delivered(&windows{merged: map[slot]int{{0, 1, plan.Warmup}: 10}}))
		require.True(t, c.delivered(&windows{merged: map[slot]int{{0, 1, plan.Measure}: 1}}), "it was measured")
		shard := &c.run.State.Life.Shards[1]
		shard.Ended = []lifecycle.Ended{{Phase: plan.Warmup, Final: true}}
		require.False(t, c.delivered(&windows{}), "the shard ended in its warm-up")
		shard.Ended = []lifecycle.Ended{{Phase: plan.Warmup}}
		require.True(t, c.delivered(&windows{}), "the shard has changed over")

		c.postpone()
		require.Equal(t, 13*time.Second, c.run.State.Begun[plan.Measure])
	})
}

func TestAnAgentShowsThatItHasGoneOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := warming(10*time.Second, plan.Phase{Ops: 200})
		c.merge(10)
		c.begin(c.due())
		for name, test := range map[string]struct {
			held *benchdv1.HeldShard
			want bool
		}{
			"it measures":            {&benchdv1.HeldShard{Phase: "measure"}, true},
			"it warms up":            {&benchdv1.HeldShard{Phase: "warmup"}, false},
			"it was stopped there":   {&benchdv1.HeldShard{Ended: []*benchdv1.PhaseEnded{{Phase: "warmup", Final: true}}}, false},
			"it has ended its phase": {&benchdv1.HeldShard{Ended: []*benchdv1.PhaseEnded{{Phase: "warmup"}}}, true},
		} {
			require.Equal(t, test.want, c.shownBy(test.held), name)
		}
	})
}
