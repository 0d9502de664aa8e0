package report

import (
	"io"
	"strconv"
	"strings"
)

// export writes figures as one of YCSB's exporters does.
func (y YCSB) export(w io.Writer, figures []ycsbFigure) error {
	var b strings.Builder
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
		value = strconv.Quote(value)
	}
	return "{\n  \"metric\" : " + strconv.Quote(f.metric) +
		",\n  \"measurement\" : " + strconv.Quote(f.measurement) +
		",\n  \"value\" : " + value + "\n}"
}
