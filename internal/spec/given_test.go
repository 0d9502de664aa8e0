package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatASubmissionSets(t *testing.T) {
	s := Submission{
		Files:      []File{{Name: "f", Content: []byte("sandbox.region-servers=2\nrecordcount=5\n")}},
		Properties: p("sandbox.faults", "f.yaml"),
	}
	require.Equal(t, []string{"recordcount", "sandbox.faults", "sandbox.region-servers"}, reader().Given(s))
	require.True(t, reader().Sets(s, "recordcount"))
	require.False(t, reader().Sets(s, "operationcount"))
}
