package api

import (
	"time"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// Series is the course of a run in few points, for charts.
type Series struct {
	Schema int           `json:"schema"`
	Kind   string        `json:"kind"` // "series"
	ID     string        `json:"id"`
	Status result.Status `json:"status"`
	Phases []PhaseSeries `json:"phases"`
}

// PhaseSeries is the course of a phase.
type PhaseSeries struct {
	Name    string         `json:"name"`
	Started time.Time      `json:"started"`
	Points  []result.Point `json:"points"`
}

// add adds an interval of the run.
func (d *Series) add(iv report.Interval, thin result.Thinner) {
	if n := len(d.Phases); n == 0 || d.Phases[n-1].Name != iv.Phase {
		d.Phases = append(d.Phases, PhaseSeries{Name: iv.Phase, Started: iv.PhaseStart.UTC(), Points: []result.Point{}})
	}
	last := &d.Phases[len(d.Phases)-1]
	last.Points = append(last.Points, thin.Point(iv.Start, iv.End, iv.Tail, iv.Series))
}

// series merges the intervals of a run until each phase has few: their percentiles are those of the merged histograms.
func (s *Server) series(q *request) error {
	text, err := s.client.Result(q.ctx, q.id())
	if err != nil {
		return err
	}
	run, suite, err := result.Read(result.WithoutSeries(text))
	if err != nil {
		return err
	}
	if suite != nil {
		run = result.Run{ID: q.id(), Status: suite.Status} // Histograms answers that the suite has several runs
	}
	points := q.number("points", result.Columns)
	tag := digest(text, []byte(q.r.URL.RawQuery))
	if run.Status.Ended() && q.fresh(tag) {
		return nil
	}
	d := Series{Schema: 1, Kind: "series", ID: run.ID, Status: run.Status, Phases: []PhaseSeries{}}
	thin := result.NewThinner()
	if err := s.client.Histograms(q.ctx, run.ID, points, func(iv report.Interval) error {
		d.add(iv, thin)
		return nil
	}); err != nil {
		return err
	}
	if run.Status.Ended() {
		q.Header().Set("ETag", `"`+tag+`"`)
		q.Header().Set("Cache-Control", revalidated)
	}
	return q.document(d)
}
