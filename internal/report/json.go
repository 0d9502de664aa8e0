package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/benchd/benchd/internal/result"
)

// JSON writes a run or a suite as scripts read it, with a line break at the end. A suite of one run is written
// as the run itself.
func JSON[D result.Run | result.Suite](w io.Writer, document D) error {
	var out any
	switch d := any(document).(type) {
	case result.Run:
		out = d.Whole()
	case result.Suite:
		runs := make([]result.Run, 0, len(d.Runs))
		for _, run := range d.Runs {
			runs = append(runs, run.Whole())
		}
		d.Runs = runs
		out = d
		if len(runs) == 1 {
			out = runs[0]
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write result as JSON: %w", err)
	}
	return nil
}
