// Package randdur draws random durations, such as the service time of a sandbox or the delay of an answer.
//
//  1. Parse reads a Duration: "5ms", "exponential 5ms", "uniform 1ms 9ms", "lognormal 5ms 0.5".
//  2. Draw draws a time.Duration from it, with a generator that the caller seeds.
//  3. String writes it as Parse reads it; its JSON is the same text.
package randdur

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Shape names a distribution.
type Shape string

// The shapes.
const (
	Constant    Shape = "constant"    // Time
	Exponential Shape = "exponential" // of mean Time
	Uniform     Shape = "uniform"     // from Time to Most
	Lognormal   Shape = "lognormal"   // of median Time; Sigma is the deviation of its logarithm
)

// Forms lists the forms that Parse accepts, for messages.
const Forms = "5ms, exponential 5ms (mean), uniform 1ms 9ms, or lognormal 5ms 0.5 (median, sigma)"

// Longest is the maximum duration.
const Longest = time.Hour

// Duration is a distribution of durations. The zero Duration always draws 0.
type Duration struct {
	Shape Shape
	Time  time.Duration
	Most  time.Duration
	Sigma float64
}

// IsZero reports whether Draw always returns 0.
func (d Duration) IsZero() bool { return d.Time == 0 && d.Most == 0 }

// Draw draws a duration of at most Longest.
func (d Duration) Draw(rng *rand.Rand) time.Duration {
	switch d.Shape {
	case Exponential:
		return bounded(rng.ExpFloat64() * float64(d.Time))
	case Uniform:
		return d.Time + time.Duration(rng.Float64()*float64(d.Most-d.Time))
	case Lognormal:
		return bounded(float64(d.Time) * math.Exp(d.Sigma*rng.NormFloat64()))
	case Constant:
	}
	return d.Time
}

func bounded(ns float64) time.Duration { return time.Duration(min(ns, float64(Longest))) }

// Mean is the mean of what is drawn.
func (d Duration) Mean() time.Duration {
	switch d.Shape {
	case Uniform:
		return (d.Time + d.Most) / 2
	case Lognormal:
		return bounded(float64(d.Time) * math.Exp(d.Sigma*d.Sigma/2))
	case Constant, Exponential:
	}
	return d.Time
}

// Parse reads a Duration.
func Parse(text string) (Duration, error) {
	words := strings.Fields(text)
	if len(words) == 1 {
		words = append([]string{string(Constant)}, words...)
	}
	if len(words) == 0 {
		return Duration{}, fmt.Errorf("missing duration: want %s", Forms)
	}
	d := Duration{Shape: Shape(words[0])}
	want := 3
	switch d.Shape {
	case Constant, Exponential:
		want = 2
	case Uniform, Lognormal:
	default:
		return Duration{}, fmt.Errorf("invalid duration %q: want %s", text, Forms)
	}
	if len(words) != want {
		return Duration{}, fmt.Errorf("invalid duration %q: %s takes %s; want %s", text, d.Shape, counted(want-1), Forms)
	}
	var err error
	if d.Time, err = parseTime(words[1]); err != nil {
		return Duration{}, err
	}
	switch d.Shape {
	case Uniform:
		if d.Most, err = parseTime(words[2]); err != nil {
			return Duration{}, err
		}
		if d.Most < d.Time {
			return Duration{}, fmt.Errorf("invalid duration %q: %v is less than %v; write the minimum first, such as uniform 1ms 9ms", text, d.Most, d.Time)
		}
	case Lognormal:
		d.Sigma, err = strconv.ParseFloat(words[2], 64)
		if err != nil || !(d.Sigma >= 0 && d.Sigma <= 5) {
			return Duration{}, fmt.Errorf("invalid duration %q: sigma %s is out of range: want a number from 0 to 5", text, words[2])
		}
	case Constant, Exponential:
	}
	if d.IsZero() {
		return Duration{}, nil
	}
	return d, nil
}

func counted(n int) string {
	if n == 1 {
		return "one value"
	}
	return "two values"
}

func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("invalid duration %q: want a number with a unit, such as 5ms or 1.5s", text)
	}
	if d < 0 || d > Longest {
		return 0, fmt.Errorf("%v is out of range: want 0 to %v", d, Longest)
	}
	return d, nil
}

// String writes a Duration as Parse reads it.
func (d Duration) String() string {
	switch d.Shape {
	case Exponential:
		return fmt.Sprintf("%s %v", d.Shape, d.Time)
	case Uniform:
		return fmt.Sprintf("%s %v %v", d.Shape, d.Time, d.Most)
	case Lognormal:
		return fmt.Sprintf("%s %v %s", d.Shape, d.Time, strconv.FormatFloat(d.Sigma, 'g', -1, 64))
	case Constant:
	}
	return d.Time.String()
}

// MarshalText writes a Duration as String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a Duration as Parse does.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*d = parsed
	}
	return err
}
