package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

func TestDamagedRowIsReported(t *testing.T) {
	for name, damage := range map[string]string{
		"histogram": `UPDATE measurement SET response = x'00' WHERE op = 'READ-MODIFY-WRITE'`,
		"count":     `UPDATE measurement SET count = count + 1 WHERE op = 'READ-MODIFY-WRITE'`,
		"service":   `UPDATE measurement SET service = x'' WHERE op = 'UPDATE'`,
		"max":       `UPDATE measurement SET service_max_ns = 1 WHERE op = 'UPDATE'`,
		"flag":      `UPDATE window SET last = 2`,
		"rows":      `UPDATE window SET rows = -1`,
		"lateness":  `UPDATE lateness SET histogram = x'00'`,
	} {
		t.Run(name, func(t *testing.T) {
			a := openIn(t, t.TempDir())
			run := archivetest.Create(t, a, "s")
			archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure"}, 12))
			_, err := a.writer.ExecContext(t.Context(), damage)
			require.NoError(t, err)
			var last error
			for _, err := range a.Windows(t.Context(), run) {
				last = err
			}
			require.ErrorIs(t, last, archive.ErrCorrupt)
			require.ErrorContains(t, last, "window 0 of shard 0 in phase measure of run s.1")
		})
	}
}
