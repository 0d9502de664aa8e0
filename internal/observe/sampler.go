package observe

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/result"
)

// Limits of what a Sampler keeps until Take is called: more than an hour of a small cluster.
const (
	maxKept       = 1 << 16 // points
	maxFigures    = 4000
	maxHappenings = 256
	maxWarnings   = 32
)

// Watched is a source and how often it is read.
type Watched struct {
	Source Source
	Every  time.Duration
}

// SamplerConfig configures a Sampler.
type SamplerConfig struct {
	Sources []Watched
	// Interval is the time between two reads of the target.
	Interval time.Duration
	// RunTime returns the run's current time; false before the run has one. Readings from before that are dropped.
	RunTime func() (time.Duration, bool)
	// Watcher is the source name under which the duration of reads is reported; empty where only a host is watched.
	Watcher string
}

// Sampler reads sources and keeps what they return.
type Sampler struct {
	config SamplerConfig

	mu         sync.Mutex
	figures    map[sampleKey]*course
	points     int
	happenings []result.Happening
	warnings   []string
}

type sampleKey struct{ name, source string }

// course has the points of a figure, and the reads that will become its next point.
type course struct {
	result.Observed
	sum, at float64 // sums over reads that become one point: of values and of instants
	looks   int
}

// NewSampler makes a Sampler. Run does its work.
func NewSampler(config SamplerConfig) *Sampler {
	return &Sampler{config: config, figures: make(map[sampleKey]*course)}
}

// Run reads all sources, each in a goroutine of its own, until ctx ends, and then closes them.
func (s *Sampler) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for i, w := range s.config.Sources {
		wg.Go(func() {
			defer w.Source.Close()
			s.watch(ctx, w, i == 0)
		})
	}
	wg.Wait()
}

// watch reads one source at its interval. A read that takes longer skips the next ones.
func (s *Sampler) watch(ctx context.Context, w Watched, first bool) {
	rates := NewRates()
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	var samples []Sample
	for {
		begin := clock.Mono()
		look := w.Source.Look(ctx)
		if ctx.Err() != nil {
			return
		}
		samples = samples[:0]
		if run, known := s.config.RunTime(); known && run >= 0 {
			rates.Since(clock.Mono().Add(-run))
			for i := range look.Groups {
				samples = rates.Take(samples, &look.Groups[i])
			}
		}
		if first && s.config.Watcher != "" {
			samples = append(samples, Sample{Name: result.PollTime, Source: s.config.Watcher, Unit: "ms", Value: float64(begin.Elapsed().Microseconds()) / 1000})
		}
		s.keep(samples, &look, w.Every)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// keep adds a read.
func (s *Sampler) keep(samples []Sample, look *Look, every time.Duration) {
	run, known := s.config.RunTime()
	now := clock.Mono()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range look.Warnings {
		if len(s.warnings) < maxWarnings {
			s.warnings = append(s.warnings, w)
		}
	}
	if !known || run < 0 {
		return
	}
	for _, e := range look.Events {
		if at := run - now.Sub(e.At); len(s.happenings) < maxHappenings {
			s.happenings = append(s.happenings, result.Happening{At: max(at, 0), Kind: e.Kind, Text: e.Text})
		}
	}
	together := 1
	if run >= result.WholeLooks*s.config.Interval && every < result.LooksOfAPoint*s.config.Interval {
		together = result.LooksOfAPoint
	}
	for i := range samples {
		s.add(&samples[i], run.Truncate(time.Millisecond), together)
	}
}

func (s *Sampler) add(in *Sample, run time.Duration, together int) {
	if math.IsNaN(in.Value) || math.IsInf(in.Value, 0) {
		return
	}
	key := sampleKey{in.Name, in.Source}
	c := s.figures[key]
	if c == nil {
		if len(s.figures) >= maxFigures {
			return
		}
		c = &course{Observed: result.Observed{Name: in.Name, Source: in.Source, Unit: in.Unit}}
		s.figures[key] = c
	}
	c.sum += in.Value
	c.at += float64(run)
	if c.looks++; c.looks < together {
		return
	}
	at := time.Duration(c.at / float64(c.looks)).Truncate(time.Millisecond)
	value := c.sum / float64(c.looks)
	c.sum, c.at, c.looks = 0, 0, 0
	if n := len(c.At); n > 0 && c.At[n-1] >= at {
		return // two reads within a millisecond
	}
	if s.points >= maxKept {
		s.drop()
	}
	s.points++
	c.At = append(c.At, at)
	c.Values = append(c.Values, value)
}

// drop removes the older half of the points: nobody has taken them for long, and the newest matter most.
func (s *Sampler) drop() {
	s.points = 0
	for _, c := range s.figures {
		half := (len(c.At) + 1) / 2
		c.At = append([]time.Duration(nil), c.At[half:]...)
		c.Values = append([]float64(nil), c.Values[half:]...)
		s.points += len(c.At)
	}
}

// Take returns what was read since the last Take, and forgets it.
func (s *Sampler) Take() result.Observations {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := result.Observations{Happenings: s.happenings, Warnings: s.warnings}
	for _, c := range s.figures {
		if len(c.At) == 0 {
			continue
		}
		out.Figures = append(out.Figures, c.Observed)
		c.At, c.Values = nil, nil
	}
	s.happenings, s.warnings, s.points = nil, nil, 0
	return out
}
