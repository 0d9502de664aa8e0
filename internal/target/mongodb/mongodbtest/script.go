package mongodbtest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/target/mongodb/bsonraw"
)

// Opcodes and flags of MongoDB's wire protocol.
const (
	opReply    = 1
	opQuery    = 2004
	opMsg      = 2013
	moreToCome = 2
	headerSize = 16
	// mostBytes is the largest message.
	mostBytes = 48 << 20
)

// Replies are the answers of a Script by the name of the command. An answer gets the command and returns a document; nil ends the
// connection without an answer.
type Replies map[string]func(command bson.Raw) bson.D

// Script is a server that answers commands with documents that a test supplies, in the form of MongoDB's documentation. It is for what
// FerretDB lacks: sharding, replica sets of several members, errors of write concerns.
type Script struct {
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex
	replies Replies
	seen    []bson.Raw
	conns   map[net.Conn]struct{}
	closed  bool
}

// NewScript starts a server on a free port of 127.0.0.1. It answers hello as a standalone server and ping, unless replies has others.
func NewScript(ctx context.Context, replies Replies) (*Script, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Script{listener: l, replies: replies, conns: make(map[net.Conn]struct{})}
	s.work.Go(s.accept)
	return s, nil
}

// Address returns the server's HOST:PORT.
func (s *Script) Address() string { return s.listener.Addr().String() }

// Set replaces the answer to a command.
func (s *Script) Set(command string, reply func(bson.Raw) bson.D) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies[command] = reply
}

// Seen returns the commands with a name in the order in which they came.
func (s *Script) Seen(name string) []bson.Raw {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.seen), func(c bson.Raw) bool { return nameOf(c) != name })
}

// Close ends the server and its connections.
func (s *Script) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.work.Wait()
	if err != nil {
		return fmt.Errorf("close the scripted server: %w", err)
	}
	return nil
}

func (s *Script) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			_ = conn.Close()
		}
		s.conns[conn] = struct{}{}
		s.mu.Unlock()
		s.work.Go(func() {
			_ = s.serve(conn)
			_ = conn.Close()
			s.mu.Lock()
			delete(s.conns, conn)
			s.mu.Unlock()
		})
	}
}

func (s *Script) serve(conn net.Conn) error {
	var buffer, out []byte
	for {
		var header [headerSize]byte
		if _, err := io.ReadFull(conn, header[:]); err != nil {
			return fmt.Errorf("read header: %w", err)
		}
		size := int(binary.LittleEndian.Uint32(header[:]))
		if size < headerSize || size > mostBytes {
			return errors.New("invalid length of a message")
		}
		buffer = slices.Grow(buffer[:0], size-headerSize)[:size-headerSize]
		if _, err := io.ReadFull(conn, buffer); err != nil {
			return fmt.Errorf("read message: %w", err)
		}
		id, opcode := binary.LittleEndian.Uint32(header[4:]), binary.LittleEndian.Uint32(header[12:])
		command, answered, err := commandOf(opcode, buffer)
		if err != nil {
			return err
		}
		answer := s.answer(command)
		if answer == nil {
			return nil
		}
		if !answered {
			continue
		}
		out = appendAnswer(out[:0], opcode, id, answer)
		if _, err := conn.Write(out); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
}

// commandOf returns the command of a message, and whether the client waits for an answer. The documents of a sequence become an array.
func commandOf(opcode uint32, b []byte) (command bson.Raw, answered bool, err error) {
	switch opcode {
	case opQuery:
		end := slices.Index(b[4:], 0)
		if end < 0 {
			return nil, false, errors.New("invalid query")
		}
		return slices.Clone(b[4+end+1+8:]), true, nil
	case opMsg:
	default:
		return nil, false, fmt.Errorf("unknown opcode %d", opcode)
	}
	flags := binary.LittleEndian.Uint32(b)
	b = b[4:]
	var sequence []byte
	for len(b) > 0 {
		kind := b[0]
		size := int(binary.LittleEndian.Uint32(b[1:]))
		if kind == 0 {
			command = slices.Clone(b[1 : 1+size])
		} else {
			sequence = b[5 : 1+size]
		}
		b = b[1+size:]
	}
	if sequence != nil {
		name := slices.Index(sequence, 0)
		documents, begin := bsonraw.Array(command[:len(command)-1], sequence[:name])
		i := 0
		for rest := sequence[name+1:]; len(rest) > 0; i++ {
			n := binary.LittleEndian.Uint32(rest)
			documents, _ = bsonraw.DocumentAt(documents, i)
			documents = append(documents[:len(documents)-4], rest[:n]...)
			rest = rest[n:]
		}
		command = bsonraw.End(bsonraw.End(documents, begin), 0)
	}
	return command, flags&moreToCome == 0, nil
}

// answer returns the encoded answer to a command, or nil to end the connection.
func (s *Script) answer(command bson.Raw) []byte {
	name := nameOf(command)
	s.mu.Lock()
	s.seen = append(s.seen, command)
	reply := s.replies[name]
	if reply == nil && (name == "isMaster" || name == "ismaster") {
		reply = s.replies["hello"]
	}
	s.mu.Unlock()
	document := OK()
	switch {
	case reply != nil:
		document = reply(command)
		if document == nil {
			return nil
		}
	case name == "hello" || name == "isMaster" || name == "ismaster":
		document = Hello(nil)
	case name == "ping" || name == "endSessions":
	default:
		document = Failure(59, "CommandNotFound", "no such command: '"+name+"'")
	}
	encoded, err := bson.Marshal(document)
	if err != nil {
		return nil
	}
	return encoded
}

func nameOf(command bson.Raw) string {
	first, err := command.IndexErr(0)
	if err != nil {
		return ""
	}
	return first.Key()
}

func appendAnswer(b []byte, opcode, id uint32, document []byte) []byte {
	b = append(b, make([]byte, headerSize)...)
	binary.LittleEndian.PutUint32(b[8:], id)
	if opcode == opQuery { // flags, the id of a cursor, its position, and the number of documents
		binary.LittleEndian.PutUint32(b[12:], opReply)
		b = append(b, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
	} else { // flags, and the kind of the only section
		binary.LittleEndian.PutUint32(b[12:], opMsg)
		b = append(b, 0, 0, 0, 0, 0)
	}
	b = append(b, document...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// OK is the answer to a command without a result, with more elements before it.
func OK(more ...bson.E) bson.D {
	return append(slices.Clone(bson.D(more)), bson.E{Key: "ok", Value: 1.0})
}

// Failure is the answer to a command that has failed.
func Failure(code int32, name, message string) bson.D {
	return bson.D{{Key: "ok", Value: 0.0}, {Key: "errmsg", Value: message}, {Key: "code", Value: code}, {Key: "codeName", Value: name}}
}

// Batch is the answer to find and aggregate.
func Batch(documents ...any) bson.D {
	if documents == nil {
		documents = []any{}
	}
	return OK(bson.E{Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "ycsb.usertable"}, {Key: "firstBatch", Value: bson.A(documents)}}})
}

// Hello is the answer of a server of MongoDB 7.0 to hello, with more elements.
func Hello(more bson.D) bson.D {
	return OK(append(bson.D{
		{Key: "isWritablePrimary", Value: true},
		{Key: "ismaster", Value: true},
		{Key: "helloOk", Value: true},
		{Key: "maxBsonObjectSize", Value: int32(16 << 20)},
		{Key: "maxMessageSizeBytes", Value: int32(48_000_000)},
		{Key: "maxWriteBatchSize", Value: int32(100_000)},
		{Key: "logicalSessionTimeoutMinutes", Value: int32(30)},
		{Key: "minWireVersion", Value: int32(0)},
		{Key: "maxWireVersion", Value: int32(21)},
	}, more...)...)
}

// Member is the answer of a member of a replica set to hello.
func Member(set, me, primary string, hosts ...string) bson.D {
	d := Hello(bson.D{
		{Key: "setName", Value: set},
		{Key: "setVersion", Value: int32(1)},
		{Key: "hosts", Value: hosts},
		{Key: "me", Value: me},
		{Key: "primary", Value: primary},
		{Key: "secondary", Value: me != primary},
	})
	d[0].Value, d[1].Value = me == primary, me == primary
	return d
}
