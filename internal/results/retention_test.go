package results_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/results"
)

func TestParseKeep(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]results.Keep{
		"": {}, " ": {}, "90d": {Age: 90 * day}, "2w": {Age: 14 * day}, "36h": {Age: 36 * time.Hour}, "1.5d": {Age: 36 * time.Hour},
		"50GB": {Size: 50e9}, "512MiB": {Size: 512 << 20}, "1.5 kB": {Size: 1500}, "90d,50GB": {Age: 90 * day, Size: 50e9}, "1TB, 1h": {Age: time.Hour, Size: 1e12},
	} {
		got, err := results.ParseKeep(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"90":       `invalid value "90": want an age, such as 90d or 36h, or a size, such as 50GB or 512MiB`,
		"-1d":      `invalid value "-1d"`,
		"0GB":      `invalid value "0GB"`,
		"1e300d":   `invalid value "1e300d"`,
		"9e30TB":   `invalid value "9e30TB"`,
		"NaNGB":    `invalid value "NaNGB"`,
		"1d,":      `invalid value ""`,
		"1d,2d":    `"1d,2d": want at most one age and one size`,
		"1GB,1GiB": `"1GB,1GiB": want at most one age and one size`,
		"forever":  `invalid value "forever"`,
	} {
		_, err := results.ParseKeep(text)
		require.ErrorContains(t, err, want)
	}
}
