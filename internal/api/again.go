package api

import (
	"maps"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/spec"
)

// Resubmission is the submission of an earlier suite.
type Resubmission struct {
	Submission

	// Withheld names the properties and files that were left out because they may contain a secret. A submission does not have it.
	Withheld []string `json:"withheld,omitempty"`
}

// submissionOf answers with the submission of a suite.
func (s *Server) submissionOf(q *request) error {
	r, withheld, err := s.client.Submission(q.ctx, q.id())
	if err != nil {
		return err
	}
	return q.document(Resubmission{Submission: s.asSubmission(r), Withheld: withheld})
}

func (s *Server) asSubmission(r remote.Request) Submission {
	from := r.Submission
	d := Submission{
		Trial: from.Trial, Name: from.Name, Note: from.Note, Tags: from.Tags, Agents: r.Agents, Select: r.Select,
		Variables: values(from.Variables), Properties: values(from.Properties),
	}
	if r.OnAgentLoss != remote.FailOnLoss {
		d.OnAgentLoss = string(r.OnAgentLoss)
	}
	// A flag wins over a property of the same meaning, which cannot be set twice here.
	reader := s.config.Targets.Reader()
	for _, flag := range from.Flags {
		maps.DeleteFunc(d.Properties, func(key, _ string) bool { return reader.Same(key, flag.Key) })
		d.Properties[flag.Key] = flag.Value
	}
	if from.Suite != nil {
		d.Suite = &File{Name: from.Suite.Name, Content: string(from.Suite.Content)}
	}
	for _, f := range from.Files {
		d.Files = append(d.Files, File{Name: f.Name, Content: string(f.Content)})
	}
	for name, content := range from.Attachments {
		if d.Attachments == nil {
			d.Attachments = make(map[string]string)
		}
		d.Attachments[name] = string(content)
	}
	return d
}

func values(of []spec.Setting) map[string]string {
	out := make(map[string]string)
	for _, one := range of {
		out[one.Key] = one.Value
	}
	return out
}
