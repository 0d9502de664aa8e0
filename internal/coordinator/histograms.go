package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protodelim"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/wire"
)

// Histograms streams a run's windows, merged over its agents.
func (c *Coordinator) Histograms(req *benchdv1.HistogramsRequest, stream grpc.ServerStreamingServer[benchdv1.HistogramsResponse]) error {
	return wire.ToStatus(c.histograms(stream.Context(), req.GetId(), int(req.GetAtMost()), stream.Send))
}

func (c *Coordinator) histograms(ctx context.Context, id string, atMost int, send func(*benchdv1.HistogramsResponse) error) error {
	r, err := c.results.One(ctx, id)
	if err != nil {
		return err
	}
	t, err := c.newTransfer("read histograms of run " + r.Archived.ID)
	if err != nil {
		return err
	}
	defer t.close()
	if err := c.results.Histograms(ctx, r, atMost, func(iv results.Interval) error {
		_, err := protodelim.MarshalTo(t.out, fromInterval(iv))
		return err
	}); err != nil {
		return err
	}
	in, err := t.written()
	if err != nil {
		return fmt.Errorf("read histograms of run %s: %w", r.Archived.ID, err)
	}
	for {
		m := new(benchdv1.HistogramsResponse)
		switch err := (protodelim.UnmarshalOptions{MaxSize: -1}).UnmarshalFrom(in, m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read histograms of run %s: %w", r.Archived.ID, err)
		}
		if err := within(ctx, stallWithin, func() error { return send(m) }); err != nil {
			return err
		}
	}
}

func fromInterval(iv results.Interval) *benchdv1.HistogramsResponse {
	m := &benchdv1.HistogramsResponse{
		Phase: iv.Phase, PhaseStart: wire.FromTime(iv.PhaseStart), StartNs: int64(iv.Start), EndNs: int64(iv.End), Tail: iv.Tail,
	}
	for _, s := range iv.Series {
		m.Series = append(m.Series, wire.FromSeries(s))
	}
	return m
}
