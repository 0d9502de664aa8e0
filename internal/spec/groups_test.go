package spec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/workload"
)

const grouped = `recordcount=1000
duration=10s
seed=7
threadcount=9
fieldlength=50
groups=reads,scans
group.reads.readproportion=1
group.reads.updateproportion=0
group.reads.rate=500
group.reads.arrival=poisson
group.scans.readproportion=0
group.scans.updateproportion=0
group.scans.scanproportion=1
group.scans.threadcount=2
group.scans.table=archive
group.scans.limit.errors=1%
`

func properties(text string) spec.Submission {
	return spec.Submission{Files: []spec.File{{Name: "p", Content: []byte(text)}}, Properties: []spec.Setting{{Key: "db", Value: "null"}}}
}

func TestAGroupHasItsOwnSettingsOverThoseOfTheCase(t *testing.T) {
	suite, warnings, err := reader().Parse(properties(grouped))
	require.NoError(t, err)
	require.Empty(t, warnings)
	c := suite.Cases[0]
	require.Len(t, c.Settings.Groups, 2)
	reads, scans := c.Settings.Groups[0], c.Settings.Groups[1]
	require.Equal(t, []string{"reads", "scans"}, []string{reads.Name, scans.Name})
	require.Equal(t, workload.Proportions{Read: 1}, reads.Settings.Workload.Proportions)
	require.Equal(t, pacing.Poisson, reads.Settings.Pacing.Arrival)
	require.Equal(t, plan.Open, reads.Loop())
	require.Equal(t, 9, reads.Settings.Threads, "that of the case")
	require.Equal(t, 2, scans.Settings.Threads)
	require.Equal(t, plan.Closed, scans.Loop())
	require.Equal(t, 50, scans.Settings.Workload.FieldLength)
	require.Equal(t, "usertable", reads.Properties["table"])
	require.Equal(t, "archive", scans.Properties["table"])
	require.InDelta(t, 0.01, scans.Settings.Limits.ErrorShare, 1e-9)
	require.NotEqual(t, reads.Settings.Workload.Seed, scans.Settings.Workload.Seed, "equal workers of two groups draw other keys")
	require.Equal(t, plan.Mixed, plan.Phases(c.Settings)[0].Loop)
	require.True(t, c.Settings.Issues(workload.Scan))
	require.False(t, c.Settings.Issues(workload.Update))

	again, err := reader().Resolve(c.Properties)
	require.NoError(t, err)
	require.Equal(t, c.Settings, again, "agents resolve the same groups")
}

// The operations of a group do not depend on the groups beside it.
func TestAGroupAloneIssuesTheSameOperations(t *testing.T) {
	both, _, err := reader().Parse(properties(grouped))
	require.NoError(t, err)
	alone := properties(grouped)
	alone.Properties = append(alone.Properties, spec.Setting{Key: "groups", Value: "reads"})
	one, _, err := reader().Parse(alone)
	require.NoError(t, err)
	require.Equal(t, both.Cases[0].Settings.Groups[:1], one.Cases[0].Settings.Groups)
}

func TestALoadIgnoresGroups(t *testing.T) {
	s := properties(grouped)
	s.Flags = []spec.Setting{{Key: "phase", Value: "load", Origin: "--phase"}}
	suite, _, err := reader().Parse(s)
	require.NoError(t, err)
	require.Empty(t, suite.Cases[0].Settings.Groups)
}

// unset returns the mistakes of groups without settings on line 4.
func unset(names ...string) string {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = "p:4: groups: group " + name + " has no settings; set its part, such as group." + name + ".readproportion=1"
	}
	return strings.Join(lines, "\n")
}

func TestMistakesInGroupsAreReportedTogether(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"each of them, once": {
			`duration=10s
recordcount=10
operationcount=5
groups=reads,writes,Scans,reads,a,b,c,d,e,f,g,reads
group.write.readproportion=1
`, `p:3: operationcount: groups work beside each other until a duration ends: remove operationcount, and set duration, such as duration=1m
p:4: groups: invalid name of a group "Scans": want a lower-case letter, and then up to 31 letters, digits and dashes, such as reads
p:4: groups: has group reads more than once; name it once
p:4: groups: has 9 groups; the maximum is 8
p:4: groups: group reads has no settings; set its part, such as group.reads.readproportion=1
p:4: groups: group writes has no settings; did you mean write?
` + unset("a", "b", "c", "d", "e", "f", "g"),
		},
		"a list with one mistake": {
			"recordcount=10\nduration=1s\ngroups=reads,reads,raeds\ngroup.reads.threadcount=none\n",
			`p:3: groups: has group reads more than once; name it once
p:3: groups: group raeds has no settings; did you mean reads?
p:4: group.reads.threadcount: invalid integer "none": want digits only, such as 1000`,
		},
		"names and values": {
			`recordcount=10
groups=reads,scnas
duration=1s
group.reads.readpropotion=1
group.reads.duration=5s
group.reads.threadcount=many
group.Reads.rate=1
group.scans.scanproportion=1
`, `p:2: groups: group scnas has no settings; did you mean scans?
p:4: group.reads.readpropotion: unknown property; did you mean group.reads.readproportion?
p:5: group.reads.duration: duration is the same for all groups of a case; set it for the case
p:6: group.reads.threadcount: invalid integer "many": want digits only, such as 1000
p:7: group.Reads.rate: invalid setting of a group of workers: want group.NAME.PROPERTY with a name of lower-case letters, digits and dashes, such as group.reads.readproportion`,
		},
		"what a case with groups cannot have": {
			`recordcount=10
operationcount=100
warmup.ops=5
groups=a,b
group.a.insertproportion=1
group.b.insertproportion=1
group.b.table=other
`, `p:2: operationcount: groups work beside each other until a duration ends: remove operationcount, and set duration, such as duration=1m
p:3: warmup.ops: groups warm up for a time: remove warmup.ops, and set warmup, such as warmup=30s
p:6: group.b.insertproportion: group b inserts into table other, but the rows of a case are those of its own table, usertable; let it insert there, or update rows instead
p:6: group.b.insertproportion: groups a and b both insert, and would insert the same rows; let one of them insert, or update rows instead`,
		},
		"no end": {
			"recordcount=10\ngroups=a\ngroup.a.readproportion=1\n",
			"p:2: groups: groups work beside each other until a duration ends, and duration is not set; set it, such as duration=1m",
		},
		"a combination within a group": {
			"recordcount=10\nduration=1s\ngroups=a\ngroup.a.arrival=poisson\n",
			"p:4: group.a.arrival: poisson needs a rate; write the operations per second, such as rate=1000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(properties(test.text))
			require.EqualError(t, err, test.want)
		})
	}
}

func TestGroupsOfASuite(t *testing.T) {
	suite, warnings, err := reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(lines(
		"properties: {db: 'null', recordcount: 100, duration: 1s}",
		"scenarios:",
		"  - name: both",
		"    groups:",
		"      reads: {readproportion: 1, updateproportion: 0, rate: 100, arrival: fixed}",
		"      scans: {readproportion: 0, updateproportion: 0, scanproportion: 1}",
		"    matrix: {groups: [reads, 'reads,scans'], group.scans.maxscanlength: [10, 20]}",
		"tables: [{title: t, scenarios: [both], columns: [groups, reads.throughput_ops, reads.read_p99_ms, scans.scan_count, reads.offered_ops]}]",
	))}})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Len(t, suite.Cases, 4)
	require.Equal(t, "both groups=reads group.scans.maxscanlength=10", suite.Cases[0].Name)
	require.Len(t, suite.Cases[0].Settings.Groups, 1)
	require.Len(t, suite.Cases[3].Settings.Groups, 2)
	require.Equal(t, 20, suite.Cases[3].Settings.Groups[1].Settings.Workload.MaxScanLength)
}

func TestMistakesInTheGroupsOfASuiteHaveTheirPlaces(t *testing.T) {
	_, _, err := reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(lines(
		"properties: {db: 'null', recordcount: 100, duration: 1s}",
		"scenarios:",
		"  - name: both",
		"    groups:",
		"      reads: {readpropotion: 1, warmup: 5s}",
		"      scans: {scanproportion: much}",
		"      Bad: {rate: 5}",
		"      list: [1]",
		"  - name: columns",
		"    groups: {reads: {readproportion: 1, updateproportion: 0}}",
		"tables: [{title: t, scenarios: [columns], columns: [reads.scan_p99_ms, read_p99_ms, other.read_p99_ms]}]",
	))}})
	require.EqualError(t, err, `s.yaml:5:15: group.reads.readpropotion: unknown property; did you mean group.reads.readproportion?
s.yaml:5:33: group.reads.warmup: warmup is the same for all groups of a case; set it for the case
s.yaml:6:31: group.scans.scanproportion: invalid number "much": want a decimal number, such as 0.5
s.yaml:7:7: groups: invalid name of a group "Bad": want a lower-case letter, and then up to 31 letters, digits and dashes, such as reads
s.yaml:7:13: group.Bad.rate: invalid setting of a group of workers: want group.NAME.PROPERTY with a name of lower-case letters, digits and dashes, such as group.reads.readproportion
s.yaml:8:13: list: want a map of names to values, got a list`)
}

func TestColumnsOfGroupsThatStayEmpty(t *testing.T) {
	_, _, err := reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(lines(
		"properties: {db: 'null', recordcount: 100, duration: 1s}",
		"scenarios:",
		"  - name: a",
		"    groups: {reads: {readproportion: 1, updateproportion: 0}}",
		"tables: [{title: t, scenarios: [a], columns: [reads.scan_p99_ms, read_p99_ms, other.read_p99_ms, reads.offered_ops]}]",
	))}})
	require.EqualError(t, err, `s.yaml:5:47: columns: "reads.scan_p99_ms" stays empty: no case of the table's scenarios issues SCAN in group reads; remove it, or add a scenario that does
s.yaml:5:66: columns: "read_p99_ms" stays empty: no case of the table's scenarios issues READ outside of its groups (write the group first, such as reads.read_p99_ms); remove it, or add a scenario that does
s.yaml:5:79: columns: "other.read_p99_ms" stays empty: no case of the table's scenarios has a group other; remove it, or add a scenario that does
s.yaml:5:98: columns: "reads.offered_ops" stays empty: no case of the table's scenarios is an open loop in group reads (arrival: fixed or poisson); remove it, or add a scenario that does`)
}
