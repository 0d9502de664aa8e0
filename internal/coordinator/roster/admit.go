package roster

import (
	"net"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxAgents bounds the size of the roster.
	maxAgents = 4096
	// maxFromHost bounds the connected agents of one host, so that no single one fills the roster.
	maxFromHost = maxAgents / 2
)

// admit makes room for an agent of a new name that connects from an address. A full roster drops a stranger: an agent that is
// neither connected nor serves a run. Of the host that has left most of them it drops the one that has been away longest, so
// that a host that uses many names drops its own. The caller holds r.mu.
func (r *Roster) admit(address string) error {
	from := hostOf(address)
	connected := 0
	strangers := make(map[string]*strangersOf)
	for _, a := range r.agents {
		a.mu.Lock()
		host := hostOf(a.address)
		switch {
		case a.session != nil && host == from:
			connected++
		case a.session == nil && a.run == "":
			if strangers[host] == nil {
				strangers[host] = new(strangersOf)
			}
			strangers[host].add(a)
		}
		a.mu.Unlock()
	}
	if connected >= maxFromHost {
		return wire.Errorf(wire.ErrLimit, "%d agents are connected from %s already, the maximum for one host: end some of them", connected, from)
	}
	if len(r.agents) < maxAgents {
		return nil
	}
	var most *strangersOf
	for _, of := range strangers {
		if most == nil || of.n > most.n || of.n == most.n && of.heard.Sub(most.heard) < 0 {
			most = of
		}
	}
	if most == nil {
		return wire.Errorf(wire.ErrLimit, "the coordinator has %d agents already, the maximum: end those that no run needs", maxAgents)
	}
	delete(r.agents, most.oldest)
	return nil
}

// strangersOf are the agents of one host that are neither connected nor serve a run.
type strangersOf struct {
	n      int
	oldest string        // the name of the one that has been away longest
	heard  clock.Instant // when that one was last heard
}

// add counts an agent, whose lock the caller holds.
func (s *strangersOf) add(a *Agent) {
	s.n++
	if s.oldest == "" || a.lastHeard.Sub(s.heard) < 0 {
		s.oldest, s.heard = a.Name, a.lastHeard
	}
}

// hostOf returns the host of an address, or the address if it has no port, as in one process.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
