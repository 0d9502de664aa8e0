// Package route connects clients to the one of several coordinators that leads.
//
//  1. Parse reads the addresses of a flag.
//  2. A Route decides which address is tried next: the leader that a standby names, else the next of the list. A round is over when each was
//     tried; then its user pauses. It connects to nothing.
//  3. A Conn makes calls to the leader: a call that no coordinator has received goes to the next address, and all others fail.
package route

import (
	"errors"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/wire"
)

// most bounds the addresses of a list, and the leaders that standbys may name beyond it in one round.
const (
	most      = 16
	mostNamed = 4
)

// Parse returns the addresses of a list that is separated by commas. A unix socket is alone, because its path may have commas.
func Parse(list string) ([]string, error) {
	if strings.HasPrefix(list, "unix:") {
		return []string{list}, nil
	}
	addresses := strings.Split(list, ",")
	for i, a := range addresses {
		addresses[i] = strings.TrimSpace(a)
		switch {
		case addresses[i] == "":
			return nil, errors.New("an address is empty: want HOST:PORT, or several of them separated by commas")
		case strings.HasPrefix(addresses[i], "unix:"):
			return nil, errors.New("a unix socket reaches the coordinator of this machine alone: give no other address with it")
		case slices.Contains(addresses[:i], addresses[i]):
			return nil, errors.New(addresses[i] + " is given twice")
		}
	}
	if len(addresses) > most {
		return nil, errors.New("more than 16 addresses: give those of the coordinators that share one archive")
	}
	return addresses, nil
}

// Join returns the list of addresses that Parse reads.
func Join(addresses []string) string { return strings.Join(addresses, ",") }

// Route is where a client is in its search for the leader.
type Route struct {
	addresses []string
	at        int    // in addresses
	current   string // one of addresses, or a leader that a standby has named
	tried     map[string]bool
	named     int // leaders in tried that are not in addresses
}

// New returns a route that begins with the first address.
func New(addresses []string) *Route {
	return &Route{addresses: addresses, current: addresses[0], tried: make(map[string]bool)}
}

// From makes the route begin with an address, which may be one that a standby has named.
func (r *Route) From(address string) *Route {
	r.current = address
	if i := slices.Index(r.addresses, address); i >= 0 {
		r.at = i
	}
	return r
}

// Address returns the address to try.
func (r *Route) Address() string { return r.current }

// Arrived begins another round: the address is that of the leader.
func (r *Route) Arrived() {
	clear(r.tried)
	r.named = 0
}

// Next moves on from an address that has failed with err. It reports whether the round is over: each address was tried since Arrived or since
// the round before.
func (r *Route) Next(err error) (over bool) {
	r.tried[r.current] = true
	if leader := wire.LeaderOf(err); leader != "" && !r.tried[leader] && r.allows(leader) {
		r.From(leader)
		return false
	}
	for range r.addresses {
		r.at = (r.at + 1) % len(r.addresses)
		if r.current = r.addresses[r.at]; !r.tried[r.current] {
			return false
		}
	}
	r.at = (r.at + 1) % len(r.addresses)
	r.current = r.addresses[r.at]
	r.Arrived()
	return true
}

// allows reports whether a leader may be tried in this round: standbys that name ever more of them must not keep a client busy.
func (r *Route) allows(leader string) bool {
	if slices.Contains(r.addresses, leader) {
		return true
	}
	r.named++
	return r.named <= mostNamed
}
