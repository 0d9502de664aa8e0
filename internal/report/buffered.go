package report

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// buffered reports whether a phase has writes that the client collected before it sent them.
func buffered(phase result.Phase) bool {
	return slices.ContainsFunc(phase.Operations, func(o result.Operation) bool { return o.Outcome == "BATCHED_OK" })
}

// bufferedNote says which of the cases have buffered writes; empty for none.
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
	return "Buffered writes (clientbuffering): " + strings.Join(names, ", ") +
		". The time of such a write is that of collecting it, not of the server: it does not compare with that of a write that waits for the server."
}
