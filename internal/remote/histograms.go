package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/wire"
)

// Histograms passes a run's intervals to take, one after another. If atMost is not 0, neighbouring intervals are merged, so that each
// phase has at most so many; older coordinators merge none.
func (c *Client) Histograms(ctx context.Context, id string, atMost int, take func(report.Interval) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Histograms(ctx, &benchdv1.HistogramsRequest{Id: id, AtMost: uint32(atMost)})
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
		iv := report.Interval{
			Phase: m.GetPhase(), PhaseStart: m.GetPhaseStart().AsTime(),
			Start: time.Duration(m.GetStartNs()), End: time.Duration(m.GetEndNs()), Tail: m.GetTail(),
		}
		for _, s := range m.GetSeries() {
			series, err := wire.ToSeries(s)
			if err != nil {
				return fmt.Errorf("read histograms of %s: %w", id, err)
			}
			iv.Series = append(iv.Series, series)
		}
		if err := take(iv); err != nil {
			return err
		}
	}
}
