package observe

import (
	"context"

	"github.com/benchd/benchd/internal/clock"
)

// Source is something that can be looked at. One goroutine uses it.
type Source interface {
	// Look reads all figures once; it returns when ctx ends at the latest, with what it has.
	Look(ctx context.Context) Look
	// Close lets go of connections.
	Close()
}

// Look is what was seen at once.
type Look struct {
	Groups   []Group
	Events   []Event
	Warnings []string // each is told once, by whoever takes it
}

// Group is readings of one source that were true at one instant.
type Group struct {
	Key    string // which readings of the source they are
	Source string
	At     clock.Instant
	// Epoch changes when what is counted starts anew.
	Epoch string
	// Live says that the readings are of At. Others are kept by the server for some seconds, and are of the instant at which
	// it was seen to renew them: Renewed, which is zero as long as that was not seen.
	Live     bool
	Renewed  clock.Instant
	Readings []Reading
}

// Kind says what a reading becomes.
type Kind uint8

// The kinds.
const (
	Level   Kind = iota // it is told as it is
	Counter             // it grows, and its growth per second is told
	Share               // its growth is told as a percentage of that of Of
)

// Reading is one figure as its source has it.
type Reading struct {
	Name, Unit string
	Kind       Kind
	Value, Of  float64
	Suffix     string // of the group's source, for a part of it such as a disk
}

// Event is something that has happened.
type Event struct {
	At         clock.Instant
	Kind, Text string
}
