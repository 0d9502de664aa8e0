package coordinator

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/doctor"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// actWithin is how long an action may take for which nothing is said, and longestAction what may be said.
	actWithin     = 10 * time.Minute
	longestAction = 24 * time.Hour
	// agentWithin is how long an agent is waited for that may just be starting.
	agentWithin = 3 * time.Second
	// answerAfter is how long beyond that the agent may take to say that it took too long.
	answerAfter = 15 * time.Second
)

// errAction is of an action that the target did not do.
var errAction = errors.New("the action failed")

// Act has an agent do something to a target.
func (c *Coordinator) Act(ctx context.Context, req *benchdv1.ActRequest) (*benchdv1.ActResponse, error) {
	response, err := c.act(ctx, req)
	return response, wire.ToStatus(err)
}

func (c *Coordinator) act(ctx context.Context, req *benchdv1.ActRequest) (*benchdv1.ActResponse, error) {
	properties, warned, err := c.where(req)
	if err != nil {
		return nil, wire.Errorf(wire.ErrBadSpec, "%v", err)
	}
	if _, err := c.awaitAgents(ctx, nil, 1, agentWithin); err != nil {
		return nil, err
	}
	m, s, err := c.actor(req.GetAgent())
	if err != nil {
		return nil, err
	}
	timeout := min(cmp.Or(max(req.GetTimeout().AsDuration(), 0), actWithin), longestAction)
	c.log.Info("action is ordered", "action", req.GetName(), "target", req.GetTarget(), "args", req.GetArgs(), "agent", m.name, "by", req.GetBy())
	answer, err := s.order(ctx, &benchdv1.ActionOrder{
		Id: rand.Text(), Target: req.GetTarget(), Name: req.GetName(), Args: req.GetArgs(), Properties: properties, TimeoutNs: int64(timeout),
	}, timeout)
	if err != nil {
		return nil, err
	}
	if err := failure(m.name, answer); err != nil {
		return nil, err
	}
	response := &benchdv1.ActResponse{Agent: m.name, Answer: answer.GetAnswer()}
	for _, w := range warned {
		response.Warnings = append(response.Warnings, w.String())
	}
	return response, nil
}

// where reads where the target of an action is. An agent knows its own machine.
func (c *Coordinator) where(req *benchdv1.ActRequest) (map[string]string, []property.Warning, error) {
	if req.GetTarget() == doctor.Target {
		return nil, nil, nil
	}
	return c.config.Reader.Target(wire.ToSubmission(req.GetSubmission()), req.GetTarget())
}

// actor picks the agent for an action: the one that is named, else one that serves no run, else any.
func (c *Coordinator) actor(name string) (*member, *session, error) {
	if name != "" {
		m := c.roster.get(name)
		if m == nil {
			return nil, nil, wire.Errorf(wire.ErrNotFound, "there is no agent %q here: `benchctl agents` shows who is", name)
		}
		s, ok := m.connected()
		if !ok {
			return nil, nil, wire.Errorf(wire.ErrTooFewAgents, "agent %s is not connected", name)
		}
		return m, s, nil
	}
	var one *member
	for _, m := range c.roster.matching(nil, clock.Mono()) {
		if one == nil || one.serving() != "" && m.serving() == "" {
			one = m
		}
	}
	if one != nil {
		if s, ok := one.connected(); ok {
			return one, s, nil
		}
	}
	return nil, nil, wire.Errorf(wire.ErrTooFewAgents,
		"an agent is needed for it, because the coordinator itself does not talk to the target: start one with `benchd agent --coordinator HOST:PORT`")
}

// order sends an order and waits for its answer. When nobody waits any more the agent is told.
func (s *session) order(ctx context.Context, order *benchdv1.ActionOrder, timeout time.Duration) (*benchdv1.ActionAnswer, error) {
	answers := make(chan *benchdv1.ActionAnswer, 1)
	s.mu.Lock()
	s.actions[order.GetId()] = answers
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.actions, order.GetId())
	}()
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Action{Action: order}})
	ctx, cancel := context.WithTimeout(ctx, timeout+answerAfter)
	defer cancel()
	const unknown = "whether %s was done is not known: look at the target before you ask for it again"
	select {
	case answer := <-answers:
		return answer, nil
	case <-s.over:
		return nil, wire.Errorf(errAction, "agent %s was lost meanwhile; "+unknown, s.hello.GetName(), order.GetName())
	case <-ctx.Done():
		s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_CancelAction{CancelAction: &benchdv1.ActionCancel{Id: order.GetId()}}})
		return nil, wire.Errorf(errAction, "agent %s did not answer within %s; "+unknown, s.hello.GetName(), timeout, order.GetName())
	}
}

// failure makes an error of an answer that tells of one.
func failure(agent string, answer *benchdv1.ActionAnswer) error {
	text := wire.Text(answer.GetError())
	switch answer.GetOutcome() {
	case benchdv1.ActionOutcome_ACTION_OUTCOME_DONE:
		if !json.Valid(answer.GetAnswer()) {
			return wire.Errorf(wire.ErrMalformed, "agent %s sent an answer that is no JSON", agent)
		}
		return nil
	case benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED:
		return wire.Errorf(wire.ErrBadSpec, "%s", text)
	case benchdv1.ActionOutcome_ACTION_OUTCOME_UNREACHABLE:
		return wire.Errorf(wire.ErrTarget, "from agent %s: %s", agent, text)
	case benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN, benchdv1.ActionOutcome_ACTION_OUTCOME_UNSPECIFIED:
	}
	return wire.Errorf(errAction, "%s", text)
}

// acted hands an answer to who waits for it, if anybody still does.
func (s *session) acted(answer *benchdv1.ActionAnswer) {
	s.mu.Lock()
	waiting := s.actions[answer.GetId()]
	delete(s.actions, answer.GetId())
	s.mu.Unlock()
	if waiting != nil {
		waiting <- answer
	}
}
