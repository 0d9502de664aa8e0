//go:build hbase

package hbase

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// One suite measures point reads alone, scans alone, and both together on a real HBase, in turns. Its report compares each group
// with itself alone, with a factor and its interval, and the counts of each group are reconciled.
func TestInterferenceOfScansAndReads(t *testing.T) {
	t.Parallel()
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := testcluster.New(t)
		h.Agents("a", "b")
		suite := trial(t, h, s, "interference.yaml", "--var", "splits=4", "--var", "measure=3s", "--var", "rate=300")
		require.Len(t, suite.Interference, 1)
		found := suite.Interference[0]
		require.Len(t, found.Groups, 2)
		for i, want := range []struct{ group, loop, figure string }{{"reads", "open", "read_p50_us"}, {"scans", "closed", "scan_p50_us"}} {
			g := found.Groups[i]
			require.Equal(t, want.group, g.Group)
			require.Equal(t, want.loop, g.Loop)
			var names []string
			for _, f := range g.Figures {
				names = append(names, f.Name)
				require.Positive(t, f.Alone, f.Name)
				require.Positive(t, f.Together, f.Name)
				if f.AloneRuns == 5 && f.TogetherRuns == 5 {
					require.NotNil(t, f.Shift, f.Name)
					require.LessOrEqual(t, f.Shift.Low, f.Shift.Ratio)
					require.GreaterOrEqual(t, f.Shift.High, f.Shift.Ratio)
				}
			}
			require.Subset(t, names, []string{want.figure, "throughput_ops"})
		}
		together := 0
		for _, run := range suite.Runs {
			phase := run.Subject()
			if len(phase.Groups) < 2 {
				continue
			}
			together++
			require.Equal(t, "mixed", phase.Loop)
			require.Len(t, run.Reconcile.Groups, 2)
			require.Greater(t, phase.Groups[1].Rows, 100*phase.Groups[1].Ops, "rows of scans")
			for i, g := range phase.Groups {
				require.True(t, run.Reconcile.Groups[i].OK, "%s: %+v", run.ID, run.Reconcile.Groups[i])
				require.Positive(t, g.Ops, g.Name)
			}
		}
		require.Equal(t, 5, together)

		dir := t.TempDir()
		_, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "report", suite.ID, "--format", "md", "--out", dir, "--coordinator", h.Address)
		require.Zero(t, code, stderr)
		files, err := filepath.Glob(filepath.Join(dir, "*.md"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(text), "Interference in reads beside scans groups=reads,scans")
	})
}
