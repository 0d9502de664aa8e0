package coordinator

import (
	"cmp"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// submitted is a submission as results show it, verbatim.
type submitted struct {
	Files      []submittedFile   `json:"files"`
	Properties []submittedOption `json:"properties"`
	Flags      []submittedOption `json:"flags"`
	Suite      *submittedFile    `json:"suite,omitempty"`
	Includes   []submittedFile   `json:"includes,omitempty"` // files that the suite file includes
	Trial      bool              `json:"trial,omitempty"`
	Variables  []submittedOption `json:"variables,omitempty"`
}

type submittedFile struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

type submittedOption struct {
	Origin string `json:"origin"`
	Key    string `json:"key"`
	Value  string `json:"value"`
}

func asSubmitted(reader *spec.Reader, m *benchdv1.Submission) submitted {
	s := submitted{Files: []submittedFile{}, Properties: options(m.GetProperties(), "-p"), Flags: options(m.GetFlags(), "")}
	for _, f := range m.GetFiles() {
		s.Files = append(s.Files, submittedFile{Name: f.GetName(), Content: string(f.GetContent())})
	}
	if f := m.GetSuite(); f != nil {
		s.Suite = &submittedFile{Name: f.GetName(), Content: string(f.GetContent())}
		s.Trial, s.Variables = m.GetTrial(), options(m.GetVariables(), "--var")
		for _, name := range reader.Includes(wire.ToSubmission(m)) {
			s.Includes = append(s.Includes, submittedFile{Name: name, Content: string(m.GetAttachments()[name])})
		}
	}
	return s
}

func options(settings []*benchdv1.Setting, origin string) []submittedOption {
	out := []submittedOption{}
	for _, s := range settings {
		out = append(out, submittedOption{Origin: cmp.Or(s.GetOrigin(), origin), Key: s.GetKey(), Value: s.GetValue()})
	}
	return out
}
