package agent

import (
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/wire"
)

// obey executes a message of the coordinator. It never blocks: the next message may be a probe. Repeated messages change
// nothing, because a coordinator repeats itself after a broken stream.
func (a *Agent) obey(in *benchdv1.SessionResponse, now int64, out *outbox) {
	if p := in.GetProbe(); p != nil {
		out.reply(&benchdv1.ProbeReply{Seq: p.GetSeq(), ReceivedAgentNs: now})
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch m := in.GetMessage().(type) {
	case *benchdv1.SessionResponse_Prepare:
		a.prepare(m.Prepare)
	case *benchdv1.SessionResponse_Start:
		a.start(m.Start)
	case *benchdv1.SessionResponse_Timebase:
		a.adjust(m.Timebase, now)
	case *benchdv1.SessionResponse_Ack:
		if s := a.shards[keyOf(m.Ack.GetId())]; s != nil {
			s.kept.ack(m.Ack.GetPhase(), m.Ack.GetSeq())
			a.wake()
		}
	case *benchdv1.SessionResponse_Stop:
		if s := a.shards[keyOf(m.Stop.GetId())]; s != nil {
			s.log.Info("stop ordered", "reason", m.Stop.GetReason())
			s.stop(m.Stop.GetReason())
		}
	case *benchdv1.SessionResponse_Watermark:
		a.inserted(m.Watermark)
	case *benchdv1.SessionResponse_Points:
		a.sendPoints(m.Points)
	case *benchdv1.SessionResponse_Action:
		a.act(m.Action)
	case *benchdv1.SessionResponse_CancelAction:
		a.giveUp(m.CancelAction.GetId())
	case *benchdv1.SessionResponse_Observe:
		a.observe(m.Observe)
	case *benchdv1.SessionResponse_Release:
		a.release(keyOf(m.Release.GetId()))
	default:
		a.log.Debug("ignore unknown message")
	}
}

// prepare creates a shard, or repeats the answer if it exists.
func (a *Agent) prepare(m *benchdv1.Prepare) {
	if a.leaving {
		return // the agent is signing off
	}
	s := a.shards[keyOf(m.GetId())]
	if s == nil {
		s = a.newShard(m)
		a.shards[s.key] = s
		return
	}
	if s.answer != nil {
		s.post(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: s.answer}})
	}
}

func (a *Agent) start(m *benchdv1.Start) {
	s := a.shards[keyOf(m.GetId())]
	if s == nil {
		a.log.Warn("start ordered for a shard that is not prepared", "run", m.GetId().GetRun(), "shard", m.GetId().GetShard())
		return
	}
	if s.recovered {
		s.refuse(m.GetPhase())
		return
	}
	before := s.phase
	s.phase = plan.PhaseName(m.GetPhase())
	if err := s.start(m); err != nil {
		s.phase = before
		s.log.Warn("cannot start", "error", err)
		s.conclude(&benchdv1.PhaseEnded{Id: s.key.id(), Phase: m.GetPhase(), Final: true, Error: wire.Text(err.Error())})
		return
	}
	s.running = s.runner.Running()
}

// adjust updates the time bases of a run's shards.
func (a *Agent) adjust(m *benchdv1.Timebase, now int64) {
	for _, s := range a.shards {
		if s.key.run == m.GetRun() && s.base != nil {
			s.base.Adjust(now, wire.ToLine(m))
		}
	}
}

// inserted passes the watermark of inserted rows to the shards of a run.
func (a *Agent) inserted(m *benchdv1.Watermark) {
	for _, s := range a.shards {
		if s.key.run == m.GetRun() && s.prepareDone() {
			s.runner.SetWatermark(m.GetKey())
		}
	}
}

// unmeter removes a released shard from the metrics; its run expires after a while. The caller holds mu.
func (a *Agent) unmeter(s *shard) {
	if s.meter == nil {
		return
	}
	s.meter.forget(s.key)
	for key := range a.shards {
		if key.run == s.key.run {
			return
		}
	}
	a.meters.End(s.key.run)
}

// release drops a shard and closes its target.
func (a *Agent) release(key shardKey) {
	s := a.shards[key]
	if s == nil {
		return
	}
	delete(a.shards, key)
	s.released = true
	s.unwatch()
	a.unmeter(s)
	a.wake()
	s.kept.clear()
	a.windows.spooler.sweep()
	a.work.Go(func() { s.end("released") })
}
