package standby

import (
	"net"
	"sync"
)

// Listener is a listener for one server after another: Next returns the one for the next server. A connection that nobody accepts yet waits.
type Listener struct {
	from   net.Listener
	conns  chan net.Conn
	ended  chan struct{} // closed when the listener has ended
	err    error         // why, after ended
	closed chan struct{}
	close  func()
}

// Share returns a Listener of the connections of another one, which it closes.
func Share(l net.Listener) *Listener {
	s := &Listener{from: l, conns: make(chan net.Conn), ended: make(chan struct{}), closed: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.closed) })
	go s.accept()
	return s
}

// accept passes connections on until the listener ends.
func (s *Listener) accept() {
	defer close(s.ended)
	for {
		conn, err := s.from.Accept()
		if err != nil {
			s.err = err
			return
		}
		select {
		case s.conns <- conn:
		case <-s.closed:
			_ = conn.Close()
		}
	}
}

// Close ends the listener and all that Next has returned.
func (s *Listener) Close() error {
	s.close()
	err := s.from.Close()
	<-s.ended
	return err
}

// Addr returns the address.
func (s *Listener) Addr() net.Addr { return s.from.Addr() }

// Next returns a listener for a server. The one before must have ended.
func (s *Listener) Next() net.Listener {
	p := &part{of: s, closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

// part is a Listener for the time of one server.
type part struct {
	of     *Listener
	closed chan struct{}
	close  func()
}

// Accept returns the next connection.
func (p *part) Accept() (net.Conn, error) {
	select {
	case <-p.closed:
		return nil, net.ErrClosed
	default:
	}
	select {
	case conn := <-p.of.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-p.of.ended:
		return nil, p.of.err
	}
}

// Close ends this part alone.
func (p *part) Close() error {
	p.close()
	return nil
}

// Addr returns the address of the listener.
func (p *part) Addr() net.Addr { return p.of.Addr() }
