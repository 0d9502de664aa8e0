package pki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Ledger keeps the join tokens that were used.
type Ledger struct {
	mu      sync.Mutex
	journal *journal
	entries map[string]entry // by the ID of the token
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

// use returns the certificate that was issued for a token and a key; without one it issues it, and keeps it.
func (l *Ledger) use(t Token, key string, issue func() ([]byte, error)) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, used := l.entries[t.ID]; used {
		if e.Key != key {
			return nil, errorf(ErrUsed, "the join token of %s was used already by another key: make another one with `benchd pki token --name %s`; if you did not use it, revoke agent/%s", t.Name, t.Name, t.Name)
		}
		return []byte(e.Chain), nil
	}
	chain, err := issue()
	if err != nil {
		return nil, err
	}
	e := entry{Token: t.ID, Name: t.Name, Key: key, Expires: t.Expires, Chain: string(chain)}
	if err := l.journal.add(e); err != nil {
		return nil, fmt.Errorf("record the use of a join token: %w", err)
	}
	l.entries[t.ID] = e
	return chain, nil
}

// Close closes the file.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.journal.close()
}
