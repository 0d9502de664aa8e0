package load

import (
	"context"
	"log/slog"
)

// Embed reads the properties of an embedded system of a target's kind. Errors in them, and in a file that they name, are
// reported before anything is started.
type Embed func(properties map[string]string, s EmbedSettings) (Start, error)

// EmbedSettings are the settings of an embedded system besides its properties.
type EmbedSettings struct {
	// Servers is the number of servers. Default: from the properties.
	Servers int
	// Listen has the addresses of its servers, by the names of the flags of `benchd dev`. Default: free ports of
	// 127.0.0.1.
	Listen  map[string]string
	Program string // version of the program that embeds it
	Logger  *slog.Logger
}

// Start starts an embedded system.
type Start func(ctx context.Context) (System, error)

// System is a system under test in this process.
type System interface {
	// Supplied returns the properties with which cases connect to it, by the name of their target.
	Supplied() map[string]map[string]string
	// Attrs returns the addresses of its servers, for a log.
	Attrs() []slog.Attr
	// Close stops it.
	Close() error
}
