package suites_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

const folder = "../../configs/suites/"

// benchmark is a benchmark of published.yaml.
type benchmark struct {
	ID     string          `yaml:"id"`
	Tables []table         `yaml:"tables"`
	Cases  []publishedCase `yaml:"cases"`
}

type table struct {
	Name    string `yaml:"name"`
	Product string `yaml:"product"`
	Split   *struct {
		Prefix string   `yaml:"prefix"`
		From   int      `yaml:"from"`
		To     int      `yaml:"to"`
		N      int      `yaml:"n_splits"`
		Points []string `yaml:"points"`
	} `yaml:"split"`
}

// publishedCase is a case of a published benchmark.
type publishedCase struct {
	ID     string         `yaml:"id"`
	Sweep  string         `yaml:"sweep"`
	Params map[string]any `yaml:"params"`
	Ran    *struct {
		Threads    int64 `yaml:"threads"`
		Operations int64 `yaml:"operations"`
	} `yaml:"ran"`
	Results []map[string]any `yaml:"results"`
	Average map[string]any   `yaml:"average"`
}

func published(t *testing.T) []benchmark {
	t.Helper()
	content, err := os.ReadFile(folder + "published.yaml")
	require.NoError(t, err)
	var all struct {
		Benchmarks []benchmark `yaml:"benchmarks"`
	}
	require.NoError(t, yaml.Unmarshal(content, &all))
	return all.Benchmarks
}

func read(t *testing.T, name string, trial bool) *plan.Suite {
	t.Helper()
	content, err := os.ReadFile(folder + name)
	require.NoError(t, err)
	in := spec.Submission{Suite: &spec.File{Name: name, Content: content}, Trial: trial, Attachments: make(map[string][]byte)}
	for _, needed := range all.Targets().Reader().Needs(in) {
		in.Attachments[needed], err = os.ReadFile(folder + needed)
		require.NoError(t, err)
	}
	s, warnings, err := all.Targets().Reader().Parse(in)
	require.NoError(t, err)
	require.Empty(t, warnings)
	return s
}

func files() map[string]string {
	return map[string]string{"r1": "r1-tdh.yaml", "r2": "r2-cdh-4tb.yaml", "r3": "r3-video-cloud.yaml", "r4": "r4-storage-ab.yaml", "r5": "r5-nosql.yaml"}
}

// id returns the published case of a scenario: the scenario's name begins with it.
func id(scenario string) string { return strings.Fields(scenario)[0] }

func TestTheSuitesHaveExactlyThePublishedCases(t *testing.T) {
	for _, b := range published(t) {
		t.Run(b.ID, func(t *testing.T) {
			s := read(t, files()[b.ID], false)
			got := make(map[string][]string)
			for _, c := range s.Cases {
				if !c.Fills {
					got[id(c.Scenario)] = append(got[id(c.Scenario)], line(t, s, c))
				}
			}
			want := make(map[string][]string)
			for _, c := range b.Cases {
				want[c.ID] = c.lines(b)
			}
			for _, lists := range []map[string][]string{got, want} {
				for _, list := range lists {
					slices.Sort(list)
				}
			}
			for _, c := range b.Cases {
				require.Equal(t, want[c.ID], got[c.ID], "cases of %s", c.ID)
			}
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), "no case is left out, and none is made up")
		})
	}
}

// line describes a case of a suite in the form of publishedCase.lines.
func line(t *testing.T, s *plan.Suite, c plan.Case) string {
	t.Helper()
	w, p := c.Settings.Workload, c.Settings.Workload.Proportions
	if _, action := c.Properties["actions"]; action && c.Settings.Duration > 0 {
		rows := w.RecordCount
		if id(c.Scenario) == "r4-11" {
			rows = 0 // not published
		}
		return fmt.Sprintf("rows %d, actions", rows)
	}
	ops, mix := w.OperationCount, fmt.Sprintf("read %g update %g insert %g scan %g rmw %g increment %g", p.Read, p.Update, p.Insert, p.Scan, p.ReadModifyWrite, p.Increment)
	if c.Settings.Load {
		ops, mix = w.LoadCount(), "read 0 update 0 insert 1 scan 0 rmw 0 increment 0"
	}
	if strings.HasPrefix(c.Scenario, "r5") && !c.Settings.Load {
		ops = 0 // not published
	}
	threads := fmt.Sprintf("%d of each", c.Settings.Threads)
	if n := c.Settings.ThreadsTotal; n > 0 {
		threads = fmt.Sprintf("%d in all", n)
	}
	rows := w.RecordCount
	if id(c.Scenario) == "r4-7" {
		rows = 0 // not published
	}
	distribution := string(w.RequestDistribution)
	if p.Insert == 1 || c.Settings.Load {
		distribution = "any" // inserts have no distribution
	}
	scans := ""
	if p.Scan > 0 {
		scans = fmt.Sprintf(", scans to %d %s", w.MaxScanLength, w.ScanLengthDistribution)
	}
	return fmt.Sprintf("rows %d, ops %d, threads %s of %d, %s, %s%s, splits %s%s", rows, ops, threads, c.Agents, mix, distribution, scans, splits(t, s, c), mode(c))
}

// mode is the storage layer of a case of r4, and the product of one of r5.
func mode(c plan.Case) string {
	if strings.HasPrefix(c.Scenario, "r5") {
		return ", product " + c.Target
	}
	if c.Target == "" {
		return ""
	}
	text := ", mode " + c.Target[:1]
	if strings.HasPrefix(c.Scenario, "r4-9") {
		text += ", compacted " + strconv.FormatBool(c.Properties["actions"] != "")
	}
	return text
}

// splits returns the splits of the table when it is created: by the case that fills it, or by the case itself.
func splits(t *testing.T, s *plan.Suite, c plan.Case) string {
	t.Helper()
	maker := c
	for _, other := range s.Cases {
		if other.Fills && other.Dataset == c.Dataset && other.Target == c.Target {
			maker = other
		}
	}
	if maker.Name == c.Name && !c.Settings.Load {
		for _, other := range s.Cases { // a case that loads it
			if other.Settings.Load && other.Dataset == c.Dataset && other.Target == c.Target {
				maker = other
			}
		}
	}
	require.True(t, maker.Settings.Load, "nothing makes the table of %s", c.Name)
	if list := maker.Properties[hbasespec.SplitKeys]; list != "" {
		return list
	}
	n := maker.Properties["hbase.splits"]
	if n == "" {
		return "0" // another database
	}
	if formula := maker.Properties["hbase.splits.formula"]; formula != "quantiles" {
		return n + " over " + formula
	}
	return n
}

// lines describes the cases of a published one: one for each point of its sweep and each of its modes.
func (c publishedCase) lines(b benchmark) []string {
	if _, action := c.Params["action"]; action {
		return []string{fmt.Sprintf("rows %d, actions", whole(c.Params["recordcount"]))}
	}
	var out []string
	for _, r := range c.results() {
		product, _ := r["product"].(string)
		for i := range c.points() {
			if line := c.line(b, product, i) + modeOf(r); !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// results are the published results; an empty one if there are none.
func (c publishedCase) results() []map[string]any {
	if len(c.Results) == 0 {
		return []map[string]any{nil}
	}
	return c.Results
}

// modeOf is the part of a line that a result adds.
func modeOf(r map[string]any) string {
	text := ""
	if m, ok := r["product"]; ok {
		text = fmt.Sprintf(", product %s", m)
	}
	if m, ok := r["mode"]; ok {
		text = fmt.Sprintf(", mode %s", m)
	}
	if m, ok := r["major_compaction"]; ok {
		text += fmt.Sprintf(", compacted %t", m)
	}
	return text
}

func (c publishedCase) points() int {
	if list, ok := c.Params[c.Sweep].([]any); ok && c.Sweep != "major_compaction" {
		return len(list)
	}
	return 1
}

// at returns a parameter at a point of the sweep.
func (c publishedCase) at(name string, i int) int64 {
	if list, ok := c.Params[name].([]any); ok {
		return whole(list[i])
	}
	return whole(c.Params[name])
}

func whole(v any) int64 {
	n, _ := v.(int)
	return int64(n)
}

func (c publishedCase) line(b benchmark, product string, i int) string {
	clients := max(c.at("clients", i), 1)
	if b.ID == "r3" {
		clients = 6
	}
	threads, ops := c.at("threads", i), c.at("operationcount", i)
	if c.Sweep == "recordcount" {
		ops = c.at("recordcount", i) // one number is both
	}
	if c.Ran != nil {
		threads, ops = c.Ran.Threads, c.Ran.Operations
	}
	meaning := "of each"
	if c.Params["threads_meaning"] == "total" {
		meaning = "in all"
	}
	if c.Params["operationcount_meaning"] == "per_client" {
		ops *= clients
	}
	mix := c.Params["proportions"].(map[string]any)
	distribution := fmt.Sprint(c.Params["requestdistribution"])
	if fmt.Sprint(mix["insert"]) == "1" {
		distribution = "any"
	}
	scans := ""
	if fmt.Sprint(mix["scan"]) != "0" {
		scans = fmt.Sprintf(", scans to %v %v", c.Params["maxscanlength"], c.Params["scanlengthdistribution"])
	}
	return fmt.Sprintf("rows %d, ops %d, threads %d %s of %d, read %v update %v insert %v scan %v rmw %v increment %v, %s%s, splits %s",
		c.at("recordcount", i), ops, threads, meaning, clients, mix["read"], mix["update"], mix["insert"], mix["scan"], mix["rmw"], mix["increment"],
		distribution, scans, c.splits(b, product))
}

// splits returns the splits of the case's table: by its name, or as many as make its regions. Those of other products than HBase are not
// compared.
func (c publishedCase) splits(b benchmark, product string) string {
	if product != "" && product != "hbase" {
		return "0"
	}
	if n, ok := c.Params["n_splits"].(int); ok {
		return strconv.Itoa(n)
	}
	if n, ok := c.Params["regions"].(int); ok {
		return strconv.Itoa(n - 1)
	}
	name := c.Params["table"]
	if len(c.Results) > 0 && c.Results[0]["regions"] == 201 {
		name = "usertableSplit" // the report names usertable, which had at most five regions, but prints 201
	}
	for _, t := range b.Tables {
		switch {
		case t.Product != "" && t.Product != "hbase", name != nil && t.Name != name, t.Split == nil:
		case len(t.Split.Points) > 0:
			return strings.Join(t.Split.Points, ",")
		default:
			return fmt.Sprintf("%d over %d-%d", t.Split.N, t.Split.From, t.Split.To)
		}
	}
	return "0"
}

// The bulk import of r5 has what each product had: batches, a buffer of the client, or nothing.
func TestTheBulkImportOfEachProduct(t *testing.T) {
	seen := 0
	for _, c := range read(t, files()["r5"], false).Cases {
		if id(c.Scenario) != "r5-2" {
			continue
		}
		seen++
		batch := map[string]int{"sequoiadb": 3000, "mongodb": 3000, "hbase": 1, "cassandra": 1}[c.Target]
		require.Equal(t, batch, c.Settings.Workload.BatchSize, c.Name)
		require.Equal(t, map[bool]string{true: "4194304"}[c.Target == "hbase"], c.Properties["writebuffersize"], c.Name)
	}
	require.Equal(t, 4, seen)
}
