package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/archive"
)

var (
	_ archive.Lease  = (*Archive)(nil)
	_ archive.Keeper = (*Archive)(nil)
)

// Lead implements archive.Lease. It waits for the writes in progress of a former leader; those that a stopped process has left open, the server
// ends.
func (a *Archive) Lead(ctx context.Context, me archive.Leader) (archive.Leader, error) {
	leader, err := a.lead(ctx, me)
	if stateOf(err) == stateLocked { // the former leader writes: the lease is its own a little longer
		leader, err = a.leader(ctx)
	}
	return leader, a.explain("take the lease in", err)
}

func (a *Archive) lead(ctx context.Context, me archive.Leader) (archive.Leader, error) {
	if me.Boot == "" {
		return me, errors.New("a leader needs the id of its process")
	}
	term := a.term.Load()
	if term > 0 {
		switch err := a.renew(ctx, term); {
		case err == nil:
			me.Term = term
			return me, nil
		case !errors.Is(err, archive.ErrFenced):
			return me, err
		}
	}
	now, free, client, err := a.look(ctx)
	if err != nil || !free {
		return now, err // ErrNewer if a newer benchd has migrated the schema: this process cannot lead any more
	}
	a.disconnect(ctx, client)
	err = pgx.BeginFunc(ctx, a.keeper, func(tx pgx.Tx) error {
		// The new term is a new key: the update waits for transactions that have the old one locked.
		err := tx.QueryRow(ctx, `UPDATE lease SET term = term + 1, boot = $1, rpc = $2, http = $3, client = $4,
			until = clock_timestamp() + $5::double precision * interval '1 second'
			WHERE term = $6 AND until < clock_timestamp() RETURNING term`,
			me.Boot, encode(me.RPC), encode(me.HTTP), a.client, archive.LeaseTTL.Seconds(), now.Term).Scan(&me.Term)
		if err != nil {
			return err
		}
		// Migrations hold the lease: none is in progress.
		var version int
		if err := tx.QueryRow(ctx, `SELECT max(version) FROM migration`).Scan(&version); err != nil {
			return err
		}
		if err := a.checkVersion(version); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM written`); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO written (term, seq) VALUES ($1, 0)`, me.Term)
		return err
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // another process was quicker
		return a.leader(ctx)
	case err != nil:
		return me, err
	}
	a.term.Store(me.Term)
	return me, nil
}

// look returns who leads, whether the lease is free, and the name of the connections of its last holder.
func (a *Archive) look(ctx context.Context) (now archive.Leader, free bool, client string, err error) {
	var version int
	query := func() error {
		return a.keeper.QueryRow(ctx, `SELECT boot, rpc, http, term, client, until < clock_timestamp(), (SELECT max(version) FROM migration) FROM lease ORDER BY term DESC LIMIT 1`).
			Scan(&now.Boot, into(&now.RPC), into(&now.HTTP), &now.Term, &client, &free, &version)
	}
	if err = query(); err != nil && isBroken(err) && ctx.Err() == nil { // a connection from before a restart of the server
		err = query()
	}
	if err == nil {
		err = a.checkVersion(version)
	}
	return now, free, client, err
}

func (a *Archive) leader(ctx context.Context) (archive.Leader, error) {
	now, _, _, err := a.look(ctx)
	return now, err
}

// disconnect ends the connections of a former leader. It is an attempt: a server may not allow it.
func (a *Archive) disconnect(ctx context.Context, client string) {
	if client == "" {
		return
	}
	if _, err := a.keeper.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`, client); err != nil {
		a.logger.Debug("end connections of the former leader", "archive", a.server, "error", err)
	}
}

// Renew implements archive.Lease.
func (a *Archive) Renew(ctx context.Context) error {
	term := a.term.Load()
	if term == 0 {
		return a.explain("renew the lease in", archive.ErrFenced)
	}
	err := a.renew(ctx, term)
	if errors.Is(err, archive.ErrFenced) {
		a.term.CompareAndSwap(term, 0)
	}
	return a.explain("renew the lease in", err)
}

func (a *Archive) renew(ctx context.Context, term int64) error {
	// The key stays: writes in progress do not matter.
	tag, err := a.keep(ctx, `UPDATE lease SET until = clock_timestamp() + $2::double precision * interval '1 second' WHERE term = $1`,
		term, archive.LeaseTTL.Seconds())
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return archive.ErrFenced
	}
	return nil
}

// keep executes a statement that may be repeated, again if the connection is from before a restart of the server.
func (a *Archive) keep(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	tag, err := a.keeper.Exec(ctx, query, args...)
	if err != nil && isBroken(err) && ctx.Err() == nil {
		tag, err = a.keeper.Exec(ctx, query, args...)
	}
	return tag, err
}

// Yield implements archive.Lease.
func (a *Archive) Yield(ctx context.Context) error {
	term := a.term.Swap(0)
	if term == 0 {
		return nil
	}
	// A new term refuses writes that have not begun, and waits for those that have.
	_, err := a.keep(ctx, `UPDATE lease SET term = term + 1, boot = '', client = '', until = '1970-01-01 00:00:00+00' WHERE term = $1`, term)
	if err != nil {
		return a.explain("yield the lease in", fmt.Errorf("it ends by itself after %v: %w", archive.LeaseTTL.Round(time.Second), err))
	}
	return nil
}
