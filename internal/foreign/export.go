package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// exported is a figure of YCSB's JSON exporters.
type exported struct {
	Metric      *string         `json:"metric"`
	Measurement *string         `json:"measurement"`
	Value       json.RawMessage `json:"value"`
}

// isArray reports whether a text that begins with a bracket is a JSON array.
func isArray(text []byte) bool {
	rest := bytes.TrimSpace(text[1:])
	return bytes.HasPrefix(rest, []byte("{")) || bytes.HasPrefix(rest, []byte("]"))
}

// isExport reports whether the first object is a figure.
func isExport(text []byte) bool {
	in := json.NewDecoder(bytes.NewReader(text))
	if text[0] == '[' {
		if _, err := in.Token(); err != nil {
			return false
		}
	}
	var first exported
	return in.Decode(&first) == nil && first.Metric != nil && first.Measurement != nil && first.Value != nil
}

// export reads the objects of a JSON exporter: an array of them, or one after another.
func (r *reader) export(f File) error {
	in := json.NewDecoder(bytes.NewReader(f.Content))
	text := bytes.TrimSpace(f.Content)
	array := text[0] == '['
	if array {
		if _, err := in.Token(); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	var s *sheet
	for !array || in.More() {
		// Of the text before, whose end is in front of the object: good enough for a reader of the error.
		number := 1 + bytes.Count(f.Content[:min(in.InputOffset(), int64(len(f.Content)))], []byte("\n"))
		var one exported
		err := in.Decode(&one)
		if errors.Is(err, io.EOF) && !array {
			break
		}
		if err == nil && (one.Metric == nil || one.Measurement == nil || one.Value == nil) {
			err = errors.New("an object without metric, measurement and value")
		}
		if err != nil {
			return &lineError{f.Name, number, err}
		}
		if s == nil || *one.Metric == "OVERALL" && *one.Measurement == "RunTime(ms)" {
			s = newSheet()
			if r.written = append(r.written, s); len(r.written) > maxSheets {
				return fmt.Errorf("%s: more than %d results: give the files of one run", f.Name, maxSheets)
			}
		}
		value := string(one.Value)
		var quoted string
		if json.Unmarshal(one.Value, &quoted) == nil { // JSON has no NaN
			value = quoted
		}
		if err := r.figure(s, *one.Metric, *one.Measurement, value); err != nil {
			return &lineError{f.Name, number, fmt.Errorf("[%s], %s: %w", clean((*one.Metric)[:min(len(*one.Metric), 80)]), clean((*one.Measurement)[:min(len(*one.Measurement), 80)]), err)}
		}
	}
	return nil
}
