package wire

import (
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/spec"
)

// FromSubmission encodes a submission.
func FromSubmission(s spec.Submission) *benchdv1.Submission {
	m := &benchdv1.Submission{
		Name: s.Name, Note: s.Note, Tags: s.Tags, Attachments: s.Attachments,
		Properties: fromSettings(s.Properties), Flags: fromSettings(s.Flags),
		Trial: s.Trial, Variables: fromSettings(s.Variables),
	}
	if s.Suite != nil {
		m.Suite = &benchdv1.SourceFile{Name: s.Suite.Name, Content: s.Suite.Content}
	}
	for _, f := range s.Files {
		m.Files = append(m.Files, &benchdv1.SourceFile{Name: f.Name, Content: f.Content})
	}
	return m
}

// ToSubmission decodes it; package spec checks it.
func ToSubmission(m *benchdv1.Submission) spec.Submission {
	s := spec.Submission{
		Name: m.GetName(), Note: m.GetNote(), Tags: m.GetTags(), Attachments: m.GetAttachments(),
		Properties: toSettings(m.GetProperties()), Flags: toSettings(m.GetFlags()),
		Trial: m.GetTrial(), Variables: toSettings(m.GetVariables()),
	}
	if f := m.GetSuite(); f != nil {
		s.Suite = &spec.File{Name: f.GetName(), Content: f.GetContent()}
	}
	for _, f := range m.GetFiles() {
		s.Files = append(s.Files, spec.File{Name: f.GetName(), Content: f.GetContent()})
	}
	return s
}

func fromSettings(in []spec.Setting) []*benchdv1.Setting {
	out := make([]*benchdv1.Setting, 0, len(in))
	for _, s := range in {
		out = append(out, &benchdv1.Setting{Key: s.Key, Value: s.Value, Origin: s.Origin})
	}
	return out
}

func toSettings(in []*benchdv1.Setting) []spec.Setting {
	out := make([]spec.Setting, 0, len(in))
	for _, s := range in {
		out = append(out, spec.Setting{Key: s.GetKey(), Value: s.GetValue(), Origin: s.GetOrigin()})
	}
	return out
}

// ToPolicy decodes the policy for a run that loses an agent.
func ToPolicy(p benchdv1.AgentLossPolicy) lifecycle.Policy {
	if p == benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE {
		return lifecycle.ContinueOnLoss
	}
	return lifecycle.FailOnLoss
}

// FromPolicy encodes a policy.
func FromPolicy(p lifecycle.Policy) benchdv1.AgentLossPolicy {
	if p == lifecycle.ContinueOnLoss {
		return benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE
	}
	return benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_FAIL
}
