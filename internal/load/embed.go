package load

import (
	"context"
	"log/slog"
)

// Embed reads what system of a target's kind a process is to bring with it from resolved properties. What is wrong with them,
// and with a file that they name, is an error before anything is started.
type Embed func(properties map[string]string, s EmbedSettings) (Start, error)

// EmbedSettings are what properties do not say of an embedded system.
type EmbedSettings struct {
	// Servers is how many servers it has. Default: as many as the properties say.
	Servers int
	// Listen are the addresses of its servers, by the names of the flags of `benchd dev`. Default: ports of 127.0.0.1 that are free.
	Listen  map[string]string
	Program string // the version of the program that it is part of
	Logger  *slog.Logger
}

// Start starts an embedded system.
type Start func(ctx context.Context) (System, error)

// System is a system under test in this process.
type System interface {
	// Supplied are the properties by which cases find it, by the name of the target that they are for.
	Supplied() map[string]map[string]string
	// Attrs are where it listens, for a log.
	Attrs() []slog.Attr
	// Close ends it.
	Close() error
}
