package schedule

import "time"

// Kind is what became of a due time.
type Kind string

// The kinds of an Outcome.
const (
	Submitted Kind = "submitted" // its suite was submitted
	Skipped   Kind = "skipped"   // the suite before it was in progress
	Failed    Kind = "failed"    // its suite was refused
)

// Outcome is what became of a due time.
type Outcome struct {
	Due    time.Time `json:"due"` // of a suite that a user asked for, the instant of that
	At     time.Time `json:"at"`  // when it was decided
	Kind   Kind      `json:"outcome"`
	Suite  string    `json:"suite,omitempty"`  // that was submitted, or was in progress
	Reason string    `json:"reason,omitempty"` // of one that was skipped or failed
	// Missed is the number of due times before it, while the coordinator was down or after its clock was set.
	Missed int    `json:"missed,omitempty"`
	By     string `json:"by,omitempty"` // the user who asked for the suite
}

// Alert is a change of a figure that a suite of a schedule has revealed, with the test that found it.
type Alert struct {
	At        time.Time `json:"at"`
	Suite     string    `json:"found_in"` // the suite with which the test found it
	Since     string    `json:"suite"`    // the first one after the change
	Earliest  string    `json:"earliest"`
	Latest    string    `json:"latest"`
	Case      string    `json:"case"`
	Figure    string    `json:"figure"`
	Unit      string    `json:"unit"`
	Verdict   string    `json:"verdict"`
	Ratio     float64   `json:"ratio"`
	Low       *float64  `json:"ci95_low"`
	High      *float64  `json:"ci95_high"`
	Statistic float64   `json:"statistic"`
	Threshold float64   `json:"threshold"`
	Test      string    `json:"test"`
}

// Summary is the state of a schedule in a list, as JSON has it.
type Summary struct {
	Name      string     `json:"name"`
	Recurs    string     `json:"recurs"` // as String writes it
	Owner     string     `json:"owner"`
	Created   time.Time  `json:"created"`
	Paused    bool       `json:"paused"`
	Next      *time.Time `json:"next"`       // null while it is paused
	Suite     string     `json:"suite"`      // the newest one that it has submitted; empty for none
	Status    string     `json:"status"`     // of that suite; empty if it was removed
	Last      *Outcome   `json:"last"`       // of its newest due time; null before the first
	LastAlert *Alert     `json:"last_alert"` // null for none
}

// Document is the state of a schedule with what became of its due times, as JSON has it.
type Document struct {
	Summary
	Outcomes []Outcome `json:"outcomes"` // the newest first, at most 20
	Alerts   []Alert   `json:"alerts"`   // the newest first, at most 100
}
