package cluster

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	// nonceAge is the minimum time that a nonce is remembered, as in HBase (hbase.server.hashNonce.gracePeriod.ms).
	nonceAge = 30 * time.Minute
	// maxNonces bounds the remembered nonces: at least this many, at most twice as many.
	maxNonces = 1 << 20
)

// Nonce identifies an increment or an append of a client, so that it takes effect once even if it is sent again. The
// zero Nonce means none.
type Nonce struct{ Group, Number uint64 }

// Nonces remembers which increments and appends have taken effect. All region servers share them, as HBase's servers
// find those of a lost server in its log. The zero value is ready.
type Nonces struct {
	mu             sync.Mutex
	pending        map[Nonce]chan struct{} // in progress; the channel, made if somebody waits, is closed at the end
	recent, former map[Nonce]struct{}      // have taken effect
	since          time.Time               // time of the first in recent
	most           int                     // maxNonces; smaller in tests
}

// Begin reports whether to carry out the operation of a nonce; the caller then calls End. False means that it has taken
// effect already. Begin waits while the same operation is in progress.
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
