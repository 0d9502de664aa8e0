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
		"90":       `"90" is neither an age, such as 90d or 36h, nor a size, such as 50GB or 512MiB`,
		"-1d":      `"-1d" is neither`,
		"0GB":      `"0GB" is neither`,
		"1e300d":   `"1e300d" is neither`,
		"9e30TB":   `"9e30TB" is neither`,
		"NaNGB":    `"NaNGB" is neither`,
		"1d,":      `"" is neither`,
		"1d,2d":    `"1d,2d": one age and one size are enough`,
		"1GB,1GiB": `"1GB,1GiB": one age and one size are enough`,
		"for ever": `"for ever" is neither`,
	} {
		_, err := results.ParseKeep(text)
		require.ErrorContains(t, err, want)
	}
}
