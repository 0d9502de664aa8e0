package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

func warningsOf(t *testing.T, s Submission) []string {
	t.Helper()
	s.Properties = append(p("recordcount", "10", "operationcount", "1", "db", "null"), s.Properties...)
	_, warnings, err := reader().Parse(s)
	require.NoError(t, err)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return texts
}

func TestAPropertyWithoutEffectIsAWarning(t *testing.T) {
	for _, test := range []struct {
		property, value, needs string
		beside                 []Setting // settings that give it an effect
	}{
		{"hotspotdatafraction", "0.5", "requestdistribution=hotspot", p("requestdistribution", "hotspot")},
		{"hotspotopnfraction", "0.5", "requestdistribution=hotspot", p("requestdistribution", "hotspot")},
		{"exponential.percentile", "90", "requestdistribution=exponential", p("requestdistribution", "exponential")},
		{"exponential.frac", "0.5", "requestdistribution=exponential", p("requestdistribution", "exponential")},
		{"minscanlength", "5", "scanproportion above 0", p("scanproportion", "0.05", "readproportion", "0.9")},
		{"maxscanlength", "5", "scanproportion above 0", p("scanproportion", "0.05", "readproportion", "0.9")},
		{"scanlengthdistribution", "zipfian", "scanproportion above 0", p("scanproportion", "0.05", "readproportion", "0.9")},
		{"multiget.size", "5", "multigetproportion above 0", p("multigetproportion", "0.05", "readproportion", "0.9")},
		{"increment.by", "5", "incrementproportion above 0", nil}, // the null target has no increments
		{"fieldlengthhistogram", "h", "fieldlengthdistribution=histogram", nil},
		{"requesthistogram", "h", "requestdistribution=histogram", nil},
		{"replay.speed", "2", "trace", nil},
		{"measurement.raw.output_file", "f", "measurementtype=raw or hdrhistogram+raw", p("measurementtype", "raw")},
		{"measurement.raw.no_summary", "true", "measurementtype=raw or hdrhistogram+raw", p("measurementtype", "hdrhistogram+raw")},
		{"hdrhistogram.output.path", "x", "hdrhistogram.fileoutput=true", p("hdrhistogram.fileoutput", "true")},
		{"handover.after", "5s", "--phase load or load,run", p("phase", "load,run")},
		{"label", "x", "-s or status=true", p("status", "true")},
		{"status.interval", "5", "-s or status=true", p("status", "true")},
	} {
		t.Run(test.property, func(t *testing.T) {
			own := p(test.property, test.value)
			require.Equal(t, []string{"-p: " + test.property + ": has no effect without " + test.needs}, warningsOf(t, Submission{Properties: own}))
			if test.beside != nil {
				require.Empty(t, warningsOf(t, Submission{Properties: append(own, test.beside...)}))
			}
		})
	}
}

func TestIncrementByHasAnEffectWithIncrements(t *testing.T) {
	_, warnings, err := reader().Parse(Submission{Properties: p("db", "sandbox", "recordcount", "10", "operationcount", "10",
		"readproportion", "0.9", "updateproportion", "0", "incrementproportion", "0.1", "increment.by", "5")})
	require.NoError(t, err)
	require.Empty(t, warnings)
}

func TestASettingThatAFlagOverridesIsAWarning(t *testing.T) {
	flag := func(key, value string) []Setting { return []Setting{{Key: key, Value: value, Origin: "--" + key}} }
	require.Equal(t, []string{"-p: dotransactions: has no effect: --phase run overrides it"},
		warningsOf(t, Submission{Properties: p("dotransactions", "false"), Flags: flag("phase", "run")}))
	require.Empty(t, warningsOf(t, Submission{Properties: p("dotransactions", "true"), Flags: flag("phase", "run")}))
	require.Equal(t, []string{"-p: db: has no effect: --db sandbox overrides it"}, warningsOf(t, Submission{Flags: flag("db", "sandbox")}))
	require.Empty(t, warningsOf(t, Submission{Flags: flag("db", "null")}))
}

// A setting of several cases is inert when none of them uses it.
func TestASettingOfASuiteThatOneCaseUsesIsNotInert(t *testing.T) {
	const file = `
suite: s
properties: {db: "null", recordcount: 10, operationcount: 1, maxscanlength: 5, hotspotdatafraction: 0.5}
scenarios:
  - {name: read}
  - {name: scan, properties: {scanproportion: 1, readproportion: 0, updateproportion: 0}}
`
	_, warnings, err := reader().Parse(Submission{Suite: &File{Name: "s.yaml", Content: []byte(file)}})
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0].String(), "hotspotdatafraction: has no effect without requestdistribution=hotspot")
}

// A property of HBase's Java client that benchd does not support is refused with a reason; in an hbase-site.xml it is a
// warning.
func TestTheWriteBufferOfHBasesClientIsRefusedOrWarnedAbout(t *testing.T) {
	for property, reason := range map[string]string{
		"hbase.client.write.buffer": "writebuffersize",
	} {
		_, _, err := reader().Parse(Submission{Properties: p("db", "hbase", "columnfamily", "f", "recordcount", "10", "operationcount", "1", property, "3")})
		require.ErrorContains(t, err, "-p: "+property+": is not supported: ")
		require.ErrorContains(t, err, reason)

		site, err := hbasespec.ReadSite([]byte("<configuration><property><name>hbase.zookeeper.quorum</name><value>z</value></property>" +
			"\n<property><name>" + property + "</name><value>${x}</value></property></configuration>"))
		require.NoError(t, err)
		_, warnings, err := reader().Parse(Submission{Files: []File{{Name: "hbase-site.xml", Content: site}}, Properties: p("db", "hbase", "columnfamily", "f", "recordcount", "10", "operationcount", "1")})
		require.NoError(t, err)
		require.Len(t, warnings, 1)
		require.Contains(t, warnings[0].String(), "hbase-site.xml:2: "+property+": is ignored: ")
		require.Contains(t, warnings[0].String(), reason)
	}
}
