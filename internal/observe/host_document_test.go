package observe

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of a machine's figures in the documentation is that of the code: name, unit and how each is made.
func TestFiguresOfHostsAreDocumented(t *testing.T) {
	readings := figures("host.", host{
		hasCPU: true, load: 1, hasMem: true, memory: 2, available: 1, hasDisk: true, busy: map[string]float64{"sda": 1}, hasNet: true,
	})
	var want [][3]string
	for _, r := range append(readings, linkReadings("eth0", 1, 2, 10)...) {
		want = append(want, [3]string{strings.TrimPrefix(r.Name, "host."), r.Unit, [...]string{Level: "level", Counter: "rate", Share: "share"}[r.Kind]})
	}

	content, err := os.ReadFile("../../docs/telemetry.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(content), "\n## Endpoints and hosts\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	var documented [][3]string
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) < 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[0], -1) {
			documented = append(documented, [3]string{name[1], cells[1], cells[2]})
		}
	}
	require.ElementsMatch(t, want, documented)
}
