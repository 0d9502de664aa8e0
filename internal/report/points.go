package report

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// Point is one operation of a run.
type Point struct {
	Agent, Phase      string
	Key               latency.Key
	Done              time.Time // by the coordinator's clock
	Response, Service time.Duration
}

// Fetched describes a set of fetched raw points.
type Fetched struct {
	Lost     uint64 // points that agents could not keep
	Attempts bool   // points of lost agents were requested; older coordinators do not request them
	Missing  []MissingPart
}

// MissingPart describes the raw points that an agent lost during a load could not provide.
type MissingPart struct {
	Agent       string
	Shard       int
	Points      uint64
	From, Until time.Duration // what the agent's windows cover, since the load's start
	Why         string        // empty if unknown
}

func (m MissingPart) text(run string) string {
	why := m.Why
	if why == "" {
		why = "they were not written"
	}
	return fmt.Sprintf("%s raw points of load of run %s are missing for shard %d from %.1f s to %.1f s, when agent %s was lost: %s; the figures of the run include these operations",
		result.Thousands(m.Points), run, m.Shard, m.From.Seconds(), m.Until.Seconds(), m.Agent, why)
}

// Warnings describe the operations of a run that have no points, with the reason.
func (f Fetched) Warnings(run result.Run) []string {
	var out []string
	if f.Lost > 0 {
		out = append(out, fmt.Sprintf("%s raw points of run %s are missing: the agents' disks were slower than the load, or nearly full; the figures of the run include these operations", result.Thousands(f.Lost), run.ID))
	}
	return append(out, missingPoints(run, f)...)
}

// missingPoints describes the operations of a run without raw points because an agent was lost and its shard was handed
// over. An older coordinator sends only the points of the agents that ended the shards.
func missingPoints(run result.Run, got Fetched) []string {
	var out []string
	if got.Attempts {
		for _, m := range got.Missing {
			out = append(out, m.text(run.ID))
		}
		return out
	}
	for _, p := range run.Phases {
		begun := make(map[int]float64) // by shard: where the current agent's part began
		for _, h := range p.Handovers {
			if from := begun[h.Shard]; h.T > from {
				out = append(out, fmt.Sprintf("raw points of %s of run %s are missing for shard %d from %.1f s to %.1f s: agent %s was lost, and agent %s continued; the figures of the run include these operations",
					p.Name, run.ID, h.Shard, from, h.T, h.From, h.To))
			}
			begun[h.Shard] = h.T + h.Seconds
		}
	}
	return out
}

// PointsCSV writes operations with all their attributes, in nanoseconds.
type PointsCSV struct{ w *csv.Writer }

// NewPointsCSV writes the head.
func NewPointsCSV(w io.Writer) (*PointsCSV, error) {
	p := &PointsCSV{csv.NewWriter(w)}
	return p, p.w.Write([]string{"agent", "phase", "op", "outcome", "part_of", "done_unix_ns", "response_ns", "service_ns"})
}

// Add writes an operation.
func (p *PointsCSV) Add(x Point) error {
	return p.w.Write(csvRow([]string{
		x.Agent, x.Phase, x.Key.Op, x.Key.Outcome, x.Key.PartOf, strconv.FormatInt(x.Done.UnixNano(), 10),
		strconv.FormatInt(int64(x.Response), 10), strconv.FormatInt(int64(x.Service), 10),
	}))
}

// Close writes what is left.
func (p *PointsCSV) Close() error {
	p.w.Flush()
	return p.w.Error()
}

// YCSBPoints writes operations as YCSB writes raw points: a head for each series, then its operations with the time of
// completion in milliseconds and the latency in microseconds. The warm-up is left out. Series are collected in temporary
// files, because operations of all kinds arrive interleaved.
type YCSBPoints struct {
	y      YCSB
	series map[pointSeries]*gathered
}

// pointSeries is a series of a phase; those of the load come first.
type pointSeries struct {
	measure bool
	name    string
}

type gathered struct {
	file *os.File
	*bufio.Writer
}

// NewYCSBPoints returns a YCSBPoints without operations.
func (y YCSB) NewYCSBPoints() *YCSBPoints {
	return &YCSBPoints{y: y, series: make(map[pointSeries]*gathered)}
}

// Add takes an operation.
func (p *YCSBPoints) Add(x Point) error {
	if x.Phase == "warmup" {
		return nil
	}
	name := printable(p.y.Combine.Name(x.Key.Op, x.Key.Outcome))
	if p.y.Clock != IntendedClock {
		if err := p.add(x, name, x.Service); err != nil {
			return err
		}
	}
	switch {
	case p.y.Clock == OpClock || strings.HasPrefix(name, "VERIFY"):
		return nil
	case p.y.Clock == BothClocks:
		name = "Intended-" + name
	}
	return p.add(x, name, x.Response)
}

func (p *YCSBPoints) add(x Point, name string, took time.Duration) error {
	key := pointSeries{x.Phase != "load", name}
	g := p.series[key]
	if g == nil {
		file, err := os.CreateTemp("", "benchctl-points-*")
		if err != nil {
			return fmt.Errorf("collect raw points: %w", err)
		}
		g = &gathered{file, bufio.NewWriterSize(file, 1<<16)}
		p.series[key] = g
	}
	b := append(g.AvailableBuffer(), name...)
	b = strconv.AppendInt(append(b, ','), x.Done.UnixMilli(), 10)
	b = append(strconv.AppendInt(append(b, ','), took.Microseconds(), 10), '\n')
	_, err := g.Write(b)
	return err
}

// WriteTo writes all series.
func (p *YCSBPoints) WriteTo(w io.Writer) (int64, error) {
	order := slices.SortedFunc(maps.Keys(p.series), func(a, b pointSeries) int {
		if a.measure != b.measure {
			if b.measure {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	var all int64
	for _, key := range order {
		g := p.series[key]
		n, err := fmt.Fprintf(w, "%s latency raw data: op, timestamp(ms), latency(us)\n", key.name)
		all += int64(n)
		if err != nil {
			return all, err
		}
		if err := g.Flush(); err != nil {
			return all, err
		}
		if _, err := g.file.Seek(0, io.SeekStart); err != nil {
			return all, err
		}
		copied, err := io.Copy(w, g.file)
		all += copied
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Close removes the temporary files.
func (p *YCSBPoints) Close() error {
	var err error
	for _, g := range p.series {
		err = errors.Join(err, g.file.Close(), os.Remove(g.file.Name()))
	}
	clear(p.series)
	return err
}
