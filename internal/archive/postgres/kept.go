package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// maxKeptName bounds the names of kept records.
const maxKeptName = 200

func checkKept(name string, content []byte) error {
	switch {
	case name == "" || len(name) > maxKeptName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }):
		return archive.Faultf(archive.ErrInvalid, nil, "keep record %q: want a name of at most %d printable ASCII characters", name, maxKeptName)
	case len(content) > archive.MaxKept:
		return archive.Faultf(archive.ErrInvalid, nil, "keep record %s: it has %d bytes, and %d are the maximum", name, len(content), archive.MaxKept)
	}
	return nil
}

// Keep implements archive.Keeper.
func (a *Archive) Keep(ctx context.Context, name string, content []byte) error {
	if err := checkKept(name, content); err != nil {
		return err
	}
	if content == nil {
		content = []byte{}
	}
	return a.write(ctx, "keep "+name+" in", func(_ context.Context, tx *transaction) error {
		tx.later(`INSERT INTO kept (name, content) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET content = excluded.content`, name, content)
		return nil
	})
}

// Kept implements archive.Keeper.
func (a *Archive) Kept(ctx context.Context, name string) (content []byte, err error) {
	err = a.read(ctx, "read "+name+" of", func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT content FROM kept WHERE name = $1`, name).Scan(&content)
		if errors.Is(err, pgx.ErrNoRows) {
			return notFound("record", name)
		}
		return err
	})
	return content, err
}

// prefixed selects the names that begin with $1. They have printable characters only, which are below the last one of ASCII: so it is a range of
// the index, and results do not slow down the search for a token.
const prefixed = `name >= $1 AND name < $1 || chr(127)`

// KeptNames implements archive.Keeper.
func (a *Archive) KeptNames(ctx context.Context, prefix string) (names []string, err error) {
	err = a.read(ctx, "list records of", func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT name FROM kept WHERE `+prefixed+` ORDER BY name`, prefix)
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return names, err
}

// Drop implements archive.Keeper.
func (a *Archive) Drop(ctx context.Context, prefix string) error {
	return a.write(ctx, "drop records of", func(_ context.Context, tx *transaction) error {
		tx.later(`DELETE FROM kept WHERE `+prefixed, prefix)
		return nil
	})
}
