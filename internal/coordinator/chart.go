package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/chart"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

// Chart streams a chart of a run.
func (c *Coordinator) Chart(req *benchdv1.ChartRequest, stream grpc.ServerStreamingServer[benchdv1.ChartResponse]) error {
	text, ended, err := c.chart(stream.Context(), req)
	if err != nil {
		return wire.ToStatus(err)
	}
	for piece := range slices.Chunk(text, chunk) {
		if err := stream.Send(&benchdv1.ChartResponse{Chunk: piece, Ended: ended}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Coordinator) chart(ctx context.Context, req *benchdv1.ChartRequest) (text []byte, ended bool, err error) {
	r, err := c.results.One(ctx, req.GetId())
	if err != nil {
		return nil, false, err
	}
	of := chart.Request{
		From: time.Duration(req.GetFromNs()), To: time.Duration(req.GetToNs()), Points: int(req.GetPoints()), Step: time.Duration(req.GetStepNs()),
	}
	var document any
	switch req.GetKind() {
	case benchdv1.ChartKind_CHART_KIND_SERIES:
		document, err = c.results.Series(ctx, r, of)
	case benchdv1.ChartKind_CHART_KIND_AGENTS:
		document, err = c.agentSeries(ctx, r, of.Points)
	case benchdv1.ChartKind_CHART_KIND_TELEMETRY:
		document, err = c.results.Telemetry(ctx, r, of)
	case benchdv1.ChartKind_CHART_KIND_UNSPECIFIED:
		fallthrough
	default:
		err = wire.Errorf(wire.ErrBadSpec, "unknown kind of chart %s: the client is newer than the coordinator", req.GetKind())
	}
	if err != nil {
		return nil, false, err
	}
	if text, err = json.Marshal(document); err != nil {
		return nil, false, fmt.Errorf("write chart of run %s: %w", r.Archived.ID, err)
	}
	return text, r.Archived.Status.Ended(), nil
}

// agentSeries is the course of the agents of a run.
func (c *Coordinator) agentSeries(ctx context.Context, r *record.Run, points int) (chart.AgentSeries, error) {
	var live *chart.Matrix
	if cd := c.conductor(r.Archived.ID); cd != nil {
		live = cd.Matrix()
	}
	var shards []chart.AgentShard
	for _, a := range r.State.Agents {
		one := chart.AgentShard{Name: a.Name, Shard: a.Shard, Attempt: a.Attempt, State: string(lifecycle.Lost)} // its shard has another agent
		if life := r.State.Life.Shards; a.Shard < len(life) && life[a.Shard].Attempt == a.Attempt {
			one.State = string(life[a.Shard].State)
		}
		if m := c.roster.Get(a.Name); m != nil && !r.Archived.Status.Ended() {
			_, one.Connected = m.Connected()
		}
		shards = append(shards, one)
	}
	return c.results.Agents(ctx, r, live, shards, points)
}
