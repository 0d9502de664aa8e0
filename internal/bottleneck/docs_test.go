package bottleneck_test

import (
	"flag"
	"testing"

	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/result"
)

var update = flag.Bool("update", false, "write the tables of limits and of agents in docs/bottlenecks.md")

func TestLimitsAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Limit", "Meaning"}}
	for _, l := range bottleneck.Limits() {
		table.Rows = append(table.Rows, []string{"`" + l.Name + "`", l.Meaning})
	}
	doctable.Generated(t, "docs/bottlenecks.md", "limits", table, *update)
}

func TestResourcesOfAgentsAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Resource", "Threshold of a window"}}
	for _, r := range result.ClientResources() {
		table.Rows = append(table.Rows, []string{r.Title, r.Threshold})
	}
	doctable.Generated(t, "docs/bottlenecks.md", "agents", table, *update)
}
