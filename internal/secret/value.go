package secret

import (
	"fmt"
	"io"
	"log/slog"
)

// shown is what is printed instead of a secret.
const shown = "(secret)"

// Value is a secret. The zero Value is empty.
type Value struct {
	reveal func() string // a function, so that printing by reflection shows an address
}

// NewValue returns a Value of a secret.
func NewValue(text string) Value { return Value{func() string { return text }} }

// Reveal returns the secret itself.
func (v Value) Reveal() string {
	if v.reveal == nil {
		return ""
	}
	return v.reveal()
}

// String implements fmt.Stringer without the secret.
func (Value) String() string { return shown }

// GoString implements fmt.GoStringer without the secret.
func (Value) GoString() string { return shown }

// Format implements fmt.Formatter without the secret, for all verbs.
func (Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, shown) }

// MarshalText implements encoding.TextMarshaler without the secret, for JSON, YAML and XML.
func (Value) MarshalText() ([]byte, error) { return []byte(shown), nil }

// LogValue implements slog.LogValuer without the secret.
func (Value) LogValue() slog.Value { return slog.StringValue(shown) }
