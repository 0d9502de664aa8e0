package rpc

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	maxConnections = 4096
	// budget bounds the memory of long frames, over all connections of a server.
	budget = 256 << 20
)

// Server serves calls on a port. Make it with New.
type Server struct {
	// Gate is the gate at which the server can be stopped.
	Gate Gate

	services map[string]Service
	logger   *slog.Logger
	budget   *semaphore.Weighted
	tasks    sync.Pool
	ctx      context.Context //nolint:containedctx // ends with the server
	cancel   context.CancelFunc
	open     atomic.Int64
	accepted atomic.Int64
	received atomic.Int64
	sent     atomic.Int64

	wg       sync.WaitGroup
	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]struct{}
	closed   bool
}

// New makes a server of services, keyed by the names that clients use.
func New(services map[string]Service, logger *slog.Logger) *Server {
	s := &Server{
		services: services,
		logger:   logger,
		budget:   semaphore.NewWeighted(budget),
		conns:    map[net.Conn]struct{}{},
	}
	s.tasks.New = func() any { return &task{} }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Start accepts connections until Close.
func (s *Server) Start(listener net.Listener) {
	s.mu.Lock()
	s.listener = listener
	s.mu.Unlock()
	s.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				timer := time.NewTimer(10 * time.Millisecond) // too many open files: wait for connections to close
				select {
				case <-timer.C:
				case <-s.ctx.Done():
					return
				}
				continue
			}
			s.Gate.Wait(nil)
			if !s.enter(conn) {
				conn.Close()
				continue
			}
			s.wg.Go(func() {
				defer s.leave(conn)
				c := newConn(s, conn)
				if err := c.serve(); err != nil {
					s.logger.Debug("connection ended", "client", conn.RemoteAddr(), "err", err)
				}
			})
		}
	})
}

func newConn(s *Server, conn net.Conn) *Conn {
	c := &Conn{server: s, conn: conn, reader: bufio.NewReaderSize(conn, readBuffer), slots: make(chan struct{}, inHand)}
	c.out.conn, c.out.sent, c.out.gate = conn, &s.sent, &s.Gate
	c.out.room.L = &c.out.mu
	return c
}

// Fence blocks all further calls: waiting ones fail, but nothing is answered while the gate is shut.
func (s *Server) Fence() { s.cancel() }

// Close ends all connections at once, as a crash does, and waits for their goroutines.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.cancel()
	if s.listener != nil {
		s.listener.Close()
	}
	for conn := range s.conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		conn.Close()
	}
	s.mu.Unlock()
	s.Gate.Open() // waiters find their connections closed
	s.wg.Wait()
}

// Connections is the number of open connections.
func (s *Server) Connections() int { return int(s.open.Load()) }

// Accepted is the number of connections accepted since the start.
func (s *Server) Accepted() int64 { return s.accepted.Load() }

// Traffic is the number of bytes of calls and answers.
func (s *Server) Traffic() (received, sent int64) { return s.received.Load(), s.sent.Load() }

func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.conns) >= maxConnections {
		return false
	}
	s.conns[conn] = struct{}{}
	s.open.Add(1)
	s.accepted.Add(1)
	return true
}

func (s *Server) leave(conn net.Conn) {
	conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	s.open.Add(-1)
}
