package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/config"
)

// clockFlags declares the hidden flags that shift what an agent believes the time is, for tests of clocks that
// disagree.
func clockFlags(fs *pflag.FlagSet, skew *clock.Skew) {
	config.Duration(fs, &skew.Offset, "debug-clock-offset", true, "shift the agent's clock")
	config.Var(fs, &skew.Drift, "debug-clock-drift", "N[ppm]", "make the agent's clock faster", parseDrift, formatDrift)
	config.Var(fs, skew, "debug-clock-jump", "D@D", "make the agent's clock of day jump by so much after so long",
		func(s string) (clock.Skew, error) {
			jump, at, err := parseJump(s)
			next := *skew
			next.Jump, next.JumpAt = jump, at
			return next, err
		},
		func(s clock.Skew) string {
			if s.Jump == 0 {
				return ""
			}
			return s.Jump.String() + "@" + s.JumpAt.String()
		})
	for _, name := range []string{"debug-clock-offset", "debug-clock-drift", "debug-clock-jump"} {
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

// parseJump reads "1h@20s".
func parseJump(s string) (jump, at time.Duration, err error) {
	by, after, ok := strings.Cut(s, "@")
	if !ok {
		return 0, 0, fmt.Errorf("%q is not of the form JUMP@AFTER, such as 1h@20s", s)
	}
	jump, err = config.ParseDuration(by)
	if err != nil {
		return 0, 0, err
	}
	at, err = config.ParseDuration(after)
	if err == nil && at < 0 {
		err = errors.New("a jump cannot lie before the start")
	}
	return jump, at, err
}
