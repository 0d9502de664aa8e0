package api

import (
	"time"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/schedule"
)

// Scheduled is the answer to a schedule that the coordinator keeps.
type Scheduled struct {
	Name     string    `json:"name"`
	Next     time.Time `json:"next"`
	Warnings []string  `json:"warnings"`
}

func (s *Server) schedules(q *request) error {
	list, err := s.client.Schedules(q.ctx)
	if err != nil {
		return err
	}
	return q.document(append([]schedule.Summary{}, list...))
}

func (s *Server) showSchedule(q *request) error {
	d, err := s.client.ShowSchedule(q.ctx, q.name())
	if err != nil {
		return err
	}
	return q.document(d)
}

func (s *Server) schedule(q *request) error {
	r, err := q.submitted()
	if err != nil {
		return err
	}
	kept, err := s.client.Schedule(q.ctx, r, q.text("replace") == "true")
	if err != nil {
		return err
	}
	q.Header().Set("Location", Prefix+"/schedules/"+kept.Name)
	return q.document(Scheduled{Name: kept.Name, Next: kept.Next.UTC(), Warnings: append([]string{}, kept.Warnings...)})
}

// changeSchedule returns the handler of a change without an answer.
func changeSchedule(change remote.ScheduleChange) func(*Server, *request) error {
	return func(s *Server, q *request) error {
		_, _, err := s.client.ChangeSchedule(q.ctx, q.name(), change, q.from())
		return q.done(err)
	}
}

func (s *Server) runSchedule(q *request) error {
	id, _, err := s.client.ChangeSchedule(q.ctx, q.name(), remote.RunSchedule, q.from())
	if err != nil {
		return err
	}
	q.Header().Set("Location", Prefix+"/suites/"+id)
	return q.document(Submitted{ID: id, Warnings: []string{}})
}
