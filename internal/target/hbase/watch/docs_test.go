package watch

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/observe"
)

var update = flag.Bool("update", false, "write the tables of docs/telemetry.md anew")

func madeAs(k observe.Kind) string { return [...]string{"level", "rate", "share"}[k] }

// TestFiguresOfJMXAreDocumented protects that whoever reads a figure can find out where it is from.
func TestFiguresOfJMXAreDocumented(t *testing.T) {
	const path, begin, end = "../../../../docs/telemetry.md", "<!-- jmx -->\n", "<!-- end -->"
	var b strings.Builder
	b.WriteString("| figure | unit | made as | bean | attribute |\n| --- | --- | --- | --- | --- |\n")
	for _, bean := range append(serverBeans(), masterBeans()...) {
		for _, a := range bean.attributes {
			from := "`" + a.bean + "`"
			if a.of != "" {
				from += " of it and `" + a.of + "`"
			}
			if a.scale != 0 {
				from += fmt.Sprintf(" × %g", a.scale)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", a.figure, a.unit, madeAs(a.kind), strings.TrimPrefix(bean.query, hadoop), from)
		}
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
	require.Equal(t, b.String(), table, "go test ./internal/target/hbase/watch -run Documented -update writes it")
}
