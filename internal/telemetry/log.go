package telemetry

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// LogLevels returns the levels that NewLogger takes, from the most talkative on.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// LogFormats returns the formats that NewLogger takes.
func LogFormats() []string { return []string{"text", "json"} }

// NewLogger makes a logger of one of LogLevels and LogFormats.
func NewLogger(out io.Writer, level, format string) (*slog.Logger, error) {
	if !slices.Contains(LogLevels(), level) {
		return nil, fmt.Errorf("log level %q is not one of %s", level, strings.Join(LogLevels(), ", "))
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
	return nil, fmt.Errorf("log format %q is not one of %s", format, strings.Join(LogFormats(), ", "))
}
