package results

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// Archive provides the data of results.
type Archive interface {
	Suites(ctx context.Context) ([]archive.SuiteSummary, error)
	Suite(ctx context.Context, id string) (archive.Suite, error)
	Run(ctx context.Context, id string) (archive.RunRecord, error)
	Runs(ctx context.Context, suite string) ([]archive.RunRecord, error)
	Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error]
	Measured(ctx context.Context, run, phase string, from, to time.Duration) iter.Seq2[*latency.Window, error]
	Events(ctx context.Context, run string) ([]archive.Event, error)
	Observations(ctx context.Context, run string) ([]result.Observed, error)
	Extents(ctx context.Context, run string) ([]archive.PhaseExtent, error)
	Export(ctx context.Context, suite string, to io.Writer) error
	Import(ctx context.Context, from io.Reader, check func(context.Context, archive.Suite, []archive.RunRecord) error) (string, error)

	Maintained
}

// Maintained has the operations of Maintain on an archive.
type Maintained interface {
	Oldest(ctx context.Context) (id string, ended time.Time, err error)
	Size(ctx context.Context) (int64, error)
	Remove(ctx context.Context, suite string) error
	Expire(ctx context.Context, before time.Time) ([]string, error)
	Purge(ctx context.Context) error
	RollUp(ctx context.Context, roll archive.RollUp, pause func(context.Context) error) error
	Tidy(ctx context.Context) error
}

// Config configures a Store. All fields up to Logger but Keep must be set.
type Config struct {
	Archive    Archive
	Reader     *spec.Reader // of the properties of runs
	Version    string       // of this build, for runs without a version
	Keep       Keep
	Clock      *clock.Source
	Quarantine *quarantine.List
	Logger     *slog.Logger
	// Sealed is a directory for what is computed once for each long run; it may be deleted at any time. Empty for none.
	Sealed string
	// Records has the documents of ended runs, so that they follow the leader. Default: they are in Sealed.
	Records archive.Keeper
	// Busy reports whether a run is in progress: then maintenance computes nothing. Default: runs in progress are those with windows.
	Busy func() bool
}

// Store provides the results in an archive.
type Store struct {
	archive    Archive
	reader     *spec.Reader
	version    string
	keep       Keep
	date       *clock.Settled // for deletion by age
	quarantine *quarantine.List
	log        *slog.Logger
	documents  *documents
	sealed     *sealed
	sealing    singleflight.Group // by key: requests for what is kept of a run share one computation

	busy func() bool

	sealedRuns runSet // that maintenance has looked at
	madeRuns   runSet // that had a document when it began

	looking  sync.Mutex       // for the time of LookAfter, and of what it knows:
	settled  map[phaseID]bool // ended phases of which it has rolled up all
	suites   map[string]bool  // for whose runs something may be kept; nil before the first look
	listed   bool             // madeRuns is known
	programs []string         // others, of which there are documents
}

// New returns a store.
func New(config Config) *Store {
	if config.Busy == nil {
		config.Busy = func() bool { return false }
	}
	return &Store{
		archive: config.Archive, reader: config.Reader, version: config.Version, keep: config.Keep, date: clock.NewSettled(config.Clock),
		quarantine: config.Quarantine, log: config.Logger, documents: newDocuments(mostDocuments),
		sealed: newSealed(config.Sealed, config.Records, config.Logger), busy: config.Busy, settled: make(map[phaseID]bool),
	}
}

// Find returns a suite with its runs, or with one of them if id is a run's.
func (s *Store) Find(ctx context.Context, id string) (archive.Suite, []archive.RunRecord, error) {
	suite, err := s.archive.Suite(ctx, record.SuiteOf(id))
	if err == nil && id != suite.ID {
		var one archive.RunRecord
		one, err = s.archive.Run(ctx, id)
		if err == nil {
			return suite, []archive.RunRecord{one}, nil
		}
	}
	if errors.Is(err, archive.ErrNotFound) {
		return suite, nil, wire.Errorf(wire.ErrNotFound, "no suite or run %q: `benchctl list` lists them", id)
	}
	if err != nil {
		return suite, nil, err
	}
	runs, err := s.archive.Runs(ctx, suite.ID)
	return suite, runs, err
}

// Run returns the result of a run of a suite. It is shared: callers must not change it.
func (s *Store) Run(ctx context.Context, suite archive.Suite, run archive.RunRecord) (result.Run, error) {
	return s.document(ctx, suite, newSuiteKey(suite), run)
}

// One finds a run by its id, or by the id of a suite that has only this run.
func (s *Store) One(ctx context.Context, id string) (*record.Run, error) {
	suite, runs, err := s.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(runs) != 1 {
		return nil, wire.Errorf(wire.ErrNotFound, "suite %s has %d runs: name one of them, such as %s.1", id, len(runs), id)
	}
	return record.Open(s.reader, suite, runs[0])
}
