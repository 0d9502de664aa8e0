package cli

import (
	"io"
	"sync"
)

// Redirect is a writer whose destination can change while others write to it, such as a log beside a live view.
type Redirect struct {
	mu  sync.Mutex
	out io.Writer
}

// To sends later writes to out.
func (r *Redirect) To(out io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out = out
}

// Write implements io.Writer.
func (r *Redirect) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(text)
}
