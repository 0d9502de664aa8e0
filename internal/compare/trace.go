package compare

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trace"
)

// traceFact is the fact which trace a case has repeated: its ID, and in parentheses its file and its size.
const traceFact = "trace"

// The settings of a replay that are part of the fact.
const (
	traceFile = "trace"
	traceCard = "trace.card"
)

// traceOf is the trace of a run; "" without one.
func traceOf(r result.Run) string {
	const enough = 12 // digits of an ID
	card, err := trace.ParseCard([]byte(r.Resolved[traceCard]))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%.*s (%s, %d ops)", enough, card.ID(), r.Resolved[traceFile], card.Ops)
}

// onceOfTraces removes what follows from the traces of two cases: their differences are one. The file of the same trace may have two names.
func onceOfTraces(x, y map[string]string) {
	if x[traceFact] == "" || y[traceFact] == "" {
		return
	}
	one, _, _ := strings.Cut(x[traceFact], " ")
	if other, _, _ := strings.Cut(y[traceFact], " "); one == other {
		y[traceFact] = x[traceFact]
	}
	for _, facts := range []map[string]string{x, y} {
		for what := range facts {
			if name, is := strings.CutPrefix(what, "setting "); is && followsFromTrace(name) {
				delete(facts, what)
			}
		}
	}
}

// followsFromTrace reports whether a replay takes a setting from its trace.
func followsFromTrace(setting string) bool {
	return setting == "recordcount" || setting == "operationcount" || strings.HasSuffix(setting, "proportion")
}
