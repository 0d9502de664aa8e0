package wire

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
)

// Bounds on shards and agents.
const (
	maxName     = 128
	maxLabels   = 64
	maxFacts    = 64
	maxHeld     = 64
	maxPhases   = 16
	maxWebhooks = 64
	maxWorkers  = 1 << 20
	maxHost     = 4 << 10 // bytes, of all facts of a host
	maxRate     = 0.01
)

// FromShard names a shard.
func FromShard(run string, shard, attempt int) *benchdv1.ShardId {
	return &benchdv1.ShardId{Run: run, Shard: uint32(shard), Attempt: uint32(attempt)}
}

// FromPlan encodes the order to prepare a shard.
func FromPlan(s plan.Shard, steward bool) *benchdv1.Prepare {
	m := &benchdv1.Prepare{
		Id: FromShard(s.Run, s.Index, s.Attempt), Shards: uint32(s.Count), Workers: uint32(s.Workers),
		Properties: s.Properties, Steward: steward, Loaded: s.Loaded,
	}
	for _, p := range s.Phases {
		m.Phases = append(m.Phases, &benchdv1.Phase{
			Name: string(p.Name), Open: p.Loop == plan.Open, DurationNs: int64(p.Duration), Ops: p.Ops, Until: string(p.Until), Joined: p.Joined,
		})
	}
	return m
}

// ToPlan decodes and checks the order to prepare a shard.
func ToPlan(m *benchdv1.Prepare, agent string) (plan.Shard, error) {
	if err := Check(m); err != nil {
		return plan.Shard{}, err
	}
	id := m.GetId()
	if id.GetRun() == "" || m.GetShards() == 0 || id.GetShard() >= m.GetShards() || m.GetWorkers() == 0 || len(m.GetPhases()) == 0 {
		return plan.Shard{}, fmt.Errorf("order to prepare shard %d of %d: %w", id.GetShard(), m.GetShards(), errMalformed)
	}
	s := plan.Shard{
		Run: id.GetRun(), Index: int(id.GetShard()), Count: int(m.GetShards()), Attempt: int(id.GetAttempt()),
		Agent: agent, Workers: int(m.GetWorkers()), Properties: m.GetProperties(),
		Loaded: m.GetLoaded(),
	}
	if m.GetPhases()[0].GetJoined() {
		return plan.Shard{}, fmt.Errorf("order to prepare a first phase that joins another: %w", errMalformed)
	}
	if n := len(s.Loaded); n != 0 && n != s.Workers {
		return plan.Shard{}, fmt.Errorf("order to continue a load of %d workers with %d: %w", n, s.Workers, errMalformed)
	}
	for _, p := range m.GetPhases() {
		if p.GetName() == "" {
			return plan.Shard{}, fmt.Errorf("order to prepare phase %q: %w", p.GetName(), errMalformed)
		}
		loop := plan.Closed
		if p.GetOpen() {
			loop = plan.Open
		}
		s.Phases = append(s.Phases, plan.Phase{
			Name: plan.PhaseName(p.GetName()), Loop: loop, Duration: time.Duration(p.GetDurationNs()), Ops: p.GetOps(),
			Until: plan.Until(p.GetUntil()), Joined: p.GetJoined(),
		})
	}
	return s, nil
}

// FromLine encodes how an agent's clock maps to a run's time.
func FromLine(run string, l clock.Line) *benchdv1.Timebase {
	return &benchdv1.Timebase{Run: run, AgentNs: l.X, RunNs: l.Y, RatePpb: l.Rate * 1e9}
}

// ToLine decodes it. The rate of a clock is never off by more than a hundredth.
func ToLine(m *benchdv1.Timebase) clock.Line {
	rate := max(-maxRate, min(maxRate, finite(m.GetRatePpb()/1e9)))
	return clock.Line{X: m.GetAgentNs(), Y: m.GetRunNs(), Rate: rate}
}

// ToFacts returns the facts that an agent reports about its target, within bounds.
func ToFacts(in map[string]string) map[string]string {
	out := make(map[string]string, min(len(in), maxFacts))
	for k, v := range in {
		if len(out) < maxFacts && len(k) <= maxName {
			out[k] = Text(v)
		}
	}
	return out
}

// FromTime encodes an instant; the zero time is absent.
func FromTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// CheckHello checks an agent's description of itself.
func CheckHello(h *benchdv1.Hello) error {
	switch {
	case !nameOK(h.GetName()):
		return Errorf(ErrBadSpec, "agent name %q: use 1 to %d letters, digits, dots, dashes and underscores", Text(h.GetName()), maxName)
	case h.GetBootId() == "" || len(h.GetBootId()) > maxName:
		return Errorf(ErrMalformed, "agent %q has no boot id", h.GetName())
	case len(h.GetLabels()) > maxLabels:
		return Errorf(ErrBadSpec, "agent %q has %d labels: at most %d are allowed", h.GetName(), len(h.GetLabels()), maxLabels)
	case len(h.GetHeld()) > maxHeld:
		return Errorf(ErrMalformed, "agent %q holds %d shards", h.GetName(), len(h.GetHeld()))
	case len(h.GetVersion()) > maxName || len(h.GetMetricsAddress()) > 2*maxName || proto.Size(h.GetHost()) > maxHost:
		return Errorf(ErrMalformed, "agent %q: the facts of its host are larger than %d bytes", h.GetName(), maxHost)
	}
	for _, held := range h.GetHeld() {
		if max(len(held.GetEnded()), len(held.GetStarted())) > maxPhases {
			return Errorf(ErrMalformed, "agent %q reports more phases than any run has", h.GetName())
		}
		if len(held.GetBootId()) > maxName {
			return Errorf(ErrMalformed, "agent %q: the boot id of a recovered shard is longer than %d", h.GetName(), maxName)
		}
	}
	if len(h.GetHooks()) > maxLabels || slices.ContainsFunc(h.GetHooks(), func(name string) bool { return len(name) > maxName }) {
		return Errorf(ErrBadSpec, "agent %q has more hooks than %d, or one whose name is longer than %d", h.GetName(), maxLabels, maxName)
	}
	for k, v := range h.GetLabels() {
		if len(k) > maxName || len(v) > maxName {
			return Errorf(ErrBadSpec, "agent %q: label %q is longer than %d", h.GetName(), Text(k), maxName)
		}
	}
	return nil
}

func nameOK(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
		default:
			return false
		}
	}
	return true
}

// ToCounts validates the counts of a target client's events: a few, with printable names.
func ToCounts(m map[string]uint64) map[string]uint64 {
	if len(m) == 0 || len(m) > maxFacts {
		return nil
	}
	counts := make(map[string]uint64, len(m))
	for name, n := range m {
		if len(name) <= maxName && n <= maxCount {
			counts[Text(name)] = n
		}
	}
	return counts
}
