package hbasespec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/spec"
)

func TestTheReaderSuppliesTheAddressOfTheSandbox(t *testing.T) {
	supplied := map[string]map[string]string{SandboxName: {"hbase.zookeeper.quorum": "10.0.0.1", "hbase.zookeeper.property.clientPort": "4711"}}
	for name, test := range map[string]struct {
		properties []spec.Setting
		quorum     string
		family     string
	}{
		"nothing is given":             {p("db", "sandbox"), "10.0.0.1:4711", "family"},
		"the submission has a quorum":  {p("db", "sandbox", "hbase.zookeeper.quorum", "other"), "other:2181", "family"},
		"the submission has a port":    {p("db", "sandbox", "hbase.zookeeper.property.clientPort", "99"), "127.0.0.1:99", "family"},
		"the submission has a family":  {p("db", "sandbox", "columnfamily", "cf"), "10.0.0.1:4711", "cf"},
		"it is not for another target": {p("db", "hbase", "columnfamily", "cf"), "127.0.0.1:2181", "cf"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec.Submission{Properties: append(test.properties, p("operationcount", "1", "recordcount", "10")...), Supplied: supplied}
			suite, warnings, err := reader().Parse(s)
			require.NoError(t, err)
			require.Empty(t, warnings)
			settings, err := Read(suite.Cases[0].Properties)
			require.NoError(t, err)
			require.Equal(t, []string{test.quorum}, settings.Quorum)
			require.Equal(t, test.family, settings.Family.Name)
		})
	}
}

func TestSettingsOfAnEmbeddedSandbox(t *testing.T) {
	suite, _, err := reader().Parse(spec.Submission{Properties: p("db", "sandbox", "operationcount", "1", "recordcount", "10",
		"sandbox.region-servers", "5", "sandbox.service", "exponential  10ms", "sandbox.service.handlers", "4", "sandbox.service.seed", "7", "sandbox.faults", "f.yaml")})
	require.NoError(t, err)
	settings, err := ReadSandbox(suite.Cases[0].Properties)
	require.NoError(t, err)
	require.Equal(t, SandboxSettings{
		RegionServers: 5, Memory: 1024, Service: randdur.Duration{Shape: randdur.Exponential, Time: 10 * time.Millisecond}, Handlers: 4, Seed: 7, Faults: "f.yaml",
	}, settings)

	settings, err = ReadSandbox(nil)
	require.NoError(t, err)
	require.Equal(t, SandboxSettings{RegionServers: 3, Memory: 1024, Handlers: 30}, settings)

	_, err = ReadSandbox(map[string]string{"sandbox.service": "gauss"})
	require.ErrorContains(t, err, `invalid duration "gauss"`)
	for key, want := range map[string]string{
		"sandbox.service": `invalid duration "soon"`, "sandbox.region-servers": "soon", "sandbox.servise": "did you mean sandbox.service?",
	} {
		_, _, err = reader().Parse(spec.Submission{Properties: p("db", "sandbox", "operationcount", "1", key, "soon")})
		require.ErrorContains(t, err, want)
	}
}

func TestPropertiesOfAnEmbeddedSandboxArePicked(t *testing.T) {
	s := spec.Submission{
		Files:      []spec.File{{Name: "f", Content: []byte("sandbox.region-servers=2\nrecordcount=5\n")}},
		Properties: p("sandbox.faults", "f.yaml"),
	}
	require.Equal(t, []string{"sandbox.faults", "sandbox.region-servers"}, Sandbox().Embedded.Of(reader().Given(s)))
}
