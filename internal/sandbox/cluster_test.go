package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// writers put rows until they are stopped, and remember the rows that the server acknowledged.
type writers struct {
	acknowledged sync.Map
	count        atomic.Int64
	stop         context.CancelFunc
	work         sync.WaitGroup
}

func write(t *testing.T, client gohbase.Client, n int) *writers {
	t.Helper()
	ctx, stop := context.WithCancel(patient(t))
	w := &writers{stop: stop}
	for i := range n {
		w.work.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				row := fmt.Sprintf("%c%d-%d", 'a'+k%26, i, k)
				put, err := hrpc.NewPutStr(ctx, "t", row, values(row))
				if err == nil {
					_, err = client.Put(put)
				}
				if err == nil {
					w.acknowledged.Store(row, true)
					w.count.Add(1)
				} else if ctx.Err() == nil {
					t.Errorf("put %s: %v", row, err)
					return
				}
			}
		})
	}
	t.Cleanup(w.end)
	return w
}

func (w *writers) end() {
	w.stop()
	w.work.Wait()
}

// more waits until this many further rows were acknowledged.
func (w *writers) more(t *testing.T, n int64) {
	t.Helper()
	want := w.count.Load() + n
	require.Eventually(t, func() bool { return w.count.Load() >= want || t.Failed() }, time.Minute, time.Millisecond)
}

// check ends the writers and looks for each acknowledged row.
func (w *writers) check(t *testing.T, s *Sandbox) {
	t.Helper()
	w.end()
	client := connect(t, s)
	found := map[string]bool{}
	for row := range bytes.FieldsSeq([]byte(rows(t, client, must(hrpc.NewScanStr(patient(t), "t"))))) {
		found[string(row)] = true
	}
	w.acknowledged.Range(func(row, _ any) bool {
		require.True(t, found[row.(string)], "row %v was acknowledged but is missing", row)
		return true
	})
	require.NotZero(t, w.count.Load())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Writes continue and no acknowledged write is lost while regions move, split, merge and are balanced.
func TestWritesOutliveMoves(t *testing.T) {
	s := start(t, Options{})
	create(t, s, "t", "h", "p")
	w := write(t, connect(t, s), 4)
	for _, change := range []func() error{
		func() error { return s.cluster.Move([]byte(regionOf(t, s, "a")), s.Servers()[2].Name) },
		func() error { return s.cluster.Split([]byte(regionOf(t, s, "a")), []byte("d")) },
		func() error { return s.cluster.Split([]byte(regionOf(t, s, "z")), nil) },
		func() error { return s.cluster.Merge([]byte(regionOf(t, s, "a")), []byte(regionOf(t, s, "e"))) },
		func() error { _, err := s.cluster.Balance(); return err },
		func() error { return s.cluster.Move([]byte("1588230740"), s.Servers()[1].Name) },
	} {
		w.more(t, 100)
		require.NoError(t, change())
	}
	w.more(t, 500)
	w.check(t, s)
}

func regionOf(t *testing.T, s *Sandbox, row string) string {
	t.Helper()
	r, err := s.store.Locate(store.Name{Namespace: "default", Qualifier: "t"}, []byte(row))
	require.NoError(t, err)
	return r.Info().Encoded
}

// Each region server in turn is killed under load and restarted, including the one of hbase:meta. Clients recover by
// themselves, and no acknowledged write is lost.
func TestWritesOutliveServers(t *testing.T) {
	s := start(t, Options{Detection: 100 * time.Millisecond})
	create(t, s, "t", "h", "p")
	w := write(t, connect(t, s), 4)
	for i := range 3 {
		w.more(t, 200)
		name := strconv.Itoa(i + 1)
		require.NoError(t, s.KillServer(t.Context(), name))
		require.False(t, s.Servers()[i].Alive)
		require.Error(t, s.KillServer(t.Context(), name), "it is dead already")
		require.Eventually(t, func() bool { return s.Servers()[i].Regions == 0 && s.cluster.InMotion.Load() == 0 }, time.Minute, time.Millisecond)
		w.more(t, 200)
		back, err := s.RestartServer(t.Context(), name)
		require.NoError(t, err)
		require.True(t, back.Alive)
		require.Equal(t, s.Servers()[i].Name, back.Name)
	}
	added, err := s.AddServer(t.Context())
	require.NoError(t, err)
	require.Positive(t, added.Regions, "the balancer gives it regions")
	w.more(t, 200)
	w.check(t, s)
	_, err = s.RestartServer(t.Context(), "9")
	require.ErrorIs(t, err, ErrUnknownServer)
}

// With all servers dead no data is lost: the first server that restarts serves everything.
func TestAllServersDie(t *testing.T) {
	s := start(t, Options{Servers: 2, Detection: time.Millisecond})
	create(t, s, "t", "h")
	client := connect(t, s)
	_, err := client.Put(must(hrpc.NewPutStr(patient(t), "t", "x", values("v"))))
	require.NoError(t, err)
	for _, name := range []string{"1", "2"} {
		require.NoError(t, s.KillServer(t.Context(), name))
	}
	require.Eventually(t, func() bool { return len(s.cluster.Live()) == 0 }, time.Minute, time.Millisecond)
	_, err = s.RestartServer(t.Context(), "2")
	require.NoError(t, err)
	require.Equal(t, "v", read(t, client, "x"))
	require.Equal(t, 3, s.Servers()[1].Regions)
	require.Zero(t, s.cluster.InMotion.Load())
}

// A restart keeps the contents of a folder: rows, bounds of regions, disabled tables.
func TestDataIsKept(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{Data: dir})
	create(t, s, "t", "h")
	create(t, s, "off")
	_, err := connect(t, s).Put(must(hrpc.NewPutStr(patient(t), "t", "x", values("v"))))
	require.NoError(t, err)
	admin := gohbase.NewAdminClient(s.Quorum())
	require.NoError(t, admin.DisableTable(hrpc.NewDisableTable(patient(t), []byte("off"))))
	require.NoError(t, s.Close())

	s = start(t, Options{Data: dir})
	require.Equal(t, "v", read(t, connect(t, s), "x"))
	regions := 0
	for _, server := range s.Servers() {
		regions += server.Regions
	}
	require.Equal(t, 3, regions, "two of t, and hbase:meta")
	admin = gohbase.NewAdminClient(s.Quorum())
	require.NoError(t, admin.EnableTable(hrpc.NewEnableTable(patient(t), []byte("off"))))
	_, err = Start(t.Context(), Options{Data: dir})
	require.ErrorContains(t, err, dir)
}

// A client survives each kind of call fault, and the fault counts its hits.
func TestCallFaultsReachClients(t *testing.T) {
	for _, f := range []fault.Fault{
		{Kind: fault.NotServingRegion},
		{Kind: fault.RegionMoved},
		{Kind: fault.RegionOpening},
		{Kind: fault.RegionTooBusy},
		{Kind: fault.CallQueueTooBig},
		{Kind: fault.Disconnect},
		{Kind: fault.Latency, Delay: must(randdur.Parse("1ms"))},
		{Kind: fault.Stall, Length: 100 * time.Millisecond},
		{Kind: fault.Latency, Delay: must(randdur.Parse("1ms")), Where: fault.Where{Ops: []fault.Op{fault.ZooKeeper, fault.Master, fault.Admin}}},
	} {
		t.Run(fmt.Sprint(f.Kind, f.Where.Ops), func(t *testing.T) {
			f.Share = 0.2
			if len(f.Where.Ops) > 0 {
				f.Share = 1
			}
			s := start(t, Options{Faults: []fault.Fault{f}})
			create(t, s, "t")
			client := connect(t, s)
			_, err := client.Put(must(hrpc.NewPutStr(patient(t), "t", "x", values("v"))))
			require.NoError(t, err)
			require.Eventually(t, func() bool {
				require.Equal(t, "v", read(t, client, "x"))
				return s.faults.List()[0].Hits > 0
			}, time.Minute, time.Millisecond)
			s.faults.ClearAll()
			require.Equal(t, "v", read(t, client, "x"))
		})
	}
}

// Hostile bytes on a port end their own connection; other clients are not affected.
func TestHostileBytesAffectOnlyTheirConnection(t *testing.T) {
	s := start(t, Options{})
	create(t, s, "t")
	w := write(t, connect(t, s), 1)
	ports := []string{s.Quorum(), s.Info(), net.JoinHostPort(s.host, strconv.FormatUint(uint64(s.begin.Master.GetPort()), 10))}
	for _, server := range s.Servers() {
		ports = append(ports, server.Address, server.Info)
	}
	for _, port := range ports {
		for _, b := range [][]byte{
			bytes.Repeat([]byte{0xff}, 100), make([]byte, 10_000), []byte("HBas\x00\x50\x00\x00\x00\x00"), []byte("HBas\x00\x50\xff\xff\xff\xff"),
			[]byte("GET /" + string(bytes.Repeat([]byte{'a'}, 100_000))),
			{0, 0, 0, 44},
		} {
			conn, err := (&net.Dialer{}).DialContext(patient(t), "tcp", port)
			require.NoError(t, err)
			conn.SetDeadline(time.Now().Add(50 * time.Millisecond)) // a client that waits for more data is cut off here
			conn.Write(b)
			io.Copy(io.Discard, conn)
			conn.Close()
		}
		w.more(t, 10)
	}
	w.check(t, s)
}

// The master's pages serve metrics and accept commands; a region server's pages serve its own metrics.
func TestPages(t *testing.T) {
	s := start(t, Options{Program: "1.2.3"})
	create(t, s, "t")
	client := connect(t, s)
	for range 10 {
		read(t, client, "x")
	}
	get := func(url string) (got struct {
		Beans   []map[string]any
		Version string
		Servers []Server
	},
	) {
		request, err := http.NewRequestWithContext(patient(t), http.MethodGet, url, nil)
		require.NoError(t, err)
		client := http.Client{Timeout: time.Minute}
		response, err := client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.NoError(t, json.NewDecoder(response.Body).Decode(&got))
		return got
	}
	sum := 0.0
	for _, server := range s.Servers() {
		beans := get("http://" + server.Info + "/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=Server").Beans
		require.Len(t, beans, 1)
		sum += beans[0]["rpcGetRequestCount"].(float64)
	}
	require.GreaterOrEqual(t, sum, 10.0)
	master := get("http://" + s.Info() + "/jmx?qry=Hadoop:service=HBase,name=Master,sub=Server").Beans
	require.Len(t, master, 1)
	require.EqualValues(t, 3, master[0]["numRegionServers"])
	reported := get("http://" + s.Info() + "/sandbox")
	require.Equal(t, "1.2.3", reported.Version)
	require.Equal(t, s.Servers(), reported.Servers)
}

// Invalid settings are refused, and the error names the setting.
func TestInvalidOptionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{Servers: -1}, "-1 region servers"},
		{Options{Servers: 1000}, "1000 region servers"},
		{Options{Root: "hbase"}, `znode "hbase"`},
		{Options{ZooKeeper: "here"}, `address "here"`},
		{Options{ZooKeeper: "example.com:1"}, `address "example.com:1"`},
		{Options{Detection: -1}, "detection"},
	} {
		_, err := Start(t.Context(), c.options)
		require.ErrorContains(t, err, c.want)
	}
}
