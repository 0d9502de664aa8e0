package api

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/remote"
)

const (
	keptEvents   = 120     // for readers that come back, about two minutes
	keptBytes    = 8 << 20 // of them: those of a run with 1000 agents are large
	keptTimeline = 5000
	lingerFor    = 30 * time.Second // without a reader
)

// hub follows one suite or run for all its readers. It encodes an event once, and keeps no queue for a reader: a reader has the number of its
// last event, and one that has missed too many continues with a snapshot.
type hub struct {
	boot string // makes the ids of this hub's events different from those of others

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at each event
	events   [][]byte      // the last ones
	size     int           // bytes of events
	before   int           // number of older ones
	last     Progress
	timeline []TimelineEvent
	whole    []byte // the encoded snapshot; nil if it is stale
	over     bool   // nothing follows
	failed   error  // why it is over, unless the suite has ended
}

func newHub() *hub {
	return &hub{boot: rand.Text()[:10], changed: make(chan struct{}), timeline: []TimelineEvent{}}
}

// publish adds the event of a state.
func (h *hub) publish(p *remote.Progress) error {
	d := progressOf(p)
	h.mu.Lock()
	defer h.mu.Unlock()
	text, err := encode(h.name(h.before+len(h.events)+1), "progress", d)
	if err != nil {
		return err
	}
	h.events, h.size = append(h.events, text), h.size+len(text)
	if len(h.events) > 2*keptEvents || h.size > keptBytes {
		h.drop()
	}
	h.timeline = append(h.timeline, d.Timeline...)
	if extra := len(h.timeline) - 2*keptTimeline; extra > 0 {
		h.timeline = slices.Clone(h.timeline[keptTimeline:])
	}
	h.last, h.whole = d, nil
	h.wake()
	return nil
}

// drop drops the older half of the events, but not the last one. h.mu is held.
func (h *hub) drop() {
	old := len(h.events) / 2
	for _, text := range h.events[:old] {
		h.size -= len(text)
	}
	h.before += old
	h.events = slices.Clone(h.events[old:]) // readers may still write the old ones
}

// end reports that nothing follows.
func (h *hub) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over, h.failed = true, err
	h.wake()
}

// wake notifies the readers. h.mu is held.
func (h *hub) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// name is the id of an event by its number, which counts from 1.
func (h *hub) name(number int) string { return h.boot + "-" + strconv.Itoa(number) }

// position returns the number of the event with an id; 0 if it is of another hub.
func (h *hub) position(id string) int {
	number, is := strings.CutPrefix(id, h.boot+"-")
	n, err := strconv.Atoi(number)
	if !is || err != nil || n < 0 {
		return 0
	}
	return n
}

// after returns the encoded events after the one with a number, with the number of the last of them. Without events it returns a channel that
// is closed at the next one, unless nothing follows.
func (h *hub) after(number int) (events [][]byte, last int, changed <-chan struct{}, over bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	newest := h.before + len(h.events)
	switch {
	case newest == 0 || number == newest:
		return nil, newest, h.changed, h.over, h.failed
	case number > 0 && number >= h.before && number < newest:
		return h.events[number-h.before:], newest, nil, false, nil
	}
	if h.whole == nil { // the reader is new, or has missed too many
		d := h.last
		d.Timeline = h.timeline
		if h.whole, err = encode(h.name(newest), "snapshot", d); err != nil {
			return nil, number, nil, true, err
		}
	}
	return [][]byte{h.whole}, newest, nil, false, nil
}

// hubs are the hubs of all suites and runs with readers.
type hubs struct {
	follow func(ctx context.Context, id string, h *hub) error

	mu      sync.Mutex
	byID    map[string]*followed
	readers int
	closed  bool
	tasks   sync.WaitGroup
}

// followed is a hub with its readers.
type followed struct {
	id string
	*hub

	readers int
	stop    context.CancelFunc
	idle    *time.Timer // stops it when it has had no reader for a while
}

// join returns the hub of a suite or run, which it starts for the first reader. It returns nil if there are too many readers.
func (s *hubs) join(running context.Context, id string) *followed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers == maxReaders || s.closed {
		return nil
	}
	f := s.byID[id]
	if f == nil {
		ctx, stop := context.WithCancel(running)
		f = &followed{id: id, hub: newHub(), stop: stop}
		s.byID[id] = f
		s.tasks.Go(func() {
			defer stop()
			f.end(s.follow(ctx, id, f.hub))
			s.forget(f)
		})
	}
	if f.idle != nil {
		f.idle.Stop()
	}
	f.readers++
	s.readers++
	return f
}

// leave ends a reader.
func (s *hubs) leave(f *followed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.readers--
	s.readers--
	if f.readers == 0 {
		f.idle = time.AfterFunc(lingerFor, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if f.readers == 0 {
				s.drop(f)
				f.stop()
			}
		})
	}
}

// drop removes a hub from the list. s.mu is held.
func (s *hubs) drop(f *followed) {
	if s.byID[f.id] == f {
		delete(s.byID, f.id)
	}
}

// wait returns when no hub follows anything. No reader joins from now on.
func (s *hubs) wait() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.tasks.Wait()
}

// forget removes a hub that follows nothing any more: the next reader starts another.
func (s *hubs) forget(f *followed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(f)
	if f.idle != nil {
		f.idle.Stop()
	}
}
