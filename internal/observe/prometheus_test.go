package observe

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
)

const exporter = `# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.
# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} 80
node_cpu_seconds_total{cpu="0",mode="iowait"} 5
node_cpu_seconds_total{cpu="0",mode="user"} 15
node_memory_MemTotal_bytes 4e+09
node_memory_MemAvailable_bytes 1e+09
node_disk_read_bytes_total{device="sda"} 1000
node_disk_read_bytes_total{device="dm-0"} 1000
node_disk_written_bytes_total{device="sda"} 2000
node_disk_io_time_seconds_total{device="sda"} 3
node_network_receive_bytes_total{device="lo"} 999
node_network_receive_bytes_total{device="eth0"} 100
node_network_transmit_bytes_total{device="eth0"} 200
# TYPE jvm_threads gauge
jvm_threads{state="a \"} b"} 4 1700000000000
jvm_gc_total 9
other NaN
process_start_time_seconds 1.7e+09
`

func serve(t *testing.T, text string) plan.Endpoint {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }))
	t.Cleanup(s.Close)
	return plan.Endpoint{Name: "n1", URL: s.URL}
}

func TestAnEndpointGivesNodeFiguresAndNamedMetrics(t *testing.T) {
	p := NewPrometheus(serve(t, exporter), []string{"jvm_*"}, nil)
	defer p.Close()
	look := p.Look(t.Context())
	require.Empty(t, look.Warnings)
	require.Len(t, look.Groups, 1)
	require.Equal(t, "1.7e+09", look.Groups[0].Epoch)
	require.Equal(t, []Reading{
		{Name: "jvm_threads", Unit: "1", Value: 4, Suffix: `{state=\"a \\\"} b\"}`},
		{Name: "jvm_gc_total", Unit: "1/s", Kind: Counter, Value: 9},
		{Name: "node.cpu_busy_percent", Unit: "percent", Kind: Share, Value: 15, Of: 100},
		{Name: "node.memory_available", Unit: "bytes", Value: 1e9},
		{Name: "node.memory_used_percent", Unit: "percent", Value: 75},
		{Name: "node.disk_read", Unit: "bytes/s", Kind: Counter, Value: 1000},
		{Name: "node.disk_written", Unit: "bytes/s", Kind: Counter, Value: 2000},
		{Name: "node.disk_busy_percent", Unit: "percent", Kind: Counter, Value: 300, Suffix: "/sda"},
		{Name: "node.net_received", Unit: "bytes/s", Kind: Counter, Value: 100},
		{Name: "node.net_sent", Unit: "bytes/s", Kind: Counter, Value: 200},
	}, look.Groups[0].Readings)
}

func TestAPageWithoutMetricsGivesOneWarning(t *testing.T) {
	for name, text := range map[string]string{"a page": "<html>no</html>", "nothing": "# only this\n"} {
		t.Run(name, func(t *testing.T) {
			p := NewPrometheus(serve(t, text), nil, nil)
			defer p.Close()
			var warnings []string
			for range 2 * tolerated {
				warnings = append(warnings, p.Look(t.Context()).Warnings...)
			}
			require.Len(t, warnings, 1)
			require.Contains(t, warnings[0], "endpoint n1 cannot be read")
		})
	}
}

func TestTheFiguresOfAnEndpointAreLimited(t *testing.T) {
	p := NewPrometheus(serve(t, strings.Repeat("many 1\n", 2*maxSeries)), []string{"many"}, nil)
	defer p.Close()
	look := p.Look(t.Context())
	require.Len(t, look.Groups[0].Readings, maxSeries)
	require.Len(t, look.Warnings, 1)
}

func FuzzPrometheus(f *testing.F) {
	f.Add([]byte(exporter))
	f.Add([]byte(`a{b="c"} 1`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := scrape{node: newNode(), wanted: []string{"*", "a*"}}
		_ = s.read(text)
		for _, r := range append(s.readings, s.node.readings()...) {
			require.NotEmpty(t, r.Name)
		}
		require.LessOrEqual(t, len(s.readings), maxSeries+1)
	})
}
