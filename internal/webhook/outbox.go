package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/notice"
)

// ErrGone reports that the suite of an occasion has been removed.
var ErrGone = errors.New("the suite was removed before its notice was made")

// Config configures an Outbox. All fields but one of Dir and Records must be set.
type Config struct {
	File    *File
	Dir     string  // of what is not delivered yet, without Records; only this user may write to it
	Records Records // what is not delivered yet, where several coordinators share it; default: Dir
	// Archived reports whether an occasion is archived, for those that an earlier process has left in doubt.
	Archived func(context.Context, notice.Occasion) (bool, error)
	// Describe makes the notice of an archived occasion, or returns ErrGone.
	Describe   func(ctx context.Context, id string, at time.Time, o notice.Occasion) (notice.Notice, error)
	Clock      *clock.Source
	Version    string
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Bounds of what is not delivered.
const (
	MaxQueue = 1000           // deliveries of a hook; beyond it the oldest is dropped
	MaxAge   = 72 * time.Hour // of a delivery
)

// entry is a record of the store: an occasion, or, with a hook, a delivery.
type entry struct {
	ID       string           `json:"id"`
	Created  time.Time        `json:"created"`
	Occasion *notice.Occasion `json:"occasion,omitempty"`
	Hook     string           `json:"hook,omitempty"`
	Notice   *notice.Notice   `json:"notice,omitempty"`

	place place // invalid if there was no room: the entry ends with the process
}

// Outbox delivers notices. Close ends its goroutines and leaves what is not delivered to the next process.
type Outbox struct {
	config  Config
	log     *slog.Logger
	store   store
	metrics *metrics

	life  context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup

	mu       sync.Mutex
	doubtful map[string]*entry // occasions that may be archived, by their key
	archived []*entry          // occasions without a notice yet
	news     chan struct{}     // has a value when archived has a new one
	queues   map[string]*queue // by hook
}

// Open reads what an earlier process has left, and starts to deliver it.
func Open(ctx context.Context, config Config) (*Outbox, error) {
	kept, err := openStore(config)
	if err != nil {
		return nil, fmt.Errorf("open the queue of webhooks: %w", err)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	o := &Outbox{
		config: config, log: config.Logger, store: kept, life: life, end: end,
		doubtful: make(map[string]*entry), news: make(chan struct{}, 1), queues: make(map[string]*queue),
	}
	o.metrics = newMetrics(config.Registerer, o)
	if err := o.recover(ctx); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	o.tasks.Go(o.describe)
	return o, nil
}

// recover takes up the records of an earlier process.
func (o *Outbox) recover(ctx context.Context) error {
	var left []*entry // a delivery removes its record: all are read first
	records, err := o.store.left()
	if err != nil {
		return fmt.Errorf("read the queue of webhooks: %w", err)
	}
	for place, text := range records {
		e := &entry{}
		if err := json.Unmarshal(text, e); err != nil {
			o.log.Error("webhooks: a damaged record is dropped", "error", err)
			*e = entry{}
		}
		e.place = place
		left = append(left, e)
	}
	for _, e := range left {
		switch {
		case e.Occasion == nil && e.Notice == nil:
			o.forget(e)
			continue
		case e.Notice != nil:
			o.enqueue(e)
			continue
		}
		done, err := o.config.Archived(ctx, *e.Occasion)
		switch {
		case err != nil:
			return fmt.Errorf("recover a notice of suite %s: %w", e.Occasion.Suite, err)
		case done:
			o.archived = append(o.archived, e)
		case o.old(e):
			o.forget(e)
		default: // what it announces has not happened, or will be announced again
			o.doubtful[key(*e.Occasion)] = e
		}
	}
	o.wakeDescriber()
	return nil
}

func key(o notice.Occasion) string {
	return strings.Join([]string{string(o.Event), o.Suite, o.Run}, " ")
}

// Announce implements notice.Announce.
func (o *Outbox) Announce(of notice.Occasion) (settle func(archived bool)) {
	if !o.config.File.Rules().want(of.Event) {
		return func(bool) {}
	}
	o.mu.Lock()
	e := o.doubtful[key(of)]
	o.mu.Unlock()
	if e == nil {
		e = &entry{ID: rand.Text(), Created: o.config.Clock.Wall(), Occasion: &of}
		o.keep(e)
	}
	return func(archived bool) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !archived {
			o.doubtful[key(of)] = e
			return
		}
		delete(o.doubtful, key(of))
		o.archived = append(o.archived, e)
		o.wakeDescriber()
	}
}

// keep writes an entry to the disk. Without room there, it ends with the process.
func (o *Outbox) keep(e *entry) {
	text, err := json.Marshal(e)
	if err == nil {
		e.place, err = o.store.add(text, e.Created)
	}
	if err != nil {
		o.metrics.unkept.Inc()
		o.log.Error("webhooks: cannot keep a notice on the disk; it is lost if this process ends before its delivery", "notice", e.ID, "error", err)
	}
}

// forget removes an entry from the disk.
func (o *Outbox) forget(e *entry) {
	if !e.place.valid() {
		return
	}
	if err := o.store.remove(e.place); err != nil {
		o.log.Warn("webhooks: cannot remove a delivered notice from the disk; it may be sent again", "notice", e.ID, "error", err)
	}
}

func (o *Outbox) wakeDescriber() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// describeAgain is the pause before a notice is made again whose suite could not be read.
const describeAgain = 10 * time.Second

// describe makes notices of the archived occasions, one after another.
func (o *Outbox) describe() {
	for {
		o.mu.Lock()
		var next *entry
		if len(o.archived) > 0 {
			next = o.archived[0]
		}
		o.mu.Unlock()
		if next == nil {
			select {
			case <-o.life.Done():
				return
			case <-o.news:
			}
			continue
		}
		err := o.fanOut(next)
		switch {
		case o.life.Err() != nil:
			return
		case errors.Is(err, ErrGone):
			o.metrics.done("", gone)
			o.log.Warn("webhooks: no notice is sent", "suite", next.Occasion.Suite, "event", next.Occasion.Event, "error", err)
		case err != nil && o.old(next):
			o.metrics.done("", expired)
			o.log.Error("webhooks: no notice is sent", "suite", next.Occasion.Suite, "event", next.Occasion.Event, "error", err)
		case err != nil:
			o.log.Error("webhooks: make a notice", "suite", next.Occasion.Suite, "error", err, "next_try", describeAgain)
			if !o.pause(describeAgain, nil) {
				return
			}
			continue
		}
		o.mu.Lock()
		o.archived = o.archived[1:]
		o.mu.Unlock()
		o.forget(next)
	}
}

// fanOut makes a delivery of an occasion for each hook that wants it.
func (o *Outbox) fanOut(e *entry) error {
	n, err := o.config.Describe(o.life, e.ID, e.Created, *e.Occasion)
	if err != nil {
		return err
	}
	rules := o.config.File.Rules()
	n.Link = strings.ReplaceAll(rules.Link, "{suite}", e.Occasion.Suite)
	for i := range rules.Hooks {
		if h := &rules.Hooks[i]; h.wants(&n) {
			delivery := &entry{ID: e.ID, Created: e.Created, Hook: h.Name, Notice: &n}
			o.keep(delivery)
			o.enqueue(delivery)
		}
	}
	return nil
}

func (o *Outbox) old(e *entry) bool { return o.config.Clock.Wall().Sub(e.Created) > MaxAge }

// pause waits, and reports whether the outbox is still open. A value of kick ends the pause.
func (o *Outbox) pause(d time.Duration, kick <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-o.life.Done():
		return false
	case <-timer.C:
	case <-kick:
	}
	return true
}

// Close ends the deliveries.
func (o *Outbox) Close() error {
	o.end()
	o.tasks.Wait()
	if err := o.store.close(); err != nil {
		return fmt.Errorf("close the queue of webhooks: %w", err)
	}
	return nil
}
