package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/alarm"
)

// MaxFaults bounds the faults of a Plan.
const MaxFaults = 1000

// maxGone bounds the disowned owners that a Plan remembers.
const maxGone = 100

// Plan holds the faults of a sandbox. It is safe for concurrent use.
type Plan struct {
	timer *alarm.SharedTimer
	live  atomic.Pointer[[]*active] // those that concern calls and are not over; nil if there are none

	mu      sync.Mutex
	faults  []*active // all that were not cleared, in the order of adding
	last    int       // number of the last one added
	gone    []string  // disowned owners, the newest last
	changed chan struct{}
}

// active is an added fault.
type active struct {
	Fault
	number     int
	owner      string    // empty if it has no owner
	begin, end time.Time // end is zero if only Clear ends it
	happened   bool      // the event was carried out; guarded by the plan
	returned   bool      // the end of the event was carried out; guarded by the plan
	trouble    string    // why the event could not be carried out; guarded by the plan

	hits    atomic.Int64
	over    context.Context // ends with the fault
	finish  context.CancelFunc
	cleared context.Context // ends when the fault is cleared
	clear   context.CancelFunc

	mu  sync.Mutex
	rng *rand.Rand
}

// New makes a Plan without faults. Close ends it.
func New() (*Plan, error) {
	timer, err := alarm.NewSharedTimer()
	if err != nil {
		return nil, fmt.Errorf("make a plan of faults: %w", err)
	}
	return newPlan(timer), nil
}

// NewPlain makes a Plan that waits on the runtime's timers, for a testing/synctest bubble.
func NewPlain() *Plan { return newPlan(alarm.NewPlainSharedTimer()) }

func newPlan(timer *alarm.SharedTimer) *Plan {
	return &Plan{timer: timer, changed: make(chan struct{}, 1)}
}

// Add adds a fault, which begins Start from now, and returns its number.
func (p *Plan) Add(f Fault) (int, error) { return p.AddFor("", f) }

// AddFor adds a fault of an owner; Disown ends it with all others of that owner.
func (p *Plan) AddFor(owner string, f Fault) (int, error) {
	if err := f.Validate(); err != nil {
		return 0, err
	}
	a := &active{Fault: f, owner: owner, begin: time.Now().Add(f.Start)}
	if f.Length > 0 {
		a.end = a.begin.Add(f.Length)
	}
	a.over, a.finish = context.WithCancel(context.Background())
	a.cleared, a.clear = context.WithCancel(context.Background())

	p.mu.Lock()
	defer p.mu.Unlock()
	if owner != "" && slices.Contains(p.gone, owner) {
		return 0, fmt.Errorf("add fault: %s is over, and its faults with it", owner)
	}
	if len(p.faults) >= MaxFaults {
		return 0, fmt.Errorf("add fault: the sandbox has %d, which is the limit; clear those that are over", len(p.faults))
	}
	p.last++
	a.number = p.last
	a.rng = rand.New(rand.NewPCG(f.Seed, uint64(a.number)))
	p.faults = append(p.faults, a)
	p.publish(time.Now())
	p.wake()
	return a.number, nil
}

// Clear ends a fault and forgets it, so that calls stop waiting for it. It reports whether a fault had that number.
// Effects on servers stay.
func (p *Plan) Clear(number int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.faults, func(a *active) bool { return a.number == number })
	if i < 0 {
		return false
	}
	p.faults[i].drop()
	p.faults = slices.Delete(p.faults, i, i+1)
	p.publish(time.Now())
	return true
}

// ClearAll clears all faults, and returns how many there were.
func (p *Plan) ClearAll() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.faults)
	for _, a := range p.faults {
		a.drop()
	}
	p.faults = nil
	p.publish(time.Now())
	return n
}

// Disown ends the faults of an owner, and returns how many were not over. A server that one of them has killed for a
// time is started again when that time is over. The owner cannot add more: its last request may arrive after this call.
func (p *Plan) Disown(owner string) (ended int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !slices.Contains(p.gone, owner) {
		p.gone = append(p.gone, owner)
		p.gone = slices.Delete(p.gone, 0, max(0, len(p.gone)-maxGone))
	}
	p.faults = slices.DeleteFunc(p.faults, func(a *active) bool {
		if a.owner != owner || a.happened && !a.returned && a.trouble == "" && a.returns() {
			return false
		}
		if state := a.status(now).State; state == Waiting || state == Active {
			ended++
		}
		a.drop()
		return true
	})
	p.publish(now)
	return ended
}

func (a *active) drop() {
	a.clear()
	a.finish()
}

// publish shows the faults that are not over to calls. The caller holds the plan's lock.
func (p *Plan) publish(now time.Time) {
	var live []*active
	for _, a := range p.faults {
		if a.ended(now) {
			a.finish()
		} else if !a.Kind.Event() {
			live = append(live, a)
		}
	}
	if live == nil {
		p.live.Store(nil)
		return
	}
	p.live.Store(&live)
}

func (a *active) ended(now time.Time) bool { return !a.end.IsZero() && !now.Before(a.end) }

// wake makes Run look at the faults again.
func (p *Plan) wake() {
	select {
	case p.changed <- struct{}{}:
	default: // Run wakes up already
	}
}

// Decide returns what happens to a call. A nil Plan lets all calls pass.
func (p *Plan) Decide(c Call) Verdict {
	if p == nil {
		return Verdict{}
	}
	live := p.live.Load()
	if live == nil {
		return Verdict{}
	}
	return p.decide(*live, &c)
}

func (p *Plan) decide(live []*active, c *Call) Verdict {
	v := Verdict{plan: p}
	now := time.Now()
	for _, a := range live {
		if now.Before(a.begin) || a.ended(now) || !a.Where.concerns(a.Kind, c) {
			continue
		}
		delay, hit := a.draw()
		if !hit {
			continue
		}
		a.hits.Add(1)
		switch a.Kind {
		case Latency:
			v.delay += delay
			v.late = append(v.late, a)
		case Stall:
			v.stall = append(v.stall, a)
		case Disconnect:
			v.Cut, v.CutAfter = true, 0.5
		default:
			if v.Exception == nil {
				v.Exception = exception(&a.Fault, c)
			}
		}
	}
	v.until = now.Add(v.delay)
	return v
}

// draw decides whether a call is hit, and how long it waits.
func (a *active) draw() (delay time.Duration, hit bool) {
	if a.Share >= 1 && a.Delay.IsZero() {
		return 0, true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	hit = a.Share >= 1 || a.rng.Float64() < a.Share
	if hit {
		delay = a.Delay.Draw(a.rng)
	}
	return delay, hit
}

// Close ends the Plan and all waits for it.
func (p *Plan) Close() error {
	if p == nil {
		return nil
	}
	p.ClearAll()
	return p.timer.Close()
}

// Quiet reports whether no fault concerns calls now. A nil Plan is quiet.
func (p *Plan) Quiet() bool { return p == nil || p.live.Load() == nil }
