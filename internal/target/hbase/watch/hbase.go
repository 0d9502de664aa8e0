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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

const (
	// statusEvery is how often the master is asked how the cluster is: region servers tell it every three seconds.
	statusEvery  = 3 * time.Second
	statusWithin = 5 * time.Second
	// statusLasts is how long an answer is taken for what is so.
	statusLasts = 15 * time.Second
	// statusShare bounds what asking costs: after an answer that took long nobody asks for so many times as long.
	statusShare = 30
	// atOnce is how many servers are looked at in one look; of a larger cluster they take turns.
	atOnce = 12
	// renewedWithin is in how many looks a server's beans are all renewed: two that see the first and the last at each side of
	// that instant.
	renewedWithin = 2
	// beanWithin bounds a look at one server.
	beanWithin = 2 * time.Second
	// A server that does not answer is left alone for a while, and told of when it has not answered so many times.
	firstRest, lastRest = 5 * time.Second, time.Minute
	tolerated           = 3
)

// Cluster is what HBase needs to know of the cluster; *admin.Client is one.
type Cluster interface {
	Cluster(ctx context.Context) (admin.Cluster, error)
	Close()
}

// HBase watches the master and all region servers of a cluster.
type HBase struct {
	connect func(context.Context) (Cluster, error)
	log     *slog.Logger
	web     *http.Client
	seed    maphash.Seed // of the sums of pages

	asking  sync.WaitGroup
	quit    context.CancelFunc
	life    context.Context //nolint:containedctx // of the question to the master that is under way
	cluster Cluster

	mu     sync.Mutex
	status *statusAnswer // not seen yet
	busy   bool
	next   clock.Instant // when the master is asked again

	known   bool            // the cluster has been seen
	groups  []observe.Group // what the master told last
	told    clock.Instant
	warned  map[string]bool
	servers map[string]*watched // by name
	order   []string            // in which they are looked at
	turn    int
	changes *changes
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
	base          string // of its pages; empty where the port is not told
	beans         []*bean
	values        []values
	found         []bool          // which beans there are
	current       []bool          // which of them are known to be as they are in this look
	sums          []uint64        // of their pages
	owed          []int           // how often each is still to be read since the last of them was renewed
	renewed       []clock.Instant // when each was seen to be renewed; zero before
	pace          pace            // of the last of them
	page          bytes.Buffer
	master        bool

	foreign  bool          // its pages tell of another server in the same process
	failures int           // one after another
	rest     clock.Instant // until when it is left alone
	pause    time.Duration
	loads    serverLoads // as the master has them
}

// NewHBase makes a Source of a cluster, to which it connects when it is looked at.
func NewHBase(connect func(context.Context) (Cluster, error), log *slog.Logger) *HBase {
	h := &HBase{
		connect: connect, log: log, web: observe.NewClient(), seed: maphash.MakeSeed(), warned: make(map[string]bool),
		servers: make(map[string]*watched), changes: newChanges(),
	}
	h.life, h.quit = context.WithCancel(context.Background())
	return h
}

// Close ends what is under way.
func (h *HBase) Close() {
	h.quit()
	h.asking.Wait()
	h.web.CloseIdleConnections()
	if h.cluster != nil {
		h.cluster.Close()
	}
}

// Look reads the beans of the servers, and takes what the master has told meanwhile. The first look waits for that.
func (h *HBase) Look(ctx context.Context) observe.Look {
	var out observe.Look
	h.ask(clock.Mono())
	if !h.known {
		h.asking.Wait()
	}
	h.takeStatus(&out)
	if h.told.Elapsed() < statusLasts {
		out.Groups = append(out.Groups, h.groups...)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, w := range h.due(clock.Mono()) {
		wg.Go(func() {
			var own observe.Look
			w.look(ctx, h.web, &own)
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

// fresh are warnings that were not told before.
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

// ask has the master asked, unless it is being asked or was not long ago.
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

// takeStatus takes what the master has told.
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
	h.known, h.told, h.groups = true, answer.at, nil
	h.changes.cluster(c, answer.at)
	h.find(c)
	regions := 0
	for i := range c.Servers {
		s := &c.Servers[i]
		regions += s.Regions
		w := h.servers[s.Name]
		h.groups = append(h.groups, observe.Group{Key: "status", Source: w.address, At: answer.at, Epoch: s.Name, Live: true, Readings: []observe.Reading{
			{Name: server + "regions", Unit: "1", Value: float64(s.Regions)},
		}})
		if w.foreign || w.failures >= tolerated || w.base == "" {
			h.groups = append(h.groups, w.loads.group(s, w.address, answer.at))
		} else {
			w.loads.note(s, answer.at)
		}
	}
	h.groups = append(h.groups, observe.Group{Key: "status", Source: addressOf(c.Master), At: answer.at, Live: true, Readings: []observe.Reading{
		{Name: master + "servers", Unit: "1", Value: float64(len(c.Servers))},
		{Name: master + "servers_dead", Unit: "1", Value: float64(len(c.Dead))},
		{Name: master + "regions", Unit: "1", Value: float64(regions)},
	}})
}

// find makes the servers that are watched those of the cluster.
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
			base = "http://" + net.JoinHostPort(hostOf(name), strconv.Itoa(port)) + "/jmx?qry="
		}
		if w := h.servers[key]; w != nil {
			w.base = base
			return
		}
		w := &watched{seed: h.seed, name: name, address: addressOf(name), base: base, beans: beans(), master: isMaster}
		n := len(w.beans)
		w.values, w.found, w.current = make([]values, n), make([]bool, n), make([]bool, n)
		w.sums, w.owed, w.renewed = make([]uint64, n), make([]int, n), make([]clock.Instant, n)
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

// due are the servers whose turn it is.
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

// look reads a server's beans: the last of them, which is small, and the others when that was renewed. HBase renews all
// of a process at the same time.
func (w *watched) look(ctx context.Context, web *http.Client, out *observe.Look) {
	if w.base == "" {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s tells no port of its pages, so there is no JMX of it: %s", w, w.without()))
		w.rest = clock.Mono().Add(lastRest)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, beanWithin)
	defer cancel()
	clear(w.current)
	own, err := w.readRenewed(ctx, web, out)
	now := clock.Mono()
	for i, b := range w.beans {
		if own && !w.foreign && w.current[i] && w.found[i] {
			out.Groups = append(out.Groups, observe.Group{
				Key: "jmx " + b.key, Source: w.address, At: now, Epoch: w.name, Renewed: w.renewed[i], Readings: b.readings(&w.values[i]),
			})
		}
	}
	if err != nil {
		w.failed(err, out)
		return
	}
	w.failures, w.pause = 0, 0
}

// readRenewed reads the beans that were renewed. Own says that they are the server's.
func (w *watched) readRenewed(ctx context.Context, web *http.Client, out *observe.Look) (own bool, err error) {
	last := len(w.beans) - 1
	asked := w.pace.due(clock.Mono())
	if asked {
		before := w.sums[last]
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
			for i := range w.owed[:last] {
				w.owed[i] = renewedWithin
			}
		}
	}
	for i, b := range w.beans[:last] {
		if w.owed[i] == 0 {
			w.current[i] = asked // and not renewed
			continue
		}
		before := w.sums[i]
		renewed, err := w.read(ctx, web, i)
		if err == nil && !w.found[i] && b.key == serverBeanKey {
			err = fmt.Errorf("there is no bean %s", b.query)
		}
		if err != nil {
			return b.key != serverBeanKey, err // that bean tells whose all of them are
		}
		if w.owed[i]--; renewed {
			w.owed[i] = 0
		}
		switch {
		case w.found[last] && w.owed[i] == 0: // with the others, also where it stayed as it was
			w.renewed[i] = w.renewed[last]
		case !w.found[last] && renewed && before != 0:
			w.renewed[i] = clock.Mono()
		}
		if b.key == serverBeanKey && !w.master && !w.itself(w.values[i].server, out) {
			return false, nil
		}
	}
	return true, nil
}

// read reads a bean. Renewed says that its page is not as it was.
func (w *watched) read(ctx context.Context, web *http.Client, i int) (renewed bool, err error) {
	if err := observe.ReadPage(ctx, web, w.base+url.QueryEscape(w.beans[i].query), &w.page); err != nil {
		return false, err
	}
	if w.found[i], err = w.beans[i].read(w.page.Bytes(), &w.values[i]); err != nil {
		return false, err
	}
	w.current[i] = true
	sum := maphash.Bytes(w.seed, w.page.Bytes())
	renewed = sum != w.sums[i]
	w.sums[i] = sum
	return renewed, nil
}

// itself reports whether beans that are those of whose are the server's own, not those of another in the same process.
func (w *watched) itself(whose string, out *observe.Look) bool {
	other := whose != "" && !strings.EqualFold(whose, w.name)
	if other && strings.EqualFold(addressOf(whose), w.address) {
		w.failures = 0
		return false // it was started anew, of which the master will tell
	}
	if w.foreign = other; other {
		w.failures = 0
		w.rest = clock.Mono().Add(lastRest)
		out.Warnings = append(out.Warnings, fmt.Sprintf("the JMX of %s tells of %s, which is in the same process: %s", w, addressOf(whose), w.without()))
	}
	return !other
}

// failed leaves a server alone for a while.
func (w *watched) failed(err error, out *observe.Look) {
	w.failures++
	w.pause = min(max(2*w.pause, firstRest), lastRest)
	if w.failures < tolerated {
		w.pause = 0
		return
	}
	w.rest = clock.Mono().Add(w.pause)
	if w.failures == tolerated {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the JMX of %s cannot be read: %s (%s)", w, w.without(), observe.FirstLine(err)))
	}
}

// without says what is known of a server all the same.
func (w *watched) without() string {
	if w.master {
		return "its heap and its queues are not watched"
	}
	return "of it there is what it tells the master, every few seconds"
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

// addressOf is host:port of a server's name, which is host,port,start.
func addressOf(name string) string {
	host, rest, _ := strings.Cut(name, ",")
	port, _, _ := strings.Cut(rest, ",")
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}
