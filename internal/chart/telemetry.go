package chart

import (
	"math"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Telemetry is what targets and hosts reported during a run.
type Telemetry struct {
	Schema  int             `json:"schema"`
	Kind    string          `json:"kind"` // "telemetry"
	ID      string          `json:"id"`
	Status  result.Status   `json:"status"`
	Started *time.Time      `json:"started"` // null until then
	Sources []TelemetryLine `json:"sources"`
}

// TelemetryLine is the course of a figure of one source.
type TelemetryLine struct {
	Source string    `json:"source"` // a server, an endpoint, an agent
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Times  []float64 `json:"times"` // in seconds since the run's start
	// Values are means over the time of a point. Null is a gap in the telemetry, so that a line is not drawn across it.
	Values []*float64 `json:"values"`
}

// FigureOf thins a figure to at most so many points, besides those of gaps.
func FigureOf(o result.Observed, atMost int) TelemetryLine {
	f := TelemetryLine{Source: o.Source, Name: o.Name, Unit: o.Unit, Times: []float64{}, Values: []*float64{}}
	if len(o.At) == 0 {
		return f
	}
	usual := usualPause(o.At)
	first := o.At[0]
	length := time.Duration(1) // of a point
	if len(o.At) > atMost {
		length = (o.At[len(o.At)-1]-first)/time.Duration(max(atMost, 1)) + 1
	}
	for i := 0; i < len(o.At); {
		end, at, value := i, 0.0, 0.0
		for end < len(o.At) && (o.At[end]-first)/length == (o.At[i]-first)/length {
			at += o.At[end].Seconds()
			value += o.Values[end]
			end++
		}
		n := float64(end - i)
		if i > 0 && o.At[i]-o.At[i-1] > 3*max(usual, length/2) {
			f.add((o.At[i-1]+o.At[i]).Seconds()/2, nil)
		}
		f.add(at/n, new(value/n))
		i = end
	}
	return f
}

func (f *TelemetryLine) add(at float64, value *float64) {
	f.Times, f.Values = append(f.Times, math.Round(at*1e3)/1e3), append(f.Values, value)
}

// usualPause is about the median time between two points.
func usualPause(at []time.Duration) time.Duration {
	const sample = 100
	var pauses []time.Duration
	for i := 1; i < len(at); i += max(len(at)/sample, 1) {
		pauses = append(pauses, at[i]-at[i-1])
	}
	if len(pauses) == 0 {
		return 0
	}
	slices.Sort(pauses)
	return pauses[len(pauses)/2]
}
