package roster

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// AnswerAfter is how long after the timeout of an action its agent may still answer that the action timed out.
	AnswerAfter = 15 * time.Second

	pieceWithin = 30 * time.Second
	maxPiece    = 1 << 20
)

// errAction is the error of an action that failed on the target.
var errAction = errors.New("the action failed")

// Order sends an order and waits for its answer. If the caller stops waiting, the agent is asked to cancel the action.
func (s *Session) Order(ctx context.Context, order *benchdv1.ActionOrder, timeout time.Duration) (*benchdv1.ActionAnswer, error) {
	answers := make(chan *benchdv1.ActionAnswer, 1)
	s.mu.Lock()
	s.actions[order.GetId()] = answers
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.actions, order.GetId())
	}()
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Action{Action: order}})
	ctx, cancel := context.WithTimeout(ctx, timeout+AnswerAfter)
	defer cancel()
	const unknown = "whether %s was done is not known: check the target before you repeat it"
	select {
	case answer := <-answers:
		return answer, nil
	case <-s.over:
		return nil, wire.Errorf(errAction, "agent %s was lost meanwhile; "+unknown, s.hello.GetName(), order.GetName())
	case <-ctx.Done():
		s.CancelAction(order.GetId())
		return nil, wire.Errorf(errAction, "agent %s did not answer within %s; "+unknown, s.hello.GetName(), timeout, order.GetName())
	}
}

// CancelAction asks the agent to cancel an action whose caller has stopped waiting.
func (s *Session) CancelAction(id string) {
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_CancelAction{CancelAction: &benchdv1.ActionCancel{Id: id}}})
}

// Answered passes an answer to the caller of Order, if it still waits.
func (s *Session) Answered(answer *benchdv1.ActionAnswer) {
	s.mu.Lock()
	waiting := s.actions[answer.GetId()]
	delete(s.actions, answer.GetId())
	s.mu.Unlock()
	if waiting != nil {
		waiting <- answer
	}
}

// Failure returns the error that an answer reports, or nil.
func Failure(agent string, answer *benchdv1.ActionAnswer) error {
	text := wire.Text(answer.GetError())
	switch answer.GetOutcome() {
	case benchdv1.ActionOutcome_ACTION_OUTCOME_DONE:
		if !json.Valid(answer.GetAnswer()) {
			return wire.Errorf(wire.ErrMalformed, "agent %s sent an answer that is not valid JSON", agent)
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

// Piece requests a piece of raw points from the agent and waits for it.
func (s *Session) Piece(ctx context.Context, order *benchdv1.PointsOrder) (*benchdv1.PointsPiece, error) {
	agent, answer := s.hello.GetName(), make(chan *benchdv1.PointsPiece, 1)
	s.mu.Lock()
	s.orders++
	order.Number = s.orders
	s.pieces[order.GetNumber()] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pieces, order.GetNumber())
	}()
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Points{Points: order}})
	ctx, cancel := context.WithTimeout(ctx, pieceWithin)
	defer cancel()
	select {
	case piece := <-answer:
		switch {
		case piece.GetError() != "":
			return nil, wire.Errorf(wire.ErrNotFound, "agent %s: %s", agent, wire.Text(piece.GetError()))
		case len(piece.GetData()) > maxPiece || len(piece.GetData()) == 0 && !piece.GetLast():
			return nil, wire.Errorf(wire.ErrMalformed, "agent %s sent a piece of %d bytes", agent, len(piece.GetData()))
		}
		return piece, nil
	case <-ctx.Done():
		return nil, wire.Errorf(wire.ErrUnreachable, "agent %s did not send its raw points within %s", agent, pieceWithin)
	}
}

// GotPiece passes a piece to the caller of Piece, if it still waits.
func (s *Session) GotPiece(p *benchdv1.PointsPiece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer := s.pieces[p.GetNumber()]; answer != nil {
		delete(s.pieces, p.GetNumber())
		answer <- p
	}
}
