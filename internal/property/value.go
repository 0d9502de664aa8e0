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

	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/suggest"
)

// Canonical validates a value and returns it in its canonical spelling: values with the same meaning have one spelling. The
// error is a text for the user, without place and key.
func (k Key) Canonical(value string) (string, error) {
	if k.Kind != Text {
		value = strings.TrimSpace(value)
	}
	canonical, err := k.canonical(value)
	if err == nil {
		return canonical, nil
	}
	if k.Kind == Secret { // the value may be the secret itself: no message repeats it
		return "", err
	}
	if before, ok := beforeComment(value); ok {
		if _, inner := k.canonical(before); inner == nil {
			return "", fmt.Errorf("invalid value %s: in a properties file a comment needs its own line; write %s", Quote(value), before)
		}
	}
	return "", err
}

// beforeComment returns the value before a trailing comment, which properties files do not have.
func beforeComment(value string) (string, bool) {
	i := strings.IndexAny(value, "#!")
	if i <= 0 || !strings.ContainsRune(" \t\f", rune(value[i-1])) {
		return "", false
	}
	return strings.TrimSpace(value[:i]), true
}

func (k Key) canonical(value string) (string, error) {
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
	case Secret:
		ref, err := secret.Parse(value)
		return string(ref), err
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
		return 0, k.outOfRange(value)
	case err != nil:
		if plain, ok := plainNumber(value); ok {
			return 0, fmt.Errorf("invalid integer %s: write %s", Quote(value), plain)
		}
		return 0, fmt.Errorf("invalid integer %s: want digits only, such as 1000", Quote(value))
	case float64(n) < k.Min || float64(n) > k.Max:
		return 0, k.outOfRange(value)
	}
	return n, nil
}

func (k Key) parseFloat(value string) (float64, error) {
	f, err := ParseNumber(value)
	switch {
	case err != nil:
		return 0, err
	case f < k.Min || f > k.Max:
		return 0, k.outOfRange(value)
	}
	return f + 0, nil // -0 becomes 0
}

// ParseNumber reads a finite number.
func ParseNumber(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	// inf, nan and hexadecimal forms are refused: a user who writes them has made a typing error.
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(value, "xX_") {
		if plain, ok := plainNumber(value); ok {
			return 0, fmt.Errorf("invalid number %s: write %s", Quote(value), plain)
		}
		return 0, fmt.Errorf("invalid number %s: want a decimal number, such as 0.5", Quote(value))
	}
	return f, nil
}

func (k Key) outOfRange(value string) error {
	return fmt.Errorf("%s is out of range: want %s to %s", value, FormatBound(k.Min), FormatBound(k.Max))
}

// FormatBound writes a bound of a number, an integer without a fraction or an exponent.
func FormatBound(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return strconv.FormatInt(int64(f), 10)
	}
	return FormatFloat(f)
}

// plainNumber guesses the integer that a user meant by 1,000,000, 1_000, 10k, 5M or 1e6.
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

// ParseBool returns the canonical spelling of a boolean: true or false.
func ParseBool(value string) (string, error) {
	switch s := strings.ToLower(value); s {
	case "true", "false":
		return s, nil
	case "yes", "on", "1", "t", "y":
		return "", fmt.Errorf("invalid boolean %s: write true", Quote(value))
	case "no", "off", "0", "f", "n":
		return "", fmt.Errorf("invalid boolean %s: write false", Quote(value))
	default:
		_, err := OneOf(s, []string{"true", "false"})
		return "", err
	}
}

// CheckSeed accepts an unsigned integer of 64 bits.
func CheckSeed(value string) (string, error) {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return "", fmt.Errorf("invalid seed %s: want an integer from 0 to %d", Quote(value), uint64(math.MaxUint64))
	}
	return strconv.FormatUint(n, 10), nil
}

// OneOf returns value if it is in list. The error for another value suggests the nearest one.
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
		return 0, fmt.Errorf("%s is out of range: want %v to %v", value, Seconds(k.Min), Seconds(k.Max))
	}
	return d, err
}

// Seconds returns a duration of s seconds.
func Seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

// ParseDuration reads a duration as Go writes it. A number without a unit is refused: it could mean seconds or
// milliseconds.
func ParseDuration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return 0, fmt.Errorf("invalid duration %s: missing unit; write %ss or %sms", Quote(value), value, value)
	}
	return 0, fmt.Errorf("invalid duration %s: want a number with a unit, such as 500ms, 90s or 1h30m", Quote(value))
}

// ParseShare reads a share from 0 to 1, or a percentage with its sign.
func ParseShare(value string) (float64, error) {
	number, isPercent := strings.CutSuffix(value, "%")
	f, err := ParseNumber(strings.TrimSpace(number))
	if err != nil {
		return 0, fmt.Errorf("invalid share %s: want a number such as 0.001 or 0.1%%", Quote(value))
	}
	if isPercent {
		// Dividing the decimal text keeps 0.1% the same number as 0.001.
		f, err = strconv.ParseFloat(FormatPlain(f)+"e-2", 64)
		if err != nil {
			return 0, fmt.Errorf("invalid share %s: want a number such as 0.001 or 0.1%%", Quote(value))
		}
	}
	if f < 0 || f > 1 {
		return 0, fmt.Errorf("%s is out of range: want a share from 0 to 1, or 0%% to 100%%", value)
	}
	return f + 0, nil
}

// FormatPlain writes a number without an exponent.
func FormatPlain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Printable refuses text that is too long, or that would garble a terminal or a file name.
func Printable(value string) error {
	const most = 4096
	if len(value) > most {
		return fmt.Errorf("is %d bytes long; the maximum is %d", len(value), most)
	}
	for _, r := range value {
		if r == unicode.ReplacementChar || unicode.IsControl(r) {
			return fmt.Errorf("%s contains an unprintable character; remove it", Quote(value))
		}
	}
	return nil
}

// PrintableName returns a name as a message can show it. A name that contains a separator is shown up to it: the rest may be a
// value, and a secret.
func PrintableName(name string) string {
	if i := strings.IndexAny(name, "=: \t"); i > 0 {
		name = name[:i] + "…"
	}
	if Printable(name) != nil || len(name) > 60 {
		return Quote(name)
	}
	return name
}

// Quote quotes a value for a message, and shortens a long one.
func Quote(value string) string {
	const most = 60
	if utf8.RuneCountInString(value) > most {
		value = string([]rune(value)[:most]) + "…"
	}
	return strconv.Quote(value)
}
