package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/config"
)

// clockFlags declares the hidden flags that shift an agent's clock, for tests of clocks that disagree.
func clockFlags(fs *pflag.FlagSet, skew *clock.Skew) {
	config.Duration(fs, &skew.Offset, "debug-clock-offset", true, "shift the agent's clock")
	config.Var(fs, &skew.Drift, "debug-clock-drift", "N[ppm]", "make the agent's clock faster", parseDrift, formatDrift)
	for _, name := range []string{"debug-clock-offset", "debug-clock-drift"} {
		fs.Lookup(name).Hidden = true
	}
	jumpFlag(fs, skew)
}

// jumpFlag declares the hidden flag that sets the wall clock of a coordinator or an agent while it works.
func jumpFlag(fs *pflag.FlagSet, skew *clock.Skew) {
	config.Var(fs, &skew.Jumps, "debug-clock-jump", "D@D[,…]", "shift the wall clock by a duration after another", parseJumps, formatJumps)
	fs.Lookup("debug-clock-jump").Hidden = true
}

// parseJumps reads "5h@20s" or "5h@20s,-8h@1m".
func parseJumps(s string) ([]clock.Jump, error) {
	var jumps []clock.Jump
	for part := range strings.SplitSeq(s, ",") {
		by, after, ok := strings.Cut(part, "@")
		if !ok {
			return nil, fmt.Errorf("invalid jump %q: want JUMP@AFTER, such as 5h@20s", part)
		}
		var jump clock.Jump
		var err error
		if jump.By, err = config.ParseDuration(by); err != nil {
			return nil, err
		}
		if jump.After, err = config.ParseDuration(after); err != nil {
			return nil, err
		}
		if jump.After < 0 {
			return nil, fmt.Errorf("invalid jump %q: it is before the start", part)
		}
		jumps = append(jumps, jump)
	}
	return jumps, nil
}

func formatJumps(jumps []clock.Jump) string {
	parts := make([]string, len(jumps))
	for i, j := range jumps {
		parts[i] = j.By.String() + "@" + j.After.String()
	}
	return strings.Join(parts, ",")
}

// parseDrift reads "200ppm", "-50ppm" or a ratio.
func parseDrift(s string) (float64, error) {
	digits, ppm := strings.CutSuffix(strings.TrimSpace(s), "ppm")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil {
		return 0, fmt.Errorf("invalid drift %q: want a number with ppm, such as 200ppm", s)
	}
	if ppm {
		x /= 1e6
	}
	if !(x > -0.5 && x < 0.5) {
		return 0, fmt.Errorf("invalid drift %q: want less than 500000ppm in either direction", s)
	}
	return x, nil
}

func formatDrift(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x*1e6, 'g', 6, 64) + "ppm"
}
