package agent_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
)

// dummy is a target with actions: done reports each executed action.
type dummy struct{ done chan string }

func (d dummy) open(_ context.Context, s load.Settings) (load.Actor, error) {
	if s.Properties["where"] == "nowhere" {
		return nil, load.Mark(load.ErrNotReached, errors.New("nothing listens there"))
	}
	return d, nil
}

func (d dummy) Act(ctx context.Context, a load.Action) (load.Answer, error) {
	d.done <- a.Name
	switch a.Name {
	case "wait":
		<-ctx.Done()
		return load.Answer{}, context.Cause(ctx)
	case "nonsense":
		return load.Answer{}, load.Mark(load.ErrAction, errors.New("it makes no sense"))
	case "fail":
		return load.Answer{}, errors.New("no such table")
	}
	return load.Answer{Text: []string{"did it to " + a.Args["table"]}}, nil
}

func (dummy) Close() error { return nil }

func (s *stream) act(id, run, name string, more ...func(*benchdv1.ActionOrder)) {
	s.t.Helper()
	order := &benchdv1.ActionOrder{Id: id, Run: run, Target: "dummy", Name: name, Args: map[string]string{"table": "t"}, TimeoutNs: int64(time.Minute)}
	for _, m := range more {
		m(order)
	}
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Action{Action: order}})
}

func (s *stream) cancelAction(id string) {
	s.t.Helper()
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_CancelAction{CancelAction: &benchdv1.ActionCancel{Id: id}}})
}

func actors() (dummy, func(*agent.Config)) {
	d := dummy{done: make(chan string, 100)}
	return d, func(c *agent.Config) { c.Actors = map[string]load.OpenActor{"dummy": d.open} }
}

func TestAnActionIsCarriedOutAndAnswered(t *testing.T) {
	t.Parallel()
	_, with := actors()
	b := newFakeCoordinator(t)
	newRig(t, b, with)
	s := b.next()
	nowhere := func(o *benchdv1.ActionOrder) { o.Properties = map[string]string{"where": "nowhere"} }
	other := func(o *benchdv1.ActionOrder) { o.Target = "other" }
	hasty := func(o *benchdv1.ActionOrder) { o.TimeoutNs = 1000 }
	for name, tt := range map[string]struct {
		action  string
		more    func(*benchdv1.ActionOrder)
		outcome benchdv1.ActionOutcome
		text    string
	}{
		"done":          {"flush", nil, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, ""},
		"failed":        {"fail", nil, benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, "no such table"},
		"nonsense":      {"nonsense", nil, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, "it makes no sense"},
		"other target":  {"flush", other, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, "has no actions"},
		"not reached":   {"flush", nowhere, benchdv1.ActionOutcome_ACTION_OUTCOME_UNREACHABLE, "nothing listens there"},
		"took too long": {"wait", hasty, benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN, "not done within"},
	} {
		if tt.more == nil {
			tt.more = func(*benchdv1.ActionOrder) {}
		}
		s.act(name, "", tt.action, tt.more)
		answer := await(s, (*benchdv1.SessionRequest).GetAction)
		require.Equal(t, name, answer.GetId())
		require.Equal(t, tt.outcome, answer.GetOutcome(), "%s: %s", name, answer.GetError())
		require.Contains(t, answer.GetError(), tt.text)
		if tt.outcome == benchdv1.ActionOutcome_ACTION_OUTCOME_DONE {
			require.JSONEq(t, `{"text": ["did it to t"]}`, string(answer.GetAnswer()))
		}
	}
}

// A returning coordinator repeats orders whose outcome it does not have. A table must not be dropped twice.
func TestAnActionIsNotDoneTwice(t *testing.T) {
	t.Parallel()
	d, with := actors()
	b := newFakeCoordinator(t)
	newRig(t, b, with)
	s := b.next()
	s.act("S.1#1", "S.1", "flush")
	require.Equal(t, "S.1#1", await(s, (*benchdv1.SessionRequest).GetAction).GetId())
	s.act("S.1#1", "S.1", "flush")
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, await(s, (*benchdv1.SessionRequest).GetAction).GetOutcome())
	s.cut()
	s = b.next()
	require.Equal(t, "S.1#1", await(s, (*benchdv1.SessionRequest).GetAction).GetId(), "the answer is repeated, since it may have been lost")
	s.act("S.1#2", "S.1", "flush")
	require.Equal(t, "S.1#2", await(s, (*benchdv1.SessionRequest).GetAction).GetId())
	require.Len(t, d.done, 2)
}

func TestAnAbandonedActionIsCancelled(t *testing.T) {
	t.Parallel()
	d, with := actors()
	b := newFakeCoordinator(t)
	newRig(t, b, with)
	s := b.next()
	s.act("x", "", "wait")
	require.Equal(t, "wait", <-d.done)
	s.cancelAction("x")
	answer := await(s, (*benchdv1.SessionRequest).GetAction)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN, answer.GetOutcome())
	require.Contains(t, answer.GetError(), "no caller waits")
}

func TestAnAgentDoesOnlySoManyActionsAtOnce(t *testing.T) {
	t.Parallel()
	d, with := actors()
	b := newFakeCoordinator(t)
	newRig(t, b, with)
	s := b.next()
	for i := range 16 {
		s.act(string(rune('a'+i)), "", "wait")
		<-d.done
	}
	s.act("more", "", "flush")
	answer := await(s, (*benchdv1.SessionRequest).GetAction)
	require.Equal(t, "more", answer.GetId())
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, answer.GetOutcome())
}
