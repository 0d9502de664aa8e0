package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/config"
)

// clockFlags declares the hidden flags that shift what an agent believes the time is, for tests of clocks that
// disagree.
func clockFlags(fs *pflag.FlagSet, skew *clock.Skew) {
	config.Duration(fs, &skew.Offset, "debug-clock-offset", true, "shift the agent's clock")
	config.Var(fs, &skew.Drift, "debug-clock-drift", "N[ppm]", "make the agent's clock faster", parseDrift, formatDrift)
	for _, name := range []string{"debug-clock-offset", "debug-clock-drift"} {
		fs.Lookup(name).Hidden = true
	}
}

// parseDrift reads "200ppm", "-50ppm" or a ratio.
func parseDrift(s string) (float64, error) {
	digits, ppm := strings.CutSuffix(strings.TrimSpace(s), "ppm")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a drift: write 200ppm", s)
	}
	if ppm {
		x /= 1e6
	}
	if !(x > -0.5 && x < 0.5) {
		return 0, fmt.Errorf("%s is no drift that a clock can have", s)
	}
	return x, nil
}

func formatDrift(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x*1e6, 'g', 6, 64) + "ppm"
}
