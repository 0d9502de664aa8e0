package report

import (
	"fmt"

	"github.com/benchd/benchd/internal/result"
)

// replicaReads describes the reads of a phase if replicas may have answered some of them; otherwise it is empty. The loads of a run
// have no reads.
func replicaReads(run result.Run, phase result.Phase) string {
	consistency := run.Provenance.Target["consistency"]
	if consistency == "" || consistency == "strong" || phase.Name == "load" {
		return ""
	}
	var asked, stale, missing uint64
	for _, g := range phase.Generators {
		asked += g.Client["hedged_read"]
		stale += g.Client["stale_read"]
		missing += g.Client["stale_not_found"]
	}
	text := fmt.Sprintf("%s-consistent: %s asked replicas, %s were answered by one and may be stale", printable(consistency), whole(asked), whole(stale))
	if missing > 0 {
		text += fmt.Sprintf(", %s of them found no row", whole(missing))
	}
	return text
}
