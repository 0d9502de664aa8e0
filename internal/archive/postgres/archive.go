package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

const (
	// readers is how many may read at once, and longReaders how many may read a whole run or suite: these take so long that a list, or a
	// run in progress, must not wait for them.
	readers     = 4
	longReaders = 4
	// keepers is the number of connections of the lease.
	keepers = 2
)

// Archive is an open archive. Its methods are safe for concurrent use. It is written only while it leads; see Lead.
type Archive struct {
	address
	logger      *slog.Logger
	partitioned bool // by week
	migrations  []column.Migration
	detaches    bool // the server can detach a partition without blocking its readers and writers

	reader *pgxpool.Pool
	long   *pgxpool.Pool // for reading whole runs and suites
	keeper *pgxpool.Pool // for the lease

	slot    chan struct{} // the writer has it: writers queue for it
	writer                // belongs to the holder of the slot
	term    atomic.Int64  // of the lease; 0 while another process leads
	weeks   weekGate
	coming  sync.Map // ids of suites being imported
	closing sync.Once
}

// writer is the state of the holder of the slot.
type writer struct {
	conn    *pgx.Conn // nil if there is none
	seq     int64     // of the last transaction
	doubt   *doubt    // a transaction with an unknown outcome; nil for none
	owed    map[latency.WindowID]struct{}
	ids     block
	compact latency.Compactor
	merged  latency.Merged
	// perWindow is about how many measurements a window has.
	perWindow int

	rollTogether int // about how many windows a roll-up reads together; 0 for the default
}

// Open connects to the server of a URL such as postgres://user@host:5432/database, and creates the schema if it is missing. An older one is
// migrated by the leader: see Migrate. The password comes from the URL, PGPASSWORD or a passfile, and is in no error. The errors ErrNewer, ErrNotWritable, ErrFull and ErrNotArchive
// have a text for the user; after any error nothing is left open.
func Open(ctx context.Context, url string, logger *slog.Logger) (*Archive, error) {
	return open(ctx, url, logger, migrationFiles, true)
}

func open(ctx context.Context, url string, logger *slog.Logger, files fs.FS, partitioned bool) (_ *Archive, err error) {
	migrations, err := column.Migrations(files)
	if err != nil {
		return nil, err
	}
	to, err := parse(url)
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	a := &Archive{address: to, logger: logger, slot: make(chan struct{}, 1), partitioned: partitioned, migrations: migrations}
	defer func() {
		if err != nil {
			a.release()
		}
	}()
	within, cancel := context.WithTimeout(ctx, migrateWithin)
	defer cancel()
	if a.conn, err = a.connect(within); err != nil {
		return nil, a.explain("open archive in", err)
	}
	if err := a.requireSession(within); err != nil {
		return nil, err
	}
	if err := a.create(within); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		into     **pgxpool.Pool
		size     int32
		settings []string
	}{
		{&a.reader, readers, nil},
		{&a.long, longReaders, nil},
		{&a.keeper, keepers, []string{`SET lock_timeout = 5000`, `SET statement_timeout = 10000`}},
	} {
		if *p.into, err = to.pool(ctx, p.size, p.settings...); err != nil {
			return nil, a.explain("open archive in", err)
		}
	}
	return a, nil
}

// Path returns the name of the server and its database, for messages.
func (a *Archive) Path() string { return a.server }

// Close yields the lease, waits for the write and the reads in progress, and closes all connections. If ctx ends first, they end with the
// process. Closing again does nothing.
func (a *Archive) Close(ctx context.Context) error {
	var err error
	a.closing.Do(func() {
		err = a.Yield(ctx)
		select {
		case a.slot <- struct{}{}: // kept: nobody writes after this
		case <-ctx.Done():
			err = errors.Join(err, ctx.Err())
		}
		released := make(chan struct{})
		go func() { // it waits for readers
			defer close(released)
			a.release()
		}()
		select {
		case <-released:
		case <-ctx.Done():
			err = errors.Join(err, ctx.Err())
		}
	})
	return err
}

func (a *Archive) release() {
	for _, pool := range []*pgxpool.Pool{a.reader, a.long, a.keeper} {
		if pool != nil {
			pool.Close()
		}
	}
	a.hangUp()
}

// read runs do in a transaction of one reader, which sees one snapshot.
func (a *Archive) read(ctx context.Context, doing string, do func(context.Context, pgx.Tx) error) error {
	return a.readBy(ctx, a.reader, doing, do)
}

// readLong is read for long reads.
func (a *Archive) readLong(ctx context.Context, doing string, do func(context.Context, pgx.Tx) error) error {
	return a.readBy(ctx, a.long, doing, do)
}

func (a *Archive) readBy(ctx context.Context, pool *pgxpool.Pool, doing string, do func(context.Context, pgx.Tx) error) error {
	err := func() error {
		snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		tx, err := pool.BeginTx(ctx, snapshot)
		if err != nil && ctx.Err() == nil && isBroken(err) { // a connection from before a restart of the server
			tx, err = pool.BeginTx(ctx, snapshot)
		}
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = tx.Rollback(ctx) // it changed nothing
		}()
		return do(ctx, tx)
	}()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // rows that end with their context return various errors
	}
	return a.explain(doing, err)
}
