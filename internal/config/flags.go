package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/suggest"
)

// Value is the value of a flag, of any type that can be parsed from text.
type Value[T any] struct {
	to     *T
	kind   string
	parse  func(string) (T, error)
	format func(T) string
}

// Var declares a flag with the default *to. --help shows kind as the placeholder of its value.
func Var[T any](fs *pflag.FlagSet, to *T, name, kind, usage string, parse func(string) (T, error), format func(T) string) {
	fs.Var(&Value[T]{to: to, kind: kind, parse: parse, format: format}, name, usage)
}

// Set implements pflag.Value.
func (v *Value[T]) Set(s string) error {
	got, err := v.parse(s)
	if err != nil {
		return err
	}
	*v.to = got
	return nil
}

// String implements pflag.Value.
func (v *Value[T]) String() string {
	if v.to == nil {
		return ""
	}
	return v.format(*v.to)
}

// Type implements pflag.Value.
func (v *Value[T]) Type() string { return v.kind }

// Whole declares a flag for an integer of at least least.
func Whole(fs *pflag.FlagSet, to *int, name string, least int, usage string) {
	Var(fs, to, name, "N", usage, func(s string) (int, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return 0, fmt.Errorf("%s is too large; the maximum is %d", s, math.MaxInt32)
		case err != nil:
			return 0, fmt.Errorf("invalid integer %q", s)
		case int(n) < least:
			return 0, fmt.Errorf("%s is too small; the minimum is %d", s, least)
		}
		return int(n), nil
	}, strconv.Itoa)
}

// Duration declares a flag for a duration that is not negative, or for any duration if signed.
func Duration(fs *pflag.FlagSet, to *time.Duration, name string, signed bool, usage string) {
	Var(fs, to, name, "D", usage, func(s string) (time.Duration, error) {
		d, err := ParseDuration(s)
		if err == nil && d < 0 && !signed {
			return 0, fmt.Errorf("%s is negative; want 0s or more", s)
		}
		return d, err
	}, func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return shortDuration(d)
	})
}

// ParseDuration reads a duration as Go writes it.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil {
		return d, nil
	}
	if _, numeric := strconv.ParseFloat(s, 64); numeric == nil {
		return 0, fmt.Errorf("invalid duration %s: missing unit; write %ss, %sm or %sh", s, s, s, s)
	}
	return 0, fmt.Errorf("invalid duration %q: want a number with a unit, such as 30s, 5m or 1h30m", s)
}

// shortDuration formats a duration without zero seconds and minutes: 10m instead of 10m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Enum declares a flag with a fixed set of values and the default *to, with shell completion of the values.
func Enum(cmd *cobra.Command, to *string, name, short, usage string, values ...string) {
	cmd.Flags().VarP(enum(to, values), name, short, usage)
	Complete(cmd, name, values)
}

// PersistentEnum is Enum for a flag of cmd and of all commands below it.
func PersistentEnum(cmd *cobra.Command, to *string, name, usage string, values ...string) {
	cmd.PersistentFlags().Var(enum(to, values), name, usage)
	Complete(cmd, name, values)
}

func enum(to *string, values []string) pflag.Value {
	return &Value[string]{to: to, kind: strings.Join(values, "|"), parse: oneOf(values), format: func(s string) string { return s }}
}

func oneOf(values []string) func(string) (string, error) {
	return func(s string) (string, error) {
		if slices.Contains(values, s) {
			return s, nil
		}
		if near := suggest.Nearest(s, values); near != "" {
			return "", fmt.Errorf("unknown value %q; did you mean %q? (one of %s)", s, near, strings.Join(values, ", "))
		}
		return "", fmt.Errorf("unknown value %q (one of %s)", s, strings.Join(values, ", "))
	}
}

// Complete adds shell completion of values to a declared flag.
func Complete(cmd *cobra.Command, name string, values []string) {
	err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was not declared, or twice
	}
}

// Pair is one "k=v".
type Pair struct{ Key, Value string }

// Pairs is the value of a repeatable flag, each time with a "k=v". In a file it is a mapping or a list of "k=v".
type Pairs []Pair

// PairsVar declares a flag of Pairs.
func PairsVar(fs *pflag.FlagSet, to *Pairs, name, short, usage string) {
	fs.VarP(to, name, short, usage)
}

// ParsePair reads "k=v". The value may be empty and may contain further "=".
func ParsePair(s string) (Pair, error) {
	k, v, ok := strings.Cut(s, "=")
	k = strings.TrimSpace(k)
	if !ok || k == "" {
		if i := strings.IndexAny(k, ": \t"); i > 0 { // the rest may be a value, and a secret
			k = k[:i] + "…"
		}
		return Pair{}, fmt.Errorf("invalid pair %q: want key=value", k)
	}
	return Pair{Key: k, Value: v}, nil
}

// Set implements pflag.Value: it adds a pair.
func (p *Pairs) Set(s string) error { return p.Append(s) }

// Append implements pflag.SliceValue.
func (p *Pairs) Append(s string) error {
	pair, err := ParsePair(s)
	if err == nil {
		*p = append(*p, pair)
	}
	return err
}

// Replace implements pflag.SliceValue.
func (p *Pairs) Replace(items []string) error {
	*p = nil
	for _, item := range items {
		if err := p.Append(item); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice implements pflag.SliceValue.
func (p *Pairs) GetSlice() []string {
	items := make([]string, len(*p))
	for i, pair := range *p {
		items[i] = pair.Key + "=" + pair.Value
	}
	return items
}

// String implements pflag.Value.
func (p *Pairs) String() string { return strings.Join(p.GetSlice(), ",") }

// Type implements pflag.Value.
func (*Pairs) Type() string { return "k=v" }

// Map returns the pairs by their keys; the last pair of a key wins.
func (p *Pairs) Map() map[string]string {
	m := make(map[string]string, len(*p))
	for _, pair := range *p {
		m[pair.Key] = pair.Value
	}
	return m
}
