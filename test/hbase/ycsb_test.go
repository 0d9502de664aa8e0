//go:build hbase

package hbase

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// clientOfYCSB runs YCSB's own client on its stand-in for a database, and keeps its output in a folder.
func clientOfYCSB(t *testing.T, dir string, options ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	args := append([]string{
		"-db", "site.ycsb.BasicDB", "-p", "basicdb.verbose=false", "-p", "basicdb.simulatedelay=3", "-p", "recordcount=1000",
		"-p", "workload=site.ycsb.workloads.CoreWorkload", "-p", "fieldcount=2", "-p", "fieldlength=20", "-threads", "4",
	}, options...)
	stdout, stderr, code := testcluster.Command(t, 5*time.Minute, filepath.Join(testcluster.Root(), "test", "java", "ycsb", "run"), args...)
	require.Zero(t, code, stderr)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "result.txt"), []byte(stdout), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "status.txt"), []byte(stderr), 0o600))
}

// ycsbPrints returns the value of a line of YCSB's output, such as "[READ], Operations".
func ycsbPrints(t *testing.T, dir, line string) (value float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "result.txt"))
	require.NoError(t, err)
	_, rest, found := strings.Cut("\n"+string(text), "\n"+line+", ")
	require.True(t, found, "%s is not in %s", line, text)
	_, err = fmt.Sscan(rest, &value)
	require.NoError(t, err)
	return value
}

// What YCSB itself prints and logs is imported with the figures that it prints, and compared.
func TestResultsOfYCSBAreImported(t *testing.T) {
	dir := t.TempDir()
	h := testcluster.New(t)
	ctl := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := h.Ctl(args...)
		require.Zero(t, code, stderr)
		return strings.TrimSpace(stdout)
	}
	show := func(id string) result.Run {
		t.Helper()
		return testcluster.Parse(t, ctl("show", id, "-o", "json"))
	}

	load := filepath.Join(dir, "load")
	clientOfYCSB(t, load, "-load")
	r := show(ctl("import", load))
	require.Equal(t, "YCSB 0.17.0", r.Provenance.Foreign.String())
	require.Equal(t, "load", r.Phases[0].Name)
	require.EqualValues(t, 1000, r.Phases[0].Ops)

	// All outputs of one run, with both clocks.
	half := []string{"-t", "-p", "readproportion=0.5", "-p", "updateproportion=0.5", "-p", "operationcount=4000"}
	both := filepath.Join(dir, "both")
	require.NoError(t, os.MkdirAll(both, 0o755))
	clientOfYCSB(t, both, append(half, "-s", "-p", "status.interval=1", "-target", "2000", "-p", "measurement.interval=both",
		"-p", "hdrhistogram.fileoutput=true", "-p", "hdrhistogram.output.path="+both+"/")...)
	r = show(ctl("import", both))
	require.Len(t, r.Provenance.Foreign.Files, 8)
	p := r.Phases[0]
	require.Equal(t, "measure closed", p.Name+" "+p.Loop)
	require.EqualValues(t, 4000, p.Ops)
	require.NotEmpty(t, p.Series)
	require.InDelta(t, ycsbPrints(t, both, "[OVERALL], Throughput(ops/sec)"), p.Throughput, 1e-9)
	for _, o := range p.Operations {
		if o.PartOf != nil {
			continue
		}
		for prefix, f := range map[string]result.Figures{"[" + o.Op + "]": o.Service, "[Intended-" + o.Op + "]": o.Figures} {
			require.InDelta(t, ycsbPrints(t, both, prefix+", Operations"), float64(f.Count), 0)
			require.InDelta(t, ycsbPrints(t, both, prefix+", AverageLatency(us)"), f.Mean, 1e-9)
			require.InDelta(t, ycsbPrints(t, both, prefix+", 99thPercentileLatency(us)"), *f.P99, 1e-9)
			require.NotNil(t, f.P50, "the log has it, the text does not")
		}
	}
	var logs []string
	for _, name := range []string{"READ.hdr", "UPDATE.hdr"} {
		logs = append(logs, filepath.Join(both, name))
	}
	alone := show(ctl("import", strings.Join(logs, "+")))
	require.EqualValues(t, 4000, alone.Phases[0].Ops)
	require.Equal(t, "service", alone.Provenance.Foreign.Latency)

	// The other exporters and types of measurement.
	for name, option := range map[string]string{
		"JSON": "exporter=site.ycsb.measurements.exporter.JSONMeasurementsExporter", "array": "exporter=site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter",
		"buckets": "measurementtype=histogram", "series": "measurementtype=timeseries", "raw": "measurementtype=raw", "two": "measurementtype=hdrhistogram+raw",
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, name)
			clientOfYCSB(t, out, append(half, "-p", option)...)
			r := show(ctl("import", out))
			require.EqualValues(t, 4000, r.Phases[0].Ops)
			require.Len(t, r.Phases[0].Operations, 3)
		})
	}

	// Files and archived results are compared.
	var slow, fast []string
	for i := range 4 {
		for name, side := range map[string]*[]string{"slow": &slow, "fast": &fast} {
			out := filepath.Join(dir, fmt.Sprintf("%s%d", name, i))
			delay := "basicdb.simulatedelay=6"
			if name == "fast" {
				delay = "basicdb.simulatedelay=2"
			}
			clientOfYCSB(t, out, append(half, "-p", delay)...)
			*side = append(*side, out)
		}
	}
	id := ctl(append([]string{"import", "--name", "slow"}, slow...)...)
	text := ctl("compare", id, strings.Join(fast, ","))
	require.Regexp(t, `throughput .* better`, text)
	require.Regexp(t, `READ p99 .* better`, text)
	require.NotContains(t, text, "READ p50")
}
