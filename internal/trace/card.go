package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Version is the version of the format that this build writes and reads.
const Version = 1

// Card describes a trace.
type Card struct {
	Version int              `json:"version"`
	Ops     int64            `json:"ops"`
	Keys    int64            `json:"keys"`            // distinct ones
	Rows    int64            `json:"rows"`            // that a load writes: keys that the trace does not insert first
	Length  time.Duration    `json:"length_ns"`       // from the first operation to the last one
	Start   string           `json:"start,omitempty"` // of the first operation, RFC 3339
	Table   string           `json:"table,omitempty"`
	Hashed  bool             `json:"hashed,omitempty"` // keys are hashes
	Mix     map[string]int64 `json:"mix"`              // operations by kind

	// Counts are the operations of intervals of the trace, from its start on.
	Counts   []int64       `json:"counts"`
	Interval time.Duration `json:"interval_ns"`

	LongestKey  int `json:"longest_key"`
	LargestSize int `json:"largest_size"` // of what an operation writes

	Chunks  int    `json:"chunks"`
	IndexAt int64  `json:"index_at"`
	SHA256  string `json:"sha256"` // of the file up to the card
}

// Text returns the card as JSON on one line. Equal cards have equal texts.
func (c Card) Text() string {
	text, _ := json.Marshal(c) //nolint:errchkjson // it has no value that JSON lacks
	return string(text)
}

// ID names the trace: it is the digest of the card, which contains the digest of all else.
func (c Card) ID() string {
	sum := sha256.Sum256([]byte(c.Text()))
	return hex.EncodeToString(sum[:])
}

// Share returns the part of the operations that are of a kind.
func (c Card) Share(kind string) float64 {
	if c.Ops == 0 {
		return 0
	}
	return float64(c.Mix[kind]) / float64(c.Ops)
}

// Intended returns how many operations the trace has before an instant. Within an interval of Counts they are taken as evenly spaced.
func (c Card) Intended(at time.Duration) float64 {
	sum, begin := 0.0, time.Duration(0)
	for _, n := range c.Counts {
		if at <= begin {
			break
		}
		end := min(begin+c.Interval, c.Length+1) // the last interval ends with the last operation
		sum += float64(n) * min(1, float64(at-begin)/float64(max(end-begin, 1)))
		begin = end
	}
	return sum
}

// ParseCard reads a card, which may be of another build or damaged.
func ParseCard(text []byte) (Card, error) {
	var c Card
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var version struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(text, &version) == nil && version.Version > Version {
		return c, fmt.Errorf("the trace has format version %d, and this benchd reads up to %d: use a newer benchd", version.Version, Version)
	}
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("the card of the trace is damaged: %w", err)
	}
	return c, c.validate()
}

// mostCounts is the number of intervals in which the operations of a trace are counted. They become longer with the trace.
const mostCounts = 256

// count counts an operation in its interval.
func count(c *Card, at time.Duration) {
	if c.Interval == 0 {
		c.Interval = time.Millisecond
	}
	for at/c.Interval >= mostCounts {
		c.Interval *= 2
		for i, n := range c.Counts {
			if i%2 == 0 {
				c.Counts[i/2] = n
			} else {
				c.Counts[i/2] += n
			}
		}
		c.Counts = c.Counts[:(len(c.Counts)+1)/2]
	}
	for at/c.Interval >= time.Duration(len(c.Counts)) {
		c.Counts = append(c.Counts, 0)
	}
	c.Counts[at/c.Interval]++
}

func (c Card) validate() error {
	var sum int64
	for _, kind := range slices.Sorted(maps.Keys(c.Mix)) {
		if n := c.Mix[kind]; !slices.Contains(KindNames(), kind) || n < 1 || n > c.Ops {
			return fmt.Errorf("the card of the trace is damaged: %d operations %q", n, kind)
		}
		sum += c.Mix[kind]
	}
	counted := int64(0)
	for _, n := range c.Counts {
		if n < 0 || n > c.Ops {
			return fmt.Errorf("the card of the trace is damaged: %d operations in an interval", n)
		}
		counted += n
	}
	digest, err := hex.DecodeString(c.SHA256)
	switch {
	case c.Version < 1:
		return errors.New("the card of the trace is damaged: it has no version")
	case c.Ops < 1 || c.Ops > 1<<50 || sum != c.Ops:
		return fmt.Errorf("the card of the trace is damaged: %d operations, and %d in its mix", c.Ops, sum)
	case len(c.Counts) == 0 || len(c.Counts) > mostCounts || counted != c.Ops || c.Interval < 1 || c.Interval > 2*time.Duration(MaxLength):
		return fmt.Errorf("the card of the trace is damaged: %d operations in %d intervals of %d ns", counted, len(c.Counts), c.Interval)
	case c.Keys < 1 || c.Keys > c.Ops || c.Rows < 0 || c.Rows > c.Keys:
		return fmt.Errorf("the card of the trace is damaged: %d keys, %d rows", c.Keys, c.Rows)
	case c.Length < 0 || int64(c.Length) > MaxLength:
		return fmt.Errorf("the card of the trace is damaged: a length of %d ns", c.Length)
	case c.LongestKey < 1 || c.LongestKey > MaxKey || c.LargestSize < 0 || c.LargestSize > MaxSize:
		return fmt.Errorf("the card of the trace is damaged: a key of %d bytes, values of %d", c.LongestKey, c.LargestSize)
	case c.Chunks < 1 || int64(c.Chunks) > c.Ops || c.IndexAt < int64(len(magic)):
		return fmt.Errorf("the card of the trace is damaged: %d chunks, index at %d", c.Chunks, c.IndexAt)
	case err != nil || len(digest) != sha256.Size:
		return errors.New("the card of the trace is damaged: invalid checksum")
	}
	return nil
}
