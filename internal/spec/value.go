package spec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/benchd/benchd/internal/spelling"
)

// canonical judges a value and returns it as resolved settings spell it: the same meaning has one spelling. The
// error is a text for the user, without place and key.
func (k Key) canonical(value string) (string, error) {
	if k.Kind != Text {
		value = strings.TrimSpace(value)
	}
	canonical, err := k.judge(value)
	if err == nil {
		return canonical, nil
	}
	if before, ok := beforeComment(value); ok {
		if _, inner := k.judge(before); inner == nil {
			return "", fmt.Errorf("%s is no value: in a properties file a comment needs a line of its own; write %s", quote(value), before)
		}
	}
	return "", err
}

// beforeComment returns what stands before a comment behind a value, as people expect to be able to write it.
func beforeComment(value string) (string, bool) {
	i := strings.IndexAny(value, "#!")
	if i <= 0 || !strings.ContainsRune(blanks, rune(value[i-1])) {
		return "", false
	}
	return strings.TrimSpace(value[:i]), true
}

func (k Key) judge(value string) (string, error) {
	if k.check != nil {
		return k.check(value)
	}
	switch k.Kind {
	case Int:
		n, err := k.parseInt(value)
		return strconv.FormatInt(n, 10), err
	case Float:
		f, err := k.parseFloat(value)
		return formatFloat(f), err
	case Bool:
		return canonicalBool(value)
	case Enum:
		return oneOf(value, k.Values)
	case Duration:
		d, err := k.parseDuration(value)
		return d.String(), err
	case Percent:
		f, err := parsePercent(value)
		return formatFloat(f), err
	case Rate:
		r, err := ParseRate(value)
		return FormatRate(r), err
	case Text, List:
	}
	return value, printable(value)
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (k Key) parseInt(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, k.outOfBounds(value)
	case err != nil:
		if plain, ok := plainNumber(value); ok {
			return 0, fmt.Errorf("%s is no whole number; write %s", quote(value), plain)
		}
		return 0, fmt.Errorf("%s is no whole number; write it in digits, such as 1000", quote(value))
	case float64(n) < k.Min || float64(n) > k.Max:
		return 0, k.outOfBounds(value)
	}
	return n, nil
}

func (k Key) parseFloat(value string) (float64, error) {
	f, err := parseNumber(value)
	switch {
	case err != nil:
		return 0, err
	case f < k.Min || f > k.Max:
		return 0, k.outOfBounds(value)
	}
	return f + 0, nil // -0 becomes 0
}

// parseNumber reads a finite number.
func parseNumber(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	// The letters of "inf", "nan" and hexadecimal forms are refused with the rest: nobody means them.
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(value, "xX_") {
		if plain, ok := plainNumber(value); ok {
			return 0, fmt.Errorf("%s is no number; write %s", quote(value), plain)
		}
		return 0, fmt.Errorf("%s is no number; write one such as 0.5", quote(value))
	}
	return f, nil
}

func (k Key) outOfBounds(value string) error {
	return fmt.Errorf("%s is out of bounds; it may be %s to %s", value, bound(k.Min), bound(k.Max))
}

func bound(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return strconv.FormatInt(int64(f), 10)
	}
	return formatFloat(f)
}

// plainNumber guesses which whole number somebody meant by 1,000,000, 1_000, 10k, 5M or 1e6.
func plainNumber(value string) (string, bool) {
	s := strings.NewReplacer(",", "", "_", "", " ", "", "'", "").Replace(value)
	factor := 1.0
	if s != "" {
		switch s[len(s)-1] {
		case 'k', 'K':
			factor = 1e3
		case 'm', 'M':
			factor = 1e6
		case 'g', 'G', 'b', 'B':
			factor = 1e9
		}
	}
	if factor != 1 {
		s = s[:len(s)-1]
	}
	f, err := strconv.ParseFloat(s, 64)
	f *= factor
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<60 {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}

func canonicalBool(value string) (string, error) {
	switch s := strings.ToLower(value); s {
	case "true", "false":
		return s, nil
	case "yes", "on", "1", "t", "y":
		return "", fmt.Errorf("%s is neither true nor false; write true", quote(value))
	case "no", "off", "0", "f", "n":
		return "", fmt.Errorf("%s is neither true nor false; write false", quote(value))
	default:
		_, err := oneOf(s, []string{"true", "false"})
		return "", err
	}
}

// oneOf judges a value that must be one of a list.
func oneOf(value string, list []string) (string, error) {
	for _, one := range list {
		if value == one {
			return one, nil
		}
	}
	meant := ""
	if near := spelling.Nearest(value, list); near != "" {
		meant = fmt.Sprintf("did you mean %q? ", near)
	}
	return "", fmt.Errorf("unknown value %s; %s(one of %s)", quote(value), meant, strings.Join(list, ", "))
}

func (k Key) parseDuration(value string) (time.Duration, error) {
	d, err := parseDuration(value)
	if err == nil && (d.Seconds() < k.Min || d.Seconds() > k.Max) {
		return 0, fmt.Errorf("%s is out of bounds; it may be %v to %v", value, seconds(k.Min), seconds(k.Max))
	}
	return d, err
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

// parseDuration reads a duration as Go writes it. A number without a unit is refused: people mean seconds by
// it in one place and milliseconds in another.
func parseDuration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return 0, fmt.Errorf("%s has no unit; write %ss, %sms or the like", quote(value), value, value)
	}
	return 0, fmt.Errorf("%s is no duration; write one such as 500ms, 90s or 1h30m", quote(value))
}

// parsePercent reads a share from 0 to 1, or a percentage with its sign.
func parsePercent(value string) (float64, error) {
	number, isPercent := strings.CutSuffix(value, "%")
	f, err := parseNumber(strings.TrimSpace(number))
	if err != nil {
		return 0, fmt.Errorf("%s is no share; write one such as 0.001 or 0.1%%", quote(value))
	}
	if isPercent {
		// Dividing the decimal text keeps 0.1% the same number as 0.001.
		f, err = strconv.ParseFloat(formatExponent(f)+"e-2", 64)
		if err != nil {
			return 0, fmt.Errorf("%s is no share; write one such as 0.001 or 0.1%%", quote(value))
		}
	}
	if f < 0 || f > 1 {
		return 0, fmt.Errorf("%s is out of bounds; a share is 0 to 1, or 0%% to 100%%", value)
	}
	return f + 0, nil
}

func formatExponent(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// printable refuses what would spoil a terminal or a file's name.
func printable(value string) error {
	const most = 4096
	if len(value) > most {
		return fmt.Errorf("is %d bytes long; %d are the most", len(value), most)
	}
	for _, r := range value {
		if r == unicode.ReplacementChar || unicode.IsControl(r) {
			return fmt.Errorf("%s has a character in it that cannot be printed; leave it out", quote(value))
		}
	}
	return nil
}
