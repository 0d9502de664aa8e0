package fault

import (
	"fmt"
	"slices"
	"time"
)

// Longest bounds a fault's start and length.
const Longest = 30 * 24 * time.Hour

// Problem is what is wrong with one setting of a fault.
type Problem struct {
	Key  string // as it is written in files
	Text string
}

// Error names the setting and what is wrong with it.
func (p *Problem) Error() string { return p.Key + ": " + p.Text }

func problem(key, format string, args ...any) error {
	return &Problem{Key: key, Text: fmt.Sprintf(format, args...)}
}

// Validate reports what is wrong with f, as a Problem.
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
			return problem(d.key, "%v is out of bounds; it may be 0 to %v", d.d, Longest)
		}
	}
	if !(f.Share > 0 && f.Share <= 1) {
		return problem("share", "%v is no share of calls; write more than 0 %% and at most 100 %%", f.Share)
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
		return problem("to", "the row %q is not after the row %q of from, so that there is nothing between them", f.Where.To, f.Where.From)
	}
	return f.fits()
}

// fits reports which settings a fault of its kind lacks, and which it does not have.
func (f *Fault) fits() error {
	if f.Kind == Latency && f.Delay.IsZero() {
		return problem("delay", "is missing: how long are calls to wait? Write a time such as 5ms, or exponential 5ms")
	}
	if f.Kind != Latency && !f.Delay.IsZero() {
		return problem("delay", "means nothing to %s; it is for latency", f.Kind)
	}
	if f.Kind != IOException && f.Exception != "" {
		return problem("exception", "means nothing to %s, which has an exception of its own; it is for io-exception", f.Kind)
	}
	if !f.Kind.Event() {
		return nil
	}
	for _, s := range f.Settings() {
		switch s.Key {
		case "share", "seed", "op", "table", "region", "from", "to":
			return problem(s.Key, "means nothing to %s, which happens once, to a server", f.Kind)
		}
	}
	switch {
	case f.Kind != AddServer && len(f.Where.Servers) != 1:
		return problem("server", "is to name one region server: write its number or address, as `benchctl sandbox servers` lists them")
	case f.Kind == AddServer && len(f.Where.Servers) > 0:
		return problem("server", "means nothing to add-server, which adds one of its own")
	case f.Length != 0 && (f.Kind == AddServer || f.Kind == RestartServer):
		return problem("length", "means nothing to %s; a server that is away for a time is a kill-server or silence-server with that length", f.Kind)
	}
	return nil
}

// maxNames bounds each list of a Where, maxName each of its words.
const (
	maxNames = 1000
	maxName  = 32 << 10 // as long as a row may be
)

func (w *Where) bounded() error {
	for _, list := range []struct {
		key   string
		words []string
	}{
		{"server", w.Servers}, {"op", texts(w.Ops)}, {"table", w.Tables}, {"region", w.Regions}, {"from", []string{w.From}}, {"to", []string{w.To}},
	} {
		if len(list.words) > maxNames {
			return problem(list.key, "%d are too many; there may be %d", len(list.words), maxNames)
		}
		for _, word := range list.words {
			if word == "" && list.key != "from" && list.key != "to" {
				return problem(list.key, "a name is empty")
			}
			if len(word) > maxName {
				return problem(list.key, "%d bytes are too long; there may be %d", len(word), maxName)
			}
		}
	}
	return nil
}
