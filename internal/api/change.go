package api

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/wire"
)

// Validated says whether a submission is valid.
type Validated struct {
	Valid    bool      `json:"valid"`
	Problems []Problem `json:"problems"` // all mistakes; none if it is valid
	Warnings []string  `json:"warnings"`
}

// Submitted is the answer to a submission that is queued.
type Submitted struct {
	ID       string   `json:"id"` // of the suite
	Warnings []string `json:"warnings"`
}

// validate answers with the mistakes of a submission. Only a body that is not a submission is a mistake of the request itself.
func (s *Server) validate(q *request) error {
	d, err := decode[Submission](q)
	if err != nil {
		return err
	}
	r, err := q.submission(d)
	var warnings []string
	if err == nil {
		warnings, err = s.client.Validate(q.ctx, r.Submission)
	}
	problems, is := mistakes(err)
	if err != nil && !is {
		return err
	}
	return q.document(Validated{Valid: err == nil, Problems: append([]Problem{}, problems...), Warnings: append([]string{}, warnings...)})
}

// mistakes returns the mistakes in a submission that an error has, and reports whether it is such an error.
func mistakes(err error) ([]Problem, bool) {
	if problems := problemsOf(err); len(problems) > 0 {
		return problems, true
	}
	if errors.Is(err, wire.ErrBadSpec) {
		return []Problem{{Message: err.Error()}}, true
	}
	return nil, false
}

// plan describes what a submission would do. The coordinator validates it first, so that the guard has admitted the peer.
func (s *Server) plan(q *request) error {
	r, err := q.submitted()
	if err != nil {
		return err
	}
	if _, err := s.client.Validate(q.ctx, r.Submission); err != nil {
		return err
	}
	suite, _, err := s.config.Targets.Reader().Parse(r.Submission)
	if err != nil {
		return wire.BadSpec(err)
	}
	d := advice.Outline{Outline: plan.Outlined(*suite, r.Agents)}
	text, err := s.client.Advise(q.ctx, r)
	if err == nil {
		d.Advice = new(advice.Advice)
		err = json.Unmarshal(text, d.Advice)
	}
	if err != nil {
		d.Advice, d.NoAdvice = nil, err.Error()
	}
	return q.document(d)
}

func (s *Server) submit(q *request) error {
	r, err := q.submitted()
	if err != nil {
		return err
	}
	id, warnings, err := s.client.Submit(q.ctx, r)
	if err != nil {
		return err
	}
	q.Header().Set("Location", Prefix+"/suites/"+id)
	return q.document(Submitted{ID: id, Warnings: append([]string{}, warnings...)})
}

// Annotation is a change of what people wrote about a suite. What it does not have stays as it is.
type Annotation struct {
	Note *string            `json:"note,omitempty"`
	Tags map[string]*string `json:"tags,omitempty"` // null removes a tag
}

func (s *Server) annotate(q *request) error {
	d, err := decode[Annotation](q)
	if err != nil {
		return err
	}
	a := remote.Annotation{Note: d.Note, Tags: make(map[string]string)}
	for _, name := range slices.Sorted(maps.Keys(d.Tags)) {
		if value := d.Tags[name]; value != nil {
			a.Tags[name] = *value
		} else {
			a.Untag = append(a.Untag, name)
		}
	}
	return q.done(s.client.Annotate(q.ctx, q.id(), a, q.from()))
}

// cancel answers when the cancellation is archived.
func (s *Server) cancel(q *request) error {
	return q.done(s.client.Cancel(q.ctx, q.id(), q.from()))
}

func (s *Server) remove(q *request) error { return q.done(s.client.Remove(q.ctx, q.id())) }

func (s *Server) drain(q *request) error {
	return q.done(s.client.Drain(q.ctx, q.name(), false))
}

func (s *Server) undrain(q *request) error {
	return q.done(s.client.Drain(q.ctx, q.name(), true))
}

// done answers a request without a document.
func (q *request) done(err error) error {
	if err != nil {
		return err
	}
	q.begun = true
	q.WriteHeader(http.StatusNoContent)
	return nil
}
