package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// caller is a connection to a region server on which a test sends raw calls and reads raw answers.
type caller struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	last uint32
}

func dial(t *testing.T, address string) *caller {
	t.Helper()
	return dialService(t, address, "ClientService")
}

func greet(t *testing.T, address string, greeting []byte) *caller {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(patient(t), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = conn.Write(append(binary.BigEndian.AppendUint32([]byte("HBas\x00\x50"), uint32(len(greeting))), greeting...))
	require.NoError(t, err)
	return &caller{t: t, conn: conn, in: bufio.NewReader(conn)}
}

func (c *caller) send(method string, m proto.Message) {
	c.t.Helper()
	c.last++
	header, err := proto.Marshal(&hbasepb.RequestHeader{CallId: &c.last, MethodName: &method, RequestParam: new(true)})
	require.NoError(c.t, err)
	param, err := proto.Marshal(m)
	require.NoError(c.t, err)
	frame := protowire.AppendBytes(protowire.AppendBytes(nil, header), param)
	_, err = c.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	require.NoError(c.t, err)
}

// answer reads the next answer into a message. It returns the exception if the answer is one.
func (c *caller) answer(m proto.Message) *hbasepb.ExceptionResponse {
	c.t.Helper()
	require.NoError(c.t, c.conn.SetReadDeadline(time.Now().Add(time.Minute)))
	var length [4]byte
	_, err := io.ReadFull(c.in, length[:])
	require.NoError(c.t, err)
	frame := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err = io.ReadFull(c.in, frame)
	require.NoError(c.t, err)
	head, n := protowire.ConsumeBytes(frame)
	var header hbasepb.ResponseHeader
	require.NoError(c.t, proto.Unmarshal(head, &header))
	if header.Exception != nil {
		return header.Exception
	}
	body, _ := protowire.ConsumeBytes(frame[n:])
	require.NoError(c.t, proto.Unmarshal(body, m))
	return nil
}

// mute requires that the server has sent nothing, and that the connection is open.
func (c *caller) mute() {
	c.t.Helper()
	require.NoError(c.t, c.conn.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	_, err := c.in.Peek(1)
	late, ok := errors.AsType[net.Error](err)
	require.True(c.t, ok && late.Timeout(), "the connection must be open and silent: %v", err)
}

// ended waits until the server has ended the connection.
func (c *caller) ended() {
	c.t.Helper()
	require.NoError(c.t, c.conn.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err := c.in.Peek(1)
	require.Error(c.t, err)
	late, ok := errors.AsType[net.Error](err)
	require.False(c.t, ok && late.Timeout(), "the connection is still open")
}

func regionOfTable(t *testing.T, s *Sandbox) *hbasepb.RegionSpecifier {
	t.Helper()
	r, err := s.store.Locate(store.Name{Namespace: store.DefaultNamespace, Qualifier: "t"}, []byte("r"))
	require.NoError(t, err)
	info := r.Info()
	return &hbasepb.RegionSpecifier{Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: info.RegionName()}
}

// increment adds 1 to row r.
func increment(region *hbasepb.RegionSpecifier) *hbasepb.MutateRequest {
	return &hbasepb.MutateRequest{Region: region, Mutation: &hbasepb.MutationProto{
		Row: []byte("r"), MutateType: hbasepb.MutationType_MUTATION_TYPE_INCREMENT.Enum(),
		ColumnValue: []*hbasepb.ColumnValue{{
			Family:         []byte("f"),
			QualifierValue: []*hbasepb.QualifierValue{{Qualifier: []byte("n"), Value: binary.BigEndian.AppendUint64(nil, 1)}},
		}},
	}}
}

// counted returns the sum of row r's increments.
func counted(t *testing.T, s *Sandbox) uint64 {
	t.Helper()
	got, err := connect(t, s).Get(must(hrpc.NewGetStr(patient(t), "t", "r", hrpc.Families(map[string][]string{"f": {"n"}}))))
	require.NoError(t, err)
	if len(got.Cells) == 0 {
		return 0
	}
	return binary.BigEndian.Uint64(got.Cells[0].Value)
}

// holder returns the index in Servers of the server that has the table's region.
func holder(t *testing.T, s *Sandbox) int {
	t.Helper()
	_, at, err := s.cluster.Find(regionOfTable(t, s).GetValue())
	require.NoError(t, err)
	return at.Number - 1
}

// A silent server accepts connections and calls and answers nothing. When the master has noticed, others serve its
// regions, and no call that it received takes effect: neither while it is silent nor after it continues.
func TestASilentServerAnswersNothingAndOthersTakeItsRegions(t *testing.T) {
	s := start(t, Options{Detection: 50 * time.Millisecond})
	create(t, s, "t")
	region, at := regionOfTable(t, s), holder(t, s)
	was := s.Servers()[at]
	before := dial(t, was.Address)
	before.send("Mutate", increment(region))
	require.Nil(t, before.answer(&hbasepb.MutateResponse{}))

	require.NoError(t, s.SilenceServer(t.Context(), was.Name))
	require.True(t, s.Servers()[at].Silent)
	require.ErrorContains(t, s.SilenceServer(t.Context(), was.Name), "silent already")
	before.send("Mutate", increment(region))
	later := dial(t, was.Address)
	later.send("Mutate", increment(region))
	require.Eventually(t, func() bool { return holder(t, s) != at }, time.Minute, time.Millisecond)
	require.EqualValues(t, 1, counted(t, s), "another server answers")
	require.Len(t, s.cluster.Live(), 2)
	before.mute()
	later.mute()

	back, err := s.ResumeServer(t.Context(), was.Name)
	require.NoError(t, err)
	require.NotEqual(t, was.Name, back.Name, "the master had replaced it, so it ends and is started again")
	require.Equal(t, was.Address, back.Address)
	before.ended()
	later.ended()
	require.EqualValues(t, 1, counted(t, s))
	require.Len(t, s.cluster.Live(), 3)
	require.Zero(t, s.cluster.InMotion.Load())
	_, err = s.ResumeServer(t.Context(), back.Name)
	require.ErrorContains(t, err, "it is not silent")
}

// A server that continues before the master has noticed answers the calls that it received meanwhile.
func TestASilentServerThatContinuesInTimeAnswers(t *testing.T) {
	s := start(t, Options{Detection: time.Hour})
	create(t, s, "t")
	region, at := regionOfTable(t, s), holder(t, s)
	name := s.Servers()[at].Name
	c := dial(t, s.Servers()[at].Address)
	require.NoError(t, s.SilenceServer(t.Context(), name))
	c.send("Mutate", increment(region))
	c.send("Mutate", increment(region))
	c.mute()
	require.Positive(t, s.cluster.InMotion.Load())
	back, err := s.ResumeServer(t.Context(), name)
	require.NoError(t, err)
	require.Equal(t, name, back.Name)
	for range 2 {
		require.Nil(t, c.answer(&hbasepb.MutateResponse{}))
	}
	require.EqualValues(t, 2, counted(t, s))
	require.Zero(t, s.cluster.InMotion.Load())
	require.False(t, s.Servers()[at].Silent)
}

// A silent server can be killed and restarted; a silence fault ends by itself; and the sandbox can close with a silent
// server.
func TestSilentServersCanBeKilledAndRestarted(t *testing.T) {
	s := start(t, Options{Detection: 10 * time.Millisecond})
	create(t, s, "t", "h", "p")
	w := write(t, connect(t, s), 1)
	w.more(t, 10)
	require.NoError(t, s.SilenceServer(t.Context(), "1"))
	require.NoError(t, s.KillServer(t.Context(), "1"))
	require.False(t, s.Servers()[0].Silent)
	require.NoError(t, s.SilenceServer(t.Context(), "2"))
	_, err := s.RestartServer(t.Context(), "2")
	require.NoError(t, err)
	_, err = s.RestartServer(t.Context(), "1")
	require.NoError(t, err)
	w.more(t, 10)
	w.end()
	name := s.Servers()[2].Name
	_, err = s.faults.Add(fault.Fault{Kind: fault.SilenceServer, Share: 1, Length: 50 * time.Millisecond, Where: fault.Where{Servers: []string{"3"}}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.Servers()[2].Name != name }, time.Minute, time.Millisecond, "it is started again")
	require.False(t, s.Servers()[2].Silent)
	w = write(t, connect(t, s), 1)
	w.more(t, 10)
	w.check(t, s)
	require.NoError(t, s.SilenceServer(t.Context(), "1"))
}
