package hbase_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// fake is a region server as far as the client sees it: it stores rows, and a test can intercept its requests.
type fake struct {
	t        *testing.T
	listener net.Listener
	work     sync.WaitGroup

	mu    sync.Mutex
	rows  map[string]map[string]string // by key and column
	nonce map[uint64]bool
	conns []net.Conn
	seen  []*request

	// before is called before each request. If its result is not nil, that is the answer.
	before func(r *request) *reply
}

// request is a request as it was received.
type request struct {
	header *pb.RequestHeader
	param  []byte
	cells  []byte
	conn   net.Conn
}

// reply is an answer: a message with cells, an exception, or nothing at all.
type reply struct {
	message   proto.Message
	cells     []byte
	exception string // CLASS: MESSAGE
	final     bool   // DoNotRetry
	nothing   bool
	hangUp    bool
	wait      <-chan struct{}
}

func newFake(t *testing.T) *fake {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &fake{t: t, listener: l, rows: map[string]map[string]string{}, nonce: map[uint64]bool{}}
	f.work.Go(f.accept)
	t.Cleanup(f.stop)
	return f
}

func (f *fake) addr() string { return f.listener.Addr().String() }

func (f *fake) stop() {
	_ = f.listener.Close()
	f.hangUp()
	f.work.Wait()
}

// hangUp ends all connections.
func (f *fake) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
	f.conns = nil
}

func (f *fake) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

// requests returns the requests so far.
func (f *fake) requests() []*request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

func (f *fake) accept() {
	for {
		c, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.conns = append(f.conns, c)
		f.mu.Unlock()
		f.work.Go(func() {
			defer func() { _ = c.Close() }()
			f.serve(c)
		})
	}
}

func (f *fake) serve(c net.Conn) {
	hello := make([]byte, 10)
	if _, err := io.ReadFull(c, hello); err != nil || !bytes.HasPrefix(hello, []byte("HBas\x00\x50")) {
		return
	}
	if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(hello[6:]))); err != nil {
		return
	}
	var writing sync.Mutex
	var answers sync.WaitGroup
	defer answers.Wait()
	for {
		var size [4]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		frame := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(c, frame); err != nil {
			return
		}
		r := &request{header: &pb.RequestHeader{}, conn: c}
		head, n := protowire.ConsumeBytes(frame)
		if n < 0 || proto.Unmarshal(head, r.header) != nil {
			return
		}
		param, m := protowire.ConsumeBytes(frame[n:])
		if m < 0 {
			return
		}
		r.param, r.cells = param, frame[n+m:]
		f.mu.Lock()
		f.seen = append(f.seen, r)
		before := f.before
		f.mu.Unlock()
		var a *reply
		if before != nil {
			a = before(r)
		}
		if a == nil {
			a = f.handle(r)
		}
		if a.hangUp {
			return
		}
		if a.wait == nil {
			writing.Lock()
			_, err := c.Write(a.frame(r.header.GetCallId()))
			writing.Unlock()
			if err != nil {
				return
			}
			continue
		}
		answers.Go(func() {
			<-a.wait
			writing.Lock()
			defer writing.Unlock()
			_, _ = c.Write(a.frame(r.header.GetCallId()))
		})
	}
}

// frame encodes an answer as servers do.
func (a *reply) frame(id uint32) []byte {
	if a.nothing {
		return nil
	}
	header := &pb.ResponseHeader{CallId: &id}
	var body []byte
	if a.exception != "" {
		class, _, _ := bytes.Cut([]byte(a.exception), []byte(":"))
		header.Exception = &pb.ExceptionResponse{
			ExceptionClassName: new(string(class)),
			StackTrace:         new(a.exception + "\n\tat org.apache.hadoop.hbase.Some.where(Some.java:1)\n"),
			DoNotRetry:         &a.final,
		}
	} else {
		message, err := proto.Marshal(a.message)
		if err != nil {
			return nil
		}
		body = append(protowire.AppendBytes(nil, message), a.cells...)
		if len(a.cells) > 0 {
			header.CellBlockMeta = &pb.CellBlockMeta{Length: new(uint32(len(a.cells)))}
		}
	}
	head, err := proto.Marshal(header)
	if err != nil {
		return nil
	}
	body = append(protowire.AppendBytes(nil, head), body...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// kv encodes a cell as a server does.
func kv(row, family, column, value string) []byte {
	key := 2 + len(row) + 1 + len(family) + len(column) + 9
	b := binary.BigEndian.AppendUint32(nil, uint32(8+key+len(value)))
	b = binary.BigEndian.AppendUint32(b, uint32(key))
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(row)))
	b = append(b, row...)
	b = append(b, byte(len(family)))
	b = append(append(b, family...), column...)
	b = binary.BigEndian.AppendUint64(b, uint64(time.Now().UnixMilli()))
	b = append(b, 4)
	return append(b, value...)
}

// unkv decodes cells that a client wrote.
func unkv(b []byte, take func(row, family, column, value string)) []byte {
	whole := binary.BigEndian.Uint32(b)
	body, rest := b[4:4+whole], b[4+whole:]
	key := body[8 : 8+binary.BigEndian.Uint32(body)]
	value := body[8+len(key):]
	row := key[2 : 2+binary.BigEndian.Uint16(key)]
	key = key[2+len(row):]
	family := key[1 : 1+key[0]]
	take(string(row), string(family), string(key[1+len(family):len(key)-9]), string(value))
	return rest
}

// handle carries out a request.
func (f *fake) handle(r *request) *reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.header.GetMethodName() {
	case "Get":
		var g pb.GetRequest
		if proto.Unmarshal(r.param, &g) != nil {
			return &reply{exception: "java.io.IOException: cannot read Get"}
		}
		result, cells := f.get(g.GetGet())
		return &reply{message: &pb.GetResponse{Result: result}, cells: cells}
	case "Mutate":
		var m pb.MutateRequest
		if proto.Unmarshal(r.param, &m) != nil {
			return &reply{exception: "java.io.IOException: cannot read Mutate"}
		}
		if c := m.GetCondition(); c != nil {
			if _, ok := f.rows[string(c.GetRow())][string(c.GetQualifier())]; !ok {
				return &reply{message: &pb.MutateResponse{Processed: new(false)}}
			}
		}
		f.mutate(m.GetMutation(), r.cells)
		return &reply{message: &pb.MutateResponse{Processed: new(true)}}
	case "Scan":
		var s pb.ScanRequest
		if proto.Unmarshal(r.param, &s) != nil {
			return &reply{exception: "java.io.IOException: cannot read Scan"}
		}
		return f.scan(&s)
	case "Multi":
		var m pb.MultiRequest
		if proto.Unmarshal(r.param, &m) != nil {
			return &reply{exception: "java.io.IOException: cannot read Multi"}
		}
		return f.multi(&m, r.cells)
	}
	return &reply{exception: "java.lang.UnsupportedOperationException: " + r.header.GetMethodName()}
}

func (f *fake) get(g *pb.Get) (*pb.Result, []byte) {
	row := f.rows[string(g.GetRow())]
	var cells []byte
	n := int32(0)
	for _, column := range sorted(row) {
		c := g.GetColumn()[0]
		if q := c.GetQualifier(); len(q) > 0 && !slices.ContainsFunc(q, func(q []byte) bool { return string(q) == column }) {
			continue
		}
		cells = append(cells, kv(string(g.GetRow()), string(c.GetFamily()), column, row[column])...)
		n++
	}
	return &pb.Result{AssociatedCellCount: &n}, cells
}

func sorted(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f *fake) mutate(m *pb.MutationProto, cells []byte) []byte {
	key := string(m.GetRow())
	if m.GetMutateType() == pb.MutationProto_DELETE {
		delete(f.rows, key)
	}
	again := m.GetNonce() != 0 && f.nonce[m.GetNonce()]
	f.nonce[m.GetNonce()] = true
	for range m.GetAssociatedCellCount() {
		cells = unkv(cells, func(row, _, column, value string) {
			if row != key {
				f.t.Errorf("a cell of row %q in a mutation of row %q", row, key)
			}
			if f.rows[key] == nil {
				f.rows[key] = map[string]string{}
			}
			if again {
				return
			}
			switch m.GetMutateType() {
			case pb.MutationProto_PUT:
				f.rows[key][column] = value
			case pb.MutationProto_APPEND:
				f.rows[key][column] += value
			case pb.MutationProto_INCREMENT:
				old := f.rows[key][column]
				if old == "" {
					old = string(make([]byte, 8))
				}
				sum := binary.BigEndian.Uint64([]byte(old)) + binary.BigEndian.Uint64([]byte(value))
				f.rows[key][column] = string(binary.BigEndian.AppendUint64(nil, sum))
			case pb.MutationProto_DELETE:
			}
		})
	}
	return cells
}

func (f *fake) scan(s *pb.ScanRequest) *reply {
	var keys []string
	for k := range f.rows {
		if k >= string(s.GetScan().GetStartRow()) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	answer := &pb.ScanResponse{MoreResults: new(true), MoreResultsInRegion: new(false)}
	var cells []byte
	for i, k := range keys {
		if uint32(i) == s.GetNumberOfRows() {
			answer.MoreResultsInRegion = new(true)
			break
		}
		n := uint32(0)
		for _, column := range sorted(f.rows[k]) {
			cells = append(cells, kv(k, "cf", column, f.rows[k][column])...)
			n++
		}
		answer.CellsPerResult = append(answer.CellsPerResult, n)
	}
	return &reply{message: answer, cells: cells}
}

func (f *fake) multi(m *pb.MultiRequest, cells []byte) *reply {
	answer := &pb.MultiResponse{}
	var out []byte
	for _, region := range m.GetRegionAction() {
		one := &pb.RegionActionResult{}
		for _, action := range region.GetAction() {
			result := &pb.Result{}
			if g := action.GetGet(); g != nil {
				var got []byte
				result, got = f.get(g)
				out = append(out, got...)
			} else {
				cells = f.mutate(action.GetMutation(), cells)
			}
			one.ResultOrException = append(one.ResultOrException, &pb.ResultOrException{Index: action.Index, Result: result})
		}
		answer.RegionActionResult = append(answer.RegionActionResult, one)
	}
	return &reply{message: answer, cells: out}
}

// put sets a row.
func (f *fake) put(key string, columns map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows[key] = columns
}

// do sets before.
func (f *fake) do(before func(r *request) *reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}
