package zookeeper

import (
	"encoding/binary"
	"io"
	"net"
	"time"
)

// The operations of HBase clients.
const (
	opExists       = 3
	opGetData      = 4
	opGetACL       = 6
	opGetChildren  = 8
	opSync         = 9
	opPing         = 11
	opGetChildren2 = 12
	opAuth         = 100
	opSetWatches   = 101
	opSetWatches2  = 105
	opClose        = -11
)

const (
	codeOK            = 0
	codeUnimplemented = -6
	codeBadArguments  = -8
	codeNoNode        = -101
	codeNoAuth        = -102
)

const (
	xidEvent      = -1
	connected     = 3 // the state in events
	serverSession = 0x5eed
	maxPending    = 128
)

// session is one connection of a client.
type session struct {
	server  *Server
	conn    net.Conn
	timeout time.Duration
	watches int         // watches left on this connection
	out     chan []byte // frames to send, in order
	stuck   chan struct{}
}

// changed sends an event. The tree is locked, so a client that does not read is disconnected, not waited for.
func (s *session) changed(what event, name string) {
	b := make([]byte, 4, 40+len(name))
	b = appendReply(b, xidEvent, -1, codeOK)
	b = binary.BigEndian.AppendUint32(b, uint32(what))
	b = binary.BigEndian.AppendUint32(b, connected)
	b = appendBytes(b, []byte(name))
	select {
	case s.out <- sealed(b):
	default:
		s.conn.Close()
	}
}

func (s *session) send(frame []byte) {
	select {
	case s.out <- sealed(frame):
	case <-s.stuck:
	}
}

// write sends frames until out is closed, or until the client does not take them.
func (s *session) write() {
	defer close(s.stuck)
	for frame := range s.out {
		_ = s.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := s.conn.Write(frame); err != nil {
			s.conn.Close()
			return
		}
	}
}

// serve reads requests until the client disconnects or sends malformed data.
func (s *session) serve() error {
	s.out, s.stuck = make(chan []byte, maxPending), make(chan struct{})
	go s.write()
	defer func() {
		s.server.tree.forget(s) // after this no event is sent
		close(s.out)
		<-s.stuck
	}()
	if err := s.open(); err != nil {
		return err
	}
	buffer := make([]byte, 0, 256)
	for {
		_ = s.conn.SetReadDeadline(time.Now().Add(s.timeout))
		frame, err := readFrame(s.conn, buffer, maxFrame)
		if err != nil {
			return err
		}
		if cap(frame) <= 4<<10 { // a large one is not kept
			buffer = frame[:0]
		}
		if s.server.pause != nil {
			if err := s.server.pause(s.server.ctx); err != nil {
				return err
			}
		}
		last, err := s.answer(frame)
		if err != nil || last {
			return err
		}
	}
}

// open answers the frame that asks for a session.
func (s *session) open() error {
	_ = s.conn.SetReadDeadline(time.Now().Add(connectTimeout))
	frame, err := readFrame(s.conn, nil, maxConnect)
	if err != nil {
		return err
	}
	r := reader{b: frame}
	r.int32() // the protocol's version: there is one
	r.int64() // the last transaction that the client saw: this server has all of them
	wanted := time.Duration(r.int32()) * time.Millisecond
	id := r.int64()
	secret := r.bytes()
	if r.err != nil {
		return r.err
	}
	s.timeout = min(max(wanted, minTimeout), maxTimeout)

	answered := s.timeout
	switch {
	case id == 0:
		id = s.server.newSession()
	case !s.server.ours(id, secret):
		id, answered = 0, 0 // expired: the client opens a new one
	}
	b := make([]byte, 4, 64)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(answered/time.Millisecond))
	b = binary.BigEndian.AppendUint64(b, uint64(id))
	b = appendBytes(b, s.server.secret(id))
	b = append(b, 0) // not read-only
	s.send(b)
	if id == 0 {
		return errExpired
	}
	return nil
}

// answer sends the reply to a request, and reports whether it was the last.
func (s *session) answer(frame []byte) (last bool, err error) {
	r := reader{b: frame}
	xid, op := r.int32(), r.int32()
	if r.err != nil {
		return false, r.err
	}
	tree := s.server.tree
	reply := make([]byte, 20, 128) // length and header are filled in at the end, when the outcome is known
	code := int32(codeOK)
	switch op {
	case opPing, opAuth: // any authentication is accepted
	case opClose:
		last = true
	case opSync:
		name, ok := r.path()
		if !ok {
			code = codeBadArguments
			break
		}
		reply = appendBytes(reply, []byte(name))
	case opGetData, opExists, opGetChildren, opGetChildren2:
		reply, code = s.look(reply, op, &r)
	case opSetWatches, opSetWatches2:
		since, data, exist, child := r.int64(), r.strings(), r.strings(), r.strings()
		if r.err != nil {
			break
		}
		if s.watches += len(data) + len(exist) + len(child); s.watches > maxWatches {
			return false, errMalformed
		}
		// The reply goes first, because a client does not expect events before it.
		s.send(appendReply(make([]byte, 4, 20), xid, tree.last(), codeOK))
		tree.again(s, since, data, exist, child)
		return false, nil
	case opGetACL:
		name, ok := r.path()
		_, st, found := tree.read(name, nil, false)
		switch {
		case !ok:
			code = codeBadArguments
		case !found:
			code = codeNoNode
		default: // everyone may read
			reply = binary.BigEndian.AppendUint32(reply, 1)
			reply = binary.BigEndian.AppendUint32(reply, 1)
			reply = appendBytes(reply, []byte("world"))
			reply = appendBytes(reply, []byte("anyone"))
			reply = appendStat(reply, st)
		}
	case 1, 2, 5, 7, 14, 15, 19, 20, 21: // create, delete, set…
		code = codeNoAuth
	default:
		code = codeUnimplemented
	}
	if r.err != nil {
		return false, r.err
	}
	if code != codeOK {
		reply = reply[:20]
	}
	appendReply(reply[4:4], xid, tree.last(), code)
	s.send(reply)
	return last, nil
}

// look answers read requests.
func (s *session) look(reply []byte, op int32, r *reader) ([]byte, int32) {
	name, ok := r.path()
	watching := r.bool()
	if r.err != nil {
		return reply, codeOK
	}
	if !ok {
		return reply, codeBadArguments
	}
	var w watcher
	if watching && s.watches < maxWatches {
		s.watches++
		w = s
	}
	if op == opGetChildren || op == opGetChildren2 {
		names, st, found := s.server.tree.list(name, w)
		if !found {
			return reply, codeNoNode
		}
		reply = binary.BigEndian.AppendUint32(reply, uint32(len(names)))
		for _, child := range names {
			reply = appendBytes(reply, []byte(child))
		}
		if op == opGetChildren2 {
			reply = appendStat(reply, st)
		}
		return reply, codeOK
	}
	data, st, found := s.server.tree.read(name, w, op == opExists)
	if !found {
		return reply, codeNoNode
	}
	if op == opGetData {
		reply = appendBytes(reply, data)
	}
	return appendStat(reply, st), codeOK
}

// readFrame reads one frame of at most limit bytes, into the buffer if it fits. Memory for a long frame is allocated as
// its bytes arrive.
func readFrame(conn io.Reader, buffer []byte, limit uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > limit {
		return nil, errMalformed
	}
	frame := buffer[:0]
	for len(frame) < int(n) {
		step := min(int(n)-len(frame), 16<<10)
		from := len(frame)
		frame = append(frame, make([]byte, step)...)
		if _, err := io.ReadFull(conn, frame[from:]); err != nil {
			return nil, err
		}
	}
	return frame, nil
}
