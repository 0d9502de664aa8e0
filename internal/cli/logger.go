package cli

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// logLevels returns the levels that newLogger accepts, the most verbose first.
func logLevels() []string { return []string{"debug", "info", "warn", "error"} }

// logFormats returns the formats that newLogger accepts.
func logFormats() []string { return []string{"text", "json"} }

// newLogger makes a logger of one of logLevels and logFormats.
func newLogger(out io.Writer, level, format string) (*slog.Logger, error) {
	if !slices.Contains(logLevels(), level) {
		return nil, fmt.Errorf("log level %q is not one of %s", level, strings.Join(logLevels(), ", "))
	}
	var options slog.HandlerOptions
	var leveler slog.Level
	if err := leveler.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("read log level: %w", err)
	}
	options.Level = leveler
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(out, &options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, &options)), nil
	}
	return nil, fmt.Errorf("log format %q is not one of %s", format, strings.Join(logFormats(), ", "))
}
