package fault

import (
	"fmt"
	"slices"
	"time"
)

// Longest bounds a fault's start and length.
const Longest = 30 * 24 * time.Hour

// Problem is a mistake in one setting of a fault.
type Problem struct {
	Key  string // spelled as in files
	Text string
}

// Error names the setting and the mistake.
func (p *Problem) Error() string { return p.Key + ": " + p.Text }

func problem(key, format string, args ...any) error {
	return &Problem{Key: key, Text: fmt.Sprintf(format, args...)}
}

// Validate checks f; the error is a Problem.
func (f *Fault) Validate() error {
	if f.Kind == "" {
		return problem("kind", "is missing; write one of %s", join(Kinds()))
	}
	if !slices.Contains(Kinds(), f.Kind) {
		return problem("kind", "%s", unknown("kind of fault", string(f.Kind), Kinds()))
	}
	for _, d := range []struct {
		key string
		d   time.Duration
	}{{"start", f.Start}, {"length", f.Length}} {
		if d.d < 0 || d.d > Longest {
			return problem(d.key, "invalid duration %v: want 0 to %v", d.d, Longest)
		}
	}
	if !(f.Share > 0 && f.Share <= 1) {
		return problem("share", "invalid share %v: want more than 0 %% and at most 100 %%", f.Share)
	}
	for _, op := range f.Where.Ops {
		if !slices.Contains(Ops(), op) {
			return problem("op", "%s", unknown("kind of call", string(op), Ops()))
		}
	}
	if err := f.Where.bounded(); err != nil {
		return err
	}
	if f.Where.To != "" && f.Where.To <= f.Where.From {
		return problem("to", "the row %q is not after from, the row %q, so the range is empty", f.Where.To, f.Where.From)
	}
	return f.fits()
}

// fits checks that a fault has the settings of its kind, and no others.
func (f *Fault) fits() error {
	if f.Kind == Latency && f.Delay.IsZero() {
		return problem("delay", "is missing: how long do calls wait? Write a time such as 5ms, or exponential 5ms")
	}
	if f.Kind != Latency && !f.Delay.IsZero() {
		return problem("delay", "does not apply to %s; it is for latency", f.Kind)
	}
	if f.Kind != IOException && f.Exception != "" {
		return problem("exception", "does not apply to %s, which has an exception of its own; it is for io-exception", f.Kind)
	}
	if !f.Kind.Event() {
		return nil
	}
	for _, s := range f.Settings() {
		switch s.Key {
		case "share", "seed", "op", "table", "region", "from", "to":
			return problem(s.Key, "does not apply to %s, which happens once, to a server", f.Kind)
		}
	}
	switch {
	case f.Kind != AddServer && len(f.Where.Servers) != 1:
		return problem("server", "must name one region server: write its number or address, as `benchctl sandbox servers` lists them")
	case f.Kind == AddServer && len(f.Where.Servers) > 0:
		return problem("server", "does not apply to add-server, which adds one of its own")
	case f.Length != 0 && (f.Kind == AddServer || f.Kind == RestartServer):
		return problem("length", "does not apply to %s; to remove a server for a time, give kill-server or silence-server that length", f.Kind)
	}
	return nil
}

// maxNames bounds each list of a Where, maxName each of its names.
const (
	maxNames = 1000
	maxName  = 32 << 10 // the maximum length of a row
)

func (w *Where) bounded() error {
	for _, list := range []struct {
		key   string
		words []string
	}{
		{"server", w.Servers}, {"op", texts(w.Ops)}, {"table", w.Tables}, {"region", w.Regions}, {"from", []string{w.From}}, {"to", []string{w.To}},
	} {
		if len(list.words) > maxNames {
			return problem(list.key, "has %d names; at most %d are allowed", len(list.words), maxNames)
		}
		for _, word := range list.words {
			if word == "" && list.key != "from" && list.key != "to" {
				return problem(list.key, "has an empty name")
			}
			if len(word) > maxName {
				return problem(list.key, "has a name of %d bytes; at most %d are allowed", len(word), maxName)
			}
		}
	}
	return nil
}
