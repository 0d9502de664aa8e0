package chart

import (
	"math"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Request selects a part of a run, and how finely it is shown.
type Request struct {
	From   time.Duration // since the run's start
	To     time.Duration // 0 for the end
	Points int           // maximum number of each phase or figure; 0 for result.Columns
	Step   time.Duration // minimum length of a point of a series, instead of Points; 0 for any
}

// AtMost is the maximum number of points.
func (r Request) AtMost() int {
	if r.Points <= 0 {
		return result.Columns
	}
	return r.Points
}

// Within returns the part of a phase that a request selects, since the phase's start; ok is false if there is none.
func (r Request) Within(begin, length time.Duration) (from, to time.Duration, ok bool) {
	from, to = max(r.From-begin, 0), length
	if r.To > 0 {
		to = min(r.To-begin, length)
	}
	return from, to, from < to
}

// StepFor returns the length of points between two times of a phase, as few times the archive's points as the request allows.
func (r Request) StepFor(point, from, to time.Duration) time.Duration {
	if r.Step <= 0 || point <= 0 {
		return result.ColumnLength(point, to-from, r.AtMost())
	}
	for i := 0; ; i++ {
		if step := time.Duration(Times(i)) * point; step >= r.Step {
			return step
		}
	}
}

// Times is the number of the archive's points in those of a level: 1, 2, 5, 10, 20, 50 …
func Times(level int) int64 {
	return [...]int64{1, 2, 5}[level%3] * int64(math.Pow10(level/3))
}

// Finer is the level from which another one, from 1 on, can be merged.
func Finer(level int) int {
	if level%3 == 0 {
		return level - 1 // 10 of 5
	}
	return level - level%3 // 2 and 5 of 1
}

// Levels is how many levels a phase has, up to one whose point is as long as the phase.
func Levels(point, length time.Duration) int {
	n := 1
	for point > 0 && time.Duration(Times(n-1))*point < length {
		n++
	}
	return n
}

// Series is the course of a run in few points.
type Series struct {
	Schema  int           `json:"schema"`
	Kind    string        `json:"kind"` // "series"
	ID      string        `json:"id"`
	Status  result.Status `json:"status"`
	Started *time.Time    `json:"started"` // null until then
	Phases  []PhaseSeries `json:"phases"`
}

// PhaseSeries is the course of a phase. The last point of a run in progress is incomplete.
type PhaseSeries struct {
	Name    string         `json:"name"`
	Started time.Time      `json:"started"`
	Begin   float64        `json:"begin_seconds"` // since the run's start
	Step    float64        `json:"step_seconds"`  // length of the points
	Points  []result.Point `json:"points"`        // their times are since the phase's start
}
