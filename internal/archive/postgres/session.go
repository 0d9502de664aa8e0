package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// requireSession requires that a connection has a session of the server for itself, so that it keeps its settings and prepared statements. With a
// pooler that gives each transaction another session, a setting of one connection would be seen by a second one, or would be lost while that one
// has a transaction. This needs no function that servers other than PostgreSQL lack.
func (a *Archive) requireSession(ctx context.Context) error {
	other, err := a.connect(ctx)
	if err != nil {
		return a.explain("open archive in", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = other.Close(closing) // it has written nothing
	}()
	const set, show = `SET lock_timeout = %d; `, `SHOW lock_timeout`
	usual := lockWithin.Milliseconds()
	var first, others, second string
	for _, step := range []struct {
		on    *pgx.Conn
		query string
		shown *string
	}{
		{a.conn, fmt.Sprintf(set, usual+1) + show, &first},
		{other, `BEGIN; ` + show, &others},
		{a.conn, show, &second},
		{other, `ROLLBACK`, nil},
		{a.conn, fmt.Sprintf(set, usual), nil},
	} {
		results, err := step.on.PgConn().Exec(ctx, step.query).ReadAll()
		switch state := stateOf(err); {
		case state == stateUnknownSetting || state == stateUnsupported:
			return nil // a server that has no such setting
		case err != nil:
			return a.explain("open archive in", err)
		}
		if rows := results[len(results)-1].Rows; step.shown != nil && len(rows) == 1 {
			*step.shown = string(rows[0][0])
		}
	}
	if others == first || second != first {
		return archive.Faultf(archive.ErrNotWritable, nil,
			"open archive in %s: a pooler there gives each transaction another session: set pool_mode = session for this database in the pooler, or give the server's own address", a.server)
	}
	return nil
}
