package timetable

import (
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// Renew keeps the certificate that a peer uses, and its grants, for the schedules that the peer owns: their suites have the rights that
// their owner has now. It is called for each call of a peer, so it waits for nothing unless the certificate is another one.
func (t *Table) Renew(who identity.Identity, until time.Time) {
	serial, owns := (*t.owners.Load())[who.Peer()]
	if !owns || who.Serial == "" || serial == who.Serial {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.state.Owner.Peer() == who.Peer() {
			e.state.Owner, e.unsaved = Owner{who, until.UTC()}, true
		}
	}
	t.indexOwners()
	t.poke()
}

// indexOwners lists the owners for Renew. The caller holds t.mu, or has the only reference to t.
func (t *Table) indexOwners() {
	owners := make(map[string]string)
	for _, e := range t.entries {
		owners[e.state.Owner.Peer()] = e.state.Owner.Serial
	}
	t.owners.Store(&owners)
}
