package load

// retries returns the number of retries within operations since the last call, by cause.
func (r *Runner) retries() map[string]uint64 {
	counts := make(map[string]uint64)
	add := func(t Target) {
		if retrier, is := t.(Retrier); is {
			for cause, n := range retrier.Retries() {
				counts[cause] += n
			}
		}
	}
	add(r.cfg.Target)
	for _, t := range r.cfg.Targets {
		add(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var since map[string]uint64
	for cause, n := range counts {
		if before := r.retried[cause]; n > before {
			if since == nil {
				since = make(map[string]uint64)
			}
			since[cause] = n - before
		}
	}
	r.retried = counts
	return since
}
