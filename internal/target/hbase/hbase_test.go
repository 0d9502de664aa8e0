package hbase_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func settings(tb testing.TB, pairs ...string) hbasespec.Settings {
	tb.Helper()
	properties := map[string]string{"columnfamily": "cf", "hbase.client.operation.timeout": "5000"}
	for i := 0; i < len(pairs); i += 2 {
		properties[pairs[i]] = pairs[i+1]
	}
	s, err := hbasespec.Read(properties)
	require.NoError(tb, err)
	return s
}

// table is a Locator of the places that a function lists.
type table func(context.Context) ([]hbase.Place, error)

func (t table) Table(ctx context.Context) ([]hbase.Place, error) { return t(ctx) }

func (t table) Row(ctx context.Context, key []byte) (hbase.Place, error) {
	places, err := t(ctx)
	for _, p := range places {
		if bytes.Compare(p.Start, key) <= 0 && (len(p.Stop) == 0 || bytes.Compare(key, p.Stop) < 0) {
			return p, nil
		}
	}
	return hbase.Place{}, err
}

// one is a table of one region on a server.
func one(addr string) table {
	return func(context.Context) ([]hbase.Place, error) {
		return []hbase.Place{{Name: "usertable,,1.abc.", Addr: addr}}, nil
	}
}

// open opens a session of a target.
func open(t *testing.T, s hbasespec.Settings, locate hbase.Locator) (*hbase.Table, load.Session) {
	t.Helper()
	target := hbase.New(s, load.Settings{}, locate)
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	session, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	return target, session
}

func b(texts ...string) [][]byte {
	var out [][]byte
	for _, s := range texts {
		out = append(out, []byte(s))
	}
	return out
}

func TestOperations(t *testing.T) {
	f := newFake(t)
	_, s := open(t, settings(t), one(f.addr()))
	do := func(op workload.Op) workload.Outcome { return s.Do(t.Context(), &op) }
	good := func(rows, bytes int, op workload.Op) {
		t.Helper()
		out := do(op)
		require.NoError(t, out.Err)
		require.Equal(t, workload.Outcome{Code: workload.OK, Rows: int32(rows), Bytes: int64(bytes)}, out)
	}
	good(1, 8, workload.Op{Kind: workload.Insert, Key: []byte("k1"), Fields: b("f0", "f1"), Values: b("abc", "def")})
	require.Equal(t, map[string]string{"f0": "abc", "f1": "def"}, f.rows["k1"])
	good(1, 6, workload.Op{Kind: workload.Update, Key: []byte("k1"), Fields: b("f1"), Values: b("wxyz")})

	read := map[string]string{}
	good(1, 9, workload.Op{Kind: workload.Read, Key: []byte("k1"), Collect: func(f, v []byte) { read[string(f)] = string(v) }})
	require.Equal(t, map[string]string{"f0": "abc", "f1": "wxyz"}, read)
	good(1, 5, workload.Op{Kind: workload.Read, Key: []byte("k1"), Fields: b("f0")})
	require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.Read, Key: []byte("none")}).Code)

	for range 3 {
		good(1, 11, workload.Op{Kind: workload.Increment, Key: []byte("sum"), Fields: b("n"), Delta: -2})
	}
	require.Equal(t, "\xff\xff\xff\xff\xff\xff\xff\xfa", f.rows["sum"]["n"])
	good(1, 4, workload.Op{Kind: workload.Append, Key: []byte("k1"), Fields: b("f0"), Values: b("de")})
	require.Equal(t, "abcde", f.rows["k1"]["f0"])

	good(1, 4, workload.Op{Kind: workload.CheckAndPut, Key: []byte("k1"), Fields: b("f0"), Values: b("no")})
	require.Equal(t, "no", f.rows["k1"]["f0"])
	out := do(workload.Op{Kind: workload.CheckAndPut, Key: []byte("k1"), Fields: b("missing"), Values: b("no")})
	require.Equal(t, workload.NotFound, out.Code)
	good(1, 4, workload.Op{Kind: workload.Update, Key: []byte("k2"), Fields: b("f0"), Values: b("no")})

	good(3, 3*(2+6), workload.Op{Kind: workload.Insert, Keys: b("b1", "b2", "b3"), Fields: b("f0", "f1"), Values: b("111", "112", "121", "122", "131", "132")})
	require.Equal(t, map[string]string{"f0": "121", "f1": "122"}, f.rows["b2"])
	good(2, 2*(2+6), workload.Op{Kind: workload.MultiGet, Keys: b("b3", "b1")})
	out = do(workload.Op{Kind: workload.MultiGet, Keys: b("b3", "x", "b1")})
	require.Equal(t, workload.NotFound, out.Code)
	require.EqualError(t, out.Err, "1 of 3 rows do not exist")

	good(2, 2*(2+6), workload.Op{Kind: workload.Scan, Key: []byte("b2"), ScanLength: 2})
	good(1, 2, workload.Op{Kind: workload.Delete, Key: []byte("b2")})
	require.NotContains(t, f.rows, "b2")
	good(0, 0, workload.Op{Kind: workload.Scan, Key: []byte("zzz"), ScanLength: 2})
	require.Equal(t, workload.NotImplemented, do(workload.Op{Kind: workload.Verify}).Code)
}

func TestTheTimeoutOfADeadServerHasACause(t *testing.T) {
	f := newFake(t)
	f.stop()
	_, s := open(t, settings(t, "hbase.client.operation.timeout", "300"), one(f.addr()))
	began := time.Now()
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("k")})
	require.Equal(t, workload.Timeout, out.Code)
	require.ErrorContains(t, out.Err, "not done within 300ms (hbase.client.operation.timeout) and ")
	require.ErrorContains(t, out.Err, fmt.Sprintf("tries; the last failure: connect to region server %s: connect: connection refused", f.addr()))
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestRetriesAreLimited(t *testing.T) {
	for retries, tries := range map[string]int{"0": 1, "2": 3} {
		t.Run(retries, func(t *testing.T) {
			f := newFake(t)
			_, s := open(t, settings(t, "hbase.client.retries.number", retries, "hbase.client.pause", "1"), one(f.addr()))
			f.do(func(*request) *reply {
				return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: gone"}
			})
			out := s.Do(t.Context(), read("k"))
			require.NotEqual(t, workload.OK, out.Code)
			require.ErrorContains(t, out.Err, "gone; given up after "+retries+" retries (hbase.client.retries.number)")
			require.Len(t, f.requests(), tries)
		})
	}
}

// When the server of hbase:meta dies, look-ups end at their own time limit, which is less than an operation's.
func TestALookUpThatTakesTooLongIsRetried(t *testing.T) {
	for name, op := range map[string]*workload.Op{
		"one row": read("k"), "several rows": {Kind: workload.MultiGet, Keys: b("k", "k")},
		"scan": {Kind: workload.Scan, Key: []byte("k"), ScanLength: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.put("k", map[string]string{"f": "v"})
			looks := 0
			_, s := open(t, settings(t), table(func(ctx context.Context) ([]hbase.Place, error) {
				if looks++; looks == 2 || looks == 3 { // the first is the session's
					return nil, fmt.Errorf("read hbase:meta: %w", context.DeadlineExceeded)
				}
				return one(f.addr())(ctx)
			}))
			f.do(func(*request) *reply {
				f.do(nil)
				return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: gone"}
			})
			out := s.Do(t.Context(), op)
			require.NoError(t, out.Err)
			require.Equal(t, workload.OK, out.Code)
			require.Equal(t, 4, looks)
		})
	}
}

// two is a table of two regions, split at m, whose places a test can change.
type two struct {
	mu    sync.Mutex
	addrs [2]string
	looks int
}

func (p *two) locate(context.Context) ([]hbase.Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	return []hbase.Place{
		{Name: "usertable,,1.abc.", Stop: []byte("m"), Addr: p.addrs[0]},
		{Name: "usertable,m,1.def.", Start: []byte("m"), Addr: p.addrs[1]},
	}, nil
}

func (p *two) move(i int, addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addrs[i] = addr
}

func read(key string) *workload.Op { return &workload.Op{Kind: workload.Read, Key: []byte(key)} }

func TestARegionThatMovesIsFollowed(t *testing.T) {
	from, to := newFake(t), newFake(t)
	to.put("a", map[string]string{"f": "v"})
	places := &two{addrs: [2]string{from.addr(), from.addr()}}
	target, s := open(t, settings(t), table(places.locate))
	from.do(func(*request) *reply {
		places.move(0, to.addr())
		return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: usertable,,1.abc. is not online"}
	})
	out := s.Do(t.Context(), read("a"))
	require.NoError(t, out.Err)
	require.Equal(t, workload.OK, out.Code)
	require.EqualValues(t, 1, target.Counts()["retry"])
	require.Equal(t, map[string]uint64{"NotServingRegionException": 1}, target.Retries())
}

func TestExceptionsBecomeOutcomeCodes(t *testing.T) {
	const busy = "org.apache.hadoop.hbase.RegionTooBusyException: over memstore limit"
	for exception, test := range map[string]struct {
		code workload.Code
		text string
	}{
		"org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family x does not exist": {workload.BadRequest, "NoSuchColumnFamilyException: Column family x does not exist"},
		"org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions":                 {workload.Forbidden, "AccessDeniedException: Insufficient permissions"},
		"org.apache.hadoop.hbase.DoNotRetryIOException: bad":                                               {workload.Error, "DoNotRetryIOException: bad"},
		"org.apache.hadoop.hbase.TableNotEnabledException: t":                                              {workload.ServiceUnavailable, "TableNotEnabledException: t"},
		"java.lang.NullPointerException: null":                                                             {workload.Error, "NullPointerException: null"},
		busy:                                                                                               {workload.Timeout, "not done within 100ms (hbase.client.operation.timeout) and "},
	} {
		t.Run(exception, func(t *testing.T) {
			f := newFake(t)
			f.do(func(*request) *reply { return &reply{exception: exception} })
			timeout := "60000"
			if exception == busy { // which is retried until then
				timeout = "100"
			}
			_, s := open(t, settings(t, "hbase.client.operation.timeout", timeout), one(f.addr()))
			for _, op := range []*workload.Op{
				read("k"),
				{Kind: workload.MultiGet, Keys: b("k", "l")},
				{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")},
				{Kind: workload.Scan, Key: []byte("k"), ScanLength: 1},
			} {
				out := s.Do(t.Context(), op)
				require.Equal(t, test.code, out.Code, op.Kind)
				require.ErrorContains(t, out.Err, test.text)
				require.NotContains(t, out.Err.Error(), "\n", "no stack")
				require.NotContains(t, out.Err.Error(), "org.apache")
			}
			if exception == busy {
				require.ErrorContains(t, s.Do(t.Context(), read("k")).Err, "the last failure: RegionTooBusyException: over memstore limit")
			}
		})
	}
}

func TestTemporaryExceptionsAreRetried(t *testing.T) {
	for _, exception := range []string{
		"org.apache.hadoop.hbase.CallQueueTooBigException: full",
		"org.apache.hadoop.hbase.SomethingNew: what",
		"org.apache.hadoop.ipc.RemoteException: relayed",
		"java.io.FileNotFoundException: File does not exist: /hbase/data/default/usertable/1/cf/2",
		"java.nio.channels.ClosedChannelException",
		"java.net.ConnectException: Connection refused",
		"java.util.concurrent.TimeoutException: too long",
	} {
		t.Run(exception, func(t *testing.T) {
			f := newFake(t)
			f.put("k", map[string]string{"f": "v"})
			asked := 0
			f.do(func(*request) *reply {
				if asked++; asked <= 3 {
					return &reply{exception: exception}
				}
				return nil
			})
			_, s := open(t, settings(t), one(f.addr()))
			require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
			require.Equal(t, 4, asked)
		})
	}
}

func TestASessionLeavesAServerThatFallsSilent(t *testing.T) {
	f := newFake(t)
	f.put("k", map[string]string{"f": "v"})
	var mute atomic.Bool
	mute.Store(true)
	f.do(func(*request) *reply {
		if mute.Swap(false) {
			return &reply{nothing: true}
		}
		return nil
	})
	target, s := open(t, settings(t, "hbase.rpc.timeout", "1000"), one(f.addr()))
	require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code, "the operation goes on over a new connection")
	require.EqualValues(t, 2, target.Counts()["connect"])
}

func TestALateAnswerIsDropped(t *testing.T) {
	f := newFake(t)
	f.put("late", map[string]string{"f": "late"})
	f.put("k", map[string]string{"f": "v"})
	wait := make(chan struct{})
	f.do(func(r *request) *reply {
		if !bytes.Contains(r.param, []byte("late")) {
			return nil
		}
		a := f.handle(r)
		a.wait = wait
		return a
	})
	_, s := open(t, settings(t, "hbase.client.operation.timeout", "1000"), one(f.addr()))
	require.Equal(t, workload.Timeout, s.Do(t.Context(), read("late")).Code)
	close(wait)
	for range 20 {
		op := read("k")
		op.Collect = func(_, value []byte) { require.Equal(t, "v", string(value)) }
		require.Equal(t, workload.OK, s.Do(t.Context(), op).Code)
	}
}

func TestAnIncrementWhoseAnswerIsLostCountsOnce(t *testing.T) {
	f := newFake(t)
	var lost atomic.Int64
	f.do(func(r *request) *reply {
		if lost.Add(1)%2 == 0 {
			return nil
		}
		f.handle(r)
		return &reply{hangUp: true}
	})
	_, s := open(t, settings(t), one(f.addr()))
	for range 5 {
		out := s.Do(t.Context(), &workload.Op{Kind: workload.Increment, Key: []byte("k"), Fields: b("n"), Delta: 1})
		require.NoError(t, out.Err)
		out = s.Do(t.Context(), &workload.Op{Kind: workload.Append, Key: []byte("k"), Fields: b("a"), Values: b("x")})
		require.NoError(t, out.Err)
	}
	require.Equal(t, "\x00\x00\x00\x00\x00\x00\x00\x05", f.rows["k"]["n"])
	require.Equal(t, "xxxxx", f.rows["k"]["a"])
}

func TestAnOperationEndsWithItsPhase(t *testing.T) {
	f := newFake(t)
	f.do(func(*request) *reply { return &reply{nothing: true} })
	_, s := open(t, settings(t), one(f.addr()))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	out := s.Do(ctx, read("k"))
	require.Equal(t, workload.Timeout, out.Code)
	require.EqualError(t, out.Err, "given up because the phase has ended; no answer from "+f.addr())
	require.Less(t, time.Since(began), 4*time.Second)
}

func TestRowsOfABatchGoToTheirServers(t *testing.T) {
	one, other, third := newFake(t), newFake(t), newFake(t)
	places := &two{addrs: [2]string{one.addr(), other.addr()}}
	_, s := open(t, settings(t), table(places.locate))
	keys := b("z", "a", "m", "b", "n")
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: keys, Fields: b("f"), Values: b("1", "2", "3", "4", "5")})
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 5, Bytes: 10}, out)
	require.Len(t, one.rows, 2)
	require.Len(t, other.rows, 3)
	require.Len(t, one.seen, 1, "one request a server")

	// A region moves: only its rows are sent again.
	for k, v := range other.rows {
		third.put(k, v)
	}
	other.do(func(*request) *reply {
		places.move(1, third.addr())
		return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: gone"}
	})
	out = s.Do(t.Context(), &workload.Op{Kind: workload.MultiGet, Keys: keys})
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 5, Bytes: 10}, out)
	require.Len(t, one.seen, 2)
	require.Len(t, third.seen, 1)
}

func TestABatchReportsItsFailures(t *testing.T) {
	f := newFake(t)
	f.do(func(r *request) *reply {
		var m pb.MultiRequest
		require.NoError(t, proto.Unmarshal(r.param, &m))
		f.mu.Lock()
		a := f.multi(&m, r.cells)
		f.mu.Unlock()
		bad := a.message.(*pb.MultiResponse).GetRegionActionResult()[0].GetResultOrException()[1]
		bad.Result = nil
		bad.Exception = &pb.NameBytesPair{
			Name:  new("org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException"),
			Value: []byte("org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: no cf\n\tat a.b\n"),
		}
		return a
	})
	_, s := open(t, settings(t), one(f.addr()))
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: b("a", "b", "c"), Fields: b("f"), Values: b("1", "2", "3")})
	require.Equal(t, workload.BadRequest, out.Code)
	require.EqualValues(t, 2, out.Rows)
	require.EqualError(t, out.Err, "1 of 3 rows failed, the first of them: NoSuchColumnFamilyException: no cf")
}

func TestBufferedWritesReachTheTable(t *testing.T) {
	f := newFake(t)
	_, s := open(t, settings(t, "clientbuffering", "true", "writebuffersize", "1000"), one(f.addr()))
	buffering, is := s.(load.Buffering)
	require.True(t, is)
	key := make([]byte, 2)
	acknowledged := 0
	for i := range 20 {
		key[0], key[1] = 'k', byte('a'+i) // the generator's buffer, used again
		out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: key, Fields: b("f"), Values: b("v")})
		require.Equal(t, workload.Outcome{Code: workload.BatchedOK, Rows: 1, Bytes: 3}, out)
		if buffering.Buffer() == load.Sent {
			acknowledged = i + 1
		}
		require.Len(t, f.rows, acknowledged, "rows that are only in the buffer are marked so")
	}
	require.Positive(t, acknowledged)
	require.Less(t, acknowledged, 20)
	require.Equal(t, workload.BatchedOK, s.Do(t.Context(), &workload.Op{Kind: workload.Delete, Key: []byte("ka")}).Code)
	require.Equal(t, workload.BatchedOK, s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: b("x", "y"), Fields: b("f"), Values: b("1", "2")}).Code)
	require.NoError(t, s.Close(t.Context()))
	require.Len(t, f.rows, 21)
	require.NotContains(t, f.rows, "ka")
}

func TestALostWriteBufferGivesAnError(t *testing.T) {
	f := newFake(t)
	f.do(func(*request) *reply {
		return &reply{exception: "org.apache.hadoop.hbase.DoNotRetryIOException: no", final: true}
	})
	_, s := open(t, settings(t, "clientbuffering", "true"), one(f.addr()))
	for _, k := range []string{"a", "b"} {
		s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte(k), Fields: b("f"), Values: b("v")})
	}
	require.EqualError(t, s.Close(t.Context()), "2 of 2 buffered writes are lost (clientbuffering), the first of them: DoNotRetryIOException: no")
}

func TestScansContinueAfterTheLastRow(t *testing.T) {
	left, right := newFake(t), newFake(t)
	for i := range 10 {
		left.put(fmt.Sprintf("a%d", i), map[string]string{"f": "v"})
		right.put(fmt.Sprintf("n%d", i), map[string]string{"f": "v"})
	}
	places := &two{addrs: [2]string{left.addr(), right.addr()}}
	var asked atomic.Int64
	left.do(func(*request) *reply {
		switch asked.Add(1) {
		case 2:
			return &reply{exception: "org.apache.hadoop.hbase.UnknownScannerException: gone", final: true}
		case 3:
			return &reply{exception: "org.apache.hadoop.hbase.exceptions.ScannerResetException: Scanner is closed on the server-side", final: true}
		}
		return nil
	})
	right.do(func(*request) *reply {
		if asked.Add(1) == 7 {
			return &reply{hangUp: true}
		}
		return nil
	})
	_, s := open(t, settings(t, "hbase.client.scanner.caching", "4"), table(places.locate))
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 20, Bytes: 20 * 3},
		s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("a"), ScanLength: 100}))
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 7, Bytes: 7 * 3},
		s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("a5"), ScanLength: 7}))
}

func TestFiltersAreThoseOfYCSBsBinding(t *testing.T) {
	f := newFake(t)
	_, s := open(t, settings(t, "hbase.usescanvaluefiltering", "true", "hbase.scanfilteroperator", "not_equal", "hbase.scanfiltervalue", "abcd"), one(f.addr()))
	for range 2 {
		require.NoError(t, s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("a"), ScanLength: 300}).Err)
	}
	var request pb.ScanRequest
	require.NoError(t, proto.Unmarshal(f.seen[1].param, &request))
	require.Equal(t, "org.apache.hadoop.hbase.filter.FilterList", request.GetScan().GetFilter().GetName())
	var list pb.FilterList
	require.NoError(t, proto.Unmarshal(request.GetScan().GetFilter().GetSerializedFilter(), &list))
	require.Len(t, list.GetFilters(), 2)
	var page pb.PageFilter
	require.NoError(t, proto.Unmarshal(list.GetFilters()[0].GetSerializedFilter(), &page))
	require.EqualValues(t, 300, page.GetPageSize())
	var value pb.ValueFilter
	require.NoError(t, proto.Unmarshal(list.GetFilters()[1].GetSerializedFilter(), &value))
	require.Equal(t, pb.CompareType_NOT_EQUAL, value.GetCompareFilter().GetCompareOp())
	var comparator pb.BinaryComparator
	require.NoError(t, proto.Unmarshal(value.GetCompareFilter().GetComparator().GetSerializedComparator(), &comparator))
	require.Equal(t, []byte{0xab, 0xcd}, comparator.GetComparable().GetValue())
	require.EqualValues(t, 300, request.GetNumberOfRows())
	require.True(t, request.GetCloseScanner())
}

func TestWorkersShareConnectionsInTurn(t *testing.T) {
	f := newFake(t)
	f.put("k", map[string]string{"f": "v"})
	target, _ := open(t, settings(t, "hbase.connections", "3"), one(f.addr()))
	for w := range 10 {
		s, err := target.Open(t.Context(), w)
		require.NoError(t, err)
		require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
	}
	require.Equal(t, 3, f.connections())
}

func TestManyWorkersOnOneConnection(t *testing.T) {
	f := newFake(t)
	for i := range 100 {
		f.put(fmt.Sprintf("k%d", i), map[string]string{"f": fmt.Sprintf("v%d", i)})
	}
	for _, pairs := range [][]string{nil, {"hbase.client.rpc.compressor", "none"}} {
		target, _ := open(t, settings(t, pairs...), one(f.addr()))
		var workers sync.WaitGroup
		for w := range 32 {
			s, err := target.Open(t.Context(), w)
			require.NoError(t, err)
			workers.Go(func() {
				for i := range 200 {
					n := (w*7 + i) % 100
					op := read(fmt.Sprintf("k%d", n))
					op.Collect = func(_, value []byte) {
						if string(value) != fmt.Sprintf("v%d", n) {
							t.Errorf("row %d has the value %s", n, value)
						}
					}
					if out := s.Do(t.Context(), op); out.Code != workload.OK {
						t.Errorf("%v: %v", out.Code, out.Err)
					}
				}
			})
		}
		workers.Wait()
	}
}

func TestOperationsOfSeveralWorkersShareARequest(t *testing.T) {
	f := newFake(t)
	target, _ := open(t, settings(t, "hbase.batch.size", "4", "hbase.batch.delay", "2s"), one(f.addr()))
	var workers sync.WaitGroup
	for w := range 4 {
		s, err := target.Open(t.Context(), w)
		require.NoError(t, err)
		workers.Go(func() {
			key := fmt.Appendf(nil, "k%d", w)
			for _, op := range []*workload.Op{
				{Kind: workload.Insert, Key: key, Fields: b("f", "g"), Values: [][]byte{key, key}},
				{Kind: workload.Increment, Key: key, Fields: b("n"), Delta: 3},
				{Kind: workload.Read, Key: key, Fields: b("f"), Collect: func(_, value []byte) {
					if !bytes.Equal(key, value) {
						t.Errorf("row %s has the value %q", key, value)
					}
				}},
				{Kind: workload.Delete, Key: key},
			} {
				if out := s.Do(t.Context(), op); out.Code != workload.OK {
					t.Errorf("%v: %v", out.Code, out.Err)
				}
			}
			if out := s.Do(t.Context(), read(string(key))); out.Code != workload.NotFound {
				t.Errorf("%v: %v", out.Code, out.Err)
			}
		})
	}
	workers.Wait()
	require.Len(t, f.seen, 5, "four workers, one request for each of their operations")
}

func TestABatchThatIsNotFullIsSent(t *testing.T) {
	for _, delay := range []string{"0s", "10ms"} {
		f := newFake(t)
		_, s := open(t, settings(t, "hbase.batch.size", "100", "hbase.batch.delay", delay), one(f.addr()))
		require.Equal(t, workload.NotFound, s.Do(t.Context(), read("k")).Code)
		require.Equal(t, workload.OK, s.Do(t.Context(), &workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")}).Code)
		require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
		require.Equal(t, workload.NotFound, s.Do(t.Context(), &workload.Op{Kind: workload.CheckAndPut, Key: []byte("k"), Fields: b("x"), Values: b("v")}).Code)
		require.EqualValues(t, 1, s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("k"), ScanLength: 5}).Rows)
	}
}

func TestFailedOperationsOfABatchAreRetried(t *testing.T) {
	from, to := newFake(t), newFake(t)
	to.put("a", map[string]string{"f": "v"})
	places := &two{addrs: [2]string{from.addr(), from.addr()}}
	_, s := open(t, settings(t, "hbase.batch.size", "8"), table(places.locate))
	var asked atomic.Int64
	from.do(func(*request) *reply {
		if asked.Add(1) == 1 {
			return &reply{hangUp: true}
		}
		places.move(0, to.addr())
		answer := &pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{{Exception: &pb.NameBytesPair{
			Name: new("org.apache.hadoop.hbase.NotServingRegionException"), Value: []byte("org.apache.hadoop.hbase.NotServingRegionException: gone"),
		}}}}
		return &reply{message: answer}
	})
	require.Equal(t, workload.OK, s.Do(t.Context(), read("a")).Code)
	require.EqualValues(t, 2, asked.Load())
}
