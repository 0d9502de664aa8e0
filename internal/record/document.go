package record

import (
	"cmp"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// LiveBuilder returns the builder of a running run.
func (r *Run) LiveBuilder() *result.Builder { return r.builder(true, nil) }

// Builder returns the builder of a run's result; lengths are the known lengths of its phases.
func (r *Run) Builder(lengths map[plan.PhaseName]time.Duration) *result.Builder {
	return r.builder(false, lengths)
}

func (r *Run) builder(liveOnly bool, lengths map[plan.PhaseName]time.Duration) *result.Builder {
	config := result.BuilderConfig{
		Run: r.Archived.ID, Interval: r.Settings.Interval, NotFoundShare: r.Settings.Limits.NotFoundShare, LiveOnly: liveOnly, InOrder: !liveOnly,
		Percentiles: r.YCSB.Kept(), Combine: r.YCSB.Combine,
	}
	for _, p := range r.Phases {
		info := result.PhaseInfo{
			Name: string(p.Name), Loop: string(p.Loop), Planned: p.Duration, PlannedOps: uint64(max(p.Ops, 0)), Length: lengths[p.Name],
		}
		if p.Announced() && p.Name == plan.Warmup { // its bound is not its length
			info.Planned, info.PlannedOps = 0, 0
		}
		if p.Loop == plan.Open {
			info.Intended = r.intended(p.Name)
		}
		if p.Name != plan.Load {
			info.Groups = r.groups(p.Name)
		}
		config.Phases = append(config.Phases, info)
	}
	for _, a := range r.State.Agents { // all agents of a shard, one after another
		config.Shards = append(config.Shards, ShardInfo(a))
	}
	b := result.NewBuilder(config)
	for i, sh := range r.State.Life.Shards {
		for _, e := range sh.Ended {
			b.Ended(result.PhaseEnd{
				Shard: i, Attempt: sh.Attempt, Phase: string(e.Phase), Windows: e.Windows, Issued: e.Issued, Recorded: e.Recorded, Client: e.Client,
			})
		}
	}
	for _, loss := range r.State.Losses {
		b.Lost(loss)
	}
	return b
}

// ShardInfo converts the assignment of a shard for a builder.
func ShardInfo(a result.Agent) result.ShardInfo {
	return result.ShardInfo{Index: a.Shard, Attempt: a.Attempt, Agent: a.Name, Host: a.Hostname, CPUs: a.CPUs, Workers: a.Workers, GoesOn: a.Attempt > 1}
}

// Header returns the part of the result that is not made from windows; version is that of this build.
func (r *Run) Header(version string) result.Run {
	life := r.State.Life
	h := result.Run{
		Schema: result.Schema, Kind: "run", ID: r.Archived.ID, Name: r.Suite.Name, Case: r.Archived.Case, Repeat: r.Archived.Repeat,
		Status: life.Status, Reason: life.Reason, Violated: life.Violated,
		Spec: r.Suite.Spec, Resolved: r.Archived.Properties, Note: r.Suite.Note, Tags: r.Suite.Tags,
		Provenance: result.Provenance{
			Benchd: cmp.Or(r.State.Build, version), SubmittedBy: r.Suite.SubmittedBy, Created: r.Suite.Created,
			Seed: r.Settings.Workload.Seed, Target: r.State.Target, Agents: r.State.Agents, Listeners: r.State.Listeners,
		},
	}
	h.Warnings = r.State.Warnings
	h.RowGap = r.rowGap()
	h.Start = r.Start()
	if v := r.steady(); v != nil {
		h.Verdicts = []result.Verdict{*v}
	}
	return h
}

// Start returns how precisely the agents started together; nil before they have.
func (r *Run) Start() *result.Start {
	if r.State.Epoch == 0 || len(r.State.Sends) == 0 {
		return nil
	}
	return result.NewStart(r.Zero().Add(r.State.Begun[r.SkewPhase()]), r.State.Sends)
}

// SkewPhase returns the phase whose start is reported: the last one that was started by an instant of its own, so that a
// run with a load reports the start of the measurement.
func (r *Run) SkewPhase() plan.PhaseName {
	var last plan.PhaseName
	for _, p := range r.Phases {
		if _, ok := r.State.Begun[p.Name]; ok && !p.Joined {
			last = p.Name
		}
	}
	return last
}

// steady returns the outcome of a warm-up until it is steady, also if the run ended in it.
func (r *Run) steady() *result.Verdict {
	if r.State.Steady != nil || !r.State.Life.Status.Ended() {
		return r.State.Steady
	}
	for _, p := range r.Phases {
		if _, begun := r.State.Begun[p.Name]; begun && p.Until == plan.Steady {
			return SteadyVerdict(false, "not reached: the run ended in its warm-up", r.Settings.Interval)
		}
	}
	return nil
}

// SteadyVerdict returns whether a warm-up became steady, and how that was tested (law 8).
func SteadyVerdict(value bool, because string, interval time.Duration) *result.Verdict {
	return &result.Verdict{
		Name: "steady", Value: value, Because: because,
		Test: fmt.Sprintf("%s; both of the throughput and of the mean service time of all agents together in each interval of %s, tested after every interval until both hold",
			stats.SteadyTest(), interval),
	}
}

// AddActions adds the actions that were executed during phases to a result.
func (r *Run) AddActions(phases []result.Phase) {
	for i := range phases {
		for _, t := range r.State.Timed {
			if string(t.Phase) == phases[i].Name {
				phases[i].Actions = append(phases[i].Actions, t.Action)
			}
		}
	}
}
