package conductor

import "github.com/benchd/benchd/internal/quarantine"

// mailbox is the queue of work for a conductor's loop. Other goroutines use it, too.
type mailbox struct {
	work chan func()
	done chan struct{} // closed when the loop has ended
}

func newMailbox() *mailbox {
	return &mailbox{work: make(chan func(), 1024), done: make(chan struct{})}
}

// post queues work for the loop; it is dropped when the run is over.
func (m *mailbox) post(do func()) {
	select {
	case m.work <- do:
	case <-m.done:
	}
}

// beside runs work of the run outside its loop; a panic in it ends the run like one in the loop.
func (m *mailbox) beside(do func()) {
	err := quarantine.Guard(func() error { do(); return nil })
	if err != nil {
		m.post(func() { panic(err) })
	}
}
