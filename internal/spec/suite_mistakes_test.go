package spec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// lines are texts of a file, one on a line.
func lines(texts ...string) string { return strings.Join(texts, "\n") + "\n" }

const fine = "suite: s\nproperties: {db: 'null', operationcount: 5}\nscenarios: [{name: a}]\n"

func TestMistakesInASuiteAreToldWithTheirPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    []string
	}{
		"an unknown key": {
			lines("suite: s", "scenaros: []", "scenarios: [{name: a, porperties: {}}]"),
			[]string{
				`s.yaml:2:1: unknown key "scenaros"; did you mean scenarios? (there is suite, note, tags, include, variables, properties, targets, datasets, scenarios, order, on-failure, tables, trial)`,
				`s.yaml:3:23: unknown key "porperties"; did you mean properties? (there is name, note, dataset, targets, properties, matrix, cases, repeats, agents, actions, before, published)`,
			},
		},
		"an unknown property, in whatever level, told once": {
			lines("properties:", "  recordcuont: 1", "targets:", "  A: {tabel: x}", "datasets:", "  d: {properties: {fieldcout: 1}}", "scenarios:",
				"  - {name: a, properties: {threadcuont: 1}, matrix: {readproporton: [0, 1]}}", "  - {name: b, cases: [{opertioncount: 5}]}"),
			[]string{
				"s.yaml:2:3: recordcuont: unknown property; did you mean recordcount?",
				"s.yaml:4:7: tabel: unknown property; did you mean table?",
				"s.yaml:6:20: fieldcout: unknown property; did you mean fieldcount?",
				"s.yaml:8:28: threadcuont: unknown property; did you mean threadcount?",
				"s.yaml:8:54: readproporton: unknown property; did you mean readproportion?",
				"s.yaml:9:24: opertioncount: unknown property; did you mean operationcount?",
			},
		},
		"another binding's property": {
			lines("properties: {cassandra.readconsistencylevel: ONE}", "scenarios: [{name: a}]"),
			[]string{"s.yaml:1:14: cassandra.readconsistencylevel: unknown property: those that begin with cassandra. belong to a binding of YCSB that is not used here; leave it out"},
		},
		"a wrong value, told once though many cases have it": {
			lines("properties: {recordcount: 1k}", "scenarios:", "  - name: a", "    matrix: {threadcount: [1, many], fieldcount: [1, 2]}", "    properties:", "      limit.errors: loud"),
			[]string{
				`s.yaml:1:27: recordcount: "1k" is no whole number; write 1000`,
				`s.yaml:4:31: threadcount: "many" is no whole number; write it in digits, such as 1000`,
				`s.yaml:6:21: limit.errors: "loud" is no share; write one such as 0.001 or 0.1%`,
			},
		},
		"wrong types": {
			lines("suite: [s]", "tags: x", "properties: [a]", "targets: 5", "datasets: [d]", "order: ABBA", "on-failure: go", "scenarios:",
				"  - name: a", "    repeats: 0", "    agents: two", "    actions: {at: 60s}", "    matrix: {threadcount: 10}", "    cases: {threadcount: 1}", "    published: x",
				"    properties: {hbase: {splits: 1}}", "  - b"),
			[]string{
				"s.yaml:1:8: suite: is to be a single value, and this is a list",
				"s.yaml:2:7: tags: is to be a map of names to values, and this is a single value",
				"s.yaml:3:13: properties: is to be a map of names to values, and this is a list",
				"s.yaml:4:10: targets: is to be a map of names to values, and this is a single value",
				"s.yaml:5:11: datasets: is to be a map of names to values, and this is a list",
				`s.yaml:6:8: order: unknown value "ABBA"; did you mean abba? (there is sequential, abba)`,
				`s.yaml:7:13: on-failure: unknown value "go" (there is stop, continue)`,
				`s.yaml:10:14: repeats: "0" is no whole number from 1 to 1000`,
				`s.yaml:11:13: agents: "two" is no whole number from 1 to 10000`,
				"s.yaml:12:14: actions: is to be a list, and this is a map of names to values; write - {at: 60s, do: major_compact}",
				"s.yaml:13:27: threadcount: is to be a list of values, such as [10, 20]",
				"s.yaml:14:12: cases: is to be a list, and this is a map of names to values; write - {threadcount: 10, recordcount: 1000}",
				"s.yaml:15:16: published: is to be a list, and this is a single value; write - {run: 1, throughput_ops: 3881}",
				"s.yaml:16:18: hbase: is a property, and its value is to be a single one; a property's whole name stands before the colon, such as telemetry.interval: 1s",
				"s.yaml:17:5: scenarios: is to be a map of names to values, and this is a single value",
			},
		},
		"names that nothing has": {
			lines("targets: {A: {}, B: {}}", "datasets: {plain: {}}", "variables: {quorum: zk}", "scenarios:", "  - {name: a, dataset: plian, targets: [C], note: '${qourum}'}", "tables:",
				"  - {title: t, scenarios: [aa, b], columns: [threads]}", "trial:", "  scenarios: {read: {repeats: 1}}", "  targets: {a: {}}"),
			[]string{
				`s.yaml:5:24: unknown dataset "plian"; did you mean plain? (there is plain)`,
				`s.yaml:5:41: unknown target "C" (there is A, B)`,
				`s.yaml:5:51: unknown variable "qourum"; did you mean quorum? (there is quorum)`,
				`s.yaml:7:28: scenarios: unknown scenario "aa" (there is a)`,
				`s.yaml:7:32: scenarios: unknown scenario "b" (there is a)`,
				`s.yaml:9:15: trial: unknown scenario "read" (there is a)`,
				`s.yaml:10:13: trial: unknown target "a"; did you mean A? (there is A, B)`,
			},
		},
		"names that two have": {
			lines("suite: s", "suite: t", "scenarios:", "  - {name: a, cases: [{threadcount: 1}, {threadcount: 1}]}", "  - {name: b}", "  - {name: b}", "  - {name: ''}"),
			[]string{
				"s.yaml:2:1: suite: stands twice in one map, here and at s.yaml:1:1; leave one out",
				`s.yaml:4:12: name: two cases are named "a threadcount=1", the other one of s.yaml:4:12; each needs a name of its own`,
				`s.yaml:6:12: name: "b" is another scenario's name too, at s.yaml:5:12; each has its own`,
				"s.yaml:7:5: name: a scenario needs a name of its own",
			},
		},
		"a target and a dataset that contradict": {
			lines("targets: {A: {table: a}}", "datasets: {d: {properties: {table: b, recordcount: 1}}}", "scenarios: [{name: x, dataset: d}]"),
			[]string{`s.yaml:2:36: table: is "b" here and "a" for target A (s.yaml:1:22), and scenario x has both; leave one out`},
		},
		"what was published for no case": {
			lines("scenarios:", "  - name: a", "    matrix: {threadcount: [10, 20]}", "    published:", "      - {threads: 10, throughput_ops: 5}", "      - {threads: 30, throughput_ops: 6}"),
			[]string{"s.yaml:6:9: published: belongs to no case: where it names an axis or a target, no case has that value"},
		},
		"actions": {
			lines("scenarios:", "  - name: a", "    actions: [{at: 60s}, {do: flush}, {at: 1s, do: 'a; b'}, {at: 1s, od: flush}, x]"),
			[]string{
				"s.yaml:3:15: do: an action needs something to do, such as do: major_compact",
				"s.yaml:3:26: at: an action needs an instant, from the begin of measuring: at: 60s",
				"s.yaml:3:52: do: has a ; in it; give each action an entry of its own",
				"s.yaml:3:61: do: an action needs something to do, such as do: major_compact",
				`s.yaml:3:70: unknown key "od"; did you mean do? (there is at, do)`,
				"s.yaml:3:82: actions: is to be a map of names to values, and this is a single value",
			},
		},
		"when an action is": {
			lines("properties: {db: hbase, columnfamily: f, duration: 5m}", "scenarios:", "  - {name: a, actions: [{at: soon, do: flush}]}"),
			[]string{`s.yaml:3:30: actions: "soon" is no time from the begin of measuring on; write such as 60s major_compact`},
		},
		"an action that there is not, told once where it stands": {
			lines("properties: {db: hbase, columnfamily: f, duration: 5m}", "scenarios:", "  - name: a", "    actions:", "      - {at: 60s, do: major_compact}", "      - {at: 90s, do: majr_compact}",
				"  - {name: b, properties: {db: 'null'}, actions: [{at: 60s, do: flush}]}", "  - {name: c, before: [flsh]}"),
			[]string{
				`s.yaml:6:23: actions: "majr_compact" is nothing that can be done to a target; did you mean major_compact?`,
				"s.yaml:7:50: actions: target null cannot flush; it takes hook",
				`s.yaml:8:23: before.run: "flsh" is nothing that can be done before a run; there is flush, compact, major_compact, split, balance, wait_for_quiet`,
			},
		},
		"a fault that is a mistake, or where there is no sandbox": {
			lines("properties: {db: sandbox, duration: 5m, hbase.zookeeper.quorum: 127.0.0.1}", "scenarios:", "  - name: a", "    actions:",
				"      - {at: 10s, do: fault kill-server length=20s}", "      - {at: 30s, do: 'fault latency delay=exponential,5ms op=gte,scan share=20%'}", "      - {at: 50s, do: clear_faults}",
				"  - {name: b, properties: {db: hbase, columnfamily: f}, actions: [{at: 60s, do: fault stall length=5s}]}"),
			[]string{
				"s.yaml:5:23: actions: fault kill-server: server: must name one region server: write its number or address, as `benchctl sandbox servers` lists them",
				`s.yaml:6:23: actions: fault latency: op: unknown kind of call "gte"; did you mean "get"?`,
				"s.yaml:8:66: actions: target hbase cannot fault; it takes balance, balancer, compact, disable, enable, flush, major_compact, move, split, wait_for_quiet, hook",
			},
		},
		"a trial block that is not used is judged too": {
			lines("scenarios: [{name: a}]", "trial:", "  properties: {recordcount: x}", "  scenarios:", "    a: {repaets: 1, matrix: {threads: [no]}}", "  tables: []"),
			[]string{
				`s.yaml:3:29: recordcount: "x" is no whole number; write it in digits, such as 1000`,
				`s.yaml:5:9: unknown key "repaets"; did you mean repeats? (there is properties, matrix, cases, repeats, agents, actions, before)`,
				`s.yaml:5:40: threads: "no" is no whole number; write it in digits, such as 1000`,
				`s.yaml:6:3: unknown key "tables"; did you mean targets? (there is variables, properties, targets, datasets, scenarios)`,
			},
		},
		"nothing to do": {"suite: s\n", []string{"s.yaml:1:1: scenarios: there are none: a suite has at least one, such as - {name: read only, properties: {readproportion: 1}}"}},
		"an empty file": {"", []string{"s.yaml:1:1: is empty; a suite has at least a name and scenarios"}},
		"a list":        {"- a\n", []string{"s.yaml:1:1: a suite file is a map of names to values, and this is a list; begin with suite: NAME"}},
		"two documents": {fine + "---\nsuite: t\n", []string{"s.yaml:4:1: a second document begins here; a suite file is one, without ---"}},
		"an alias of itself": {
			"suite: s\nproperties: &p\n  a: *p\nscenarios: [{name: a}]\n",
			[]string{
				"s.yaml:2:13: is nested more than 24 deep; a suite needs less",
				"s.yaml:3:3: a: is a property, and its value is to be a single one; a property's whole name stands before the colon, such as telemetry.interval: 1s",
			},
		},
		"broken YAML": {
			"suite: s\nscenarios:\n  - name: a\n    matrix: {threadcount: [1, 2}\n",
			[]string{"s.yaml:4:"},
		},
		"a tab": {"suite: s\nproperties:\n\trecordcount: 5\n", []string{"s.yaml:3:"}},
		"a matrix that explodes": {
			"scenarios:\n  - name: a\n    matrix: {" + axisOf("threadcount") + ", " + axisOf("recordcount") + ", " + axisOf("operationcount") + "}\n",
			[]string{"s.yaml:2:11: the suite has more than 5000 cases or 20000 runs up to here; take values out of the matrix, or make two suites of it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(suiteOf(test.content))
			var problems property.Problems
			require.ErrorAs(t, err, &problems)
			got := strings.Split(err.Error(), "\n")
			for i, want := range test.want {
				if strings.HasSuffix(want, ":") && i < len(got) {
					require.Contains(t, got[i], want)
					got[i] = want
				}
			}
			require.Equal(t, strings.Join(test.want, "\n"), strings.Join(got, "\n"))
		})
	}
}

func axisOf(name string) string {
	return name + ": [1" + strings.Repeat(", 2", 99) + "]"
}

func TestMistakesOfTheCommandLineBesideASuite(t *testing.T) {
	in := suiteOf(fine)
	in.Files = []spec.File{{Name: "workloada", Content: []byte("recordcount=1")}}
	in.Properties = []spec.Setting{{Key: "recordcuont", Value: "1"}, {Key: "phase", Value: "load"}}
	in.Variables = []spec.Setting{{Key: "quorum", Value: "zk", Origin: "--var"}}
	in.Trial = true
	_, _, err := reader().Parse(in)
	require.EqualError(t, err, strings.Join([]string{
		"s.yaml:1:1: trial: the suite has no small sizes of its own; give it a block trial:, or leave --trial out",
		`-P: "workloada" is a properties file, and a suite file says all that such files say; put its settings under properties: or set them with -p`,
		"-p: phase: a suite's datasets and scenarios say what is loaded and what is run; leave it out",
		"-p: recordcuont: unknown property; did you mean recordcount?",
		`--var: quorum: unknown variable "quorum" (there is none)`,
	}, "\n"))
}

func TestIncludes(t *testing.T) {
	const main = "suite: s\ninclude: [common.yaml, sub/more.yaml]\nproperties: {recordcount: 1}\nscenarios: [{name: a}]\n"
	in := suiteOf(main)
	in.Suite.Name = "dir/s.yaml"
	require.Equal(t, []string{"dir/common.yaml", "dir/sub/more.yaml"}, reader().Needs(in))
	in.Attachments = map[string][]byte{
		"dir/common.yaml":    []byte("properties: {recordcount: 2, operationcount: 2, threadcount: 2}\n"),
		"dir/sub/more.yaml":  []byte("include: [third.yaml]\nproperties: {operationcount: 3}\nscenarios: [{name: b}, {name: c}]\n"),
		"dir/sub/third.yaml": []byte("properties: {operationcount: 4, fieldcount: 4, hbase.splits.file: points, db: hbase, columnfamily: f}\n"),
		"dir/sub/points":     []byte("m\n"),
	}
	delete(in.Attachments, "dir/sub/third.yaml")
	require.Equal(t, []string{"dir/sub/third.yaml"}, reader().Needs(in))
	_, _, err := reader().Parse(in)
	require.EqualError(t, err, `dir/sub/more.yaml:1:11: include: there is no file "dir/sub/third.yaml" where you submit from, or it cannot be read; a name is relative to the file that includes it`)
	in.Attachments["dir/sub/third.yaml"] = []byte("properties: {operationcount: 4, fieldcount: 4, hbase.splits.file: points, db: hbase, columnfamily: f, hbase.zookeeper.quorum: zk}\n")
	require.Empty(t, reader().Needs(in))
	require.Equal(t, []string{"dir/common.yaml", "dir/sub/third.yaml", "dir/sub/more.yaml"}[0], reader().Includes(in)[0])
	s, _, err := reader().Parse(in)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, caseNames(s), "lists are replaced")
	w := s.Cases[0].Settings
	require.Equal(t, int64(1), w.Workload.RecordCount, "the file's own settings win")
	require.Equal(t, int64(3), w.Workload.OperationCount, "a later one wins over an earlier one, and a file over those that it includes")
	require.Equal(t, 4, w.Workload.FieldCount)
	require.Equal(t, 2, w.Threads)
	require.Equal(t, "m", s.Cases[0].Properties[hbasespec.SplitKeys])

	in.Attachments["dir/sub/third.yaml"] = []byte("include: [more.yaml, ../s.yaml]\nproperties: {fieldcuont: 1}\n")
	_, _, err = reader().Parse(in)
	require.EqualError(t, err, strings.Join([]string{
		"dir/sub/third.yaml:1:11: include: dir/sub/more.yaml includes itself: dir/s.yaml → dir/sub/more.yaml → dir/sub/third.yaml → dir/sub/more.yaml",
		"dir/sub/third.yaml:1:22: include: dir/s.yaml includes itself: dir/s.yaml → dir/sub/more.yaml → dir/sub/third.yaml → dir/s.yaml",
		"dir/sub/third.yaml:2:14: fieldcuont: unknown property; did you mean fieldcount?",
	}, "\n"))
}
