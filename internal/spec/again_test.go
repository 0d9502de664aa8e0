package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The attachments that resolved properties give mean the same as those of the submission.
func TestAttachmentsAreReadFromResolvedProperties(t *testing.T) {
	common := []string{"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1"}
	for name, test := range map[string]struct {
		settings []string
		content  string
	}{
		"sizes":     {[]string{"fieldlengthdistribution", "sample", "value.sizes", "f"}, "# sizes\n10 3\n20\n10\n"},
		"lengths":   {[]string{"fieldlengthdistribution", "histogram", "fieldlengthhistogram", "f"}, "BlockSize\t10\n0\t5\n"},
		"requests":  {[]string{"requestdistribution", "histogram", "requesthistogram", "f"}, "3\t2\n5\t1\n"},
		"one split": {[]string{"hbase.splits.file", "f"}, "user5\n"},
		"splits":    {[]string{"hbase.splits.file", "f"}, "user5\r\nuser\\xFF\n\nuser,1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Submission{Properties: p(append(common, test.settings...)...), Attachments: map[string][]byte{"f": []byte(test.content)}}
			suite, _, err := reader().Parse(s)
			require.NoError(t, err)
			properties := suite.Cases[0].Properties
			s.Attachments = reader().Attached(properties)
			require.Len(t, s.Attachments, 1)
			again, _, err := reader().Parse(s)
			require.NoError(t, err)
			require.Equal(t, properties, again.Cases[0].Properties)
		})
	}
	require.Empty(t, reader().Attached(map[string]string{"db": "hbase", "value.sizes": "f"}), "its content is not known")
}

// An archive of another coordinator may have a secret where this one would have refused it.
func TestSecretsAreLeftOutOfASubmission(t *testing.T) {
	const password = "hunter2"
	s := Submission{
		Properties: p("db", "null", "telemetry.password", password, "recordcount", "10"),
		Flags:      flag("--bearer", "telemetry.bearer", "env:BENCHD_SECRET_TOKEN"),
		Files:      []File{file("good", "threads=3"), file("bad", "threads=3\ntelemetry.bearer="+password)},
	}
	clean, withheld := reader().WithoutSecrets(s)
	require.Equal(t, []string{"bad", "telemetry.bearer", "telemetry.password"}, withheld)
	require.Equal(t, p("db", "null", "recordcount", "10"), clean.Properties)
	require.Equal(t, s.Flags, clean.Flags, "a reference is not a secret")
	require.Equal(t, s.Files[:1], clean.Files)
	require.Len(t, s.Files, 2, "the original is not changed")

	head := "suite: x\nproperties: {db: \"null\", recordcount: 10, duration: 1s, telemetry.metrics: \"http://s:9100\", telemetry.user: u, telemetry.password: \"${pw}\"}\nscenarios: [{name: a}]\n"
	for value, found := range map[string]bool{password: true, "file:token": false} {
		s = Submission{Suite: &File{Name: "s.yaml", Content: []byte("variables: {pw: \"\"}\n" + head)}, Variables: p("pw", value)}
		clean, withheld = reader().WithoutSecrets(s)
		require.Equal(t, found, clean.Suite == nil, value)
		require.Equal(t, found, len(withheld) == 1 && withheld[0] == "s.yaml", value)
		require.Equal(t, found, len(clean.Variables) == 0)
	}
	many := &File{Name: "s.yaml", Content: []byte("suite: x\nproperties:\n" + strings.Repeat("  a: 1\n", 100) + "  telemetry.password: " + password + "\n")}
	clean, _ = reader().WithoutSecrets(Submission{Suite: many})
	require.Nil(t, clean.Suite)
}

func TestNamesOfOneProperty(t *testing.T) {
	require.True(t, reader().Same("threads", "threadcount"))
	require.True(t, reader().Same("target", " target"))
	require.False(t, reader().Same("target", "rate"))
	require.False(t, reader().Same("x", "y"))
}
