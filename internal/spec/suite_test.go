package spec_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// reader returns a Reader of benchd's targets.
func reader() *spec.Reader {
	return spec.NewReader(nullspec.Target(), hbasespec.Target(), hbasespec.Sandbox())
}

// suiteOf returns a submission of a suite file.
func suiteOf(content string) spec.Submission {
	return spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(content)}}
}

func caseNames(s *plan.Suite) []string {
	var names []string
	for _, c := range s.Cases {
		names = append(names, c.Name)
	}
	return names
}

const example = `
suite: example
note: of a test
tags: {team: storage}
variables: {quorum: 10.0.0.1}
properties: {db: hbase, columnfamily: family, threadcount: 10, duration: 30s, hbase.table.create: recreate}
targets:
  A: {hbase.zookeeper.quorum: "${quorum}", table: usertable_a}
  B: {hbase.zookeeper.quorum: "${quorum}", table: usertable_b}
datasets:
  plain:
    properties: {recordcount: 10000, threadcount: 4, hbase.splits: 20}
  there: {properties: {recordcount: 5}, load: false}
scenarios:
  - name: read only
    dataset: plain
    targets: [A, B]
    properties: {readproportion: 1, updateproportion: 0}
    matrix: {threadcount: [10, 20], requestdistribution: [uniform, zipfian]}
    repeats: 3
    published:
      - {run: 1, threads: 10, target: A, throughput_ops: 3881.5, words: null}
      - {run: 1, threads: 20, target: B, throughput_ops: 4000}
  - name: by cases
    dataset: there
    cases:
      - {recordcount: 5000, operationcount: 100}
      - {recordcount: 6000, operationcount: 200, agents: 2}
    agents: 1
order: abba
on-failure: continue
tables:
  - {title: Reads, scenarios: [read only], columns: [threads, target, throughput_ops], repeats: true}
trial:
  variables: {quorum: 127.0.0.1}
  datasets: {plain: {properties: {recordcount: 100}}}
  scenarios:
    read only: {repeats: 1, properties: {operationcount: 7000}}
    by cases: {cases: [{recordcount: 50}]}
`

func TestASuiteBecomesCases(t *testing.T) {
	s, warnings, err := reader().Parse(suiteOf(example))
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, []string{
		"fill plain on A",
		"read only threadcount=10 requestdistribution=uniform on A",
		"fill plain on B",
		"read only threadcount=10 requestdistribution=uniform on B",
		"read only threadcount=10 requestdistribution=zipfian on A",
		"read only threadcount=10 requestdistribution=zipfian on B",
		"read only threadcount=20 requestdistribution=uniform on A",
		"read only threadcount=20 requestdistribution=uniform on B",
		"read only threadcount=20 requestdistribution=zipfian on A",
		"read only threadcount=20 requestdistribution=zipfian on B",
		"by cases recordcount=5000 operationcount=100",
		"by cases recordcount=6000 operationcount=200 agents=2",
	}, caseNames(s))
	require.Equal(t, plan.Interleaved, s.Order)
	require.Equal(t, plan.GoOn, s.OnFailure)
	require.Equal(t, []plan.Table{{Title: "Reads", Scenarios: []string{"read only"}, Columns: []string{"threads", "target", "throughput_ops"}, Repeats: true}}, s.Tables)
	require.Equal(t, map[string]string{"team": "storage"}, s.Tags)

	fill := s.Cases[0]
	require.True(t, fill.Fills)
	require.True(t, fill.Settings.Load)
	require.False(t, fill.Settings.Run)
	require.Zero(t, fill.Settings.Duration, "the suite's settings of measuring do not bound a fill")
	require.Equal(t, 4, fill.Settings.Threads)
	require.Equal(t, "recreate", fill.Properties["hbase.table.create"])
	require.Equal(t, "usertable_a", fill.Properties["table"])

	one := s.Cases[1]
	require.Equal(t, "plain", one.Dataset)
	require.Equal(t, "A", one.Target)
	require.Equal(t, 3, one.Repeats)
	require.Equal(t, []plan.Setting{{Key: "threadcount", Value: "10"}, {Key: "requestdistribution", Value: "uniform"}}, one.Axes)
	require.Equal(t, 10, one.Settings.Threads)
	require.Equal(t, 30*time.Second, one.Settings.Duration)
	require.Equal(t, "10.0.0.1", one.Properties["hbase.zookeeper.quorum"])
	require.NotContains(t, one.Properties, "hbase.table.create", "a case that reads a dataset does not create its table again")
	require.Equal(t, []map[string]any{{"run": int64(1), "threads": int64(10), "target": "A", "throughput_ops": 3881.5, "words": nil}}, one.Published)
	require.Empty(t, s.Cases[3].Published)

	last := s.Cases[11]
	require.Equal(t, 2, last.Agents)
	require.Equal(t, 1, s.Cases[10].Agents)
	require.Equal(t, int64(200), last.Settings.Workload.OperationCount)
}

func TestCasesOfDifferentDatasetsThatInsertIntoOneTableAreAWarning(t *testing.T) {
	const two = `suite: s
properties: {db: hbase, columnfamily: f, hbase.zookeeper.quorum: zk, table: t, operationcount: 10, readproportion: 0, updateproportion: 0}
datasets:
  a: {properties: {recordcount: 100}}
  b: {properties: {recordcount: 100%s}}
scenarios:
  - {name: x, dataset: a, properties: {insertproportion: 1}}
  - {name: y, dataset: b, properties: {readproportion: 1}}
`
	_, warnings, err := reader().Parse(suiteOf(fmt.Sprintf(two, "")))
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0].String(), "s.yaml:5:3: inserts into table t, as does s.yaml:4:3")

	_, warnings, err = reader().Parse(suiteOf(fmt.Sprintf(two, ", table: other")))
	require.NoError(t, err)
	require.Empty(t, warnings)
}

func TestATrialIsAppliedOverASuite(t *testing.T) {
	in := suiteOf(example)
	in.Trial = true
	s, _, err := reader().Parse(in)
	require.NoError(t, err)
	require.True(t, s.Trial)
	require.Equal(t, int64(100), s.Cases[0].Settings.Workload.RecordCount)
	require.Equal(t, 1, s.Cases[1].Repeats)
	require.Equal(t, "127.0.0.1", s.Cases[1].Properties["hbase.zookeeper.quorum"])
	require.Equal(t, int64(7000), s.Cases[1].Settings.Workload.OperationCount)
	require.Len(t, s.Cases[1].Published, 1, "axes that a trial leaves alone are found")
	require.Equal(t, "by cases recordcount=50", s.Cases[10].Name)
}

func TestTheCommandLineWinsOverASuite(t *testing.T) {
	in := suiteOf(example)
	in.Properties = []spec.Setting{{Key: "recordcount", Value: "77"}}
	in.Flags = []spec.Setting{{Key: "threads.total", Value: "6", Origin: "--threads-total"}}
	in.Variables = []spec.Setting{{Key: "quorum", Value: "zk"}}
	in.Name, in.Tags = "other", map[string]string{"ticket": "1"}
	s, _, err := reader().Parse(in)
	require.NoError(t, err)
	require.Equal(t, "other", s.Name)
	require.Equal(t, map[string]string{"team": "storage", "ticket": "1"}, s.Tags)
	for _, c := range s.Cases[:10] {
		require.Equal(t, int64(77), c.Settings.Workload.RecordCount, c.Name)
		require.Equal(t, 6, c.Settings.ThreadsTotal, c.Name)
		require.Equal(t, "zk", c.Properties["hbase.zookeeper.quorum"], c.Name)
	}
}

func ofManyCases() spec.Submission {
	values := make([]string, 2500)
	for i := range values {
		values[i] = strconv.Itoa(i + 1)
	}
	return suiteOf("suite: many\nproperties: {db: 'null'}\nscenarios:\n  - name: a\n    matrix:\n      operationcount: [" + strings.Join(values, ",") + "]\n      threadcount: [1, 2]\n")
}

func TestASuiteMayHaveManyCases(t *testing.T) {
	s, _, err := reader().Parse(ofManyCases())
	require.NoError(t, err)
	require.Len(t, s.Cases, 5000)
	require.Equal(t, "a operationcount=2500 threadcount=2", s.Cases[4999].Name)
}

func BenchmarkParseOf5000Cases(b *testing.B) {
	s := ofManyCases()
	for b.Loop() {
		if _, _, err := reader().Parse(s); err != nil {
			b.Fatal(err)
		}
	}
}
