package observe

import (
	"context"

	"github.com/benchd/benchd/internal/clock"
)

// Source can be read for telemetry. One goroutine uses it.
type Source interface {
	// Look reads all figures once. It returns what it has by the time ctx ends.
	Look(ctx context.Context) Look
	// Close closes connections.
	Close()
}

// Look is the result of one read.
type Look struct {
	Groups   []Group
	Events   []Event
	Warnings []string // each is returned once
}

// Group is readings of one source at one instant.
type Group struct {
	Key    string // names the group within its source
	Source string
	At     clock.Instant
	// Epoch changes when counters start from zero again.
	Epoch string
	// Live means that the readings are of instant At. Otherwise the server caches them for some seconds, and they are of the
	// instant Renewed at which it was seen to renew them, which is zero until then.
	Live     bool
	Renewed  clock.Instant
	Readings []Reading
}

// Kind is how a reading becomes a sample.
type Kind uint8

// The kinds.
const (
	Level   Kind = iota // reported as it is
	Counter             // reported as its growth per second
	Share               // its growth is reported as a percentage of that of Of
)

// Reading is one figure as its source reports it.
type Reading struct {
	Name, Unit string
	Kind       Kind
	Value, Of  float64
	Suffix     string // appended to the group's source, for a part of it such as a disk
}

// Event is something that happened to a source.
type Event struct {
	At         clock.Instant
	Kind, Text string
}
