package main

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
)

func TestDebugFlagsShiftTheAgentsClock(t *testing.T) {
	var skew clock.Skew
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	clockFlags(fs, &skew)
	fs.VisitAll(func(f *pflag.Flag) {
		require.True(t, f.Hidden, f.Name)
		require.Empty(t, f.DefValue, f.Name)
	})
	require.NoError(t, fs.Parse([]string{"--debug-clock-offset", "-37s", "--debug-clock-drift", "-200ppm", "--debug-clock-jump", "5h@20s,-8h@1m"}))
	require.Equal(t, clock.Skew{
		Offset: -37 * time.Second, Drift: -200e-6,
		Jumps: []clock.Jump{{After: 20 * time.Second, By: 5 * time.Hour}, {After: time.Minute, By: -8 * time.Hour}},
	}, skew)
	for name, want := range map[string]string{"offset": "-37s", "drift": "-200ppm", "jump": "5h0m0s@20s,-8h0m0s@1m0s"} {
		require.Equal(t, want, fs.Lookup("debug-clock-"+name).Value.String())
	}
}

func TestDriftIsARatioOrPartsPerMillion(t *testing.T) {
	for text, want := range map[string]float64{"200ppm": 200e-6, "-50 ppm": -50e-6, "0.001": 0.001, "1e-4": 1e-4} {
		got, err := parseDrift(text)
		require.NoError(t, err, text)
		require.InDelta(t, want, got, 1e-15, text)
	}
	for _, text := range []string{"", "ppm", "fast", "1", "NaN", "-600000ppm"} {
		_, err := parseDrift(text)
		require.Error(t, err, text)
	}
}

func TestAJumpHasASizeAndATime(t *testing.T) {
	for text, want := range map[string]string{
		"": "want JUMP@AFTER", "1h": "want JUMP@AFTER", "1h@1s,": "want JUMP@AFTER", "@1s": "", "1h@": "", "1h@-1s": "before the start", "1@2@3": "",
	} {
		_, err := parseJumps(text)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzParseClock protects the readers of clock flags: whatever is written, what they take can be.
func FuzzParseClock(f *testing.F) {
	for _, seed := range []string{"200ppm", "NaN", "1e400", "1h@20s", "-1h@0s,1h@1s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if x, err := parseDrift(text); err == nil && !(x > -0.5 && x < 0.5) {
			t.Errorf("%q is a drift of %v", text, x)
		}
		jumps, _ := parseJumps(text)
		for _, j := range jumps {
			if j.After < 0 {
				t.Errorf("%q is a jump before the start", text)
			}
		}
	})
}
