//go:build integration

package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The trial of a suite whose cases ask for two agents runs as the head of its file shows.
func TestTheTrialOfASuiteStartsAsManyAgentsAsItAsksFor(t *testing.T) {
	t.Parallel() // it waits most of the time
	out, stderr, code := testcluster.Run(t, 5*time.Minute, "benchctl", "run", "-f", filepath.Join(testcluster.Root(), "configs", "suites", "r5-nosql.yaml"),
		"--trial", "--db", "sandbox", "-q", "-o", "json")
	require.Zero(t, code, stderr)
	var s result.Suite
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	require.Equal(t, result.Complete, s.Status)
	require.Len(t, s.Runs[len(s.Runs)-1].Provenance.Agents, 2)
}
