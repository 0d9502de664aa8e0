package property

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/suggest"
)

// Canonical checks a value and returns it as resolved settings spell it: the same meaning has one spelling. The
// error is a text for the user, without place and key.
func (k Key) Canonical(value string) (string, error) {
	if k.Kind != Text {
		value = strings.TrimSpace(value)
	}
	canonical, err := k.judge(value)
	if err == nil {
		return canonical, nil
	}
	if before, ok := beforeComment(value); ok {
		if _, inner := k.judge(before); inner == nil {
			return "", fmt.Errorf("%s is no value: in a properties file a comment needs a line of its own; write %s", Quote(value), before)
		}
	}
	return "", err
}

// beforeComment returns what stands before a comment behind a value, as people expect to be able to write it.
func beforeComment(value string) (string, bool) {
	i := strings.IndexAny(value, "#!")
	if i <= 0 || !strings.ContainsRune(" \t\f", rune(value[i-1])) {
		return "", false
	}
	return strings.TrimSpace(value[:i]), true
}

func (k Key) judge(value string) (string, error) {
	if k.Check != nil {
		return k.Check(value)
	}
	switch k.Kind {
	case Int:
		n, err := k.parseInt(value)
		return strconv.FormatInt(n, 10), err
	case Float:
		f, err := k.parseFloat(value)
		return FormatFloat(f), err
	case Bool:
		return ParseBool(value)
	case Enum:
		return OneOf(value, k.Values)
	case Duration:
		d, err := k.parseDuration(value)
		return d.String(), err
	case Percent:
		f, err := ParseShare(value)
		return FormatFloat(f), err
	case Rate, Text, List:
	}
	return value, Printable(value)
}

// FormatFloat writes a number in its shortest form.
func FormatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (k Key) parseInt(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, k.outOfBounds(value)
	case err != nil:
		if plain, ok := plainNumber(value); ok {
			return 0, fmt.Errorf("%s is no whole number; write %s", Quote(value), plain)
		}
		return 0, fmt.Errorf("%s is no whole number; write it in digits, such as 1000", Quote(value))
	case float64(n) < k.Min || float64(n) > k.Max:
		return 0, k.outOfBounds(value)
	}
	return n, nil
}

func (k Key) parseFloat(value string) (float64, error) {
	f, err := ParseNumber(value)
	switch {
	case err != nil:
		return 0, err
	case f < k.Min || f > k.Max:
		return 0, k.outOfBounds(value)
	}
	return f + 0, nil // -0 becomes 0
}

// ParseNumber reads a finite number.
func ParseNumber(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	// The letters of "inf", "nan" and hexadecimal forms are refused with the rest: nobody means them.
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(value, "xX_") {
		if plain, ok := plainNumber(value); ok {
			return 0, fmt.Errorf("%s is no number; write %s", Quote(value), plain)
		}
		return 0, fmt.Errorf("%s is no number; write one such as 0.5", Quote(value))
	}
	return f, nil
}

func (k Key) outOfBounds(value string) error {
	return fmt.Errorf("%s is out of bounds; it may be %s to %s", value, FormatBound(k.Min), FormatBound(k.Max))
}

// FormatBound writes a bound of numbers: digits alone where it is whole.
func FormatBound(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return strconv.FormatInt(int64(f), 10)
	}
	return FormatFloat(f)
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

// ParseBool returns true or false as they are spelled here.
func ParseBool(value string) (string, error) {
	switch s := strings.ToLower(value); s {
	case "true", "false":
		return s, nil
	case "yes", "on", "1", "t", "y":
		return "", fmt.Errorf("%s is neither true nor false; write true", Quote(value))
	case "no", "off", "0", "f", "n":
		return "", fmt.Errorf("%s is neither true nor false; write false", Quote(value))
	default:
		_, err := OneOf(s, []string{"true", "false"})
		return "", err
	}
}

// CheckSeed accepts what fits into 64 bits.
func CheckSeed(value string) (string, error) {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%s is no seed; write a whole number from 0 to %d", Quote(value), uint64(math.MaxUint64))
	}
	return strconv.FormatUint(n, 10), nil
}

// OneOf returns a value that must be one of a list, and otherwise the nearest as a suggestion in the error.
func OneOf(value string, list []string) (string, error) {
	for _, one := range list {
		if value == one {
			return one, nil
		}
	}
	meant := ""
	if near := suggest.Nearest(value, list); near != "" {
		meant = fmt.Sprintf("; did you mean %q?", near)
	}
	return "", fmt.Errorf("unknown value %s%s (one of %s)", Quote(value), meant, strings.Join(list, ", "))
}

func (k Key) parseDuration(value string) (time.Duration, error) {
	d, err := ParseDuration(value)
	if err == nil && (d.Seconds() < k.Min || d.Seconds() > k.Max) {
		return 0, fmt.Errorf("%s is out of bounds; it may be %v to %v", value, Seconds(k.Min), Seconds(k.Max))
	}
	return d, err
}

// Seconds is a duration of so many seconds.
func Seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

// ParseDuration reads a duration as Go writes it. A number without a unit is refused: people mean seconds by
// it in one place and milliseconds in another.
func ParseDuration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return 0, fmt.Errorf("%s has no unit; write %ss, %sms or the like", Quote(value), value, value)
	}
	return 0, fmt.Errorf("%s is no duration; write one such as 500ms, 90s or 1h30m", Quote(value))
}

// ParseShare reads a share from 0 to 1, or a percentage with its sign.
func ParseShare(value string) (float64, error) {
	number, isPercent := strings.CutSuffix(value, "%")
	f, err := ParseNumber(strings.TrimSpace(number))
	if err != nil {
		return 0, fmt.Errorf("%s is no share; write one such as 0.001 or 0.1%%", Quote(value))
	}
	if isPercent {
		// Dividing the decimal text keeps 0.1% the same number as 0.001.
		f, err = strconv.ParseFloat(FormatPlain(f)+"e-2", 64)
		if err != nil {
			return 0, fmt.Errorf("%s is no share; write one such as 0.001 or 0.1%%", Quote(value))
		}
	}
	if f < 0 || f > 1 {
		return 0, fmt.Errorf("%s is out of bounds; a share is 0 to 1, or 0%% to 100%%", value)
	}
	return f + 0, nil
}

// FormatPlain writes a number without an exponent.
func FormatPlain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Printable refuses what would spoil a terminal or a file's name.
func Printable(value string) error {
	const most = 4096
	if len(value) > most {
		return fmt.Errorf("is %d bytes long; %d are the most", len(value), most)
	}
	for _, r := range value {
		if r == unicode.ReplacementChar || unicode.IsControl(r) {
			return fmt.Errorf("%s has a character in it that cannot be printed; leave it out", Quote(value))
		}
	}
	return nil
}

// PrintableName is a name as a message can show it.
func PrintableName(name string) string {
	if Printable(name) != nil || len(name) > 60 {
		return Quote(name)
	}
	return name
}

// Quote shows a value in a message, cut when it is long.
func Quote(value string) string {
	const most = 60
	if utf8.RuneCountInString(value) > most {
		value = string([]rune(value)[:most]) + "…"
	}
	return strconv.Quote(value)
}
