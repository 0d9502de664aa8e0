package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/pacing"
)

func TestRates(t *testing.T) {
	for text, want := range map[string]struct {
		rate      pacing.Rate
		canonical string
	}{
		"":                              {nil, ""},
		"1000":                          {pacing.Rate{{From: 1000, To: 1000}}, "1000"},
		" 0.5 ":                         {pacing.Rate{{From: 0.5, To: 0.5}}, "0.5"},
		"1000 -> 50000 over 10m":        {pacing.Rate{{From: 1000, To: 50000, Seconds: 600}}, "1000 -> 50000 over 10m0s"},
		"1000→50000 over 10m":           {pacing.Rate{{From: 1000, To: 50000, Seconds: 600}}, "1000 -> 50000 over 10m0s"},
		"1000 for 1m, 2000 for 1m":      {pacing.Rate{{From: 1000, To: 1000, Seconds: 60}, {From: 2000, To: 2000, Seconds: 60}}, "1000 for 1m0s, 2000 for 1m0s"},
		"0 for 1s,10 -> 20 over 1s, 30": {pacing.Rate{{Seconds: 1}, {From: 10, To: 20, Seconds: 1}, {From: 30, To: 30}}, "0 for 1s, 10 -> 20 over 1s, 30"},
		"1000 -> 0 over 1m":             {pacing.Rate{{From: 1000, Seconds: 60}}, "1000 -> 0 over 1m0s"},
		"5 -> 5 over 1.5s":              {pacing.Rate{{From: 5, To: 5, Seconds: 1.5}}, "5 for 1.5s"},
	} {
		t.Run(text, func(t *testing.T) {
			rate, err := ParseRate(text)
			require.NoError(t, err)
			require.Equal(t, want.rate, rate)
			require.Equal(t, want.canonical, FormatRate(rate))
		})
	}
}

func TestInvalidRates(t *testing.T) {
	for text, want := range map[string]string{
		"fast":               `invalid number "fast": want a decimal number, such as 0.5`,
		"10k":                `invalid number "10k": write 10000`,
		"-1":                 "-1 is out of range: want 0 to 1000000000 operations per second",
		"2e9":                "2e9 is out of range: want 0 to 1000000000 operations per second",
		"1000, 2000 for 1m":  "piece 1 of the rate has no end, so no piece can follow it; add its duration, as in 1000 for 1m",
		"1000 -> 2000":       `invalid rate "1000 -> 2000": want 1000, 1000 for 1m, or 1000 -> 50000 over 10m`,
		"1000 per second":    `invalid rate "1000 per second": want 1000, 1000 for 1m, or 1000 -> 50000 over 10m`,
		"1000 for 60":        `invalid duration "60": missing unit; write 60s or 60ms`,
		"1000 for 0s":        "0s is out of range: want more than 0s and at most 10000h0m0s for a piece of a rate",
		"1000 for 1m 2000":   `invalid rate "1000 for 1m 2000": want 1000, 1000 for 1m, or 1000 -> 50000 over 10m`,
		"1000 for 1m,":       `invalid number "": want a decimal number, such as 0.5`,
		"NaN":                `invalid number "NaN": want a decimal number, such as 0.5`,
		"Inf":                `invalid number "Inf": want a decimal number, such as 0.5`,
		"1000 -> x over 10m": `invalid number "x": want a decimal number, such as 0.5`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseRate(text)
			require.EqualError(t, err, want)
		})
	}
}

func FuzzParseRate(f *testing.F) {
	for _, seed := range []string{"1000", "1000 -> 50000 over 10m", "1 for 1m, 2 for 1h, 3", "1→2 over 1ns", "0 for 2562047h, 1e-9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := ParseRate(text)
		if err != nil {
			return
		}
		canonical := FormatRate(rate)
		again, err := ParseRate(canonical)
		if err != nil || FormatRate(again) != canonical {
			t.Errorf("rate %q is written %q and read as %q: %v", text, canonical, FormatRate(again), err)
		}
	})
}
