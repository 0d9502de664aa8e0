package api

import (
	"context"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/chart"
)

// charted returns the handler of charts of a kind.
func charted(read func(*Server, context.Context, string, chart.Request) (text []byte, ended bool, err error)) func(*Server, *request) error {
	return func(s *Server, q *request) error {
		of := chart.Request{From: q.seconds("from"), To: q.seconds("to"), Points: q.number("points", 0), Step: q.seconds("step")}
		if of.To > 0 && of.To <= of.From {
			return parametersError{{Place: "to", Message: "must be after from"}}
		}
		text, ended, err := read(s, q.ctx, q.id(), of)
		switch {
		case err != nil:
			return err
		case ended:
			q.sealed(digest(text), text)
			return nil
		}
		q.Header().Set("Content-Type", jsonMedia)
		q.begun = true
		_, err = q.Write(text)
		return err
	}
}

func (s *Server) readSeries(ctx context.Context, id string, of chart.Request) (text []byte, ended bool, err error) {
	return s.client.Series(ctx, id, of)
}

func (s *Server) readAgents(ctx context.Context, id string, of chart.Request) (text []byte, ended bool, err error) {
	return s.client.AgentSeries(ctx, id, of)
}

func (s *Server) readTelemetry(ctx context.Context, id string, of chart.Request) (text []byte, ended bool, err error) {
	return s.client.Telemetry(ctx, id, of)
}

// charts are the routes of charts.
func charts() []Route {
	points := func(doc string) Parameter { return Parameter{Name: "points", Kind: Integer, Doc: doc} }
	step := Parameter{Name: "step", Kind: Seconds, Doc: "minimum length of a point, instead of points"}
	return []Route{
		{
			Method: "GET", Path: "/runs/{id}/series", Name: "getSeries", Doc: "The series of a run, or of a part of it, for charts: merged into few intervals.",
			Calls: []string{"Chart"}, Parameters: append(parts(), points("maximum number of points of each phase; default 360"), step),
			Answers: types(reflect.TypeFor[chart.Series]()), serve: charted((*Server).readSeries),
		},
		{
			Method: "GET", Path: "/runs/{id}/agents", Name: "getAgentSeries", Doc: "The rate and p99 of each agent of a run over time.",
			Calls: []string{"Chart"}, Parameters: []Parameter{points("maximum number of columns; default 120, which is also the maximum")},
			Answers: types(reflect.TypeFor[chart.AgentSeries]()), serve: charted((*Server).readAgents),
		},
		{
			Method: "GET", Path: "/runs/{id}/telemetry", Name: "getTelemetry", Doc: "What targets and hosts reported during a run, or a part of it, in few points.",
			Calls: []string{"Chart"}, Parameters: append(parts(), points("maximum number of points of each figure; default 360")),
			Answers: types(reflect.TypeFor[chart.Telemetry]()), serve: charted((*Server).readTelemetry),
		},
	}
}

// seconds returns the value of a parameter; 0 if it is not given.
func (q *request) seconds(name string) time.Duration {
	d, _ := seconds(q.text(name))
	return d
}

// mostSeconds is a century.
const mostSeconds = 100 * 366 * 86400

// seconds reads a time in seconds, which may have decimals.
func seconds(text string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= mostSeconds) {
		return 0, false
	}
	return time.Duration(math.Round(n * float64(time.Second))), true
}

// parts are the parameters that select a part of a run.
func parts() []Parameter {
	return []Parameter{
		{Name: "from", Kind: Seconds, Doc: "only from this time on, in seconds since the run's start"},
		{Name: "to", Kind: Seconds, Doc: "only before this time, in seconds since the run's start"},
	}
}
