package report

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// buffered reports whether a phase has writes that the client buffered before it sent them.
func buffered(phase result.Phase) bool {
	return slices.ContainsFunc(phase.Operations, func(o result.Operation) bool { return o.Outcome == "BATCHED_OK" })
}

// bufferedNote names the cases with buffered writes; it is empty if there are none.
func bufferedNote(runs []result.Run, cases func(name string) bool) string {
	var names []string
	for _, run := range runs {
		if cases(run.Case) && slices.ContainsFunc(run.Phases, buffered) && !slices.Contains(names, printable(run.Case)) {
			names = append(names, printable(run.Case))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Buffered writes: " + strings.Join(names, ", ") +
		". Their latency is the time of adding a write to the client's buffer: it is not comparable with that of writes that wait for the server."
}
