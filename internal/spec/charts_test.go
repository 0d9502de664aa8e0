package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spec"
)

// charting returns a suite of reads whose charts begin at line 4.
func charting(more ...string) string {
	return lines(append([]string{
		"properties: {db: hbase, columnfamily: f, hbase.zookeeper.quorum: zk, readproportion: 1, updateproportion: 0, recordcount: 9, operationcount: 5}",
		"scenarios: [{name: a, matrix: {threadcount: [1, 2]}, published: [{threads: 1, throughput_ops: 5}]}, {name: b}]",
		"charts:",
	}, more...)...)
}

func TestChartsArePlanned(t *testing.T) {
	s, warnings, err := reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(charting(
		"  - title: t",
		"    scenarios: [a]",
		"    kind: lines",
		"    x: threads",
		"    y: [throughput_ops, read_p99_ms]",
		"    by: target",
		"    only: {threadcount: 2}",
		"    limits: [{value: 1.5, label: l}]",
		"    published: [{name: p, x: 40, y: 99}]",
		"  - {title: u, telemetry: [node.net_sent, node_a+node_b], by: server, x: rows}",
	))}})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, []plan.Chart{
		{
			Title: "t", Scenarios: []string{"a"}, Kind: plan.LinesChart, X: "threads", Y: []string{"throughput_ops", "read_p99_ms"}, By: "target",
			Only: []plan.Setting{{Key: "threadcount", Value: "2"}}, Limits: []plan.ChartLimit{{Value: 1.5, Label: "l"}},
			Published: []plan.PublishedPoint{{Name: "p", X: 40, Y: 99}},
		},
		{Title: "u", Scenarios: []string{"a", "b"}, X: "rows", Telemetry: []string{"node.net_sent", "node_a + node_b"}, By: "server"},
	}, s.Charts)
}

func TestMistakesInChartsAreReportedWithTheirPlaces(t *testing.T) {
	const noFigure = "is not a figure; use it as x or by, and list figures such as throughput_ops or read_p99_us"
	for name, test := range map[string]struct {
		chart []string
		want  []string
	}{
		"names": {
			[]string{"  - {title: t, scenarios: [c], x: thraeds, y: [raed_p99_us, scan_avg_us, threadcount, scenario], by: serfer, kind: pie, color: red}"},
			[]string{
				`s.yaml:4:28: scenarios: unknown scenario "c" (one of a, b)`,
				`s.yaml:4:35: x: unknown name "thraeds"; did you mean threads?`,
				`s.yaml:4:48: y: unknown column "raed_p99_us"; did you mean read_p99_us?`,
				`s.yaml:4:74: y: "threadcount" ` + noFigure,
				`s.yaml:4:87: y: "scenario" ` + noFigure,
				`s.yaml:4:102: by: unknown name "serfer"; did you mean server?`,
				`s.yaml:4:116: kind: unknown value "pie"; did you mean time? (one of lines, bars, time)`,
				`s.yaml:4:121: unknown key "color" (one of title, scenarios, kind, x, y, telemetry, by, only, limits, published)`,
			},
		},
		"what no case has": {
			[]string{"  - {title: t, y: [scan_avg_us], only: {threadcount: 3}}", "  - {title: t, y: [throughput_ops], only: {threadcount: 1}}"},
			[]string{
				`s.yaml:4:20: y: "scan_avg_us" stays empty: no case of the chart's scenarios issues SCAN; remove it, or add a scenario that does`,
				`s.yaml:4:41: only: no case of the chart's scenarios has threadcount=3; correct it, or remove it`,
			},
		},
		"what is missing or too much": {
			[]string{"  - {y: [throughput_ops]}", "  - {title: t}", "  - {title: t, y: [throughput_ops], telemetry: [x]}", "  - {title: t, kind: time, y: [throughput_ops], x: threads}", "  - {title: t, y: [throughput_ops], by: server}"},
			[]string{
				`s.yaml:4:5: title: missing; give the chart a title`,
				`s.yaml:5:5: y: missing; list the figures that the chart shows, such as y: [throughput_ops], or telemetry: with figures of telemetry`,
				`s.yaml:6:48: telemetry: cannot be combined with y; make a chart of each`,
				`s.yaml:7:52: charts: kind time shows telemetry; list its figures with telemetry instead of y, or use kind lines or bars`,
				`s.yaml:8:41: charts: by server needs figures of telemetry; list them with telemetry instead of y`,
			},
		},
		"values": {
			[]string{"  - {title: t, telemetry: [a b], limits: [{value: much}, {value: 1}], published: {x: 1}}", "  - {title: t, telemetry: [a], published: [{name: n, x: 1}]}"},
			[]string{
				`s.yaml:4:28: telemetry: invalid figure "a b": want its name in docs/telemetry.md, or several joined by +`,
				`s.yaml:4:43: label: missing; say what the limit is`,
				`s.yaml:4:51: value: invalid number "much": want a number such as 1500`,
				`s.yaml:4:58: label: missing; say what the limit is`,
				`s.yaml:4:82: published: want a list, got a map; write - {name: what it is, x: 40, y: 99}`,
				`s.yaml:5:44: y: missing; write a number`,
			},
		},
		"no list": {
			[]string{"  title: t"},
			[]string{`s.yaml:4:3: charts: want a list, got a map; begin each chart with - title:`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(charting(test.chart...))}})
			require.Error(t, err)
			require.Equal(t, lines(test.want...), err.Error()+"\n")
		})
	}
}
