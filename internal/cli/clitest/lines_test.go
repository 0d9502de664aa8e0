package clitest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandLinesAreFoundInDocuments(t *testing.T) {
	require.Equal(t, []Line{
		{Place: "a.md:1", Args: []string{"show", "ID"}, Inline: true},
		{Place: "a.md:3", Args: []string{"run", "-p", "a=b c", "--x", "1"}},
		{Place: "a.md:5", Args: []string{"list", "$date +%F.db"}},
		{Place: "a.md:6", Args: []string{"submit"}},
	}, linesOf("a.md", "Code `prog show ID` and `other x`.\n```\nbin/prog run -p 'a=b c' \\\n  --x 1 …\nprog list $(date +%F).db    # prog x\nid=$(prog submit)\nprogs no\n```\n", "prog"))
	require.Equal(t, []Line{{Place: "s.yaml:2", Args: []string{"run", "-f", "s.yaml"}}},
		linesOf("s.yaml", "# About\n#   prog run -f s.yaml  # here\nsuite: s\n# prog list\n", "prog"))
}
