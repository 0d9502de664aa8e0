package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

func TestASubmissionSurvivesTheWire(t *testing.T) {
	for name, s := range map[string]spec.Submission{
		"of properties files": {
			Files: []spec.File{{Name: "a", Content: []byte("x=1")}}, Name: "n", Note: "m", Tags: map[string]string{"k": "v"},
			Properties: []spec.Setting{{Key: "x", Value: "1"}}, Flags: []spec.Setting{{Key: "y", Value: "2", Origin: "--y"}},
			Variables: []spec.Setting{}, Attachments: map[string][]byte{"f": []byte("content")},
		},
		"of a suite file": {
			Suite: &spec.File{Name: "s.yaml", Content: []byte("suite: s")}, Trial: true,
			Variables:  []spec.Setting{{Key: "quorum", Value: "zk", Origin: "--var"}},
			Properties: []spec.Setting{}, Flags: []spec.Setting{}, Attachments: map[string][]byte{"common.yaml": []byte("note: n")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, s, wire.ToSubmission(wire.FromSubmission(s)))
		})
	}
}
