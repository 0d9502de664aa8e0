package main

import (
	"os"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

// gather parses a command line as submit and run do.
func gather(t *testing.T, args ...string) (spec.Submission, error) {
	t.Helper()
	cmd := &cobra.Command{Use: "benchctl"}
	cmd.Flags().String(config.FileFlag, "", "")
	f := addSubmissionFlags(cmd, all.Targets())
	require.NoError(t, cmd.ParseFlags(args))
	origins, err := cli.Load(cmd)
	require.NoError(t, err)
	return f.submission(cmd, origins)
}

func TestFlagsBecomeSettingsWithTheirOrigin(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"a": "recordcount=1\n", "b": "fieldlengthdistribution=histogram\n", "hist.txt": "BlockSize, 1\n0, 1\n",
		"config.yaml": "seed: 7\nproperty: {Zone: x}\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	t.Setenv("BENCHCTL_DURATION", "10s")
	s, err := gather(t, "-P", "a", "-P", "b", "--threads", "4", "--target", "1000", "--config", "config.yaml",
		"--name", "n", "--note", "o", "--tag", "k=v")
	require.NoError(t, err)
	require.Equal(t, spec.Submission{
		Files: []spec.File{
			{Name: "a", Content: []byte("recordcount=1\n")},
			{Name: "b", Content: []byte("fieldlengthdistribution=histogram\n")},
		},
		Properties: []spec.Setting{{Key: "Zone", Value: "x", Origin: "config.yaml:2: property"}},
		Flags: []spec.Setting{
			{Key: "threadcount", Value: "4", Origin: "--threads"},
			{Key: "rate", Value: "1000", Origin: "--target"},
			{Key: "duration", Value: "10s", Origin: "BENCHCTL_DURATION"},
			{Key: "seed", Value: "7", Origin: "config.yaml:1: seed"},
		},
		Name: "n", Note: "o", Tags: map[string]string{"k": "v"},
		Attachments: map[string][]byte{"hist.txt": []byte("BlockSize, 1\n0, 1\n")},
	}, s)

	s, err = gather(t, "-p", "a=b=c", "-p", "d=")
	require.NoError(t, err)
	require.Equal(t, []spec.Setting{{Key: "a", Value: "b=c"}, {Key: "d", Value: ""}}, s.Properties)

	_, err = gather(t, "-P", "none")
	require.EqualError(t, err, "read properties file none (--properties): no such file or directory; benchctl takes the path of a file, such as workloads/workloada of a YCSB release")
	require.Equal(t, cli.Usage, cli.CodeOf(err))
	_, err = gather(t, "-P", "b", "-p", "fieldlengthhistogram=none")
	require.EqualError(t, err, "read none, which a property names: no such file or directory")
}

func TestEverySettingFlagIsAPropertyOfTheSpec(t *testing.T) {
	known := map[string]bool{}
	for _, k := range all.Targets().Reader().Keys() {
		known[k.Name] = k.Status == property.Honoured
	}
	for _, f := range settingFlags() {
		require.True(t, known[f.property], "--%s means %s, which the spec does not honour", f.name, f.property)
	}
}

func TestSuggestedCommandsUseTheSameCoordinator(t *testing.T) {
	f := connectFlags{coordinator: "10.0.0.1:7070", insecure: true, profile: "anna", tls: &cli.TLSFlags{Files: certs.Files{Cert: "a.crt", Key: "a.key", CA: "ca.crt"}}}
	require.Equal(t, "benchctl watch S", f.commandLine(config.Origins{"coordinator": "BENCHCTL_COORDINATOR", "insecure": "b.yaml:1: insecure"}, "benchctl watch S"))
	require.Equal(t, "benchctl watch S --coordinator 10.0.0.1:7070 --insecure",
		f.commandLine(config.Origins{"coordinator": "--coordinator", "insecure": "--insecure"}, "benchctl watch S"))
	require.Equal(t, "benchctl watch S --profile anna", f.commandLine(config.Origins{"profile": "--profile"}, "benchctl watch S"))
	require.Equal(t, "benchctl watch S --tls-cert a.crt --tls-key a.key --tls-ca ca.crt",
		f.commandLine(config.Origins{"tls-cert": "--tls-cert", "tls-key": "--tls-key", "tls-ca": "--tls-ca"}, "benchctl watch S"))
}
