package audit

import (
	"context"
	"maps"
	"sync"
)

// Entry collects details of a call while it is served. It may be used by several goroutines.
type Entry struct {
	mu      sync.Mutex
	claims  string
	details map[string]string
}

type key struct{}

// Begin returns a context with an Entry for the details of a call.
func Begin(ctx context.Context) (context.Context, *Entry) {
	e := &Entry{details: make(map[string]string)}
	return context.WithValue(ctx, key{}, e), e
}

// Note adds a detail of the call that ctx belongs to, such as its suite or its target. An empty value adds nothing.
func Note(ctx context.Context, name, value string) {
	if e, ok := ctx.Value(key{}).(*Entry); ok && value != "" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.details[name] = value
	}
}

// Claim adds the name that the peer gives itself.
func Claim(ctx context.Context, name string) {
	if e, ok := ctx.Value(key{}).(*Entry); ok {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.claims = name
	}
}

// Complete adds what the entry has collected to a record.
func (e *Entry) Complete(r Record) Record {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.Details = maps.Clone(e.details)
	if r.Who != e.claims {
		r.Claims = e.claims
	}
	return r
}
