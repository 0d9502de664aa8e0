package coordinator

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// Points streams the raw points of a run from its agents. It requests one piece at a time, so that other messages of an
// agent do not wait behind them.
func (c *Coordinator) Points(req *benchdv1.PointsRequest, stream grpc.ServerStreamingServer[benchdv1.PointsResponse]) error {
	return wire.ToStatus(c.points(stream.Context(), req, stream.Send))
}

func (c *Coordinator) points(ctx context.Context, req *benchdv1.PointsRequest, send func(*benchdv1.PointsResponse) error) error {
	r, err := c.results.One(ctx, req.GetId())
	if err != nil {
		return err
	}
	if !r.State.Life.Status.Ended() {
		return wire.Errorf(wire.ErrNotAllowed, "run %s has not ended: its raw points are still being written", r.Archived.ID)
	}
	s := &pointsSender{c: c, ctx: ctx, run: r.Archived.ID, epoch: r.Zero().UnixNano(), phases: make(map[string]int64), send: send}
	for _, p := range r.Phases {
		if at, ok := r.Began(p.Name); ok {
			s.phases[string(p.Name)] = int64(at)
		}
	}
	var before []*benchdv1.PointsResponse
	if req.GetAttempts() {
		if before, err = c.attemptsBefore(ctx, r); err != nil {
			return err
		}
	}
	for i, sh := range r.State.Life.Shards {
		for _, m := range before {
			if int(m.GetShard()) != i {
				continue
			}
			if err := s.before(m); err != nil {
				return err
			}
		}
		if err := s.pieces(&benchdv1.PointsResponse{Shard: uint32(i), Agent: sh.Agent, Attempt: uint32(sh.Attempt)}); err != nil {
			return err
		}
	}
	return nil
}

// attemptsBefore lists the earlier attempts at the shards of a load, with the number of windows that count of each.
func (c *Coordinator) attemptsBefore(ctx context.Context, r *record.Run) ([]*benchdv1.PointsResponse, error) {
	counts, err := c.archive.Counts(ctx, r.Archived.ID)
	if err != nil {
		return nil, err
	}
	var list []*benchdv1.PointsResponse
	for _, n := range counts {
		shards := r.State.Life.Shards
		if n.Phase != string(plan.Load) || n.Shard >= len(shards) || n.Attempt >= shards[n.Shard].Attempt {
			continue
		}
		i := slices.IndexFunc(r.State.Agents, func(a result.Agent) bool { return a.Shard == n.Shard && a.Attempt == n.Attempt })
		if i < 0 {
			continue
		}
		counted := &benchdv1.Counted{Windows: uint32(n.Highest + 1), Ops: n.Ops, FromNs: int64(n.From), UntilNs: int64(n.Until)}
		for _, gap := range n.Missing {
			for seq := gap.From; seq <= gap.To; seq++ {
				counted.LeftOut = append(counted.LeftOut, uint32(seq))
			}
		}
		list = append(list, &benchdv1.PointsResponse{
			Shard: uint32(n.Shard), Attempt: uint32(n.Attempt), Agent: r.State.Agents[i].Name, Counted: counted,
		})
	}
	return list, nil
}

// pointsSender sends the raw points of a run, attempt by attempt.
type pointsSender struct {
	c      *Coordinator
	ctx    context.Context //nolint:containedctx // of one call
	run    string
	epoch  int64
	phases map[string]int64 // start of each phase in the run's time
	send   func(*benchdv1.PointsResponse) error
}

// before sends the points of an attempt that was followed by another. Where its agent cannot send them, they are reported
// as missing; that is not an error.
func (s *pointsSender) before(m *benchdv1.PointsResponse) error {
	err := s.pieces(m)
	if err == nil || s.ctx.Err() != nil || !errors.As(err, new(*pieceError)) {
		return err
	}
	return s.send(s.response(m, nil, wire.Text(err.Error())))
}

// pieces sends the points of an attempt.
func (s *pointsSender) pieces(m *benchdv1.PointsResponse) error {
	order := wire.FromShard(s.run, int(m.GetShard()), int(m.GetAttempt()))
	for offset := uint64(0); ; {
		piece, err := s.c.piece(s.ctx, m.GetAgent(), &benchdv1.PointsOrder{Id: order, Offset: offset})
		if err != nil {
			return &pieceError{err}
		}
		if err := s.send(s.response(m, piece.GetData(), "")); err != nil {
			return err
		}
		offset += uint64(len(piece.GetData()))
		if piece.GetLast() {
			return nil
		}
	}
}

func (s *pointsSender) response(m *benchdv1.PointsResponse, data []byte, missing string) *benchdv1.PointsResponse {
	return &benchdv1.PointsResponse{
		Shard: m.GetShard(), Agent: m.GetAgent(), Attempt: m.GetAttempt(), Counted: m.GetCounted(), Data: data, Missing: missing,
		EpochNs: s.epoch, BegunNs: s.phases,
	}
}

// pieceError is the error of an agent that did not send its points.
type pieceError struct{ error }

func (e *pieceError) Unwrap() error { return e.error }

// piece requests a piece from an agent and waits for it.
func (c *Coordinator) piece(ctx context.Context, agent string, order *benchdv1.PointsOrder) (*benchdv1.PointsPiece, error) {
	m := c.roster.Get(agent)
	if m == nil {
		return nil, wire.Errorf(wire.ErrUnreachable, "agent %s, which holds raw points, is not connected", agent)
	}
	s, ok := m.Connected()
	if !ok {
		return nil, wire.Errorf(wire.ErrUnreachable, "agent %s, which holds raw points, is not connected", agent)
	}
	return s.Piece(ctx, order)
}
