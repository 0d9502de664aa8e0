package watch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// fakeCluster returns the status that a test sets.
type fakeCluster struct {
	mu     sync.Mutex
	status admin.Cluster
	err    error
	asked  int
}

func (f *fakeCluster) Cluster(context.Context) (admin.Cluster, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return f.status, f.err
}

func (*fakeCluster) Close() {}

// pages serves fabricated beans that name their server.
func pages(t *testing.T, name string, requests func() int) (port int) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query().Get("qry"); {
		case strings.Contains(query, "*"):
			http.Error(w, "all beans are too many", http.StatusBadRequest)
		case strings.HasSuffix(query, "RegionServer,sub=Server"):
			fmt.Fprintf(w, `{"beans":[{"name":%q,"tag.serverName":%q,"totalRequestCount":%d,"storeFileCount":7}]}`, query, name, requests())
		case strings.HasSuffix(query, "Master,sub=Server"):
			fmt.Fprintf(w, `{"beans":[{"name":%q,"averageLoad":2.5}]}`, query)
		case strings.HasSuffix(query, "JvmMetrics"):
			fmt.Fprintf(w, `{"beans":[{"name":%q,"MemHeapUsedM":2,"GcTimeMillis":0}]}`, query)
		default:
			fmt.Fprint(w, `{"beans":[]}`)
		}
	}))
	t.Cleanup(s.Close)
	_, text, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	port, err = strconv.Atoi(text)
	require.NoError(t, err)
	return port
}

func watch(t *testing.T, c *fakeCluster) *HBase {
	t.Helper()
	h := NewHBase(func(context.Context) (Cluster, error) { return c, nil }, "usertable", nil, slog.New(slog.DiscardHandler))
	t.Cleanup(h.Close)
	return h
}

// reported finds a reading.
func reported(l observe.Look, source, name string) (observe.Reading, bool) {
	for _, g := range l.Groups {
		for _, r := range g.Readings {
			if g.Source == source && r.Name == name {
				return r, true
			}
		}
	}
	return observe.Reading{}, false
}

func TestServersAreFoundByTheStatusOfTheCluster(t *testing.T) {
	requests := func() int { return 1200 }
	one, two := "127.0.0.1,16020,1700000000001", "127.0.0.1,16021,1700000000002"
	load := []admin.Load{{Region: "usertable,,1700000000000.0123456789abcdef0123456789abcdef.", Files: 3, Reads: 10}}
	c := &fakeCluster{status: admin.Cluster{
		Master: "127.0.0.1,16000,1700000000000", MasterInfo: pages(t, "", requests),
		Servers: []admin.Server{
			{Name: one, InfoPort: pages(t, one, requests), Regions: 2},
			{Name: two, InfoPort: pages(t, one, requests), Regions: 3, Stores: 3, RegionLoads: load, Reported: time.Unix(1700000000, 0)},
			{Name: "127.0.0.1,16022,1700000000003", Regions: 4},
			{Name: "127.0.0.1,16023,1700000000004", InfoPort: 1, Regions: 5},
		},
	}}
	h := watch(t, c)
	defer h.Close()
	var warnings []string
	look := h.Look(t.Context())
	warnings = append(warnings, look.Warnings...)
	for i, want := range []float64{2, 3, 4, 5} {
		regions, ok := reported(look, fmt.Sprintf("127.0.0.1:%d", 16020+i), "hbase.regionserver.regions")
		require.True(t, ok)
		require.Equal(t, want, regions.Value)
	}
	files, ok := reported(look, "127.0.0.1:16020", "hbase.regionserver.store_files")
	require.True(t, ok)
	require.InDelta(t, 7, files.Value, 0)
	heap, ok := reported(look, "127.0.0.1:16000", "hbase.master.heap_used")
	require.True(t, ok)
	require.Equal(t, observe.Reading{Name: "hbase.master.heap_used", Unit: "bytes", Value: 2 << 20}, heap)
	servers, _ := reported(look, "127.0.0.1:16000", "hbase.master.servers")
	require.InDelta(t, 4, servers.Value, 0)
	_, ok = reported(look, "127.0.0.1:16021", "hbase.regionserver.requests")
	require.False(t, ok, "the figures of another server in the process are not taken for its own")

	for range 2 * tolerated {
		warnings = append(warnings, h.Look(t.Context()).Warnings...)
	}
	require.Len(t, warnings, 3, "each is returned once")
	text := strings.Join(warnings, "\n")
	require.Contains(t, text, "the JMX of region server 127.0.0.1:16021 shows 127.0.0.1:16020, which is in the same process: its figures are those that it reports to the master every few seconds")
	require.Contains(t, text, "region server 127.0.0.1:16022 reports no info port")
	require.Contains(t, text, "the JMX of region server 127.0.0.1:16023 cannot be read")

	h.mu.Lock()
	h.next = clock.Instant{}
	h.mu.Unlock()
	h.ask(clock.Mono())
	h.asking.Wait()
	files, ok = reported(h.Look(t.Context()), "127.0.0.1:16021", "hbase.regionserver.store_files")
	require.True(t, ok, "it comes from the master instead")
	require.InDelta(t, 3, files.Value, 0)
}

// HBase renews the figures of a process within some seconds, so only the smallest page is asked for at each look.
func TestLargePagesAreReadWhenTheyAreRenewed(t *testing.T) {
	const name = "127.0.0.1,16020,1700000000001"
	const osBean = "java.lang:type=OperatingSystem"
	asked := map[string]int{}
	heap, requests := 1, 1000
	var jvm string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query().Get("qry")
		bean := strings.TrimPrefix(query, hadoop)
		asked[bean]++
		switch bean {
		case "JvmMetrics":
			fmt.Fprint(w, jvm)
		case "RegionServer,sub=Server":
			fmt.Fprintf(w, `{"beans":[{"name":%q,"tag.serverName":%q,"totalRequestCount":%d}]}`, query, name, requests)
		default:
			fmt.Fprintf(w, `{"beans":[{"name":%q,"queueSize":7,"writtenBytes":7}]}`, query)
		}
	}))
	defer s.Close()
	port, err := strconv.Atoi(s.URL[strings.LastIndex(s.URL, ":")+1:])
	require.NoError(t, err)
	h := watch(t, &fakeCluster{status: admin.Cluster{Servers: []admin.Server{{Name: name, InfoPort: port}}}})
	defer h.Close()
	renewed := func() (at [2]clock.Instant) { // when the server was seen to renew its figures, by the last look
		for _, g := range h.Look(t.Context()).Groups {
			switch g.Key {
			case "jmx server":
				at[0] = g.Renewed
			case "jmx wal":
				at[1] = g.Renewed
			}
		}
		return at
	}
	// looks calls Look a few times and returns which pages were read, and the server's request counts.
	looks := func(n int) (pages map[string]int, had []float64) {
		jvm = fmt.Sprintf(`{"beans":[{"name":"JvmMetrics","MemHeapUsedM":%d}]}`, heap)
		clear(asked)
		for range n {
			if r, ok := reported(h.Look(t.Context()), "127.0.0.1:16020", "hbase.regionserver.requests"); ok {
				had = append(had, r.Value)
			}
		}
		return asked, had
	}

	pages, had := looks(5)
	require.Equal(t, map[string]int{"JvmMetrics": 5, "RegionServer,sub=Server": 1, "RegionServer,sub=IPC": 1, "RegionServer,sub=WAL": 1, osBean: 1, "": 1}, pages,
		"and the settings")
	require.Equal(t, []float64{1000, 1000, 1000, 1000, 1000}, had, "and what it says is so at each")
	require.Zero(t, renewed(), "when that was renewed nobody has seen")
	before := clock.Mono()

	heap, requests = 2, 2000
	pages, had = looks(3)
	require.Equal(t, map[string]int{"JvmMetrics": 3, "RegionServer,sub=Server": 1, "RegionServer,sub=IPC": 3, "RegionServer,sub=WAL": 3, osBean: 1}, pages,
		"what is as it was may have been read too early")
	require.Equal(t, []float64{2000, 2000, 2000}, had)
	at := renewed()
	require.True(t, at[0].After(before))
	require.Zero(t, at[1])
	pages, _ = looks(renewedWithin)
	require.Equal(t, map[string]int{"JvmMetrics": renewedWithin, "RegionServer,sub=IPC": renewedWithin - 4, "RegionServer,sub=WAL": renewedWithin - 4}, pages)
	at = renewed()
	require.True(t, at[1].After(before), "a bean that is as it was has been renewed, too")
	require.False(t, at[1].After(at[0]))
	require.Equal(t, at, renewed(), "and only once")

	heap = 3
	_, _ = looks(1)
	requests = 3000
	_, had = looks(1)
	require.Equal(t, []float64{3000}, had, "renewed between two pages of a look")

	clear(asked)
	jvm = `{"beans":[]}`
	for range 5 {
		h.Look(t.Context())
	}
	require.Equal(t, 5, asked["RegionServer,sub=Server"], "its renewal is not visible")
}

// A server renews each bean when it is read after ten seconds, so a bean that was once read late is renewed late: its rate
// covers the time until then.
func TestABeanThatIsRenewedLateHasARightRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const name = "127.0.0.1,16020,1700000000001"
		w := &watched{seed: maphash.MakeSeed(), name: name, address: addressOf(name), base: "http://127.0.0.1:1", beans: serverBeans()}
		w.prepare()
		begin := clock.Mono()
		cached := make(map[string]time.Duration) // when a bean was renewed
		read := func(bean string, now time.Duration) string {
			if at, ok := cached[bean]; !ok || now-at >= 10*time.Second {
				cached[bean] = now
			}
			at := cached[bean].Seconds()
			return fmt.Sprintf(`{"beans":[{"tag.serverName":%q,"MemHeapUsedM":%f,"TotalCallTime_num_ops":%.0f}]}`, name, at, 100*at)
		}
		web := &http.Client{Transport: pageFunc(func(bean string) string {
			now := clock.Mono().Sub(begin)
			if bean == "RegionServer,sub=IPC" && now > 12*time.Second { // somebody else read it
				read(bean, 12500*time.Millisecond)
			}
			return read(bean, now)
		})}
		rates := observe.NewRates()
		rates.Since(begin)
		var got []float64
		for range 60 {
			<-time.After(time.Second)
			var out observe.Look
			w.look(t.Context(), web, &out)
			for i := range out.Groups {
				for _, s := range rates.Take(nil, &out.Groups[i]) {
					if s.Name == "hbase.regionserver.calls" {
						got = append(got, s.Value)
					}
				}
			}
		}
		require.GreaterOrEqual(t, len(got), 3)
		for _, rate := range got {
			require.InDelta(t, 100, rate, 1, "%v", got)
		}
	})
}

// pageFunc answers the requests for beans.
type pageFunc func(bean string) string

func (f pageFunc) RoundTrip(r *http.Request) (*http.Response, error) {
	body := f(strings.TrimPrefix(r.URL.Query().Get("qry"), hadoop))
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// The number of handlers is a setting: it is read once, and reported with each status of the cluster.
func TestTheHandlersOfAServerAreReadOnce(t *testing.T) {
	const name = "127.0.0.1,16020,1700000000001"
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query().Get("qry"); {
		case r.URL.Path == "/conf":
			if asked++; asked == 1 {
				http.Error(w, "not now", http.StatusServiceUnavailable)
				return
			}
			fmt.Fprint(w, `{"properties":[{"key":"hbase.regionserver.handler.abort.on.error.percent","value":"0.5"},`+
				`{"key":"hbase.regionserver.handler.count","value":"12","isFinal":false,"resource":"hbase-site.xml"}]}`)
		case strings.HasSuffix(query, "RegionServer,sub=Server"):
			fmt.Fprintf(w, `{"beans":[{"name":%q,"tag.serverName":%q}]}`, query, name)
		default:
			fmt.Fprint(w, `{"beans":[]}`)
		}
	}))
	defer s.Close()
	port, err := strconv.Atoi(s.URL[strings.LastIndex(s.URL, ":")+1:])
	require.NoError(t, err)
	h := watch(t, &fakeCluster{status: admin.Cluster{Servers: []admin.Server{{Name: name, InfoPort: port}}}})
	defer h.Close()
	for range 5 {
		h.Look(t.Context())
	}
	require.Equal(t, 2, asked, "once more after an error")
	h.mu.Lock()
	h.next = clock.Instant{}
	h.mu.Unlock()
	h.ask(clock.Mono())
	h.asking.Wait()
	r, ok := reported(h.Look(t.Context()), "127.0.0.1:16020", "hbase.regionserver.handlers")
	require.True(t, ok)
	require.Equal(t, observe.Reading{Name: "hbase.regionserver.handlers", Unit: "1", Value: 12}, r)
}

// A process whose server bean cannot be read may be another server's: nothing of it is reported.
func TestNothingIsReportedOfAnUnidentifiedServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Query().Get("qry"), "JvmMetrics") {
			fmt.Fprint(w, `{"beans":[{"name":"JvmMetrics","MemHeapUsedM":2}]}`)
			return
		}
		http.Error(w, "not now", http.StatusServiceUnavailable)
	}))
	defer s.Close()
	port, err := strconv.Atoi(s.URL[strings.LastIndex(s.URL, ":")+1:])
	require.NoError(t, err)
	h := watch(t, &fakeCluster{status: admin.Cluster{Servers: []admin.Server{{Name: "127.0.0.1,16020,1", InfoPort: port}}}})
	defer h.Close()
	_, ok := reported(h.Look(t.Context()), "127.0.0.1:16020", "hbase.regionserver.heap_used")
	require.False(t, ok)
}

// Between a server's restart and the next status its pages show the new process, which is neither another server nor the
// watched process.
func TestARestartedServerIsNotTakenForAnotherOne(t *testing.T) {
	requests := func() int { return 1200 }
	before, after := "127.0.0.1,16020,1700000000001", "127.0.0.1,16020,1700000000009"
	port := pages(t, after, requests)
	c := &fakeCluster{status: admin.Cluster{Servers: []admin.Server{{Name: before, InfoPort: port, Regions: 2}}}}
	h := watch(t, c)
	defer h.Close()
	look := h.Look(t.Context())
	require.Empty(t, look.Warnings)
	_, ok := reported(look, "127.0.0.1:16020", "hbase.regionserver.store_files")
	require.False(t, ok)

	c.status.Servers[0].Name = after
	h.mu.Lock()
	h.next = clock.Instant{}
	h.mu.Unlock()
	h.ask(clock.Mono())
	h.asking.Wait()
	look = h.Look(t.Context())
	require.Empty(t, look.Warnings)
	_, ok = reported(look, "127.0.0.1:16020", "hbase.regionserver.store_files")
	require.True(t, ok)
}

func TestAMasterThatDoesNotAnswerGivesAWarning(t *testing.T) {
	h := watch(t, &fakeCluster{err: errors.New("nobody there")})
	look := h.Look(t.Context())
	require.Empty(t, look.Groups)
	require.Equal(t, []string{"the status of the HBase cluster cannot be read, so its servers may be unknown: nobody there"}, look.Warnings)
	require.Empty(t, h.Look(t.Context()).Warnings)
	h.Close()
}

func TestServersOfALargeClusterAreReadInTurns(t *testing.T) {
	c := &fakeCluster{}
	for i := range 30 {
		c.status.Servers = append(c.status.Servers, admin.Server{Name: fmt.Sprintf("rs%d,16020,1", i), InfoPort: 1})
	}
	h := watch(t, c)
	h.find(&c.status)
	seen := map[string]int{}
	for range 5 {
		due := h.due(clock.Mono())
		require.Len(t, due, atOnce)
		for _, w := range due {
			seen[w.name]++
		}
	}
	require.Len(t, seen, 30)
	for name, n := range seen {
		require.Equal(t, 2, n, name)
	}
	h.Close()
}

func TestLoadsThatComeAndGoNeverCountBackwards(t *testing.T) {
	var l serverLoads
	report := func(second int64, loads ...admin.Load) float64 {
		s := admin.Server{Name: "rs,1,1", Reported: time.Unix(1700000000+second, 0), RegionLoads: loads}
		l.note(&s, clock.Mono())
		g := l.group(&s, "rs:1")
		return g.Readings[0].Value
	}
	require.InDelta(t, 0, report(1, admin.Load{Region: "a", Reads: 1000}), 0, "what was before is not counted")
	require.InDelta(t, 5, report(2, admin.Load{Region: "a", Reads: 1005}, admin.Load{Region: "b", Reads: 700}), 0)
	require.InDelta(t, 5, report(2, admin.Load{Region: "a", Reads: 1005}, admin.Load{Region: "b", Reads: 900}), 0, "the same report")
	require.InDelta(t, 8, report(3, admin.Load{Region: "b", Reads: 703}), 0, "a has moved")
	require.InDelta(t, 8, report(4, admin.Load{Region: "b", Reads: 2}), 0, "b was opened again")
}
