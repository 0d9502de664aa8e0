package watch

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

var update = flag.Bool("update", false, "write the table of figures in docs/mongodb.md")

func madeAs(k observe.Kind) string { return [...]string{"level", "rate", "share"}[k] }

func TestFiguresAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"figure", "unit", "made as", "place in serverStatus"}}
	for _, f := range figures() {
		var places []string
		for _, path := range f.paths {
			places = append(places, "`"+strings.Join(path, ".")+"`")
		}
		text := strings.Join(places, " + ")
		text = strings.ReplaceAll(text, "+ `-", "− `")
		if f.of != nil {
			text += " of `" + strings.Join(f.of[0], ".") + "`"
		}
		if f.scale != 0 {
			text += fmt.Sprintf(" × %g", f.scale)
		}
		table.Rows = append(table.Rows, []string{"`" + mongodbspec.ServerFigures + f.name + "`", f.unit, madeAs(f.kind), text})
	}
	doctable.Generated(t, "docs/mongodb.md", "figures", table, *update)
}
