package api

import (
	"context"
	"math"
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
