package property

import (
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/secret"
)

// Values are properties in canonical spelling with every default filled in. They have been validated, so reading them
// cannot fail: a method returns its zero value for a value of another type.
type Values map[string]string

// Read validates the properties that keys name, and fills in the defaults of those that are not set. The error is of type
// Problems.
func Read(properties map[string]string, keys []Key) (Values, error) {
	var problems Problems
	v := make(Values, len(keys))
	for _, k := range keys {
		v[k.Name] = k.Default
		given, ok := properties[k.Name]
		if !ok {
			continue
		}
		canonical, err := k.Canonical(given)
		if err != nil {
			problems = append(problems, Problem{Key: k.Name, Text: err.Error()})
			continue
		}
		v[k.Name] = canonical
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return v, nil
}

// Text returns a value as it is written.
func (v Values) Text(name string) string { return v[name] }

// Int64 returns an integer.
func (v Values) Int64(name string) int64 {
	n, _ := strconv.ParseInt(v[name], 10, 64)
	return n
}

// Int returns an integer.
func (v Values) Int(name string) int { return int(v.Int64(name)) }

// Uint64 returns an unsigned integer, such as a seed.
func (v Values) Uint64(name string) uint64 {
	n, _ := strconv.ParseUint(v[name], 10, 64)
	return n
}

// Float returns a number.
func (v Values) Float(name string) float64 {
	f, _ := strconv.ParseFloat(v[name], 64)
	return f
}

// Bool reports whether a value is true.
func (v Values) Bool(name string) bool { return v[name] == "true" }

// Duration returns a duration that is written with its unit.
func (v Values) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(v[name])
	return d
}

// Milliseconds returns a duration that is written as an integer number of milliseconds.
func (v Values) Milliseconds(name string) time.Duration {
	return time.Duration(v.Int64(name)) * time.Millisecond
}

// Secret returns a reference to a secret, or "".
func (v Values) Secret(name string) secret.Ref { return secret.Ref(v[name]) }

// List returns the items of a comma-separated list.
func (v Values) List(name string) []string {
	if v[name] == "" {
		return nil
	}
	return strings.Split(v[name], ",")
}
