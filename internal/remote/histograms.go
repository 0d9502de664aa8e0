package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/wire"
)

// Histograms passes a run's intervals to take, one after another. If atMost is not 0, neighbouring intervals are merged, so that each
// phase has at most so many; older coordinators merge none.
func (c *Client) Histograms(ctx context.Context, id string, atMost int, take func(report.Interval) error) error {
	return c.histograms(ctx, &benchdv1.HistogramsRequest{Id: id, AtMost: uint32(atMost)}, func(m *benchdv1.HistogramsResponse) error {
		iv, err := toInterval(id, m)
		if err != nil {
			return err
		}
		return take(iv)
	})
}

// Logged passes a run's intervals to take as logs contain them, one after another.
func (c *Client) Logged(ctx context.Context, id string, take func(latency.LoggedInterval) error) error {
	var encode latency.LogEncoder
	return c.histograms(ctx, &benchdv1.HistogramsRequest{Id: id, Logged: true}, func(m *benchdv1.HistogramsResponse) error {
		for _, logged := range m.GetLogged() {
			iv, err := wire.ToLogged(logged)
			if err != nil {
				return fmt.Errorf("read histograms of %s: %w", id, err)
			}
			if err := take(iv); err != nil {
				return err
			}
		}
		if len(m.GetLogged()) > 0 {
			return nil
		}
		iv, err := toInterval(id, m) // of an older coordinator
		if err != nil {
			return err
		}
		logged, err := iv.Logged(&encode)
		if err != nil {
			return err
		}
		return take(logged)
	})
}

func (c *Client) histograms(ctx context.Context, req *benchdv1.HistogramsRequest, take func(*benchdv1.HistogramsResponse) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Histograms(ctx, req)
	if err != nil {
		return c.translate(err)
	}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.translate(err)
		}
		if err := take(m); err != nil {
			return err
		}
	}
}

func toInterval(id string, m *benchdv1.HistogramsResponse) (report.Interval, error) {
	iv := report.Interval{
		Phase: m.GetPhase(), PhaseStart: m.GetPhaseStart().AsTime(),
		Start: time.Duration(m.GetStartNs()), End: time.Duration(m.GetEndNs()), Tail: m.GetTail(),
	}
	for _, s := range m.GetSeries() {
		series, err := wire.ToSeries(s)
		if err != nil {
			return iv, fmt.Errorf("read histograms of %s: %w", id, err)
		}
		iv.Series = append(iv.Series, series)
	}
	return iv, nil
}
