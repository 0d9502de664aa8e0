package spec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// lines joins the lines of a file.
func lines(texts ...string) string { return strings.Join(texts, "\n") + "\n" }

const fine = "suite: s\nproperties: {db: 'null', operationcount: 5}\nscenarios: [{name: a}]\n"

func TestMistakesInASuiteAreReportedWithTheirPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    []string
	}{
		"an unknown key": {
			lines("suite: s", "scenaros: []", "scenarios: [{name: a, porperties: {}}]"),
			[]string{
				`s.yaml:2:1: unknown key "scenaros"; did you mean scenarios? (one of suite, note, tags, include, variables, properties, targets, datasets, scenarios, order, on-failure, schedule, tables, charts, trial)`,
				`s.yaml:3:23: unknown key "porperties"; did you mean properties? (one of name, note, dataset, targets, properties, groups, per-target, matrix, cases, repeats, agents, actions, before, search, published)`,
			},
		},
		"a schedule": {
			lines("suite: s", "properties: {db: 'null', operationcount: 5}", "scenarios: [{name: a}]", "schedule: {cron: '60 2 * * 8', timezone: Asia/Shangai, evry: 1h}"),
			[]string{
				`s.yaml:4:18: cron: invalid minute "60" of a cron expression: want *, numbers from 0 to 59, ranges (0-4), steps (*/2) or a list of them with commas`,
				`s.yaml:4:18: cron: invalid day of the week "8" of a cron expression: want *, numbers from 0 to 7, sun to sat, ranges (0-4), steps (*/2) or a list of them with commas`,
				`s.yaml:4:42: timezone: unknown time zone "Asia/Shangai": want a name of the IANA database, such as UTC, Asia/Shanghai or Europe/Berlin`,
				`s.yaml:4:56: unknown key "evry"; did you mean every? (one of every, cron, timezone)`,
			},
		},
		"a schedule without due times": {
			fine + "schedule: nightly\n", []string{`s.yaml:4:11: schedule: want a map, got a single value; write {every: 24h}, or {cron: "0 2 * * *", timezone: Asia/Shanghai}`},
		},
		"an empty schedule":            {fine + "schedule: {timezone: UTC}\n", []string{`s.yaml:4:11: schedule: has no due times; add every: 24h, or cron: "0 2 * * *"`}},
		"two kinds of due times":       {fine + "schedule: {every: 1h, cron: 0 2 * * *}\n", []string{"s.yaml:4:29: cron: cannot be combined with every; remove one of them"}},
		"a period without a unit":      {fine + "schedule: {every: 24}\n", []string{`s.yaml:4:19: every: invalid duration "24": want a number with a unit, such as 24h or 30m`}},
		"a period that is too short":   {fine + "schedule: {every: 10ms}\n", []string{"s.yaml:4:19: every: invalid period 10ms: want 1s to 8784h"}},
		"a period with a time zone":    {fine + "schedule: {every: 1h, timezone: UTC}\n", []string{"s.yaml:4:33: timezone: has no effect on a period; use it with cron, or remove it"}},
		"a tag that the schedule sets": {fine + "schedule: {every: 1h}\ntags: {schedule: x}\n", []string{"s.yaml:4:19: tags: the tag schedule is set by the schedule, to its name; remove it from the tags"}},
		"a suite longer than its period": {
			lines("properties: {db: 'null', duration: 5m, warmup: 1m}", "scenarios: [{name: a, repeats: 3}]", "schedule: {every: 15m}"),
			[]string{"s.yaml:3:19: schedule: every 15m is due again after 15m, but the suite takes about 18m (3 runs); make its runs shorter, or the time between them longer"},
		},
		"an unknown property, at every level, is reported once": {
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
		"a target that the scenario does not run on": {
			lines("properties: {db: 'null', operationcount: 5}", "targets: {A: {}, B: {}}", "scenarios: [{name: a, targets: [A], per-target: {B: {threadcount: 2}}}]",
				"trial: {scenarios: {a: {per-target: {A: {threadcount: x}}}}}"),
			[]string{
				`s.yaml:3:50: unknown target of the scenario "B" (one of A)`,
				`s.yaml:4:55: threadcount: invalid integer "x": want digits only, such as 1000`,
			},
		},
		"another binding's property": {
			lines("properties: {cassandra.readconsistencylevel: ONE}", "scenarios: [{name: a}]"),
			[]string{"s.yaml:1:14: cassandra.readconsistencylevel: unknown property: properties with the prefix cassandra. belong to a YCSB binding that is not used here; remove it"},
		},
		"an invalid value that many cases have is reported once": {
			lines("properties: {recordcount: 1k}", "scenarios:", "  - name: a", "    matrix: {threadcount: [1, many], fieldcount: [1, 2]}", "    properties:", "      limit.errors: loud"),
			[]string{
				`s.yaml:1:27: recordcount: invalid integer "1k": write 1000`,
				`s.yaml:4:31: threadcount: invalid integer "many": want digits only, such as 1000`,
				`s.yaml:6:21: limit.errors: invalid share "loud": want a number such as 0.001 or 0.1%`,
			},
		},
		"wrong types": {
			lines("suite: [s]", "tags: x", "properties: [a]", "targets: 5", "datasets: [d]", "order: ABBA", "on-failure: go", "scenarios:",
				"  - name: a", "    repeats: 0", "    agents: two", "    actions: {at: 60s}", "    matrix: {threadcount: 10}", "    cases: {threadcount: 1}", "    published: x",
				"    properties: {hbase: {splits: 1}}", "  - b"),
			[]string{
				"s.yaml:1:8: suite: want a single value, got a list",
				"s.yaml:2:7: tags: want a map of names to values, got a single value",
				"s.yaml:3:13: properties: want a map of names to values, got a list",
				"s.yaml:4:10: targets: want a map of names to values, got a single value",
				"s.yaml:5:11: datasets: want a map of names to values, got a list",
				`s.yaml:6:8: order: unknown value "ABBA"; did you mean abba? (one of sequential, abba)`,
				`s.yaml:7:13: on-failure: unknown value "go" (one of stop, continue)`,
				`s.yaml:10:14: repeats: invalid integer "0": want 1 to 1000`,
				`s.yaml:11:13: agents: invalid integer "two": want 1 to 10000`,
				"s.yaml:12:14: actions: want a list, got a map; write - {at: 60s, do: major_compact}",
				"s.yaml:13:27: threadcount: want a list of values, such as [10, 20]",
				"s.yaml:14:12: cases: want a list, got a map; write - {threadcount: 10, recordcount: 1000}",
				"s.yaml:15:16: published: want a list, got a single value; write - {run: 1, throughput_ops: 3881}",
				"s.yaml:16:18: hbase: want a single value, got a map; write the full name of a property before the colon, such as telemetry.interval: 1s",
				"s.yaml:17:5: scenarios: want a map of names to values, got a single value",
			},
		},
		"unknown names": {
			lines("targets: {A: {}, B: {}}", "datasets: {plain: {}}", "variables: {quorum: zk}", "scenarios:", "  - {name: a, dataset: plian, targets: [C], note: '${qourum}'}", "tables:",
				"  - {title: t, scenarios: [aa, b], columns: [threads]}", "trial:", "  scenarios: {read: {repeats: 1}}", "  targets: {a: {}}"),
			[]string{
				`s.yaml:5:24: unknown dataset "plian"; did you mean plain? (one of plain)`,
				`s.yaml:5:41: unknown target "C" (one of A, B)`,
				`s.yaml:5:51: unknown variable "qourum"; did you mean quorum? (one of quorum)`,
				`s.yaml:7:28: scenarios: unknown scenario "aa" (one of a)`,
				`s.yaml:7:32: scenarios: unknown scenario "b" (one of a)`,
				`s.yaml:9:15: trial: unknown scenario "read" (one of a)`,
				`s.yaml:10:13: trial: unknown target "a"; did you mean A? (one of A, B)`,
			},
		},
		"duplicate names": {
			lines("suite: s", "suite: t", "scenarios:", "  - {name: a, cases: [{threadcount: 1}, {threadcount: 1}]}", "  - {name: b}", "  - {name: b}", "  - {name: ''}"),
			[]string{
				"s.yaml:2:1: suite: duplicate name, first at s.yaml:1:1; remove one of them",
				`s.yaml:4:12: name: duplicate case name "a threadcount=1", first at s.yaml:4:12; remove one of them`,
				`s.yaml:6:12: name: duplicate scenario name "b", first at s.yaml:5:12; give each scenario its own name`,
				"s.yaml:7:5: name: missing; give the scenario a name",
			},
		},
		"a target and a dataset that conflict": {
			lines("targets: {A: {table: a}}", "datasets: {d: {properties: {table: b, recordcount: 1}}}", "scenarios: [{name: x, dataset: d}]"),
			[]string{`s.yaml:2:36: table: is "b" here and "a" for target A (s.yaml:1:22), and scenario x uses both; remove one`},
		},
		"a published line of no case": {
			lines("scenarios:", "  - name: a", "    matrix: {threadcount: [10, 20]}", "    published:", "      - {threads: 10, throughput_ops: 5}", "      - {threads: 30, throughput_ops: 6}"),
			[]string{"s.yaml:6:9: published: matches no case: no case has the values of the axes and targets that the line names; correct them, or remove the line"},
		},
		"actions": {
			lines("scenarios:", "  - name: a", "    actions: [{at: 60s}, {do: flush}, {at: 1s, do: 'a; b'}, {at: 1s, od: flush}, x]"),
			[]string{
				"s.yaml:3:15: do: missing; write the action, such as do: major_compact",
				"s.yaml:3:26: at: missing; write the time of the action since the start of measuring, such as at: 60s",
				"s.yaml:3:52: do: contains a semicolon; write each action as its own entry",
				"s.yaml:3:61: do: missing; write the action, such as do: major_compact",
				`s.yaml:3:70: unknown key "od"; did you mean do? (one of at, do)`,
				"s.yaml:3:82: actions: want a map of names to values, got a single value",
			},
		},
		"the time of an action": {
			lines("properties: {db: hbase, columnfamily: f, duration: 5m}", "scenarios:", "  - {name: a, actions: [{at: soon, do: flush}]}"),
			[]string{`s.yaml:3:30: actions: invalid time "soon": want a duration since the start of measuring, as in 60s major_compact`},
		},
		"an unknown action is reported once at its place": {
			lines("properties: {db: hbase, columnfamily: f, duration: 5m}", "scenarios:", "  - name: a", "    actions:", "      - {at: 60s, do: major_compact}", "      - {at: 90s, do: majr_compact}",
				"  - {name: b, properties: {db: 'null'}, actions: [{at: 60s, do: flush}]}", "  - {name: c, before: [flsh]}"),
			[]string{
				`s.yaml:6:23: actions: unknown action "majr_compact"; did you mean major_compact?`,
				"s.yaml:7:50: actions: target null does not support flush; it supports hook",
				`s.yaml:8:23: before.run: action "flsh" is not available before a run (one of flush, compact, major_compact, split, balance, wait_for_quiet, snapshot, restore, delete_snapshot, truncate)`,
			},
		},
		"an invalid fault, or a fault without a sandbox": {
			lines("properties: {db: sandbox, duration: 5m, hbase.zookeeper.quorum: 127.0.0.1}", "scenarios:", "  - name: a", "    actions:",
				"      - {at: 10s, do: fault kill-server length=20s}", "      - {at: 30s, do: 'fault latency delay=exponential,5ms op=gte,scan share=20%'}", "      - {at: 50s, do: clear_faults}",
				"  - {name: b, properties: {db: hbase, columnfamily: f}, actions: [{at: 60s, do: fault stall length=5s}]}"),
			[]string{
				"s.yaml:5:23: actions: fault kill-server: server: must name one region server: write its number or address, as `benchctl sandbox servers` lists them",
				`s.yaml:6:23: actions: fault latency: op: unknown kind of call "gte"; did you mean "get"?`,
				"s.yaml:8:66: actions: target hbase does not support fault; it supports balance, balancer, compact, delete_snapshot, disable, enable, flush, major_compact, move, snapshot, split, wait_for_quiet, hook",
			},
		},
		"an unused trial block is validated too": {
			lines("scenarios: [{name: a}]", "trial:", "  properties: {recordcount: x}", "  scenarios:", "    a: {repaets: 1, matrix: {threads: [no]}}", "  tables: []"),
			[]string{
				`s.yaml:3:29: recordcount: invalid integer "x": want digits only, such as 1000`,
				`s.yaml:5:9: unknown key "repaets"; did you mean repeats? (one of properties, groups, per-target, matrix, cases, repeats, agents, actions, before, search)`,
				`s.yaml:5:40: threads: invalid integer "no": want digits only, such as 1000`,
				`s.yaml:6:3: unknown key "tables"; did you mean targets? (one of variables, properties, targets, datasets, scenarios)`,
			},
		},
		"nothing to do": {"suite: s\n", []string{"s.yaml:1:1: scenarios: missing; a suite needs at least one scenario, such as - {name: read only, properties: {readproportion: 1}}"}},
		"an empty file": {"", []string{"s.yaml:1:1: is empty; a suite needs at least a name and scenarios"}},
		"a list":        {"- a\n", []string{"s.yaml:1:1: want a map of names to values, got a list; begin the file with suite: NAME"}},
		"two documents": {fine + "---\nsuite: t\n", []string{"s.yaml:4:1: a second YAML document begins here; remove the ---"}},
		"an alias of itself": {
			"suite: s\nproperties: &p\n  a: *p\nscenarios: [{name: a}]\n",
			[]string{
				"s.yaml:2:13: is nested more than 24 levels deep; remove levels",
				"s.yaml:3:3: a: want a single value, got a map; write the full name of a property before the colon, such as telemetry.interval: 1s",
			},
		},
		"broken YAML": {
			"suite: s\nscenarios:\n  - name: a\n    matrix: {threadcount: [1, 2}\n",
			[]string{"s.yaml:4:"},
		},
		"a tab": {"suite: s\nproperties:\n\trecordcount: 5\n", []string{"s.yaml:3:"}},
		"a matrix that explodes": {
			"scenarios:\n  - name: a\n    matrix: {" + axisOf("threadcount") + ", " + axisOf("recordcount") + ", " + axisOf("operationcount") + "}\n",
			[]string{"s.yaml:2:11: the suite has more than 5000 cases or 20000 runs; remove values from the matrix, or split the suite"},
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

func TestMistakesOnTheCommandLineOfASuite(t *testing.T) {
	in := suiteOf(fine)
	in.Files = []spec.File{{Name: "workloada", Content: []byte("recordcount=1")}}
	in.Properties = []spec.Setting{{Key: "recordcuont", Value: "1"}, {Key: "phase", Value: "load"}}
	in.Variables = []spec.Setting{{Key: "quorum", Value: "zk", Origin: "--var"}}
	in.Trial = true
	_, _, err := reader().Parse(in)
	require.EqualError(t, err, strings.Join([]string{
		"s.yaml:1:1: trial: the suite has no trial block; add trial: with small sizes, or remove --trial",
		`-P: "workloada" is a properties file, which cannot be combined with a suite file; move its settings to properties: in the suite, or set them with -p`,
		"-p: phase: the datasets and scenarios of a suite decide what is loaded and run; remove it",
		"-p: recordcuont: unknown property; did you mean recordcount?",
		`--var: quorum: unknown variable "quorum" (none is defined)`,
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
	require.EqualError(t, err, `dir/sub/more.yaml:1:11: include: file "dir/sub/third.yaml" is missing or not readable on the machine that you submit from; the name is relative to the file that includes it`)
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
