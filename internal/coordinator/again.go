package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// Submission returns what was submitted as a suite.
func (c *Coordinator) Submission(ctx context.Context, req *benchdv1.SubmissionRequest) (*benchdv1.SubmissionResponse, error) {
	suite, runs, err := c.results.Find(ctx, req.GetId())
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	resp, err := c.submissionOf(suite, runs, req.GetId())
	return resp, wire.ToStatus(err)
}

func (c *Coordinator) submissionOf(suite archive.Suite, runs []archive.RunRecord, id string) (*benchdv1.SubmissionResponse, error) {
	switch {
	case id != suite.ID:
		return nil, wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: ask for the whole suite %s", id, suite.ID)
	case suite.DB == record.ForeignDB:
		return nil, wire.Errorf(wire.ErrNotAllowed, "suite %s was measured by another program, and imported: benchd cannot repeat it", id)
	}
	var kept submitted
	if err := json.Unmarshal(suite.Spec, &kept); err != nil {
		return nil, fmt.Errorf("read the submission of suite %s: %w", id, err)
	}
	s := kept.submission()
	out := &benchdv1.SubmitRequest{}
	for _, archived := range runs {
		r, err := record.Open(c.config.Reader, suite, archived)
		if err != nil {
			return nil, err
		}
		out.OnAgentLoss, out.Select = wire.FromPolicy(r.State.Life.Policy), r.State.Select
		if planned, err := record.Plan(suite); err == nil && planned != nil {
			if one, _ := planned.Case(archived.Case); one.Agents == 0 {
				out.Agents = uint32(max(r.State.Want, 0))
			}
		}
	}
	cases, err := record.Cases(c.config.Reader, suite, runs)
	if err != nil {
		return nil, err
	}
	for _, one := range cases {
		maps.Copy(s.Attachments, c.config.Reader.Attached(one.Properties))
	}
	var withheld []string
	s, withheld = c.config.Reader.WithoutSecrets(s)
	c.describeAgain(&s, suite)
	out.Submission = wire.FromSubmission(s)
	return &benchdv1.SubmissionResponse{Submit: out, Withheld: withheld}, nil
}

// describeAgain adds what people wrote about a suite, unless its files have it: a client that edits a file expects the text of that.
func (c *Coordinator) describeAgain(s *spec.Submission, suite archive.Suite) {
	var own plan.Suite
	if parsed, _, err := c.parse(wire.FromSubmission(*s), nil); err == nil {
		own = *parsed
	}
	if suite.Name != own.Name {
		s.Name = suite.Name
	}
	if suite.Note != own.Note {
		s.Note = suite.Note
	}
	for _, key := range slices.Sorted(maps.Keys(suite.Tags)) {
		if value, is := own.Tags[key]; key != plan.ScheduleTag && (!is || value != suite.Tags[key]) {
			if s.Tags == nil {
				s.Tags = make(map[string]string)
			}
			s.Tags[key] = suite.Tags[key]
		}
	}
}

// submission converts a submission as results show it.
func (s *submitted) submission() spec.Submission {
	out := spec.Submission{
		Trial: s.Trial, Attachments: make(map[string][]byte),
		Properties: settings(s.Properties), Flags: settings(s.Flags), Variables: settings(s.Variables),
	}
	for _, f := range s.Files {
		out.Files = append(out.Files, spec.File{Name: f.Name, Content: []byte(f.Content)})
	}
	if s.Suite != nil {
		out.Suite = &spec.File{Name: s.Suite.Name, Content: []byte(s.Suite.Content)}
	}
	for _, f := range s.Includes {
		out.Attachments[f.Name] = []byte(f.Content)
	}
	return out
}

func settings(from []submittedOption) []spec.Setting {
	out := make([]spec.Setting, 0, len(from))
	for _, o := range from {
		out = append(out, spec.Setting{Key: o.Key, Value: o.Value, Origin: cmp.Or(o.Origin, "-p")})
	}
	return out
}
