package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
)

// Only files that the command line names are written, whatever the run's properties are at the coordinator.
func TestOnlyNamedFilesAreWritten(t *testing.T) {
	evil := report.YCSB{ExportFile: "/etc/passwd", Logs: true, LogPath: "/etc/cron.d/x", RawFile: "/root/.profile", Label: "l"}
	got, left := onlyNamed(evil, report.YCSB{})
	require.Equal(t, report.YCSB{LogPath: evil.LogPath, Label: "l"}, got)
	require.Equal(t, []string{"exportfile=/etc/passwd", "hdrhistogram.output.path=/etc/cron.d/x", "measurement.raw.output_file=/root/.profile"}, left)

	named := report.YCSB{ExportFile: "out.txt", Logs: true, LogPath: "logs/", RawFile: "raw.csv"}
	got, left = onlyNamed(named, named)
	require.Equal(t, named, got)
	require.Empty(t, left)

	got, left = onlyNamed(evil, named)
	require.Equal(t, "out.txt", got.ExportFile)
	require.Equal(t, "raw.csv", got.RawFile)
	require.False(t, got.Logs)
	require.Len(t, left, 3)
}
