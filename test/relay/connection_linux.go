package relay

import (
	"bytes"
	"sync"
	"time"
)

// connection is one of a client, and the one to its server.
type connection struct {
	relay          *Relay
	client, server *socket

	mu      sync.Mutex
	pending map[uint64]call // by their ids
}

// call is a call that waits for its answer.
type call struct {
	method string
	at     time.Time
}

// preamble begins a connection to HBase without authentication. ZooKeeper's begins with a frame.
const preamble = "HBas\x00P"

// requests forwards what the client sends.
func (c *connection) requests() error {
	start, err := c.client.peek(len(preamble))
	if err != nil {
		return err
	}
	isHBase := bytes.Equal(start, []byte(preamble))
	if isHBase {
		if err := c.server.write(c.client.take(len(preamble))); err != nil {
			return err
		}
	}
	for n := 0; ; n++ {
		frame, err := c.client.frame()
		if err != nil {
			return err
		}
		if isHBase && n > 0 { // the first frame is the header of the connection
			id, method := header(frame)
			c.mu.Lock()
			c.pending[id] = call{method, c.client.received}
			c.mu.Unlock()
		}
		if err := c.server.write(frame); err != nil {
			return err
		}
	}
}

// answers forwards what the server sends.
func (c *connection) answers() error {
	for {
		frame, err := c.server.frame()
		if err != nil {
			return err
		}
		replace(frame, c.relay.config.Name, c.relay.config.Host)
		id, _ := header(frame)
		c.mu.Lock()
		asked, ok := c.pending[id]
		delete(c.pending, id)
		c.mu.Unlock()
		at := time.Now()
		if c.relay.config.Hold > 0 {
			<-time.After(c.relay.config.Hold)
		}
		if err := c.client.write(frame); err != nil {
			return err
		}
		if ok {
			c.relay.note(Exchange{asked.method, at.Sub(asked.at)}, !asked.at.IsZero())
		}
	}
}
