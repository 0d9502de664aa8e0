package report

import (
	"encoding/json"
	"io"
	"strings"
)

// export writes figures as one of YCSB's exporters does.
func (y YCSB) export(w io.Writer, figures []ycsbFigure) error {
	var b strings.Builder
	for i := range figures { // agents name operations
		figures[i].metric, figures[i].measurement = printable(figures[i].metric), printable(figures[i].measurement)
	}
	switch y.Exporter {
	case JSONs:
		// The generator that YCSB uses separates its objects by a blank, so together they are not a JSON document.
		b.WriteString(objects(figures, " ") + "\n")
	case JSONArray:
		b.WriteString("[ " + objects(figures, ", ") + " ]\n")
	default:
		for _, f := range figures {
			b.WriteString("[" + f.metric + "], " + f.measurement + ", " + f.value + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func objects(figures []ycsbFigure, between string) string {
	all := make([]string, 0, len(figures))
	for _, f := range figures {
		all = append(all, f.object())
	}
	return strings.Join(all, between)
}

// object is the figure as JSON, laid out as YCSB's generator lays it out.
func (f ycsbFigure) object() string {
	value := f.value
	if strings.ContainsAny(value, "Ny") { // JSON has no NaN and Infinity
		value = quoted(value)
	}
	return "{\n  \"metric\" : " + quoted(f.metric) +
		",\n  \"measurement\" : " + quoted(f.measurement) +
		",\n  \"value\" : " + value + "\n}"
}

// quoted is a text as JSON; the quotes of Go have escapes that JSON does not know.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""` // never: a text can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
