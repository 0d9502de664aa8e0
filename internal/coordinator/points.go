package coordinator

import (
	"context"
	"time"

	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

const (
	pieceWithin = 30 * time.Second
	maxPiece    = 1 << 20
)

// Points streams what a run's agents hold of its raw points. One piece is asked for at a time, so that what else an
// agent has to say does not wait behind them.
func (c *Coordinator) Points(req *benchdv1.PointsRequest, stream grpc.ServerStreamingServer[benchdv1.PointsResponse]) error {
	return wire.ToStatus(c.points(stream.Context(), req.GetId(), stream.Send))
}

func (c *Coordinator) points(ctx context.Context, id string, send func(*benchdv1.PointsResponse) error) error {
	r, err := c.oneRun(ctx, id)
	if err != nil {
		return err
	}
	if !r.record.Life.Status.Ended() {
		return wire.Errorf(wire.ErrNotAllowed, "run %s has not ended: its raw points are still being written", r.archived.ID)
	}
	begun := make(map[string]int64)
	for _, p := range r.phases {
		if at, ok := r.began(p.Name); ok {
			begun[string(p.Name)] = int64(at)
		}
	}
	for i, sh := range r.record.Life.Shards {
		for offset := uint64(0); ; {
			piece, err := c.piece(ctx, sh.Agent, &benchdv1.PointsOrder{Id: wire.FromShard(r.archived.ID, i, sh.Attempt), Offset: offset})
			if err != nil {
				return err
			}
			if err := send(&benchdv1.PointsResponse{
				Shard: uint32(i), Agent: sh.Agent, Data: piece.GetData(), EpochNs: r.zero().UnixNano(), BegunNs: begun,
			}); err != nil {
				return err
			}
			offset += uint64(len(piece.GetData()))
			if piece.GetLast() {
				break
			}
		}
	}
	return nil
}

// piece asks an agent for a piece and waits for it.
func (c *Coordinator) piece(ctx context.Context, agent string, order *benchdv1.PointsOrder) (*benchdv1.PointsPiece, error) {
	m := c.roster.get(agent)
	if m == nil {
		return nil, wire.Errorf(wire.ErrUnreachable, "agent %s, which holds raw points, is not connected", agent)
	}
	s, ok := m.connected()
	if !ok {
		return nil, wire.Errorf(wire.ErrUnreachable, "agent %s, which holds raw points, is not connected", agent)
	}
	answer := make(chan *benchdv1.PointsPiece, 1)
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
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Points{Points: order}})
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

// gotPiece hands a piece to who waits for it, if anybody still does.
func (s *session) gotPiece(p *benchdv1.PointsPiece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer := s.pieces[p.GetNumber()]; answer != nil {
		delete(s.pieces, p.GetNumber())
		answer <- p
	}
}
