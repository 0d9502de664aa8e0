package load

// Timer is what a worker waits by.
type Timer = timer

// UseTimers has workers wait by timers that f returns.
func (r *Runner) UseTimers(f func() (Timer, error)) { r.newTimer = f }
