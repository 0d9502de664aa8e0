package remote

import (
	"context"
	"errors"
	"io"

	"github.com/benchd/benchd/internal/chart"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// Series returns the JSON of a part of a run's course, a chart.Series, and whether the run has ended.
func (c *Client) Series(ctx context.Context, id string, of chart.Request) (text []byte, ended bool, err error) {
	return c.chart(ctx, benchdv1.ChartKind_CHART_KIND_SERIES, id, of)
}

// AgentSeries returns the JSON of the course of a run's agents, a chart.AgentSeries, and whether the run has ended.
func (c *Client) AgentSeries(ctx context.Context, id string, of chart.Request) (text []byte, ended bool, err error) {
	return c.chart(ctx, benchdv1.ChartKind_CHART_KIND_AGENTS, id, of)
}

// Telemetry returns the JSON of what targets and hosts reported, a chart.Telemetry, and whether the run has ended.
func (c *Client) Telemetry(ctx context.Context, id string, of chart.Request) (text []byte, ended bool, err error) {
	return c.chart(ctx, benchdv1.ChartKind_CHART_KIND_TELEMETRY, id, of)
}

func (c *Client) chart(ctx context.Context, kind benchdv1.ChartKind, id string, of chart.Request) (text []byte, ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Chart(ctx, &benchdv1.ChartRequest{
		Id: id, Kind: kind, Points: uint32(of.Points), FromNs: int64(of.From), ToNs: int64(of.To), StepNs: int64(of.Step),
	})
	if err != nil {
		return nil, false, c.translate(err)
	}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, ended, nil
		}
		if err != nil {
			return nil, false, c.translate(err)
		}
		text, ended = append(text, piece.GetChunk()...), piece.GetEnded()
	}
}
