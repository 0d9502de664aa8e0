package mongodbspec

import (
	flags "flag"
	"strings"
	"testing"

	"github.com/benchd/benchd/internal/doctable"
)

var update = flags.Bool("update", false, "write the tables of docs/mongodb.md and docs/zh/mongodb.md")

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
	doctable.Generated(t, "docs/mongodb.md", "properties", table, *update)
}

// The Chinese page has the same properties with the same defaults.
func TestTheChinesePageHasTheProperties(t *testing.T) {
	page := doctable.Read(t, "docs/zh/mongodb.md")
	var want [][]string
	for _, k := range keys() {
		if k.Status == "" {
			byDefault := ""
			if k.Default != "" {
				byDefault = "`" + k.Default + "`"
			}
			want = append(want, []string{"`" + k.Name + "`", byDefault})
		}
	}
	var found [][]string
	for _, row := range doctable.Tables(doctable.Section(page, "## 属性"))[0].Rows {
		found = append(found, row[:2])
	}
	if len(found) != len(want) {
		t.Fatalf("%d properties, want %d", len(found), len(want))
	}
	for i := range want {
		if found[i][0] != want[i][0] || found[i][1] != want[i][1] {
			t.Errorf("row %d is %v, want %v", i, found[i], want[i])
		}
	}
}
