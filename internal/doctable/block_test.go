package doctable_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

func TestCommandsOfBlocks(t *testing.T) {
	const text = "# Page\n\n```\n# a comment\nmake build   # why\nbin/benchctl run --db null \\\n  --threads 2 \\\n  -q\n\nA=1 benchd agent\n```\n\n" +
		"## Output\n\n```\n$ make demo\n…\ncounts   5 issued\n$ benchctl list\n```\n\n```\ncounts   5 issued\nmake is a word\n```\n\n" +
		"```yaml\nmake: build\n```\n"
	blocks := doctable.Blocks(text)
	require.Len(t, blocks, 4)
	require.Equal(t, "# Page", blocks[0].Heading)
	require.Equal(t, "## Output", blocks[2].Heading)
	require.Equal(t, "yaml", blocks[3].Language)
	require.Equal(t, "make: build\n", blocks[3].Text)
	require.Equal(t, []doctable.Command{
		{Line: 5, Text: "make build   # why"},
		{Line: 6, Text: "bin/benchctl run --db null --threads 2 -q"},
		{Line: 10, Text: "A=1 benchd agent"},
	}, blocks[0].Commands())
	require.Equal(t, []doctable.Command{{Line: 16, Text: "make demo"}, {Line: 19, Text: "benchctl list"}}, blocks[1].Commands())
	require.Empty(t, blocks[2].Commands(), "output alone")
	require.Empty(t, blocks[3].Commands(), "another language")
}
