package spec

import (
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/property"
)

// The bounds of a rate.
const (
	maxRate   = 1e9
	maxPieces = 1000
	maxPiece  = 10_000 * time.Hour
)

// ParseRate reads a rate over time: comma-separated pieces, each "1000" (without an end, so only as the last),
// "1000 for 1m" or "1000 -> 50000 over 10m" ("→" works too). The rate at the end of the last piece continues.
func ParseRate(text string) (pacing.Rate, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var rate pacing.Rate
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "→", "->"), ",") {
		if len(rate) > 0 && rate[len(rate)-1].Seconds == 0 {
			return nil, fmt.Errorf("piece %d of the rate has no end, so no piece can follow it; add its duration, as in 1000 for 1m", len(rate))
		}
		piece, err := parsePiece(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if rate = append(rate, piece); len(rate) > maxPieces {
			return nil, fmt.Errorf("has more than %d pieces; remove some", maxPieces)
		}
	}
	return rate, nil
}

// checkRate accepts a rate over time.
func checkRate(value string) (string, error) {
	r, err := ParseRate(value)
	return FormatRate(r), err
}

func parsePiece(text string) (pacing.Piece, error) {
	malformed := fmt.Errorf("invalid rate %s: want 1000, 1000 for 1m, or 1000 -> 50000 over 10m", property.Quote(text))
	if from, rest, ok := strings.Cut(text, "->"); ok {
		to, over, ok := strings.Cut(rest, " over ")
		if !ok {
			return pacing.Piece{}, malformed
		}
		return endedPiece(from, to, over, malformed)
	}
	if level, length, ok := strings.Cut(text, " for "); ok {
		return endedPiece(level, level, length, malformed)
	}
	if strings.ContainsAny(text, " ") {
		return pacing.Piece{}, malformed
	}
	level, err := parseLevel(text)
	return pacing.Piece{From: level, To: level}, err
}

func endedPiece(from, to, length string, malformed error) (pacing.Piece, error) {
	var (
		piece pacing.Piece
		err   error
	)
	if piece.From, err = parseLevel(from); err != nil {
		return pacing.Piece{}, err
	}
	if piece.To, err = parseLevel(to); err != nil {
		return pacing.Piece{}, err
	}
	length = strings.TrimSpace(length)
	if strings.Contains(length, " ") {
		return pacing.Piece{}, malformed
	}
	d, err := property.ParseDuration(length)
	if err != nil {
		return pacing.Piece{}, err
	}
	if d <= 0 || d > maxPiece {
		return pacing.Piece{}, fmt.Errorf("%v is out of range: want more than 0s and at most %v for a piece of a rate", d, maxPiece)
	}
	piece.Seconds = d.Seconds()
	return piece, nil
}

func parseLevel(text string) (float64, error) {
	f, err := property.ParseNumber(strings.TrimSpace(text))
	switch {
	case err != nil:
		return 0, err
	case f < 0 || f > maxRate:
		return 0, fmt.Errorf("%s is out of range: want 0 to %s operations per second", strings.TrimSpace(text), property.FormatBound(maxRate))
	}
	return f + 0, nil
}

// FormatRate writes a rate so that ParseRate reads it back.
func FormatRate(rate pacing.Rate) string {
	pieces := make([]string, len(rate))
	for i, p := range rate {
		pieces[i] = property.FormatPlain(p.From)
		switch {
		case p.From != p.To:
			pieces[i] += fmt.Sprintf(" -> %s over %v", property.FormatPlain(p.To), property.Seconds(p.Seconds))
		case p.Seconds > 0:
			pieces[i] += fmt.Sprintf(" for %v", property.Seconds(p.Seconds))
		}
	}
	return strings.Join(pieces, ", ")
}
