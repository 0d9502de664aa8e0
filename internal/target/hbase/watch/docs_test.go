package watch

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/observe"
)

var update = flag.Bool("update", false, "write the table of JMX in docs/telemetry.md")

func madeAs(k observe.Kind) string { return [...]string{"level", "rate", "share"}[k] }

// TestFiguresOfJMXAreDocumented checks that the documentation names the attribute behind each figure.
func TestFiguresOfJMXAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"figure", "unit", "made as", "bean", "attribute"}}
	for _, bean := range append(serverBeans(), masterBeans()...) {
		for _, a := range bean.attributes {
			from := "`" + a.bean + "`"
			if a.of != "" {
				from += " of it and `" + a.of + "`"
			}
			if a.scale != 0 && a.during == "" {
				from += fmt.Sprintf(" × %g", a.scale)
			}
			if a.during != "" {
				from += " of the time of `" + a.during + "`"
			}
			table.Rows = append(table.Rows, []string{"`" + a.figure + "`", a.unit, madeAs(a.kind), "`" + strings.TrimPrefix(bean.query, hadoop) + "`", from})
		}
	}
	doctable.Generated(t, "docs/telemetry.md", "jmx", table, *update)
}
