package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Doubles are formatted as Java's Double.toString formats them.
func TestJavaDouble(t *testing.T) {
	for _, tc := range []struct {
		x    float64
		want string
	}{
		{0, "0.0"},
		{62.5, "62.5"},
		{5760, "5760.0"},
		{109.0909090909091, "109.0909090909091"},
		{0.001, "0.001"},
		{0.000999, "9.99E-4"},
		{1e-10, "1.0E-10"},
		{9999999, "9999999.0"},
		{1e7, "1.0E7"},
		{12345678.9, "1.23456789E7"},
		{-2.5e20, "-2.5E20"},
		{math.MaxFloat64, "1.7976931348623157E308"},
		{math.NaN(), "NaN"},
		{math.Inf(1), "Infinity"},
		{math.Inf(-1), "-Infinity"},
	} {
		require.Equal(t, tc.want, javaDouble(tc.x))
	}
}

func TestJavaDecimal(t *testing.T) {
	for _, tc := range []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{1, "1"},
		{62.5, "62.5"},
		{107.142857, "107.14"},
		{0.004, "0"},
		{0.5, "0.5"},
		{100, "100"},
		{math.Inf(1), "∞"},
		{math.Inf(-1), "-∞"},
		{math.NaN(), "NaN"},
	} {
		require.Equal(t, tc.want, javaDecimal(tc.x))
	}
}

func TestOrdinal(t *testing.T) {
	for p, want := range map[float64]string{
		0: "0th", 1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 50: "50th",
		92: "92nd", 93: "93rd", 95: "95th", 100: "100th", 99.9: "99.9", 99.999: "99.999", 0.0001: "1.0E-4",
	} {
		require.Equal(t, want, ordinal(p))
	}
}

func TestNumbers(t *testing.T) {
	for us, want := range map[float64]string{
		0: "0 ns", 0.85: "850 ns", 1.02: "1.02 µs", 99.96: "100 µs", 999.6: "1.00 ms", 12_340: "12.3 ms", 150e6: "150 s", 3.6e9: "3600 s",
	} {
		require.Equal(t, want, Micros(us))
	}
	for x, want := range map[float64]string{
		0: "0.00", 9.994: "9.99", 9.996: "10.0", 99.96: "100", 12345.6: "12,346", 1234567: "1,234,567", -1: none, math.Inf(1): none,
	} {
		require.Equal(t, want, rate(x))
	}
	for n, want := range map[uint64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 123_456: "123 kB", 12_345_678_901_000: "12.3 TB"} {
		require.Equal(t, want, bytesText(n))
	}
}

// A number stays on one line with its unit, and no word is lost.
func TestBroken(t *testing.T) {
	require.Equal(t, []string{"a share of", "0.1 %, and", "12 ms more"}, broken("a share of 0.1 %, and 12 ms more", 10))
	require.Equal(t, []string{"unbreakable", "x"}, broken("unbreakable x", 5))
	require.Equal(t, []string{""}, broken("", 5))
}
