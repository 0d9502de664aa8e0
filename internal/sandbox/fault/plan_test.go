package fault_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/sandbox/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func server() *fault.Server { return fault.NewServer(2, "127.0.0.1", 16020, 1700000000000) }

func call(op fault.Op) fault.Call {
	return fault.Call{Server: server(), Op: op, Table: "usertable", Region: "0123abcd", Row: []byte("user5")}
}

// plan makes a Plan on runtime timers, for synctest, and runs it until the test ends.
func plan(t *testing.T, cluster fault.Cluster) *fault.Plan {
	p := fault.NewPlain()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx, cluster) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		assert.NoError(t, p.Close())
	})
	return p
}

// newPlan makes a Plan on precise timers and does not run it.
func newPlan(t testing.TB) *fault.Plan {
	p, err := fault.New()
	require.NoError(t, err)
	return p
}

func add(t *testing.T, p *fault.Plan, settings ...fault.Setting) int {
	t.Helper()
	f, err := fault.Parse(settings)
	require.NoError(t, err)
	n, err := p.Add(f)
	require.NoError(t, err)
	return n
}

func set(key string, values ...string) fault.Setting { return fault.Setting{Key: key, Values: values} }

func TestNoFaultsByDefault(t *testing.T) {
	p := newPlan(t)
	for _, op := range fault.Ops() {
		v := p.Decide(call(op))
		require.Zero(t, v)
		require.NoError(t, v.Wait(t.Context()))
	}
	require.NoError(t, p.Close())
	v := (*fault.Plan)(nil).Decide(call(fault.Get))
	require.Zero(t, v)
	c := call(fault.Get)
	require.Zero(t, testing.AllocsPerRun(100, func() { p.Decide(c) }))
}

func TestAFaultHitsOnlyTheCallsThatItNames(t *testing.T) {
	meta := call(fault.Get)
	meta.Table = fault.Meta
	rowless := call(fault.Get)
	rowless.Row = nil
	for name, tt := range map[string]struct {
		settings []fault.Setting
		call     fault.Call
		hit      bool
	}{
		"all calls for data":             {nil, call(fault.Scan), true},
		"none of administration":         {nil, call(fault.Admin), false},
		"nor to the master":              {nil, call(fault.Master), false},
		"nor to ZooKeeper":               {nil, call(fault.ZooKeeper), false},
		"unless they are named":          {[]fault.Setting{set("op", "zookeeper")}, call(fault.ZooKeeper), true},
		"a batch by way of its parts":    {nil, call(fault.Multi), false},
		"a kind of call":                 {[]fault.Setting{set("op", "get", "put")}, call(fault.Put), true},
		"not another kind":               {[]fault.Setting{set("op", "get", "put")}, call(fault.Scan), false},
		"a continued scan":               {[]fault.Setting{set("op", "scan")}, call(fault.Next), true},
		"only continued scans":           {[]fault.Setting{set("op", "next")}, call(fault.Scan), false},
		"a table":                        {[]fault.Setting{set("table", "usertable")}, call(fault.Get), true},
		"not another table":              {[]fault.Setting{set("table", "ns:usertable")}, call(fault.Get), false},
		"a region":                       {[]fault.Setting{set("region", "0123abcd")}, call(fault.Get), true},
		"not another region":             {[]fault.Setting{set("region", "abcd")}, call(fault.Get), false},
		"rows between two":               {[]fault.Setting{set("from", "user4"), set("to", `user\x36`)}, call(fault.Get), true},
		"no rows before":                 {[]fault.Setting{set("from", "user6")}, call(fault.Get), false},
		"nor the row at the end":         {[]fault.Setting{set("to", "user5")}, call(fault.Get), false},
		"no call without a row":          {[]fault.Setting{set("from", "user4")}, rowless, false},
		"a server by its number":         {[]fault.Setting{set("server", "1", "2")}, call(fault.Get), true},
		"a server by its address":        {[]fault.Setting{set("server", "127.0.0.1:16020")}, call(fault.Get), true},
		"a server by its name":           {[]fault.Setting{set("server", "127.0.0.1,16020,1700000000000")}, call(fault.Get), true},
		"not another server":             {[]fault.Setting{set("server", "3")}, call(fault.Get), false},
		"hbase:meta is slow with others": {nil, meta, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlan(t)
			defer func() { require.NoError(t, p.Close()) }()
			add(t, p, append(tt.settings, set("kind", "latency"), set("delay", "1ms"))...)
			v := p.Decide(tt.call)
			require.Equal(t, tt.hit, v.Delay() > 0)
		})
	}
}

func TestFaultsUseTheExceptionsOfHBase(t *testing.T) {
	for kind, class := range map[fault.Kind]string{
		fault.NotServingRegion: "org.apache.hadoop.hbase.NotServingRegionException",
		fault.RegionMoved:      "org.apache.hadoop.hbase.exceptions.RegionMovedException",
		fault.RegionOpening:    "org.apache.hadoop.hbase.exceptions.RegionOpeningException",
		fault.RegionTooBusy:    "org.apache.hadoop.hbase.RegionTooBusyException",
		fault.CallQueueTooBig:  "org.apache.hadoop.hbase.CallQueueTooBigException",
		fault.UnknownScanner:   "org.apache.hadoop.hbase.UnknownScannerException",
		fault.IOException:      "java.io.IOException",
	} {
		t.Run(string(kind), func(t *testing.T) {
			p := newPlan(t)
			defer func() { require.NoError(t, p.Close()) }()
			add(t, p, set("kind", string(kind)))
			v := p.Decide(call(fault.Next))
			require.NotNil(t, v.Exception)
			require.Equal(t, class, v.Exception.Class)
			require.Equal(t, kind == fault.UnknownScanner, v.Exception.DoNotRetry)

			meta := call(fault.Next)
			meta.Table = fault.Meta
			v = p.Decide(meta)
			require.Nil(t, v.Exception, "a client that finds no region never meets the fault")
			add(t, p, set("kind", string(kind)), set("table", fault.Meta))
			v = p.Decide(meta)
			require.NotNil(t, v.Exception)
		})
	}
}

func TestAMovedRegionNamesItsNewServer(t *testing.T) {
	p := newPlan(t)
	defer func() { require.NoError(t, p.Close()) }()
	add(t, p, set("kind", "region-moved"))
	e := p.Decide(call(fault.Get)).Exception
	require.Equal(t, "127.0.0.1", e.Host)
	require.Equal(t, 16020, e.Port)
	require.Equal(t, "Region moved to: hostname=127.0.0.1 port=16020 startCode=1700000000000. As of locationSeqNum=1.", e.Message)
}

func TestACustomException(t *testing.T) {
	p := newPlan(t)
	defer func() { require.NoError(t, p.Close()) }()
	add(t, p, set("kind", "io-exception"), set("exception", "java.io.FileNotFoundException"))
	require.Equal(t, "java.io.FileNotFoundException", p.Decide(call(fault.Get)).Exception.Class)
}

func TestADisconnectCutsTheAnswer(t *testing.T) {
	p := newPlan(t)
	defer func() { require.NoError(t, p.Close()) }()
	add(t, p, set("kind", "disconnect"))
	v := p.Decide(call(fault.Get))
	require.True(t, v.Cut)
	require.Equal(t, 0.5, v.CutAfter)
	require.Nil(t, v.Exception)
}

func TestTheSameCallsAreHitEachTime(t *testing.T) {
	pattern := func(seed string) (hits []bool, delays []time.Duration) {
		p := newPlan(t)
		defer func() { require.NoError(t, p.Close()) }()
		add(t, p, set("kind", "latency"), set("delay", "exponential 5ms"), set("share", "20%"), set("seed", seed))
		for range 2000 {
			v := p.Decide(call(fault.Get))
			hits, delays = append(hits, v.Delay() > 0), append(delays, v.Delay())
		}
		return hits, delays
	}
	hits, delays := pattern("7")
	again, delaysAgain := pattern("7")
	require.Equal(t, hits, again)
	require.Equal(t, delays, delaysAgain)
	other, _ := pattern("8")
	require.NotEqual(t, hits, other)
	n := 0
	for _, hit := range hits {
		if hit {
			n++
		}
	}
	require.InDelta(t, 400, n, 60) // more than three deviations
}

func TestLatencyLastsFromItsStartToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, nil)
		add(t, p, set("kind", "latency"), set("delay", "5ms"), set("start", "10s"), set("length", "30s"))
		add(t, p, set("kind", "latency"), set("delay", "2ms"), set("start", "20s"), set("length", "10s"))
		took := func() time.Duration {
			began := time.Now()
			v := p.Decide(call(fault.Get))
			require.NoError(t, v.Wait(t.Context()))
			return time.Since(began)
		}
		began := time.Now()
		for _, at := range []struct{ at, took time.Duration }{
			{9 * time.Second, 0},
			{10 * time.Second, 5 * time.Millisecond},
			{25 * time.Second, 7 * time.Millisecond},
			{31 * time.Second, 5 * time.Millisecond},
			{40 * time.Second, 0},
			{time.Hour, 0},
		} {
			<-time.After(time.Until(began.Add(at.at)))
			require.Equal(t, at.took, took(), at.at)
		}
	})
}

func TestAStallHoldsCallsUntilItIsOverOrCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, nil)
		stalled := func() time.Duration {
			began := time.Now()
			v := p.Decide(call(fault.Get))
			require.NoError(t, v.Wait(t.Context()))
			return time.Since(began)
		}
		add(t, p, set("kind", "stall"), set("length", "4s"))
		require.Equal(t, 4*time.Second, stalled())
		require.Zero(t, stalled())

		forever := add(t, p, set("kind", "stall"))
		time.AfterFunc(time.Minute, func() { p.Clear(forever) })
		require.Equal(t, time.Minute, stalled())

		long := add(t, p, set("kind", "latency"), set("delay", "30m"))
		time.AfterFunc(time.Minute, func() { p.Clear(long) })
		require.Equal(t, time.Minute, stalled())

		add(t, p, set("kind", "stall"))
		add(t, p, set("kind", "latency"), set("delay", "30m"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		v := p.Decide(call(fault.Get))
		require.ErrorIs(t, v.Wait(ctx), context.DeadlineExceeded)
		require.Equal(t, 3, p.ClearAll(), "a fault that is over stays in the list")
		require.Zero(t, stalled())
	})
}

// cluster records what happens to its servers.
type cluster struct {
	began time.Time
	fails bool

	mu    sync.Mutex
	notes []string
}

func (c *cluster) note(what, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, time.Since(c.began).String()+" "+what+" "+name)
	if c.fails {
		return errors.New("no such region server")
	}
	return nil
}

func (c *cluster) KillServer(_ context.Context, name string) error { return c.note("kill", name) }

func (c *cluster) RestartServer(_ context.Context, name string) error { return c.note("restart", name) }

func (c *cluster) SilenceServer(_ context.Context, name string) error {
	return c.note("silence", name)
}

func (c *cluster) ResumeServer(_ context.Context, name string) error { return c.note("resume", name) }

func (c *cluster) AddServer(context.Context) error { return c.note("add", "one") }

func TestEventsHappenAtTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{began: time.Now()}
		p := plan(t, c)
		add(t, p, set("kind", "kill-server"), set("server", "2"), set("start", "10s"), set("length", "5s"))
		add(t, p, set("kind", "restart-server"), set("server", "3"), set("start", "12s"))
		add(t, p, set("kind", "add-server"))
		add(t, p, set("kind", "kill-server"), set("server", "1"), set("start", "20s"))
		add(t, p, set("kind", "silence-server"), set("server", "5"), set("start", "14s"), set("length", "10s"))
		add(t, p, set("kind", "silence-server"), set("server", "6"), set("start", "21s"))
		cleared := add(t, p, set("kind", "kill-server"), set("server", "4"), set("start", "20s"))
		require.True(t, p.Clear(cleared))
		require.False(t, p.Clear(cleared))
		<-time.After(time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"0s add one", "10s kill 2", "12s restart 3", "14s silence 5", "15s restart 2", "20s kill 1", "21s silence 6", "24s resume 5"}, c.notes)
		for _, s := range p.List() {
			require.Equal(t, fault.Over, s.State, s.Fault.String())
			require.EqualValues(t, 1, s.Hits)
		}
	})
}

// A server that is away for a time returns although the run whose fault removed it is over. A fault that has not started
// does not start.
func TestAKilledServerComesBackWhenItsFaultIsDisowned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{began: time.Now()}
		p := plan(t, c)
		own := func(settings ...fault.Setting) {
			f, err := fault.Parse(settings)
			require.NoError(t, err)
			_, err = p.AddFor("S.1", f)
			require.NoError(t, err)
		}
		own(set("kind", "kill-server"), set("server", "2"), set("length", "10s"))
		own(set("kind", "kill-server"), set("server", "1"), set("start", "20s"))
		own(set("kind", "stall"), set("length", "1s"))
		own(set("kind", "stall"))
		<-time.After(5 * time.Second)
		synctest.Wait()
		require.Equal(t, 2, p.Disown("S.1"), "one of them is over")
		require.Len(t, p.List(), 1)
		require.True(t, p.Quiet())
		<-time.After(time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"0s kill 2", "10s restart 2"}, c.notes)
		require.Zero(t, p.Disown("S.1"))
		require.Empty(t, p.List())
		_, err := p.AddFor("S.1", fault.Fault{Kind: fault.Stall, Share: 1})
		require.EqualError(t, err, "add fault: S.1 is over, and its faults with it")
		for i := range 1000 {
			p.Disown(strconv.Itoa(i))
		}
		_, err = p.AddFor("S.1", fault.Fault{Kind: fault.Stall, Share: 1})
		require.NoError(t, err, "a bounded number is remembered")
	})
}

func TestAFailedEventIsReportedNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{began: time.Now(), fails: true}
		p := plan(t, c)
		add(t, p, set("kind", "kill-server"), set("server", "9"), set("length", "5s"))
		<-time.After(time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"0s kill 9"}, c.notes)
		list := p.List()
		require.Equal(t, fault.Failed, list[0].State)
		require.Equal(t, "no such region server", list[0].Trouble)
	})
}

func TestTheListReportsTheStateOfEachFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, nil)
		add(t, p, set("kind", "latency"), set("delay", "1ms"), set("start", "10s"), set("length", "30s"))
		add(t, p, set("kind", "stall"), set("table", "none"))
		<-time.After(4 * time.Second)
		list := p.List()
		require.Equal(t, fault.Waiting, list[0].State)
		require.Equal(t, 6*time.Second, list[0].Begins)
		require.Equal(t, 30*time.Second, list[0].Left)
		require.Equal(t, fault.Active, list[1].State)
		require.Zero(t, list[1].Left)

		<-time.After(10 * time.Second)
		p.Decide(call(fault.Get))
		list = p.List()
		require.Equal(t, fault.Active, list[0].State)
		require.Equal(t, 26*time.Second, list[0].Left)
		require.EqualValues(t, 1, list[0].Hits)

		<-time.After(time.Minute)
		require.Equal(t, fault.Over, p.List()[0].State)
	})
}

func TestAPlanHoldsABoundedNumberOfFaults(t *testing.T) {
	p := newPlan(t)
	defer func() { require.NoError(t, p.Close()) }()
	f, err := fault.Parse([]fault.Setting{set("kind", "stall")})
	require.NoError(t, err)
	for range fault.MaxFaults {
		_, err := p.Add(f)
		require.NoError(t, err)
	}
	_, err = p.Add(f)
	require.ErrorContains(t, err, "clear those that are over")
}

func BenchmarkDecideWithoutFaults(b *testing.B) {
	p := newPlan(b)
	defer func() { _ = p.Close() }()
	c := call(fault.Get)
	b.ReportAllocs()
	for b.Loop() {
		v := p.Decide(c)
		_ = v.Wait(b.Context())
	}
}
