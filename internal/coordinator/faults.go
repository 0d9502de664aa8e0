package coordinator

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// clearWithin bounds the clearing of faults by one agent. Whatever else concerns the run waits for it.
	clearWithin = 5 * time.Second
	// clearTries is how many agents are asked at most.
	clearTries = 2
)

// clearFaults ends the faults that the run has added to a sandbox, before anybody is told that the run is over and the next
// one can begin. Any agent can: the sandbox knows whose they are.
func (cd *conductor) clearFaults() {
	if !slices.ContainsFunc(cd.run.State.Timed, func(t record.TimedAction) bool { return t.Fault }) {
		return
	}
	why := "no agent is connected that could end them"
	tries := 0
	for _, m := range cd.clearers() {
		s, ok := m.Connected()
		if !ok || tries == clearTries {
			continue
		}
		tries++
		told, err := cd.clearFaultsBy(m, s)
		if err == nil {
			for _, line := range told {
				cd.note("action", "at the run's end: "+wire.Text(line))
			}
			return
		}
		why = err.Error()
	}
	cd.note("action", "faults that the run has added may remain: "+why+
		"; look with `benchctl sandbox fault list`, and end them with `benchctl sandbox fault clear`")
}

func (cd *conductor) clearFaultsBy(m *roster.Agent, s *roster.Session) ([]string, error) {
	ctx, cancel := context.WithTimeout(cd.c.life, clearWithin)
	defer cancel()
	answer, err := s.Order(ctx, &benchdv1.ActionOrder{
		Id: rand.Text(), Run: cd.id, Target: cd.run.Settings.DB, Name: plan.ClearFaults, Args: map[string]string{plan.OwnFaults: "true"},
		Properties: cd.run.Archived.Properties, TimeoutNs: int64(clearWithin),
	}, clearWithin)
	if err == nil {
		err = roster.Failure(m.Name, answer)
	}
	if err != nil {
		return nil, err
	}
	var found load.Answer
	if err := json.Unmarshal(answer.GetAnswer(), &found); err != nil {
		return nil, wire.Errorf(wire.ErrMalformed, "agent %s sent an answer that cannot be read: %v", m.Name, err)
	}
	return found.Text, nil
}

// clearers are the agents to be asked in their order: the one that has added the newest fault knows the way; then those of
// the run, then all.
func (cd *conductor) clearers() []*roster.Agent {
	var list []*roster.Agent
	add := func(m *roster.Agent) {
		if m != nil && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	for _, t := range slices.Backward(cd.run.State.Timed) {
		if t.Fault {
			add(cd.c.roster.Get(t.Agent))
		}
	}
	for i := range cd.run.State.Life.Shards {
		add(cd.member(i))
	}
	for _, m := range cd.c.roster.All() {
		add(m)
	}
	return list
}
