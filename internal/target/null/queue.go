package null

import "sync"

const (
	// step is the resolution of a queue in nanoseconds. All operations due within a step are served at its beginning: otherwise
	// each operation of a busy target would wait for its own instant, and waking up costs more than the rest of the operation.
	step = 1e6
	// credit is how much lost time a queue makes up for, in nanoseconds: a worker that is woken late for its turn must not make
	// the target slower than its capacity.
	credit = 20e6
)

// queue serves the operations of all workers one after another, like a target with a limited capacity.
type queue struct {
	each float64 // nanoseconds that each operation takes; 0 for no limit

	mu   sync.Mutex
	used bool
	free float64 // when all operations so far are served
}

// turn returns when an operation that arrives at an instant is served: at once, or after those before it.
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
