package dev_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/tolerance"
)

// All servers of a sandbox are found on their random ports, their counters agree with the requests, and unreadable
// endpoints cause a warning.
func TestARunOnASandboxIsWatched(t *testing.T) {
	up := 0.0
	exporter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		up++
		fmt.Fprintf(w, "# TYPE jobs counter\njobs %g\nnode_load1 0.5\n", up)
	}))
	defer exporter.Close()
	tolerance.Retry(t, func(try *tolerance.Try) { isWatched(t, try, exporter.URL) })
}

// isWatched runs 200 reads a second on a sandbox, with telemetry of an exporter, too.
func isWatched(t *testing.T, try *tolerance.Try, exporter string) {
	t.Helper()
	r := onSandbox(t, sandbox.Options{}, 2, map[string]string{
		"db": "sandbox", "phase": "load,run", "recordcount": "500", "operationcount": "0", "duration": "5s", "threadcount": "2",
		"arrival": "fixed", "rate": "200", "readproportion": "1", "updateproportion": "0", "hbase.splits": "5", "telemetry.interval": "200ms",
		"telemetry.endpoints": "n1=" + exporter + ",gone=http://127.0.0.1:1/metrics", "telemetry.metrics": "jobs",
	})
	require.Equal(t, result.Complete, r.Status, "%s %v", r.Reason, r.Missing)
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], "endpoint gone cannot be read")
	measured := r.Phases[len(r.Phases)-1]
	found := map[string][]result.Observation{}
	for _, o := range measured.Observations {
		found[o.Name] = append(found[o.Name], o)
		for i, p := range o.Points {
			require.GreaterOrEqual(t, p[1], 0.0, "%s of %s", o.Name, o.Source)
			if i > 0 {
				require.Greater(t, p[0], o.Points[i-1][0], "%s of %s", o.Name, o.Source)
			}
		}
	}
	require.Len(t, found["hbase.regionserver.regions"], 3)
	require.Len(t, found["hbase.regionserver.heap_used"], 3)
	require.Len(t, found["host.cpu_busy_percent"], 2, "each agent watches its host")
	require.Len(t, found["telemetry.poll_time"], 1, "one agent watches the target")
	require.Len(t, found["jobs"], 1)
	require.Len(t, found["node.load1"], 1)

	// Each server's counter is reported for a time of its own; a steady rate makes these the same.
	var perSecond float64
	for _, o := range found["hbase.regionserver.requests_read"] {
		var counted float64
		for i := 1; i < len(o.Points); i++ {
			counted += o.Points[i][1] * (o.Points[i][0] - o.Points[i-1][0])
		}
		if n := len(o.Points); n > 1 {
			perSecond += counted / (o.Points[n-1][0] - o.Points[0][0])
		}
	}
	assert.InEpsilon(try, 200, perSecond, 0.25, "a stall at the end is not seen any more")
	for _, e := range measured.Events {
		require.False(t, e.Kind == "split" || strings.Contains(e.Text, "no telemetry"), "%+v", e)
	}
}
