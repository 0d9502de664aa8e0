package load

// Timer is the timer of a worker.
type Timer = timer

// UseTimers makes workers wait by timers that f returns.
func (r *Runner) UseTimers(f func() (Timer, error)) { r.newTimer = f }
