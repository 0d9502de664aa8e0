package observe

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// The documentation lists a host's figures with the name, unit and kind that the code has.
func TestFiguresOfHostsAreDocumented(t *testing.T) {
	readings := figures("host.", host{
		hasCPU: true, load: 1, hasMem: true, memory: 2, available: 1, hasDisk: true, busy: map[string]float64{"sda": 1}, hasNet: true,
	})
	var want [][3]string
	for _, r := range append(readings, linkReadings("eth0", 1, 2, 10)...) {
		want = append(want, [3]string{strings.TrimPrefix(r.Name, "host."), r.Unit, [...]string{Level: "level", Counter: "rate", Share: "share"}[r.Kind]})
	}

	var documented [][3]string
	for _, row := range doctable.Tables(doctable.Section(doctable.Read(t, "docs/telemetry.md"), "## Endpoints and hosts"))[0].Rows {
		for _, name := range doctable.Names(row[0]) {
			documented = append(documented, [3]string{name, row[1], row[2]})
		}
	}
	require.ElementsMatch(t, want, documented)
}
