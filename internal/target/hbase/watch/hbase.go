package watch

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

const (
	// statusEvery is how often the cluster's status is read: region servers report to the master every three seconds.
	statusEvery  = 3 * time.Second
	statusWithin = 5 * time.Second
	// statusLasts is how long a status is taken as current.
	statusLasts = 15 * time.Second
	// statusShare limits the cost: after each status the next one waits this many times as long as it took.
	statusShare = 30
	// atOnce is how many servers are read in one look; those of a larger cluster take turns.
	atOnce = 12
	// renewedWithin is the number of looks in which all beans of a server are renewed. HBase renews a bean when it is read and its
	// values are ten seconds old. A bean that was read one look later than the page of the JVM is also renewed later.
	renewedWithin = 6
	// beanWithin is the time limit of reading one server.
	beanWithin = 2 * time.Second
	// A server that does not answer is skipped for a while. After this many failures in a row it gives a warning.
	firstRest, lastRest = 5 * time.Second, time.Minute
	tolerated           = 3
)

// Cluster returns the status of the cluster; *admin.Client is one.
type Cluster interface {
	Cluster(ctx context.Context) (admin.Cluster, error)
	Close()
}

// HBase watches the master and all region servers of a cluster.
type HBase struct {
	connect func(context.Context) (Cluster, error)
	log     *slog.Logger
	web     *http.Client
	scheme  string       // of the servers' pages
	end     func()       // closes what the connections share
	seed    maphash.Seed // of the pages' checksums

	asking  sync.WaitGroup
	quit    context.CancelFunc
	life    context.Context //nolint:containedctx // of the call to the master that is under way
	cluster Cluster

	mu     sync.Mutex
	status *statusAnswer // not processed yet
	busy   bool
	next   clock.Instant // when the status is read again

	known   bool            // there was a status
	groups  []observe.Group // from the last status
	updated clock.Instant   // when the last status came
	warned  map[string]bool
	servers map[string]*watched // by name
	order   []string            // in which they are read
	turn    int
	changes *changes
	table   *tableLoads
}

type statusAnswer struct {
	cluster admin.Cluster
	at      clock.Instant
	err     error
}

// watched is a server whose beans are read.
type watched struct {
	seed          maphash.Seed
	name, address string
	base          string // URL of its pages; empty if the port is unknown
	beans         []*bean
	values        []values
	found         []bool          // which beans exist
	current       []bool          // which values are current in this look
	fresh         []bool          // which beans were read in this look
	sums          []uint64        // checksums of the pages
	owed          []int           // how often each bean is still to be read since the last one was renewed
	renewed       []clock.Instant // when each bean was seen to be renewed; zero before
	pace          pace            // of the last bean
	page          bytes.Buffer
	master        bool

	foreign  bool          // its pages show another server in the same process
	failures int           // in a row
	rest     clock.Instant // until when it is skipped
	pause    time.Duration
	loads    serverLoads // from the master
	handlers handlers
}

// NewHBase makes a Source of a cluster, and of a table in it. It connects at the first Look.
func NewHBase(connect func(context.Context) (Cluster, error), table string, dial *outbound.Dialer, log *slog.Logger) *HBase {
	h := &HBase{
		table:   newTableLoads(table),
		connect: connect, log: log, web: outbound.Client(dial.Named("the cluster's status"), 0), seed: maphash.MakeSeed(), warned: make(map[string]bool),
		servers: make(map[string]*watched), changes: newChanges(), scheme: "http", end: func() {},
	}
	h.life, h.quit = context.WithCancel(context.Background())
	return h
}

// Close ends all calls and closes the connections.
func (h *HBase) Close() {
	h.quit()
	h.asking.Wait()
	h.web.CloseIdleConnections()
	if h.cluster != nil {
		h.cluster.Close()
	}
	h.end()
}

// Look reads the beans of the servers, and takes the newest status of the cluster. Only the first Look waits for a status.
func (h *HBase) Look(ctx context.Context) observe.Look {
	var out observe.Look
	h.ask(clock.Mono())
	if !h.known {
		h.asking.Wait()
	}
	h.takeStatus(&out)
	if h.updated.Elapsed() < statusLasts {
		out.Groups = append(out.Groups, h.groups...)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	due := h.due(clock.Mono())
	asked := slices.IndexFunc(due, (*watched).lacksHandlers)
	for i, w := range due {
		wg.Go(func() {
			var own observe.Look
			w.look(ctx, h.web, &own)
			if i == asked && !w.foreign {
				w.handlers.read(ctx, h.web, w.base)
			}
			mu.Lock()
			defer mu.Unlock()
			out.Groups = append(out.Groups, own.Groups...)
			out.Warnings = append(out.Warnings, own.Warnings...)
		})
	}
	wg.Wait()
	for i := range out.Groups {
		h.changes.counters(&out.Groups[i])
	}
	out.Events = append(out.Events, h.changes.take(clock.Mono())...)
	out.Warnings = h.fresh(out.Warnings)
	return out
}

// fresh returns the warnings that were not returned before.
func (h *HBase) fresh(warnings []string) []string {
	var out []string
	for _, w := range warnings {
		if !h.warned[w] && len(h.warned) < 1000 {
			h.warned[w] = true
			out = append(out, w)
		}
	}
	return out
}

// ask begins to read the status of the cluster, unless that is under way or was done recently.
func (h *HBase) ask(now clock.Instant) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || now.Before(h.next) || h.status != nil {
		return
	}
	h.busy = true
	h.asking.Go(func() {
		ctx, cancel := context.WithTimeout(h.life, statusWithin)
		defer cancel()
		begin := clock.Mono()
		var answer statusAnswer
		if h.cluster == nil {
			h.cluster, answer.err = h.connect(ctx)
		}
		if answer.err == nil {
			answer.cluster, answer.err = h.cluster.Cluster(ctx)
		}
		answer.at = clock.Mono()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.busy, h.status = false, &answer
		h.next = answer.at.Add(max(statusEvery, statusShare*answer.at.Sub(begin)) - answer.at.Sub(begin))
		if answer.err != nil {
			h.next = answer.at.Add(firstRest)
		}
	})
}

// takeStatus processes a new status of the cluster, if there is one.
func (h *HBase) takeStatus(out *observe.Look) {
	h.mu.Lock()
	answer := h.status
	h.status = nil
	h.mu.Unlock()
	if answer == nil {
		return
	}
	if answer.err != nil {
		if h.life.Err() == nil {
			out.Warnings = append(out.Warnings, "the status of the HBase cluster cannot be read, so its servers may be unknown: "+observe.FirstLine(answer.err))
		}
		return
	}
	c := &answer.cluster
	h.known, h.updated, h.groups = true, answer.at, nil
	h.changes.cluster(c, answer.at)
	h.find(c)
	regions := 0
	for i := range c.Servers {
		s := &c.Servers[i]
		regions += s.Regions
		w := h.servers[s.Name]
		readings := []observe.Reading{{Name: server + "regions", Unit: "1", Value: float64(s.Regions)}}
		if w.handlers.number > 0 {
			readings = append(readings, observe.Reading{Name: server + "handlers", Unit: "1", Value: w.handlers.number})
		}
		h.groups = append(h.groups, observe.Group{Key: "status", Source: w.address, At: answer.at, Epoch: s.Name, Live: true, Readings: readings})
		w.loads.note(s, answer.at)
		if w.foreign || w.failures >= tolerated || w.base == "" {
			h.groups = append(h.groups, w.loads.group(s, w.address))
		}
		h.table.note(s, w.address, w.loads.at)
	}
	h.groups = append(h.groups, h.table.take()...)
	h.groups = append(h.groups, observe.Group{Key: "status", Source: addressOf(c.Master), At: answer.at, Live: true, Readings: []observe.Reading{
		{Name: master + "servers", Unit: "1", Value: float64(len(c.Servers))},
		{Name: master + "servers_dead", Unit: "1", Value: float64(len(c.Dead))},
		{Name: master + "regions", Unit: "1", Value: float64(regions)},
	}})
}

// find updates the watched servers to those of the cluster.
func (h *HBase) find(c *admin.Cluster) {
	there := make(map[string]bool, len(c.Servers)+1)
	add := func(name string, port int, beans func() []*bean, isMaster bool) {
		key := name
		if isMaster {
			key = "master " + name
		}
		there[key] = true
		base := ""
		if port > 0 {
			base = h.scheme + "://" + net.JoinHostPort(hostOf(name), strconv.Itoa(port))
		}
		if w := h.servers[key]; w != nil {
			w.base = base
			return
		}
		w := &watched{seed: h.seed, name: name, address: addressOf(name), base: base, beans: beans(), master: isMaster}
		w.prepare()
		h.servers[key] = w
		h.order = append(h.order, key)
	}
	if c.Master != "" {
		add(c.Master, c.MasterInfo, masterBeans, true)
	}
	for i := range c.Servers {
		add(c.Servers[i].Name, c.Servers[i].InfoPort, serverBeans, false)
	}
	kept := h.order[:0]
	for _, key := range h.order {
		if there[key] {
			kept = append(kept, key)
		} else {
			delete(h.servers, key)
		}
	}
	h.order = kept
}

// prepare makes room for what is read of the beans.
func (w *watched) prepare() {
	n := len(w.beans)
	w.values, w.found, w.current, w.fresh = make([]values, n), make([]bool, n), make([]bool, n), make([]bool, n)
	w.sums, w.owed, w.renewed = make([]uint64, n), make([]int, n), make([]clock.Instant, n)
}

// due returns the servers to be read now.
func (h *HBase) due(now clock.Instant) []*watched {
	var out []*watched
	n := len(h.order)
	for i := 0; i < n && len(out) < atOnce; i++ {
		w := h.servers[h.order[(h.turn+i)%n]]
		if now.After(w.rest) {
			out = append(out, w)
		}
		if len(out) == atOnce {
			h.turn = (h.turn + i + 1) % n
		}
	}
	return out
}

// look reads a server's beans: the last one, which is small, and the others only when that was renewed.
func (w *watched) look(ctx context.Context, web *http.Client, out *observe.Look) {
	if w.base == "" {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s reports no info port, so its JMX cannot be read: %s", w, w.without()))
		w.rest = clock.Mono().Add(lastRest)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, beanWithin)
	defer cancel()
	clear(w.current)
	clear(w.fresh)
	own, err := w.readRenewed(ctx, web, out)
	now := clock.Mono()
	for i, b := range w.beans {
		if !own || w.foreign || !w.current[i] || !w.found[i] || b.live && !w.fresh[i] {
			continue
		}
		g := observe.Group{
			Key: "jmx " + b.key, Source: w.address, At: now, Epoch: w.name, Renewed: w.renewed[i], Readings: b.readings(&w.values[i]),
		}
		if b.live {
			g.At, g.Live = w.values[i].at, true
		}
		out.Groups = append(out.Groups, g)
	}
	if err != nil {
		w.failed(err, out)
		return
	}
	w.failures, w.pause = 0, 0
}

// readRenewed reads the beans that were renewed. Own is false if they are those of another server.
func (w *watched) readRenewed(ctx context.Context, web *http.Client, out *observe.Look) (own bool, err error) {
	last := len(w.beans) - 1
	asked := w.pace.due(clock.Mono())
	if asked {
		before, previous := w.sums[last], w.renewed[last]
		renewed, err := w.read(ctx, web, last)
		if err != nil {
			return false, err
		}
		if w.found[last] {
			w.pace.saw(clock.Mono(), w.sums[last])
		}
		if renewed && before != 0 {
			w.renewed[last] = clock.Mono()
		}
		if renewed || !w.found[last] {
			for i, owed := range w.owed[:last] {
				if w.found[last] && owed > 0 && owed < renewedWithin {
					w.renewed[i] = previous // it was read after that, and had not changed
				}
				w.owed[i] = renewedWithin
			}
		}
	}
	for i, b := range w.beans[:last] {
		if w.owed[i] == 0 {
			w.current[i] = asked // and not renewed; live values were of another instant
			continue
		}
		before := w.sums[i]
		renewed, err := w.read(ctx, web, i)
		if err == nil && !w.found[i] && b.key == serverBeanKey {
			err = fmt.Errorf("no bean %s", b.query)
		}
		if err != nil {
			return b.key != serverBeanKey, err // that bean names the server of all beans
		}
		if w.owed[i]--; renewed || b.live {
			w.owed[i] = 0
		}
		switch {
		case renewed && before != 0:
			w.renewed[i] = clock.Mono()
		case w.found[last] && w.owed[i] == 0: // it has been renewed, even if it has not changed
			w.renewed[i] = w.renewed[last]
		}
		if b.key == serverBeanKey && !w.master && !w.itself(w.values[i].server, out) {
			return false, nil
		}
	}
	return true, nil
}

// read reads a bean. Renewed reports whether its page has changed.
func (w *watched) read(ctx context.Context, web *http.Client, i int) (renewed bool, err error) {
	b := w.beans[i]
	if err := observe.ReadPage(ctx, web, w.base+"/jmx?qry="+url.QueryEscape(b.query), &w.page); err != nil {
		return false, err
	}
	if w.found[i], err = b.read(w.page.Bytes(), clock.Mono(), &w.values[i]); err != nil {
		return false, err
	}
	if !w.found[i] && b.other != "" {
		b.query, b.other = b.other, b.query // for the next look
	}
	w.current[i], w.fresh[i] = true, true
	sum := maphash.Bytes(w.seed, w.page.Bytes())
	renewed = sum != w.sums[i]
	w.sums[i] = sum
	return renewed, nil
}

// itself reports whether beans that name the server whose are this server's, and not those of another one in the same process.
func (w *watched) itself(whose string, out *observe.Look) bool {
	other := whose != "" && !strings.EqualFold(whose, w.name)
	if other && strings.EqualFold(addressOf(whose), w.address) {
		w.failures = 0
		return false // the server was restarted; the next status will show it
	}
	if w.foreign = other; other {
		w.failures = 0
		w.rest = clock.Mono().Add(lastRest)
		out.Warnings = append(out.Warnings, fmt.Sprintf("the JMX of %s shows %s, which is in the same process: %s", w, addressOf(whose), w.without()))
	}
	return !other
}

// failed has a server skipped for a while.
func (w *watched) failed(err error, out *observe.Look) {
	w.failures++
	w.pause = min(max(2*w.pause, firstRest), lastRest)
	if w.failures < tolerated {
		w.pause = 0
		return
	}
	w.rest = clock.Mono().Add(w.pause)
	if w.failures == tolerated {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the JMX of %s cannot be read: %s (%s)", w, w.without(), observe.FirstLine(err)+cure(err)))
	}
}

// without describes what is known of a server without JMX.
func (w *watched) without() string {
	if w.master {
		return "its heap and its queues are not watched"
	}
	return "its figures are those that it reports to the master every few seconds"
}

// String names the server.
func (w *watched) String() string {
	if w.master {
		return "master " + w.address
	}
	return "region server " + w.address
}

func hostOf(name string) string {
	host, _, _ := strings.Cut(name, ",")
	return host
}

// addressOf returns host:port of a server's name host,port,start.
func addressOf(name string) string {
	host, rest, _ := strings.Cut(name, ",")
	port, _, _ := strings.Cut(rest, ",")
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}
