package sequoiadbspec

import (
	flags "flag"
	"strings"
	"testing"

	"github.com/benchd/benchd/internal/doctable"
)

var update = flags.Bool("update", false, "write the table of properties in docs/sequoiadb.md")

func TestPropertiesAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Property", "Default", "Description"}}
	for _, k := range keys() {
		if k.Status != "" {
			continue
		}
		byDefault, doc := "", k.Doc
		if k.Default != "" {
			byDefault = "`" + k.Default + "`"
		}
		if len(k.Values) > 0 {
			doc += ": " + strings.Join(k.Values, ", ")
		}
		table.Rows = append(table.Rows, []string{"`" + k.Name + "`", byDefault, doc})
	}
	doctable.Generated(t, "docs/sequoiadb.md", "properties", table, *update)
}
