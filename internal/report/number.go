package report

import (
	"math"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// none replaces a missing figure.
const none = "–"

// whole formats a number with thousands separators.
func whole(n uint64) string { return result.Thousands(n) }

// rate formats operations per second, with decimals only for small rates: 1,234 or 12.3 or 0.45.
func rate(perSecond float64) string {
	switch {
	case perSecond < 0 || math.IsNaN(perSecond) || math.IsInf(perSecond, 0):
		return none
	case perSecond < 9.995:
		return strconv.FormatFloat(perSecond, 'f', 2, 64)
	case perSecond < 99.95:
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return whole(uint64(math.Round(perSecond)))
}

// Micros formats a time in microseconds with three digits and a suitable unit: 850 ns, 1.02 ms, 12.3 s.
func Micros(us float64) string {
	x, unit := us*1000, "ns"
	for _, larger := range []string{"µs", "ms", "s"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, larger
	}
	decimals := 2
	switch {
	case unit == "ns" || x >= 99.95:
		decimals = 0
	case x >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(x, 'f', decimals, 64) + " " + unit
}

// percentile formats a percentile in microseconds, if there are enough samples for it.
func percentile(us *float64) string {
	if us == nil {
		return none
	}
	return Micros(*us)
}

// percent formats a figure in percent.
func percent(p *float64) string {
	if p == nil {
		return none
	}
	return strconv.FormatFloat(*p, 'f', 0, 64) + " %"
}

// fixed formats x with a number of decimals.
func fixed(x float64, decimals int) string { return strconv.FormatFloat(x, 'f', decimals, 64) }

// bytesText formats an amount of data: 1.2 MB.
func bytesText(n uint64) string {
	x, unit := float64(n), "B"
	for _, larger := range []string{"kB", "MB", "GB", "TB", "PB"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, larger
	}
	if unit == "B" || x >= 99.95 {
		return strconv.FormatFloat(x, 'f', 0, 64) + " " + unit
	}
	return strconv.FormatFloat(x, 'f', 1, 64) + " " + unit
}

// instant formats a time in UTC.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 UTC") }

// share formats a share in percent with two digits: 0.05 %, 1.2 %, 12 %.
func share(x float64) string {
	decimals := 2
	switch p := 100 * x; {
	case p < 0.005:
		return "less than 0.01 %"
	case p >= 9.95:
		decimals = 0
	case p >= 0.0995:
		decimals = 1
	}
	return strconv.FormatFloat(100*x, 'f', decimals, 64) + " %"
}
