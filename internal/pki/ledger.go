package pki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Ledger keeps the join tokens that were used: in a file, or in Uses.
type Ledger struct {
	mu      sync.Mutex
	uses    Uses // nil for a file
	journal *journal
	entries map[string]entry // by the ID of the token
}

// Uses are the uses of join tokens in a place that several coordinators share. Only one of them issues certificates at a time.
type Uses interface {
	// Find returns the use of a token, nil without one.
	Find(token string) ([]byte, error)
	// Add returns when the use is durable. It may be removed when the token has expired.
	Add(token string, expires time.Time, use []byte) error
}

// entry is the use of a token.
type entry struct {
	Token   string `json:"token"`   // its ID
	Name    string `json:"name"`    // of the agent
	Key     string `json:"key"`     // SHA-256 of the public key, in hexadecimal
	Expires int64  `json:"expires"` // the token's end
	Chain   string `json:"chain"`   // the certificate that was issued
}

// OpenLedger opens a ledger, or creates it. Entries of tokens that have expired are removed: such a token is refused anyway.
func OpenLedger(path string, now time.Time) (*Ledger, error) {
	l := &Ledger{entries: make(map[string]entry)}
	var kept bytes.Buffer
	expired := 0
	read := func(line []byte) error {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if e.Token == "" || e.Key == "" {
			return errors.New("want a use of a join token")
		}
		if !now.Before(time.Unix(e.Expires, 0)) {
			expired++
			return nil
		}
		l.entries[e.Token] = e
		kept.Write(line)
		kept.WriteByte('\n')
		return nil
	}
	j, err := openJournal(path, read)
	if err != nil {
		return nil, fmt.Errorf("open the ledger of join tokens: %w", err)
	}
	if l.journal = j; expired == 0 {
		return l, nil
	}
	// Two processes that start at once are kept apart by the archive's lock on the directory.
	if err := errors.Join(WriteFile(path, kept.Bytes(), private), j.close()); err != nil {
		return nil, fmt.Errorf("remove expired tokens from the ledger: %w", err)
	}
	if l.journal, err = openJournal(path, func([]byte) error { return nil }); err != nil {
		return nil, fmt.Errorf("open the ledger of join tokens: %w", err)
	}
	return l, nil
}

// LedgerOf returns a ledger of uses that several coordinators share.
func LedgerOf(uses Uses) *Ledger { return &Ledger{uses: uses} }

// Take adds the uses in the file of another ledger, if there is one. The file stays as it is.
func (l *Ledger) Take(path string, now time.Time) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	from, err := OpenLedger(path, now)
	if err != nil {
		return err
	}
	for _, e := range from.entries {
		if _, used, findErr := l.find(e.Token); findErr != nil || !used {
			err = errors.Join(err, findErr)
			if findErr == nil {
				err = errors.Join(err, l.add(e))
			}
		}
	}
	return errors.Join(err, from.Close())
}

// find returns the use of a token.
func (l *Ledger) find(token string) (e entry, used bool, err error) {
	if l.uses == nil {
		e, used = l.entries[token]
		return e, used, nil
	}
	text, err := l.uses.Find(token)
	if err == nil && text != nil {
		used, err = true, json.Unmarshal(text, &e)
	}
	if err != nil {
		return e, false, fmt.Errorf("read the use of a join token: %w", err)
	}
	return e, used, nil
}

// add keeps the use of a token.
func (l *Ledger) add(e entry) error {
	if l.uses == nil {
		err := l.journal.add(e)
		if err == nil {
			l.entries[e.Token] = e
		}
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return l.uses.Add(e.Token, time.Unix(e.Expires, 0), text)
}

// use returns the certificate that was issued for a token and a key; without one it issues it, and keeps it.
func (l *Ledger) use(t Token, key string, issue func() ([]byte, error)) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, used, err := l.find(t.ID)
	if err != nil {
		return nil, err
	}
	if used {
		if e.Key != key {
			return nil, errorf(ErrUsed, "the join token of %s was used already by another key: make another one with `benchd pki token --name %s`; if you did not use it, revoke agent/%s", t.Name, t.Name, t.Name)
		}
		return []byte(e.Chain), nil
	}
	chain, err := issue()
	if err != nil {
		return nil, err
	}
	if err := l.add(entry{Token: t.ID, Name: t.Name, Key: key, Expires: t.Expires, Chain: string(chain)}); err != nil {
		return nil, fmt.Errorf("record the use of a join token: %w", err)
	}
	return chain, nil
}

// Close closes the file.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal == nil {
		return nil
	}
	return l.journal.close()
}
