package actions

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
	// clearWithin bounds the clearing of faults by one agent. The conductor's loop waits for it.
	clearWithin = 5 * time.Second
	// clearTries is the maximum number of agents that are asked.
	clearTries = 2
)

// clearFaults ends the faults that the run has added to a sandbox, before the end of the run is reported and the next run
// can start. Any agent can do it: the sandbox records the run of each fault.
func (a *Actions) clearFaults() {
	if !slices.ContainsFunc(a.Run.State.Timed, func(t record.TimedAction) bool { return t.Fault }) {
		return
	}
	why := "no agent is connected"
	tries := 0
	for _, m := range a.clearers() {
		s, ok := m.Connected()
		if !ok || tries == clearTries {
			continue
		}
		tries++
		cleared, err := a.clearFaultsBy(m, s)
		if err == nil {
			for _, line := range cleared {
				a.Conductor.Note("action", "at the run's end: "+wire.Text(line))
			}
			return
		}
		why = err.Error()
	}
	a.Conductor.Note("action", "faults that the run has added may remain: "+why+
		"; list them with `benchctl sandbox fault list`, and end them with `benchctl sandbox fault clear`")
}

func (a *Actions) clearFaultsBy(m *roster.Agent, s *roster.Session) ([]string, error) {
	ctx, cancel := context.WithTimeout(a.Life, clearWithin)
	defer cancel()
	answer, err := s.Order(ctx, &benchdv1.ActionOrder{
		Id: rand.Text(), Run: a.id(), Target: a.Run.Settings.DB, Name: plan.ClearFaults, Args: map[string]string{plan.OwnFaults: "true"},
		Properties: a.Run.Archived.Properties, TimeoutNs: int64(clearWithin),
	}, clearWithin)
	if err == nil {
		err = roster.Failure(m.Name, answer)
	}
	if err != nil {
		return nil, err
	}
	var found load.Answer
	if err := json.Unmarshal(answer.GetAnswer(), &found); err != nil {
		return nil, wire.Errorf(wire.ErrMalformed, "agent %s sent an invalid answer: %v", m.Name, err)
	}
	return found.Text, nil
}

// clearers returns the agents in the order in which they are asked: the one that added the newest fault, which can reach
// the sandbox; then those of the run, then all.
func (a *Actions) clearers() []*roster.Agent {
	var list []*roster.Agent
	add := func(m *roster.Agent) {
		if m != nil && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	for _, t := range slices.Backward(a.Run.State.Timed) {
		if t.Fault {
			add(a.Roster.Get(t.Agent))
		}
	}
	for _, sh := range a.Run.State.Life.Shards {
		add(a.Roster.Get(sh.Agent))
	}
	for _, m := range a.Roster.All() {
		add(m)
	}
	return list
}
