package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

const usersTemplate = "{tenant:zipf(1000)}-{ts:reverse}-{seq:hash}"

// All mistakes in the user's own keys and values are reported in one go, each with its place, and its column in the template.
func TestMistakesInUserDataAreReportedTogether(t *testing.T) {
	s := Submission{
		Files: []File{file("w.properties", "recordcount=1000\noperationcount=5\nkey.template={tenant:zipf(x)}-{seq:hsh}-{t:zipf(5\n"+
			"value.ratio=0.2\nfieldlengthdistribution=sample\nvalue.sizes=sizes.txt\nzeropaddin=3\n")},
		Attachments: map[string][]byte{"sizes.txt": []byte("100\n1k\n 200 0\n")},
	}
	require.Equal(t, []string{"sizes.txt"}, reader().Needs(s))
	_, _, err := reader().Parse(s)
	require.EqualError(t, err, strings.Join([]string{
		`w.properties:3: key.template: column 14 of the template: invalid number "x" of zipf: want an integer from 1 to 1000000`,
		`w.properties:3: key.template: column 23 of the template: unknown option "hsh" of seq; did you mean hash?`,
		`w.properties:3: key.template: column 28 of the template: { without }; end the part with }, or write {{ for a brace in the key`,
		`w.properties:4: value.ratio: 0.2 is out of range; write a ratio from 0.4 to 1: below it snappy and zstd do not agree, because snappy needs three bytes for each 64 that repeat`,
		`w.properties:6: value.sizes: sizes.txt:2:1: invalid size "1k": want bytes from 0 to 67108864`,
		`w.properties:6: value.sizes: sizes.txt:3:6: invalid count "0": want the number of values of this size, an integer of at least 1`,
		`w.properties:7: zeropaddin: unknown property; did you mean zeropadding?`,
	}, "\n"))

	_, _, err = reader().Parse(Submission{Properties: slices.Concat(quiet, p(keyTemplate, "{ts}{seq}"))})
	require.EqualError(t, err, "-p: key.template: column 2 of the template: two rows could have the same key: the digits of {ts} have no fixed width, and no character separates them from what is beside them; put one that is not a digit between the parts, such as -")
	_, _, err = reader().Parse(Submission{Properties: slices.Concat(quiet, p("fieldlengthdistribution", "sample"))})
	require.EqualError(t, err, "-p: fieldlengthdistribution: sample needs a file: write value.sizes=FILE")
}

// In a suite file the place is that of the mistake itself, if the file has the value as it is.
func TestMistakesInTemplatesOfASuiteHaveTheirColumn(t *testing.T) {
	content := strings.Join([]string{
		"suite: s",
		"variables: {sep: '-'}",
		"properties: {db: 'null', recordcount: 1000, operationcount: 1000}",
		"scenarios:",
		"  - name: a",
		"    matrix:",
		"      key.template: ['{sek}-{seq}', \"{seq:pad(99)}{\"]",
		"  - name: b",
		"    properties:",
		"      key.template: user{seq:hsh}-{ts:day}",
		"  - name: c",
		"    properties: {key.template: {seq:hash}}",
		"  - name: d",
		"    properties: {key.template: \"{seq}${sep}{x}\"}",
	}, "\n") + "\n"
	_, _, err := reader().Parse(Submission{Suite: &File{Name: "s.yaml", Content: []byte(content)}})
	require.EqualError(t, err, strings.Join([]string{
		`s.yaml:7:24: key.template: column 2 of the template: unknown part sek; did you mean seq?`,
		`s.yaml:7:47: key.template: column 10 of the template: invalid number "99" of pad: want an integer from 1 to 19`,
		`s.yaml:7:51: key.template: column 14 of the template: { without }; end the part with }, or write {{ for a brace in the key`,
		`s.yaml:10:30: key.template: column 10 of the template: unknown option "hsh" of seq; did you mean hash?`,
		`s.yaml:10:39: key.template: column 19 of the template: step 1s is not a multiple of 24h0m0s, the resolution of day: rows would share a time; write a longer step, or a finer format`,
		`s.yaml:12:32: key.template: want a single value, got a map; a text that begins with { needs quotes, such as '{seq:hash}'`,
		`s.yaml:14:32: key.template: column 8 of the template: part x needs one option: zipf(n), uniform(n), cycle(n), hex(digits) or base62(digits); the parts seq, ts and salt(n) have their own`,
	}, "\n"))
}

func TestUserDataReachesTheWorkload(t *testing.T) {
	s := Submission{
		Properties:  slices.Concat(quiet, p(keyTemplate, usersTemplate, valueRatio, "0.5", "fieldlengthdistribution", "sample", valueSizes, "sizes")),
		Attachments: map[string][]byte{"sizes": []byte("# my values\n100\n7 2\n100\n")},
	}
	suite, warned := good(t, s)
	require.Empty(t, warned)
	w := suite.Cases[0].Settings.Workload
	require.Equal(t, usersTemplate, w.KeyTemplate)
	require.InDelta(t, 0.5, w.ValueRatio, 0)
	require.Equal(t, &workload.LengthSample{Lengths: []int64{7, 100}, Counts: []int64{2, 2}}, w.ValueSizes)
	require.Equal(t, "7 2\n100 2\n", suite.Cases[0].Properties[SizesContent], "agents get the counts")
}

// A setting that a template replaces has no effect. In a suite another case may use it.
func TestTemplatesReplaceTheOtherSettingsOfKeys(t *testing.T) {
	_, warned := good(t, Submission{Properties: slices.Concat(quiet, p(keyTemplate, "{seq}", "keyprefix", "x", "zeropadding", "7", "insertorder", "ordered", valueSizes, "s"))})
	require.Equal(t, []string{
		"-p: keyprefix: has no effect with key.template, which makes the whole key",
		"-p: zeropadding: has no effect with key.template, which makes the whole key",
		"-p: insertorder: has no effect with key.template, which makes the whole key",
		"-p: value.sizes: has no effect without fieldlengthdistribution=sample",
	}, warned)
	_, warnings, err := reader().Parse(Submission{Suite: &File{Name: "s.yaml", Content: []byte(
		"properties: {db: 'null', recordcount: 10, operationcount: 5, keyprefix: x}\nscenarios: [{name: a, matrix: {key.template: ['', '{seq}']}}]\n")}})
	require.NoError(t, err)
	require.Empty(t, warnings)
}

// Time series and traces have keys and values of their own.
func TestUserDataConflictsWithOtherSourcesOfRows(t *testing.T) {
	for other, settings := range map[string][]Setting{
		"TimeSeriesWorkload": p("workload", "site.ycsb.workloads.TimeSeriesWorkload"),
		"trace":              p("trace", "t.trace"),
	} {
		_, _, err := reader().Parse(Submission{Properties: slices.Concat(quiet, settings, p(keyTemplate, "{seq}", valueRatio, "0.5"))})
		require.ErrorContains(t, err, "-p: key.template: conflicts with "+other+", which has its own keys and values; remove one of them")
		require.ErrorContains(t, err, "-p: value.ratio: conflicts with "+other+", which has its own keys and values; remove one of them")
	}
}

// The formulas of published reports are for YCSB's keys.
func TestTemplatesHaveTheirOwnSplits(t *testing.T) {
	_, _, err := reader().Parse(Submission{Properties: slices.Concat(quiet[1:], p("db", "hbase", "columnfamily", "f", "hbase.zookeeper.quorum", "z", keyTemplate, "{seq}", "hbase.splits", "9", "hbase.splits.formula", "1000-9999"))})
	require.EqualError(t, err, "-p: hbase.splits.formula: its points begin with keyprefix, but key.template makes other keys; remove it: quantiles divide the rows of the template evenly")
}
