package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/randdur"
)

// Setting is one setting of a fault in text form.
type Setting struct {
	Key    string
	Values []string
}

// Keys lists the settings of a fault.
func Keys() []string {
	return []string{"kind", "start", "length", "share", "seed", "op", "table", "region", "from", "to", "server", "delay", "exception"}
}

// Parse makes a fault from its settings and validates it. The error is a Problem.
func Parse(settings []Setting) (Fault, error) {
	f := Fault{Share: 1}
	for _, s := range settings {
		if err := f.set(s); err != nil {
			return Fault{}, err
		}
	}
	if err := f.Validate(); err != nil {
		return Fault{}, err
	}
	return f, nil
}

// set applies one setting.
func (f *Fault) set(s Setting) error {
	switch s.Key {
	case "op":
		f.Where.Ops = nil
		for _, v := range s.Values {
			f.Where.Ops = append(f.Where.Ops, Op(v))
		}
		return nil
	case "table":
		f.Where.Tables = s.Values
		return nil
	case "region":
		f.Where.Regions = s.Values
		return nil
	case "server":
		f.Where.Servers = s.Values
		return nil
	}
	if len(s.Values) != 1 {
		return problem(s.Key, "takes one value, not %d", len(s.Values))
	}
	return f.setOne(s.Key, s.Values[0])
}

func (f *Fault) setOne(key, value string) (err error) {
	switch key {
	case "kind":
		f.Kind = Kind(value)
	case "start":
		f.Start, err = parseTime(key, value)
	case "length":
		f.Length, err = parseTime(key, value)
	case "share":
		f.Share, err = parseShare(value)
	case "seed":
		if f.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return problem(key, "invalid value %q: want a whole number from 0 to 2⁶⁴−1", value)
		}
	case "from":
		f.Where.From, err = parseRow(key, value)
	case "to":
		f.Where.To, err = parseRow(key, value)
	case "delay":
		if f.Delay, err = randdur.Parse(value); err != nil {
			return problem(key, "%v", err)
		}
	case "exception":
		f.Exception = value
	default:
		return problem(key, "%s", unknown("setting", key, Keys()))
	}
	return err
}

func parseTime(key, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, problem(key, "invalid duration %q: want a number with a unit, such as 30s or 5m", value)
	}
	return d, nil
}

func parseShare(value string) (float64, error) {
	number, percent := strings.CutSuffix(value, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, problem("share", "invalid share %q: want a share such as 20%% or 0.2", value)
	}
	if percent {
		share /= 100
	}
	return share, nil
}

// parseRow reads a row in HBase's notation, in which \xHH is a byte in hexadecimal.
func parseRow(key, value string) (string, error) {
	var row strings.Builder
	for rest := value; rest != ""; {
		plain, after, escaped := strings.Cut(rest, `\x`)
		row.WriteString(plain)
		if !escaped {
			break
		}
		if len(after) < 2 {
			return "", problem(key, `invalid row "%s": want two hexadecimal digits after \x`, value)
		}
		b, err := strconv.ParseUint(after[:2], 16, 8)
		if err != nil {
			return "", problem(key, `invalid row "%s": want two hexadecimal digits after \x, not %q`, value, after[:2])
		}
		row.WriteByte(byte(b))
		rest = after[2:]
	}
	return row.String(), nil
}

func formatRow(row string) string {
	var text strings.Builder
	for _, b := range []byte(row) {
		if b < ' ' || b > '~' || b == '\\' {
			fmt.Fprintf(&text, `\x%02X`, b)
			continue
		}
		text.WriteByte(b)
	}
	return text.String()
}

// Settings returns the settings from which Parse makes the same fault. Default values are left out.
func (f *Fault) Settings() []Setting {
	var settings []Setting
	add := func(key string, values ...string) {
		if len(values) > 0 && (len(values) > 1 || values[0] != "") {
			settings = append(settings, Setting{key, values})
		}
	}
	add("kind", string(f.Kind))
	for _, d := range []struct {
		key string
		d   time.Duration
	}{{"start", f.Start}, {"length", f.Length}} {
		if d.d != 0 {
			add(d.key, d.d.String())
		}
	}
	if f.Share != 1 {
		add("share", strconv.FormatFloat(f.Share, 'g', -1, 64))
	}
	if f.Seed != 0 {
		add("seed", strconv.FormatUint(f.Seed, 10))
	}
	add("op", texts(f.Where.Ops)...)
	add("table", f.Where.Tables...)
	add("region", f.Where.Regions...)
	add("from", formatRow(f.Where.From))
	add("to", formatRow(f.Where.To))
	add("server", f.Where.Servers...)
	if !f.Delay.IsZero() {
		add("delay", f.Delay.String())
	}
	add("exception", f.Exception)
	return settings
}

// String is the fault on one line.
func (f *Fault) String() string {
	words := make([]string, 0, len(Keys()))
	for _, s := range f.Settings() {
		if s.Key == "kind" {
			words = append(words, string(f.Kind))
			continue
		}
		words = append(words, s.Key+" "+strings.Join(s.Values, ","))
	}
	return strings.Join(words, " ")
}

// MarshalJSON writes the fault as an object of its settings; all values are strings or lists of strings.
func (f *Fault) MarshalJSON() ([]byte, error) {
	object := make(map[string]any)
	for _, s := range f.Settings() {
		switch s.Key {
		case "op", "table", "region", "server":
			object[s.Key] = s.Values
		default:
			object[s.Key] = s.Values[0]
		}
	}
	return json.Marshal(object)
}

// UnmarshalJSON reads the output of MarshalJSON; it also accepts numbers, and one string in place of a list. An invalid
// fault is a Problem.
func (f *Fault) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return fmt.Errorf("read fault: %w", err)
	}
	settings := make([]Setting, 0, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		values, err := words(key, object[key])
		if err != nil {
			return err
		}
		settings = append(settings, Setting{key, values})
	}
	parsed, err := Parse(settings)
	if err == nil {
		*f = parsed
	}
	return err
}

func words(key string, value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case json.Number:
		return []string{v.String()}, nil
	case []any:
		var list []string
		for _, one := range v {
			w, err := words(key, one)
			if err != nil || len(w) != 1 {
				return nil, problem(key, "must be a list of strings")
			}
			list = append(list, w[0])
		}
		return list, nil
	default:
		return nil, problem(key, "must be a string, a number or a list of strings")
	}
}
