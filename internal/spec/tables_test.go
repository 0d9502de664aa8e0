package spec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
)

// reads returns a suite of reads with a table at line 5.
func reads(columns string, more ...string) string {
	return lines(append([]string{
		"properties: {db: hbase, columnfamily: f, hbase.zookeeper.quorum: zk, readproportion: 1, updateproportion: 0, operationcount: 5}",
		"scenarios:",
		"  - {name: a, matrix: {threadcount: [1, 2]}}",
		"tables:",
		"  - {title: t, scenarios: [a], columns: [" + columns + "]}",
	}, more...)...)
}

func TestColumnsWithoutValuesAreMistakes(t *testing.T) {
	const figures = "want a figure (such as throughput_ops, read_avg_ms, read_p99_us, total_s), a property, or a name in a published line of the table's scenarios"
	for name, test := range map[string]struct {
		content string
		want    []string
	}{
		"misspelt figures, all in one go": {
			reads("raed_p99_us, throughput, read_p98_us, total, latency, threadcuont"),
			[]string{
				`s.yaml:5:42: columns: unknown column "raed_p99_us"; did you mean read_p99_us?`,
				`s.yaml:5:55: columns: unknown column "throughput"; did you mean throughput_ops?`,
				`s.yaml:5:67: columns: unknown column "read_p98_us"; did you mean read_p90_us? (the percentiles are p50, p90, p95, p99, p999 and p9999)`,
				`s.yaml:5:80: columns: unknown column "total"; did you mean total_s?`,
				`s.yaml:5:87: columns: unknown column "latency": ` + figures,
				`s.yaml:5:96: columns: unknown column "threadcuont"; did you mean threadcount?`,
			},
		},
		"beside other mistakes of the file": {
			strings.Replace(reads("raed_p99_us, scan_avg_us"), "operationcount: 5", "opertioncount: 5", 1),
			[]string{
				"s.yaml:1:110: opertioncount: unknown property; did you mean operationcount?",
				`s.yaml:5:42: columns: unknown column "raed_p99_us"; did you mean read_p99_us?`,
			},
		},
		"a name like none": {
			reads("how-good-it-feels-altogether"),
			[]string{`s.yaml:5:42: columns: unknown column "how-good-it-feels-altogether": ` + figures},
		},
		"what no case does": {
			reads("scan_avg_us, offered_ops, read_service_avg_us, recovery_s, target, dataset, threads, read_avg_us"),
			[]string{
				`s.yaml:5:42: columns: "scan_avg_us" stays empty: no case of the table's scenarios issues SCAN; remove it, or add a scenario that does`,
				`s.yaml:5:55: columns: "offered_ops" stays empty: no case of the table's scenarios is an open loop (arrival: fixed or poisson); remove it, or add a scenario that does`,
				`s.yaml:5:68: columns: "read_service_avg_us" stays empty: no case of the table's scenarios is an open loop (arrival: fixed or poisson); remove it, or add a scenario that does`,
				`s.yaml:5:89: columns: "recovery_s" stays empty: no case of the table's scenarios has actions; remove it, or add a scenario that does`,
				`s.yaml:5:101: columns: "target" stays empty: no case of the table's scenarios has a target with a name; remove it, or add a scenario that does`,
				`s.yaml:5:109: columns: "dataset" stays empty: no case of the table's scenarios has a dataset; remove it, or add a scenario that does`,
			},
		},
		"a property under another name, and one of another target": {
			reads("maxexecutiontime, null.log"),
			[]string{
				`s.yaml:5:42: columns: "maxexecutiontime" is an alias of duration; write duration`,
				`s.yaml:5:60: columns: "null.log" stays empty: no case of the table's scenarios has it; remove it, or add a scenario that does`,
			},
		},
		"what an agent's part of a run has not": {
			reads("client, read_p99_us, total_ms, read_p999_us"),
			[]string{
				`s.yaml:5:73: columns: "read_p999_us" stays empty: a table with the column client has a line per agent, and the part of an agent has only total_ms and the count, mean, minimum, maximum, p50, p95 and p99 of its operations; remove it, or move it to a table without client`,
			},
		},
		"tables that are none": {
			reads("threads, threads", "  - {title: u, scenarios: [a, a, b], columns: []}", "  - {title: v}"),
			[]string{
				`s.yaml:5:51: columns: duplicate "threads"; remove one of them`,
				`s.yaml:6:31: scenarios: duplicate "a"; remove one of them`,
				`s.yaml:6:34: scenarios: unknown scenario "b" (one of a)`,
				"s.yaml:6:47: columns: missing; list at least one",
				"s.yaml:7:5: scenarios: missing; list at least one",
				"s.yaml:7:5: columns: missing; list at least one",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(suiteOf(test.content))
			require.Error(t, err)
			require.Equal(t, strings.Join(test.want, "\n"), err.Error())
		})
	}
}

func TestColumnsWithValuesAreAccepted(t *testing.T) {
	const busy = "  - {name: b, properties: {scanproportion: 1, rate: 5, actions: 1s flush, duration: 1m}}"
	for name, content := range map[string]string{
		"figures and the columns of a row": reads("scenario, case, run, agents, client, threads, loop, status, read_count, read_p99_ms"),
		"of the whole run":                 reads("total_s, runtime_ms, ops, failed_ops, gc_total_ms, qps_low, regions, regions_after, region_servers_before"),
		"properties, varied or not":        reads("threadcount, recordcount, requestdistribution, hbase.splits"),
		"of one scenario of several": strings.NewReplacer("scenarios: [a]", "scenarios: [a, b]", "tables:", busy+"\ntables:").
			Replace(reads("read_avg_us, scan_avg_us, offered_ops, recovery_s")),
		"only published, in whatever form": lines("properties: {db: 'null', operationcount: 5, readproportion: 1, updateproportion: 0}", "scenarios:",
			"  - {name: a, published: [{scan_avg_us: 5, started_normally: true, insert_avg_text: some ms, product: other, recovery_about: 60}]}", "tables:",
			"  - {title: t, scenarios: [a], columns: [product, scan_avg_ms, started_normally, insert_avg_ms, recovery_s]}"),
	} {
		t.Run(name, func(t *testing.T) {
			_, warnings, err := reader().Parse(suiteOf(content))
			require.NoError(t, err)
			for _, w := range warnings {
				require.NotContains(t, w.String(), "columns")
				require.NotContains(t, w.String(), "published")
			}
		})
	}
}

// A column that is empty because of the command line or a trial is not a mistake in the file.
func TestAColumnThatTheCommandLineEmptiesIsAWarning(t *testing.T) {
	content := reads("scan_avg_us, threads", "trial:", "  properties: {operationcount: 1}")
	const want = `s.yaml:5:42: columns: "scan_avg_us" stays empty: no case of the table's scenarios issues SCAN; remove it, or add a scenario that does`
	trial := suiteOf(content)
	trial.Trial = true
	changed := suiteOf(strings.Replace(content, "readproportion: 1", "scanproportion: 1, readproportion: 1", 1))
	changed.Properties = []spec.Setting{{Key: "scanproportion", Value: "0"}}
	for _, in := range []spec.Submission{trial, changed} {
		_, warnings, err := reader().Parse(in)
		require.NoError(t, err)
		require.Contains(t, texts(warnings), want)
		in.Suite.Content = []byte(strings.Replace(string(in.Suite.Content), "scan_avg_us", "scna_avg_us", 1))
		_, _, err = reader().Parse(in)
		require.ErrorContains(t, err, `unknown column "scna_avg_us"; did you mean scan_avg_us?`, "what has no meaning is a mistake all the same")
	}
}

func TestPublishedNamesThatResembleKnownNamesAreWarnings(t *testing.T) {
	_, warnings, err := reader().Parse(suiteOf(lines(
		"properties: {db: 'null', operationcount: 5, recordcount: 5}", "scenarios:",
		"  - name: a",
		"    matrix: {threadcount: [10]}",
		"    published:",
		"      - {threads: 10, raed_avg_ms: 1, throughput_ops: 5, read_p999_us: 7, remark: by hand, major_compaction: true}",
		"      - {run: 1, raed_avg_ms: 2, throughput_low: 3, read_p98_us: 1}",
		"tables:",
		"  - {title: t, scenarios: [a], columns: [threads, throughput_ops, read_avg_ms, read_p98_us]}")))
	require.NoError(t, err)
	require.Equal(t, []string{
		`s.yaml:6:23: published: no table shows "raed_avg_ms"; did you mean read_avg_ms?`,
		`s.yaml:9:80: columns: "read_p98_us" is not a figure of benchd, so the column shows only published values; did you mean read_p90_us?`,
	}, texts(warnings))
}

func texts(warnings []property.Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, w.String())
	}
	return out
}
