package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/spec"
)

// Submission is a suite to run: a suite file, properties files, or properties. Properties win over files.
type Submission struct {
	Suite      *File             `json:"suite,omitempty"`
	Trial      bool              `json:"trial,omitempty"`     // apply the suite's trial block
	Variables  map[string]string `json:"variables,omitempty"` // of the suite file
	Files      []File            `json:"files,omitempty"`     // properties files
	Properties map[string]string `json:"properties,omitempty"`
	// Attachments are files that properties name or a suite includes, by their names there.
	Attachments map[string]string `json:"attachments,omitempty"`
	Name        string            `json:"name,omitempty"`
	Note        string            `json:"note,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`

	Agents      int               `json:"agents,omitempty"`        // how many; 0 for all that match
	Select      map[string]string `json:"select,omitempty"`        // labels of the agents
	WaitAgents  string            `json:"wait_agents,omitempty"`   // how long to wait for agents, such as 5m
	OnAgentLoss string            `json:"on_agent_loss,omitempty"` // fail or continue; default fail
	Resume      string            `json:"resume,omitempty"`        // id of a suite to resume, instead of files and properties
	SubmittedBy string            `json:"submitted_by,omitempty"`  // if the client has no identity
}

// File is a file with its content.
type File struct {
	Name    string `json:"name"` // in messages
	Content string `json:"content"`
}

// maxWait bounds the wait for agents: the client waits for the answer.
const maxWait = time.Minute

// decode reads the body of a request.
func decode[T any](q *request) (d T, err error) {
	in := json.NewDecoder(q.r.Body)
	in.DisallowUnknownFields()
	if err := in.Decode(&d); err != nil {
		return d, q.badBody(err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return d, q.badBody(errors.New("there is more behind the object"))
	}
	return d, q.extend()
}

// submitted reads the body of a request, and checks it.
func (q *request) submitted() (r remote.Request, err error) {
	d, err := decode[Submission](q)
	if err != nil {
		return r, err
	}
	return q.submission(d)
}

// submission reports all mistakes in the form of a submission; the coordinator validates what it contains.
func (q *request) submission(d Submission) (r remote.Request, err error) {
	r = remote.Request{Agents: d.Agents, Select: d.Select, OnAgentLoss: remote.Policy(d.OnAgentLoss), Resume: d.Resume, SubmittedBy: d.SubmittedBy}
	if r.SubmittedBy == "" {
		r.SubmittedBy = q.from()
	}
	var problems parametersError
	if d.WaitAgents != "" {
		if r.WaitAgents, err = time.ParseDuration(d.WaitAgents); err != nil || r.WaitAgents < 0 || r.WaitAgents > maxWait {
			problems = append(problems, Problem{Place: "wait_agents", Message: fmt.Sprintf("invalid duration %q: want such as 30s, at most %s", d.WaitAgents, maxWait)})
		}
	}
	if d.Agents < 0 {
		problems = append(problems, Problem{Place: "agents", Message: fmt.Sprintf("invalid number %d: want 0 or more", d.Agents)})
	}
	if d.OnAgentLoss != "" && r.OnAgentLoss != remote.FailOnLoss && r.OnAgentLoss != remote.ContinueOnLoss {
		problems = append(problems, Problem{Place: "on_agent_loss", Message: fmt.Sprintf("unknown value %q: want fail or continue", d.OnAgentLoss)})
	}
	if d.Resume == "" && d.Suite == nil && len(d.Files) == 0 && len(d.Properties) == 0 {
		problems = append(problems, Problem{Place: "suite", Message: "there is nothing to run: give a suite file, properties files or properties"})
	}
	if len(problems) > 0 {
		return r, problems
	}
	r.Submission = d.submission()
	return r, nil
}

func (q *request) badBody(err error) error {
	return parametersError{{Place: "body", Message: err.Error() + ": " + Prefix + "/openapi.json describes " + q.route.Body.Name()}}
}

// submission is the part that says what to run.
func (d *Submission) submission() spec.Submission {
	s := spec.Submission{Trial: d.Trial, Name: d.Name, Note: d.Note, Tags: d.Tags, Variables: settings(d.Variables), Properties: settings(d.Properties)}
	if d.Suite != nil {
		s.Suite = new(d.Suite.file("suite.yaml"))
	}
	for _, f := range d.Files {
		s.Files = append(s.Files, f.file("properties"))
	}
	if len(d.Attachments) > 0 {
		s.Attachments = make(map[string][]byte, len(d.Attachments))
		for name, content := range d.Attachments {
			s.Attachments[name] = []byte(content)
		}
	}
	return s
}

func (f File) file(unnamed string) spec.File {
	if f.Name == "" {
		f.Name = unnamed
	}
	return spec.File{Name: f.Name, Content: []byte(f.Content)}
}

func settings(of map[string]string) []spec.Setting {
	out := make([]spec.Setting, 0, len(of))
	for _, key := range slices.Sorted(maps.Keys(of)) {
		out = append(out, spec.Setting{Key: key, Value: of[key]})
	}
	return out
}
