package webhook

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/suggest"
)

// Status is the state of a hook, without secrets.
type Status struct {
	Name    string            `json:"name"`
	Address string            `json:"address"` // scheme and host of the URL: the rest may be a secret
	Format  Format            `json:"format"`
	Events  []notice.Event    `json:"events"`
	Suites  []string          `json:"suites,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"`
	Signed  bool              `json:"signed"`
	Queued  int               `json:"queued"`
	Oldest  *time.Time        `json:"oldest,omitempty"` // of the queued ones
	Last    *Last             `json:"last,omitempty"`   // null before the first delivery of this process
}

// Statuses returns the state of all hooks in their order, and why a changed file is not in use.
func (o *Outbox) Statuses() (all []Status, broken error) {
	rules, broken := o.config.File.current()
	all = []Status{}
	for i := range rules.Hooks {
		h := &rules.Hooks[i]
		s := Status{Name: h.Name, Format: h.Format, Events: h.Events, Suites: h.Suites, Tags: h.Tags, Signed: h.Secret != ""}
		s.Address = "unknown"
		if u, err := rules.address(h); err == nil {
			s.Address = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
		}
		o.mu.Lock()
		if q := o.queues[h.Name]; q != nil {
			s.Queued = len(q.entries)
			if len(q.entries) > 0 {
				s.Oldest = &q.entries[0].Created
			}
			if !q.last.At.IsZero() {
				last := q.last
				s.Last = &last
			}
		}
		o.mu.Unlock()
		all = append(all, s)
	}
	return all, broken
}

// UnknownError reports that there is no hook of a name.
type UnknownError struct {
	Name  string
	Known []string
}

// Error names the hook, and the nearest one or all.
func (e *UnknownError) Error() string {
	switch near := suggest.Nearest(e.Name, e.Known); {
	case len(e.Known) == 0:
		return fmt.Sprintf("no webhook %q: the coordinator's file has none", e.Name)
	case near != "":
		return fmt.Sprintf("no webhook %q (did you mean %q?)", e.Name, near)
	}
	return fmt.Sprintf("no webhook %q: there are %s", e.Name, strings.Join(e.Known, ", "))
}

// Test sends a test to a hook, once and without its queue. If the receiver accepts it, a pause of the queue ends.
func (o *Outbox) Test(ctx context.Context, name string) (Last, error) {
	rules := o.config.File.Rules()
	hook := rules.find(name)
	if hook == nil {
		known := make([]string, len(rules.Hooks))
		for i, h := range rules.Hooks {
			known[i] = h.Name
		}
		slices.Sort(known)
		return Last{}, &UnknownError{Name: name, Known: known}
	}
	n := notice.NewTest(rand.Text(), o.config.Clock.Wall())
	a := o.attempt(ctx, rules, hook, &entry{ID: n.ID, Notice: &n})
	o.mu.Lock()
	defer o.mu.Unlock()
	q := o.queueOf(name)
	if a.err == nil {
		select {
		case q.kick <- struct{}{}:
		default:
		}
	}
	return q.last, nil
}
