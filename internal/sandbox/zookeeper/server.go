package zookeeper

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	connectTimeout = 10 * time.Second
	writeTimeout   = 5 * time.Second
	minTimeout     = 2 * time.Second
	maxTimeout     = 90 * time.Second
	maxConnections = 2000
)

var errExpired = errors.New("session expired")

// Server serves a tree to clients.
type Server struct {
	tree   *Tree
	logger *slog.Logger
	pause  func(context.Context) error
	key    [16]byte // derives the sessions' secrets
	next   atomic.Int64

	ctx      context.Context //nolint:containedctx // ends with the server
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]struct{}
	closed   bool
}

// NewServer makes a server of a tree. Pause, if not nil, is called before each answer; its error ends the connection.
func NewServer(tree *Tree, logger *slog.Logger, pause func(context.Context) error) *Server {
	s := &Server{tree: tree, logger: logger, pause: pause, conns: map[net.Conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	rand.Read(s.key[:])
	// As in ZooKeeper, the time is part of the number, so that sessions of an earlier server are not mistaken for this
	// one's.
	s.next.Store(time.Now().UnixMilli() << 16)
	return s
}

// Start accepts connections until Close.
func (s *Server) Start(listener net.Listener) {
	s.listener = listener
	s.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				if errors.Is(err, net.ErrClosed) || !s.rest(10*time.Millisecond) {
					return
				}
				continue // too many open files: wait for connections to close
			}
			if !s.enter(conn) {
				conn.Close()
				continue
			}
			s.wg.Go(func() {
				defer s.leave(conn)
				session := &session{server: s, conn: conn}
				if err := session.serve(); err != nil {
					s.logger.Debug("zookeeper session ended", "client", conn.RemoteAddr(), "err", err)
				}
			})
		}
	})
}

// Close ends all connections and waits for their goroutines.
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
		conn.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.conns) >= maxConnections {
		return false
	}
	s.conns[conn] = struct{}{}
	return true
}

func (s *Server) leave(conn net.Conn) {
	conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// rest waits, and reports whether the server still serves.
func (s *Server) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

func (s *Server) newSession() int64 { return s.next.Add(1) }

// secret is the password with which a client resumes a session: the server keeps no state of absent clients.
func (s *Server) secret(id int64) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	return mac.Sum(nil)[:16]
}

func (s *Server) ours(id int64, secret []byte) bool { return hmac.Equal(s.secret(id), secret) }
