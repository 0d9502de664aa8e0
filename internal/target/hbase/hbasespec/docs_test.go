package hbasespec

import (
	flags "flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flags.Bool("update", false, "write the table of HBase's properties in docs/hbase.md anew")

func TestHBasesPropertiesAreDocumented(t *testing.T) {
	const path, begin, end = "../../../../docs/hbase.md", "<!-- properties -->\n", "<!-- end -->"
	var b strings.Builder
	b.WriteString("| property | default | is |\n| --- | --- | --- |\n")
	for _, k := range keys() {
		if k.Status != "" {
			continue
		}
		byDefault := ""
		if k.Default != "" {
			byDefault = "`" + k.Default + "`"
		}
		doc := k.Doc
		if len(k.Values) > 0 {
			doc += ": " + strings.Join(k.Values, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, byDefault, strings.ReplaceAll(doc, "|", `\|`))
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(content), begin)
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644))
		return
	}
	require.Equal(t, b.String(), table, "go test ./internal/target/hbase/hbasespec -run Documented -update writes it")
}
