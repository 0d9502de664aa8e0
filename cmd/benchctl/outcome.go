package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/result"
)

// head is the part of a result that determines the exit code: a suite has runs, a run has none.
type head struct {
	Kind     string        `json:"kind"`
	ID       string        `json:"id"`
	Status   result.Status `json:"status"`
	Reason   string        `json:"reason"`
	Violated bool          `json:"limit_violated"`
	Missing  []string      `json:"missing"`
	Replaced string        `json:"replaced_by"`
	Runs     []head        `json:"runs"`
}

// verdict returns the outcome of the command that waited for a suite: nil, or an error with the exit code and the reason.
func verdict(text []byte) error {
	var h head
	if err := json.Unmarshal(text, &h); err != nil {
		return fmt.Errorf("read result: %w", err)
	}
	h.Runs = slices.DeleteFunc(h.Runs, func(r head) bool { return r.Replaced != "" })
	return h.verdict()
}

func (h head) verdict() error {
	what := h.Kind + " " + h.ID
	code, message := cli.Failed, fmt.Sprintf("%s failed", what)
	switch h.Status {
	case result.Complete:
		return nil
	case result.Failed:
		if h.violated() {
			code, message = cli.Violated, fmt.Sprintf("%s violated a limit", what)
		}
	case result.Partial:
		code, message = cli.Incomplete, fmt.Sprintf("%s is partial", what)
		if missing := h.missing(); len(missing) > 0 {
			message += "; missing: " + strings.Join(missing, "; ")
		}
	case result.Cancelled:
		code, message = cli.Incomplete, fmt.Sprintf("%s was cancelled", what)
		if by, found := strings.CutPrefix(h.Reason, "cancelled"); found {
			return &cli.Error{Code: code, Err: errors.New(message + by)}
		}
	case result.Queued, result.Preparing, result.Running, result.Stopping:
		code, message = cli.Incomplete, fmt.Sprintf("%s is %s", what, h.Status)
	default:
		message = fmt.Sprintf("%s has the unknown status %q", what, h.Status)
	}
	if reason := h.reason(); reason != "" {
		message += ": " + reason
	}
	return &cli.Error{Code: code, Err: errors.New(message)}
}

func (h head) violated() bool {
	for _, r := range h.Runs {
		if r.violated() {
			return true
		}
	}
	return h.Violated
}

func (h head) missing() []string {
	missing := h.Missing
	for _, r := range h.Runs {
		missing = append(missing, r.missing()...)
	}
	return missing
}

// reason returns the run's reason, or that of a suite's first run that has one.
func (h head) reason() string {
	for _, r := range h.Runs {
		if reason := r.reason(); h.Reason == "" && reason != "" {
			return r.ID + " " + reason
		}
	}
	return h.Reason
}
