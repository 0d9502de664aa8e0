package coordinator

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/coordinator/conductor/actions"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/doctor"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxActionTimeout is the maximum duration of an action.
	maxActionTimeout = 24 * time.Hour
	// agentWithin is how long Act waits for an agent that may just be starting.
	agentWithin = 3 * time.Second
)

// Act runs an action of a target on an agent and returns its answer.
func (c *Coordinator) Act(ctx context.Context, req *benchdv1.ActRequest) (*benchdv1.ActResponse, error) {
	response, err := c.act(ctx, req)
	return response, wire.ToStatus(err)
}

func (c *Coordinator) act(ctx context.Context, req *benchdv1.ActRequest) (*benchdv1.ActResponse, error) {
	if err := c.requestable(req); err != nil {
		return nil, err
	}
	properties, warned, err := c.where(req)
	if err != nil {
		return nil, wire.Errorf(wire.ErrBadSpec, "%v", err)
	}
	noteAction(ctx, req, properties)
	if err := privileged(ctx, actionNeeds(c.config.Reader.Targets(), req.GetTarget(), req.GetName(), req.GetArgs(), properties)); err != nil {
		return nil, err
	}
	if _, err := c.awaitAgents(ctx, nil, 1, agentWithin); err != nil {
		return nil, err
	}
	m, s, err := c.actor(req.GetAgent())
	if err != nil {
		return nil, err
	}
	timeout := min(cmp.Or(max(req.GetTimeout().AsDuration(), 0), actions.DefaultTimeout), maxActionTimeout)
	c.log.Info("action is ordered", "action", req.GetName(), "target", req.GetTarget(), "args", req.GetArgs(), "agent", m.Name, "by", by(ctx, req.GetBy()))
	answer, err := s.Order(ctx, &benchdv1.ActionOrder{
		Id: rand.Text(), Target: req.GetTarget(), Name: req.GetName(), Args: req.GetArgs(), Properties: properties, TimeoutNs: int64(timeout),
	}, timeout)
	if err != nil {
		return nil, err
	}
	if err := roster.Failure(m.Name, answer); err != nil {
		return nil, err
	}
	response := &benchdv1.ActResponse{Agent: m.Name, Answer: answer.GetAnswer()}
	for _, w := range warned {
		response.Warnings = append(response.Warnings, w.String())
	}
	return response, nil
}

// noteAction adds what an action does, and to what, to the audit log.
func noteAction(ctx context.Context, req *benchdv1.ActRequest, properties map[string]string) {
	by(ctx, req.GetBy())
	audit.Note(ctx, "target", req.GetTarget())
	audit.Note(ctx, "action", req.GetName())
	audit.Note(ctx, "agent", req.GetAgent())
	for _, name := range slices.Sorted(maps.Keys(req.GetArgs())) {
		audit.Note(ctx, "argument "+name, req.GetArgs()[name])
	}
	audit.Note(ctx, tableProperty, properties[tableProperty])
}

// requestable refuses an action that only a run can have, such as a hook, and one that the target does not have.
func (c *Coordinator) requestable(req *benchdv1.ActRequest) error {
	name, target := req.GetName(), req.GetTarget()
	if target == doctor.Target {
		if name == doctor.Action {
			return nil
		}
	} else if t, ok := c.config.Reader.Targets().Find(target); !ok {
		return wire.Errorf(wire.ErrBadSpec, "unknown target %q: want one of %s", wire.Text(target), strings.Join(c.config.Reader.Targets().Names(), ", "))
	} else if t.Administers(name) {
		return nil
	}
	if name == plan.Hook {
		return wire.Errorf(wire.ErrBadSpec, "hooks run only as actions of a run: set `-p 'actions=60s hook NAME'`, or actions of a suite")
	}
	return wire.Errorf(wire.ErrBadSpec, "action %q of target %q cannot be requested outside of a run: `benchctl admin` lists those that can", wire.Text(name), wire.Text(target))
}

// where returns the properties that locate the target of an action. The doctor needs none: an agent examines its own
// machine.
func (c *Coordinator) where(req *benchdv1.ActRequest) (map[string]string, []property.Warning, error) {
	if req.GetTarget() == doctor.Target {
		return nil, nil, nil
	}
	return c.config.Reader.Target(wire.ToSubmission(req.GetSubmission()), req.GetTarget())
}

// actor picks the agent for an action: the named one, else an idle one, else any.
func (c *Coordinator) actor(name string) (*roster.Agent, *roster.Session, error) {
	if name != "" {
		m := c.roster.Get(name)
		if m == nil {
			return nil, nil, wire.Errorf(wire.ErrNotFound, "unknown agent %q: list the agents with `benchctl agents`", name)
		}
		s, ok := m.Connected()
		if !ok {
			return nil, nil, wire.Errorf(wire.ErrTooFewAgents, "agent %s is not connected", name)
		}
		return m, s, nil
	}
	var one *roster.Agent
	for _, m := range c.roster.Matching(nil) {
		if one == nil || one.Serving() != "" && m.Serving() == "" {
			one = m
		}
	}
	if one != nil {
		if s, ok := one.Connected(); ok {
			return one, s, nil
		}
	}
	return nil, nil, wire.Errorf(wire.ErrTooFewAgents,
		"no agent is connected, and only agents connect to the target: start one with `benchd agent --coordinator HOST:PORT`")
}
