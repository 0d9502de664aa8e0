package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protodelim"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/wire"
)

// Histograms streams a run's windows, merged over its agents.
func (c *Coordinator) Histograms(req *benchdv1.HistogramsRequest, stream grpc.ServerStreamingServer[benchdv1.HistogramsResponse]) error {
	return wire.ToStatus(c.histograms(stream.Context(), req, stream.Send))
}

func (c *Coordinator) histograms(ctx context.Context, req *benchdv1.HistogramsRequest, send func(*benchdv1.HistogramsResponse) error) error {
	r, err := c.results.One(ctx, req.GetId())
	if err != nil {
		return err
	}
	what := "read histograms of run " + r.Archived.ID
	if req.GetLogged() {
		if sent, err := c.sendKept(ctx, what, r, send); sent || err != nil {
			return err
		}
	}
	t, err := c.newTransfer(what)
	if err != nil {
		return err
	}
	defer t.close()
	put := func(m *benchdv1.HistogramsResponse) error {
		_, err := protodelim.MarshalTo(t.out, m)
		return err
	}
	if req.GetLogged() {
		err = c.results.Logged(ctx, r, func(encoding []byte) error { return put(wire.LoggedResponse(encoding)) })
	} else {
		err = c.results.Histograms(ctx, r, int(req.GetAtMost()), func(iv results.Interval) error { return put(fromInterval(iv)) })
	}
	if err != nil {
		return err
	}
	in, err := t.written()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for {
		m := new(benchdv1.HistogramsResponse)
		switch err := (protodelim.UnmarshalOptions{MaxSize: -1}).UnmarshalFrom(in, m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", what, err)
		}
		if err := within(ctx, func() error { return send(m) }); err != nil {
			return err
		}
	}
}

// sendKept sends the logs of a run if they are kept. It reads no windows, so it needs no file of a transfer, but counts as one.
func (c *Coordinator) sendKept(ctx context.Context, what string, r *record.Run, send func(*benchdv1.HistogramsResponse) error) (sent bool, err error) {
	if err := c.beginTransfer(what); err != nil {
		return false, err
	}
	defer c.transfers.Add(-1)
	kept := c.results.KeptLogs(r)
	if kept == nil {
		return false, nil
	}
	defer kept.Close()
	for {
		encoding, err := kept.Next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return true, fmt.Errorf("%s: %w", what, err)
		}
		if err := within(ctx, func() error { return send(wire.LoggedResponse(encoding)) }); err != nil {
			return true, err
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
