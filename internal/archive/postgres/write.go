package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
)

const (
	// lockWithin is how long a statement of a writer waits for a lock. Only a former leader's transaction, or a person's, holds one.
	lockWithin = 10 * time.Second
	// writeWithin is the time limit of a transaction up to its commit, and commitWithin that of the commit.
	writeWithin  = time.Minute
	commitWithin = 30 * time.Second
	// settleWithin is how long a writer tries to find out what became of a commit without an answer.
	settleWithin = 30 * time.Second
)

// transaction is a transaction that writes.
type transaction struct {
	*pgx.Conn
	last pgx.Batch
}

// later queues a statement that is sent together with the commit.
func (tx *transaction) later(query string, args ...any) { tx.last.Queue(query, args...) }

// doubt is a transaction whose commit was not answered.
type doubt struct {
	term, seq int64
	fresh     []latency.WindowID // the windows that it has stored, if it was committed
}

// change is what a transaction does.
type change struct {
	// first queues statements that are sent together with the begin. It may be called twice.
	first func(*pgx.Batch)
	do    func(context.Context, *transaction) error
	// fresh returns the windows that the transaction stores.
	fresh func() []latency.WindowID
}

// write runs do in one transaction of the only writer, and commits it. It obeys ctx up to the commit, which is never interrupted. An error
// means that nothing was stored, unless the server could not be asked within settleWithin what became of the commit.
func (a *Archive) write(ctx context.Context, doing string, do func(context.Context, *transaction) error) error {
	return a.change(ctx, doing, change{do: do})
}

func (a *Archive) change(ctx context.Context, doing string, c change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case a.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-a.slot }()
	err := a.transact(ctx, c)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	return a.explain(doing, err)
}

func (a *Archive) transact(ctx context.Context, c change) error {
	within, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	tx, err := a.begin(within, c.first)
	if err != nil {
		return err
	}
	if err := c.do(within, tx); err != nil {
		a.rollback()
		return err
	}
	if err := within.Err(); err != nil {
		a.rollback()
		return err
	}
	if err := a.commit(ctx, tx, c.fresh); err != nil {
		return err
	}
	if c.fresh != nil && len(a.owed) > 0 {
		for _, id := range c.fresh() {
			delete(a.owed, id)
		}
	}
	return nil
}

// begin begins a transaction of the leader. A connection that has been broken meanwhile, as by a restart of the server, is replaced.
func (a *Archive) begin(ctx context.Context, first func(*pgx.Batch)) (*transaction, error) {
	for again := false; ; again = true {
		term := a.term.Load()
		if term == 0 {
			return nil, archive.ErrFenced
		}
		if err := a.ready(ctx); err != nil {
			return nil, err
		}
		a.seq++
		leads := false
		var b pgx.Batch
		b.Queue(`BEGIN`)
		b.Queue(`SELECT 1 FROM lease WHERE term = $1 FOR KEY SHARE`, term).Query(func(rows pgx.Rows) error {
			leads = rows.Next()
			rows.Close()
			return rows.Err()
		})
		b.Queue(`UPDATE written SET seq = $2 WHERE term = $1`, term, a.seq)
		if first != nil {
			first(&b)
		}
		err := a.conn.SendBatch(ctx, &b).Close()
		if err == nil && !leads {
			err = archive.ErrFenced
		}
		if err == nil {
			return &transaction{Conn: a.conn}, nil
		}
		broken := a.conn.IsClosed() || isBroken(err)
		a.rollback()
		if errors.Is(err, archive.ErrFenced) {
			a.term.CompareAndSwap(term, 0)
		}
		if again || !broken || ctx.Err() != nil {
			return nil, err
		}
	}
}

// ready has a connection, and knows what became of the last transaction.
func (a *Archive) ready(ctx context.Context) error {
	if a.conn != nil && a.conn.IsClosed() {
		a.hangUp()
	}
	if a.conn == nil {
		conn, err := a.connect(ctx)
		if err != nil {
			return err
		}
		a.conn = conn
	}
	if a.doubt == nil {
		return nil
	}
	fresh := a.doubt.fresh
	committed, err := a.settle(ctx)
	if committed {
		if a.owed == nil {
			a.owed = make(map[latency.WindowID]struct{})
		}
		for _, id := range fresh {
			a.owed[id] = struct{}{}
		}
	}
	return err
}

// commit commits a transaction with its last statements.
func (a *Archive) commit(ctx context.Context, tx *transaction, fresh func() []latency.WindowID) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
	defer cancel()
	done := ""
	tx.later(`COMMIT`)
	tx.last.QueuedQueries[tx.last.Len()-1].Exec(func(tag pgconn.CommandTag) error {
		done = tag.String()
		return nil
	})
	err := a.conn.SendBatch(within, &tx.last).Close()
	switch {
	case err == nil && done == "COMMIT":
		return nil
	case err == nil:
		a.rollback()
		return fmt.Errorf("commit: the server has answered %q", done)
	case isRefused(err):
		a.rollback()
		return err
	}
	a.hangUp()
	a.doubt = &doubt{term: a.term.Load(), seq: a.seq}
	if fresh != nil {
		a.doubt.fresh = fresh()
	}
	return a.settled(ctx, err)
}

// settled finds out what became of the last commit; err is its error.
func (a *Archive) settled(ctx context.Context, err error) error {
	within, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		conn, failed := a.connect(within)
		if failed == nil {
			a.conn = conn
			committed, failed := a.settle(within)
			if failed == nil {
				a.logger.Info("found out what became of a commit without an answer", "archive", a.server, "committed", committed, "error", err)
				if committed {
					return nil
				}
				return err
			}
			if errors.Is(failed, archive.ErrFenced) {
				return failed
			}
		}
		select {
		case <-within.Done():
			return fmt.Errorf("commit without an answer, which may have been stored: %w", err)
		case <-time.After(pause):
		}
	}
}

// settle finds out what became of the transaction in doubt. While it is in progress it holds the lock of its row.
func (a *Archive) settle(ctx context.Context) (committed bool, err error) {
	var seq int64
	err = a.conn.QueryRow(ctx, `SELECT seq FROM written WHERE term = $1 FOR UPDATE`, a.doubt.term).Scan(&seq)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // another process leads, and has read what is stored
		a.doubt = nil
		return false, archive.ErrFenced
	case err != nil:
		a.hangUp()
		return false, err
	}
	committed = seq == a.doubt.seq
	a.doubt = nil
	return committed, nil
}

// rollback ends a transaction that was not committed.
func (a *Archive) rollback() {
	ctx, cancel := context.WithTimeout(context.Background(), connectWithin)
	defer cancel()
	if a.conn == nil || a.conn.IsClosed() {
		return
	}
	if _, err := a.conn.Exec(ctx, `ROLLBACK`); err != nil {
		a.hangUp()
	}
}

// hangUp closes the writer's connection.
func (a *Archive) hangUp() {
	if a.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = a.conn.Close(ctx) // its server notices in any case
	a.conn = nil
}
