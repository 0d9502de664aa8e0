package scripted

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Options configure a Server.
type Options struct {
	User, Password string // without a user anybody is accepted
	SCRAM          bool   // users authenticate by SCRAM-SHA-256; otherwise by MD5
	Journal        string // the file with all writes
	Page           int    // documents of an answer; default 100
	FailEvery      int    // each write of this number fails with FailCode; 0 is none
	FailCode       int32
	Logger         *slog.Logger
}

// Server serves connections.
type Server struct {
	options Options
	store   *store
	log     *slog.Logger

	writes     atomic.Int64
	violations atomic.Int64
	contexts   atomic.Int64
	sessions   atomic.Int64
	served     atomic.Int64
	silent     atomic.Bool

	mu    sync.Mutex
	conns map[net.Conn]bool
	work  sync.WaitGroup
}

// New makes a Server and reads its journal.
func New(o Options) (*Server, error) {
	if o.Page <= 0 {
		o.Page = 100
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	store, err := openStore(o.Journal)
	if err != nil {
		return nil, err
	}
	return &Server{options: o, store: store, log: o.Logger, conns: make(map[net.Conn]bool)}, nil
}

// Violations returns how many frames have broken the protocol.
func (s *Server) Violations() int64 { return s.violations.Load() }

// OpenContexts returns how many contexts of queries are open.
func (s *Server) OpenContexts() int64 { return s.contexts.Load() }

// Serve accepts connections until ctx ends, and closes everything.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		if err != nil {
			s.closeAll()
			if ctx.Err() != nil {
				err = nil
			}
			return errors.Join(err, s.store.close())
		}
		s.mu.Lock()
		s.conns[conn] = true
		s.mu.Unlock()
		s.work.Go(func() {
			s.serve(conn)
			s.mu.Lock()
			delete(s.conns, conn)
			s.mu.Unlock()
			_ = conn.Close()
		})
	}
}

func (s *Server) closeAll() {
	s.mu.Lock()
	for conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}

// session is the state of a connection.
type session struct {
	s        *Server
	authed   bool
	login    login
	contexts map[int64]*pages
	next     int64
}

// serve serves a connection.
func (s *Server) serve(conn net.Conn) {
	r := bufio.NewReaderSize(conn, 64<<10)
	hello := make([]byte, 12)
	if _, err := io.ReadFull(r, hello); err != nil {
		return
	}
	if !greets(hello) {
		s.report(conn, violation("the first words are % x", hello))
		return
	}
	if _, err := conn.Write(sysInfo(s.options.SCRAM)); err != nil {
		return
	}
	s.sessions.Add(1)
	defer s.sessions.Add(-1)
	one := &session{s: s, contexts: make(map[int64]*pages)}
	defer func() { s.contexts.Add(-int64(len(one.contexts))) }()
	for {
		f, err := readFrame(r)
		if err == nil && f.op == disconnect {
			return
		}
		var answer reply
		if err == nil {
			answer, err = one.answer(f)
		}
		if err != nil {
			s.report(conn, err)
			return
		}
		s.served.Add(1)
		if s.silent.Load() {
			continue
		}
		if _, err := conn.Write(answer.bytes(f)); err != nil {
			return
		}
	}
}

// report counts and logs a violation. The end of a connection is none.
func (s *Server) report(conn net.Conn, err error) {
	if errors.Is(err, errViolation) {
		s.violations.Add(1)
		s.log.Error("violation of the protocol", "client", conn.RemoteAddr(), "cause", err)
	}
}

// answer serves one message. An error closes the connection.
func (one *session) answer(f frame) (reply, error) {
	switch f.op {
	case authMD5, authSCRAM:
		return one.authenticate(f)
	case getMore:
		return one.getMore(f.body)
	case kill:
		return one.kill(f.body)
	case insert, update, remove, query:
	default:
		return failed(codeUnknown, "Unknown message is received"), nil
	}
	r, err := readRequest(f.op, f.body)
	if err != nil {
		return reply{}, err
	}
	if !one.authed {
		return failed(codeForbidden, "Authority is forbidden"), nil
	}
	if f.op == query {
		return one.query(r), nil
	}
	if s := one.s; s.options.FailEvery > 0 && s.writes.Add(1)%int64(s.options.FailEvery) == 0 {
		return failed(s.options.FailCode, "injected"), nil
	}
	return one.write(f.op, r), nil
}

// Codes of errors.
const (
	codeInvalid    = -6
	codeExists     = -22
	codeMissing    = -23
	codeEnd        = -29
	codeSpace      = -33
	codeNoSpace    = -34
	codeNoContext  = -36
	codeDuplicate  = -38
	codeUnknown    = -100
	codeNoGroup    = -154
	codeForbidden  = -179
	codeNoDomain   = -214
	codeDomain     = -215
	codeSystem     = -10
	noContext      = -1
	emptyDocuments = 0
)

// failed is the answer with an error: one document with its number and text.
func failed(code int32, text string) reply {
	d, err := bson.Marshal(bson.D{{Key: "errno", Value: code}, {Key: "description", Value: text}, {Key: "detail", Value: ""}})
	if err != nil {
		panic(fmt.Sprintf("encode error: %v", err))
	}
	return reply{context: noContext, flag: code, documents: []bson.Raw{d}}
}

// done is the answer to a command without documents.
func done(documents ...bson.Raw) reply { return reply{context: noContext, documents: documents} }

// Sessions returns how many clients are connected.
func (s *Server) Sessions() int64 { return s.sessions.Load() }

// Silence makes the server take requests without an answer, until it ends.
func (s *Server) Silence(on bool) { s.silent.Store(on) }
