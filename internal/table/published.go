package table

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
)

// entry is the published entry of a run or client by its number, or nil.
func entry(published []map[string]any, key string, n int) map[string]any {
	for _, e := range published {
		if v, ok := figure.Number(e[key]); ok && int(v) == n {
			return e
		}
	}
	return nil
}

// average is the published entry of a case as a whole: the one marked as average, or the only one without a run and a
// client. Published figures of runs are not averaged: the mean would be ours.
func average(published []map[string]any, target string) map[string]any {
	var whole map[string]any
	for _, e := range published {
		name := targetOf(e)
		switch {
		case name != "" && name != target:
		case e["run"] == "average":
			return e
		case e["run"] == nil && e["client"] == nil && e["at"] == nil:
			whole = e
		}
	}
	return whole
}

// targetOf is the system of an entry; empty if the entry does not name it.
func targetOf(e map[string]any) string {
	for _, key := range []string{"target", "mode", "product"} {
		if name, ok := e[key].(string); ok {
			return name
		}
	}
	return ""
}

// publishedCell is the value of an entry in a column: the figure in any unit, or the report's words.
func publishedCell(e map[string]any, name string) result.Cell {
	if e == nil {
		return result.Cell{}
	}
	f := make(figure.Values)
	for key, v := range e {
		if n, ok := figure.Number(v); ok {
			f[key] = n
		}
	}
	if v, ok := f.Get(name); ok {
		return result.Cell{Number: &v}
	}
	switch v := e[name].(type) {
	case string:
		return result.Cell{Text: v}
	case bool:
		return result.Cell{Text: map[bool]string{true: "yes", false: "no"}[v]}
	}
	base, _ := figure.Split(name)
	if base == figure.RowThroughput || name == figure.RowThroughput {
		base = figure.Throughput // the authors counted rows
	}
	base = strings.TrimSuffix(base, "_ops")
	if text, ok := e[base+"_text"].(string); ok {
		return result.Cell{Text: text}
	}
	return bounds(e, base)
}

// bounds is a figure that a report only gives as a range.
func bounds(e map[string]any, base string) result.Cell {
	low, hasLow := figure.Number(e[base+"_low"])
	high, hasHigh := figure.Number(e[base+"_high"])
	about, hasAbout := figure.Number(e[base+"_about"])
	switch {
	case hasAbout:
		return result.Cell{Text: fmt.Sprintf("about %.0f", about)}
	case hasLow && hasHigh:
		return result.Cell{Text: fmt.Sprintf("%.0f to %.0f", low, high)}
	case hasLow:
		return result.Cell{Text: fmt.Sprintf("above %.0f", low)}
	case hasHigh:
		return result.Cell{Text: fmt.Sprintf("below %.0f", high)}
	}
	return result.Cell{}
}
