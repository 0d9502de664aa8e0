package report

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// groupText is what a group of workers has done in a phase, in one line. The loop is always named (law 2).
func groupText(g result.Group) string {
	parts := []string{g.Loop + " loop", fmt.Sprintf("%d workers", g.Workers), whole(g.Ops) + " ops"}
	speed := rate(g.Throughput) + " ops/s"
	if g.Offered != nil {
		speed += " of " + rate(*g.Offered) + " offered"
	}
	parts = append(parts, speed)
	if g.Rows > 0 {
		parts = append(parts, whole(g.Rows)+" rows")
	}
	if g.OpsAfter > 0 {
		parts = append(parts, whole(g.OpsAfter)+" ops done after the end")
	}
	if g.LateSends > 0 {
		parts = append(parts, whole(g.LateSends)+" sent late")
	}
	if g.Unsent > 0 {
		parts = append(parts, whole(g.Unsent)+" not sent at the end")
	}
	return strings.Join(parts, ", ")
}
