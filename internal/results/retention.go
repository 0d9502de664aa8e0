package results

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/archive"
)

// Keep is the retention policy of suites. The zero value keeps all forever; queued and running ones are always kept.
type Keep struct {
	Age  time.Duration // since a suite's end; 0 for no limit
	Size int64         // bytes of the archive; 0 for no limit
}

// ParseKeep parses an age, a size or both separated by a comma: 90d, 36h, 50GB, "90d,50GB". An empty text keeps all.
func ParseKeep(text string) (Keep, error) {
	var keep Keep
	if strings.TrimSpace(text) == "" {
		return keep, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		size, sized := parseSize(part)
		age, aged := parseAge(part)
		switch {
		case sized && keep.Size == 0:
			keep.Size = size
		case aged && keep.Age == 0:
			keep.Age = age
		case sized || aged:
			return Keep{}, fmt.Errorf("%q: want at most one age and one size", text)
		default:
			return Keep{}, fmt.Errorf("invalid value %q: want an age, such as 90d or 36h, or a size, such as 50GB or 512MiB", part)
		}
	}
	return keep, nil
}

func parseAge(text string) (time.Duration, bool) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseFloat(number, 64)
			ok := err == nil && n > 0 && n < math.MaxInt64/float64(unit)
			return time.Duration(n * float64(unit)), ok
		}
	}
	age, err := time.ParseDuration(text)
	return age, err == nil && age > 0
}

func parseSize(text string) (int64, bool) {
	for _, u := range []struct {
		suffix string
		bytes  float64
	}{
		{"KiB", 1 << 10},
		{"MiB", 1 << 20},
		{"GiB", 1 << 30},
		{"TiB", 1 << 40},
		{"kB", 1e3},
		{"KB", 1e3},
		{"MB", 1e6},
		{"GB", 1e9},
		{"TB", 1e12},
		{"B", 1},
	} {
		if number, ok := strings.CutSuffix(text, u.suffix); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			ok := err == nil && n*u.bytes >= 1 && n*u.bytes < math.MaxInt64
			return int64(n * u.bytes), ok
		}
	}
	return 0, false
}

// expire removes the suites that are too old.
func (s *Store) expire(ctx context.Context, before time.Time) error {
	ids, err := s.archive.Expire(ctx, before)
	for _, id := range ids {
		s.log.Info("suite removed by --keep", "suite", id, "because", "it ended before "+before.UTC().Format(time.RFC3339))
		s.documents.forget(id)
	}
	if len(ids) > 0 {
		s.forgetKept(ctx, ids...)
	}
	return err
}

// letGo removes ended suites until the policy is met, the oldest first.
func (s *Store) letGo(ctx context.Context, now time.Time) error {
	keep := s.keep
	if keep.Age > 0 {
		if err := s.expire(ctx, now.Add(-keep.Age)); err != nil {
			return err
		}
	}
	for keep.Size > 0 {
		size, err := s.archive.Size(ctx)
		if err != nil || size <= keep.Size {
			return err
		}
		id, _, err := s.archive.Oldest(ctx)
		if err != nil || id == "" {
			return err
		}
		s.log.Info("suite removed by --keep", "suite", id, "because", fmt.Sprintf("the archive has %.1f MB", float64(size)/1e6))
		if err := s.Remove(ctx, id); err != nil && !errors.Is(err, archive.ErrNotFound) {
			return err
		}
	}
	return nil
}
