package cluster

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	// nonceAge is how long a nonce is remembered at least, as in HBase (hbase.server.hashNonce.gracePeriod.ms).
	nonceAge = 30 * time.Minute
	// maxNonces bounds how many are remembered: as many at least, and twice as many at most.
	maxNonces = 1 << 20
)

// Nonce is the number by which a client names an increment or an append, so that it takes effect once although it is sent
// again. The zero Nonce is none.
type Nonce struct{ Group, Number uint64 }

// Nonces remembers which increments and appends have taken effect. All region servers share them: HBase's find those of a
// server that is lost in its log. The zero value is ready.
type Nonces struct {
	mu             sync.Mutex
	pending        map[Nonce]chan struct{} // being carried out; the channel, if somebody waits, is closed at the end
	recent, former map[Nonce]struct{}      // have taken effect
	since          time.Time               // of the first in recent
	most           int                     // maxNonces, for tests less
}

// Begin reports whether the operation of a nonce is to be carried out, which End must follow; else it has taken effect
// already. It waits while the same operation is being carried out.
func (n *Nonces) Begin(ctx context.Context, id Nonce) (bool, error) {
	for {
		ended, done := n.begin(id)
		if ended == nil {
			return !done, nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

func (n *Nonces) begin(id Nonce) (ended chan struct{}, done bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, done = n.recent[id]; !done {
		_, done = n.former[id]
	}
	if done {
		return nil, true
	}
	ended, going := n.pending[id]
	if !going {
		if n.pending == nil {
			n.pending = map[Nonce]chan struct{}{}
		}
		n.pending[id] = nil
		return nil, false
	}
	if ended == nil {
		ended = make(chan struct{})
		n.pending[id] = ended
	}
	return ended, false
}

// End reports whether the operation has taken effect.
func (n *Nonces) End(id Nonce, done bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ended := n.pending[id]; ended != nil {
		close(ended)
	}
	delete(n.pending, id)
	if !done {
		return
	}
	now := time.Now()
	if n.recent == nil || len(n.recent) >= cmp.Or(n.most, maxNonces) || now.Sub(n.since) >= nonceAge {
		n.former, n.recent, n.since = n.recent, map[Nonce]struct{}{}, now
	}
	n.recent[id] = struct{}{}
}
