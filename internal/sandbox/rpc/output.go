package rpc

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	enough       = 256 << 10 // written without waiting for more
	maxUnread    = 16 << 20  // answers that a client has not read
	writeTimeout = 60 * time.Second
)

// output gathers answers and writes them in one piece.
type output struct {
	conn net.Conn
	sent *atomic.Int64
	gate *Gate

	mu      sync.Mutex
	room    sync.Cond
	ready   []byte
	spare   []byte
	writing bool // a goroutine writes, until nothing is ready
	cut     bool // an answer was cut off: later bytes would look like its rest
	closed  bool
}

// put makes an answer ready. It waits while the client leaves too much unread.
func (o *output) put(a *Answer, id uint32, pack compressor) {
	o.mu.Lock()
	for len(o.ready) > maxUnread && o.writing && !o.closed {
		o.room.Wait()
	}
	if o.closed || o.cut {
		o.mu.Unlock()
		return
	}
	at := len(o.ready)
	ready, err := a.append(o.ready, id, pack)
	if err != nil {
		ready, _ = (&Answer{Exception: AsException(err)}).append(o.ready[:at], id, nil)
	}
	if a.Cut {
		ready = ready[:at+int(float64(len(ready)-at)*a.CutAfter)]
		o.cut = true
	}
	o.ready = ready
	full := len(ready) > enough
	o.mu.Unlock()
	if a.Cut {
		o.flush()
		o.close()
		o.conn.Close()
	} else if full {
		o.flush()
	}
}

// flush writes the ready answers, unless a goroutine already does.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		return
	}
	o.writing = true
	for len(o.ready) > 0 && !o.closed {
		b := o.ready
		o.ready = o.spare[:0]
		o.mu.Unlock()
		o.gate.Wait(nil)
		_ = o.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		n, err := o.conn.Write(b)
		o.sent.Add(int64(n))
		o.mu.Lock()
		if cap(b) > 2*enough {
			b = nil
		}
		o.spare = b
		if err != nil {
			o.closed = true
			o.conn.Close()
		}
		o.room.Broadcast()
	}
	o.writing = false
}

// close drops the unwritten answers.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.room.Broadcast()
}
