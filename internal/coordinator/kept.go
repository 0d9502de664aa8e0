package coordinator

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/webhook"
	"github.com/benchd/benchd/internal/websession"
)

// Names of records that follow the leader. Without an archive that keeps them they are files in the data directory.
const (
	keptSessions = "sessions"
	keptJoined   = "joined/" // and the id of a token in hexadecimal, /, and its end in Unix time
	keptWebhooks = "webhooks/"
	keptTraces   = "traces/" // and the id of a trace, /, and the number of a piece, or keptWhole
)

// keepWithin bounds a request for such a record.
const keepWithin = 10 * time.Second

// keeper is the archive as the place of records that follow the leader.
type keeper struct {
	records archive.Keeper
	life    context.Context //nolint:containedctx // without its end: records are kept also while the coordinator detaches
}

// keeperOf returns the keeper of an archive; nil if records are files.
func keeperOf(ctx context.Context, a Archive) *keeper {
	records, is := a.(archive.Keeper)
	if !is {
		return nil
	}
	return &keeper{records: records, life: context.WithoutCancel(ctx)}
}

func (k *keeper) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(k.life, keepWithin)
}

func (k *keeper) keep(name string, content []byte) error {
	ctx, cancel := k.within()
	defer cancel()
	return k.records.Keep(ctx, name, content)
}

// kept returns a record; nil if there is none.
func (k *keeper) kept(name string) ([]byte, error) {
	ctx, cancel := k.within()
	defer cancel()
	content, err := k.records.Kept(ctx, name)
	if errors.Is(err, archive.ErrNotFound) {
		return nil, nil
	}
	return content, err
}

func (k *keeper) names(prefix string) ([]string, error) {
	ctx, cancel := k.within()
	defer cancel()
	return k.records.KeptNames(ctx, prefix)
}

func (k *keeper) drop(prefix string) error {
	ctx, cancel := k.within()
	defer cancel()
	return k.records.Drop(ctx, prefix)
}

// joined implements pki.Uses.
type joined struct{ *keeper }

func joinedName(token string) string { return keptJoined + hex.EncodeToString([]byte(token)) + "/" }

// Find returns the use of a token.
func (j joined) Find(token string) ([]byte, error) {
	names, err := j.names(joinedName(token))
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return j.kept(names[0])
}

// Add adds the use of a token.
func (j joined) Add(token string, expires time.Time, use []byte) error {
	return j.keep(joinedName(token)+strconv.FormatInt(expires.Unix(), 10), use)
}

// removeExpired removes the uses of tokens that have expired: such a token is refused anyway.
func (j joined) removeExpired(now time.Time) error {
	names, err := j.names(keptJoined)
	if err != nil {
		return err
	}
	for _, name := range names {
		until, err := strconv.ParseInt(name[strings.LastIndexByte(name, '/')+1:], 10, 64)
		if err != nil || now.Before(time.Unix(until, 0)) {
			continue
		}
		if err := j.drop(name); err != nil {
			return err
		}
	}
	return nil
}

// undelivered implements webhook.Records.
type undelivered struct{ *keeper }

// Keep keeps a record.
func (u undelivered) Keep(name string, record []byte) error {
	return u.keep(keptWebhooks+name, record)
}

// Remove removes a record.
func (u undelivered) Remove(name string) error { return u.drop(keptWebhooks + name) }

// Left returns the records of the former leader.
func (u undelivered) Left() ([]webhook.Record, error) {
	names, err := u.names(keptWebhooks)
	if err != nil {
		return nil, err
	}
	records := make([]webhook.Record, 0, len(names))
	for _, name := range names {
		content, err := u.kept(name)
		if err != nil {
			return nil, err
		}
		records = append(records, webhook.Record{Name: strings.TrimPrefix(name, keptWebhooks), Content: content})
	}
	return records, nil
}

// sessions implements websession.Place.
type sessions struct{ *keeper }

// Load returns the sessions.
func (s sessions) Load() ([]byte, error) {
	text, err := s.kept(keptSessions)
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	return text, nil
}

// Save keeps the sessions.
func (s sessions) Save(text []byte) error { return s.keep(keptSessions, text) }

// placeOfSessions returns where the sessions of browsers are kept.
func (c *Coordinator) placeOfSessions() websession.Place {
	if c.kept != nil {
		return sessions{c.kept}
	}
	return websession.File(filepath.Join(c.config.DataDir, "sessions.json"))
}
