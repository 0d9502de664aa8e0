package null

import "sync"

const (
	// step is how finely a queue tells times apart. What is due within one step is served at its beginning: else
	// each operation of a busy target would have to wait for a moment of its own, and waking for it costs more than
	// the rest of the operation.
	step = 1e6
	// credit is how much idle time a queue makes good for: a worker that is woken late for its turn does not make
	// the target slower than it is said to be.
	credit = 20e6
)

// queue has operations of all workers served one after another, as a target does that can take only so many a second.
type queue struct {
	each float64 // nanoseconds that each operation takes; 0 for a target that takes any number

	mu   sync.Mutex
	used bool
	free float64 // when the operations that have come are served
}

// turn is when an operation is served that comes at an instant: at once, or when those before it are served.
func (q *queue) turn(at int64) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := float64(at)
	if !q.used {
		q.used, q.free = true, now
	}
	begin := max(q.free, now-credit)
	q.free = begin + q.each
	if begin < now+step {
		return at
	}
	return int64(begin/step) * step
}

func (q *queue) reset() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used = false
}
