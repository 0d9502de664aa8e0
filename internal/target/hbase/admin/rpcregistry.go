package admin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// Bootstrap lists the servers that are asked for the master and for hbase:meta in place of ZooKeeper.
type Bootstrap struct {
	// Servers are HOST:PORT of masters or region servers.
	Servers []string
	// Property names, in errors, the setting that lists them.
	Property string
	// Masters means that only masters are asked.
	Masters bool
}

const (
	// hedge is how long a server may take to answer before another one is asked, too.
	hedge = 500 * time.Millisecond
	// answersWithin is the time limit of one server.
	answersWithin = 3 * time.Second
	// refreshEvery is the time between two questions for further servers, as in HBase's client.
	refreshEvery = 5 * time.Minute
	// maxNodes is how many servers are remembered from answers, and maxReasons how many an error lists.
	maxNodes, maxReasons = 16, 3
)

// rpcRegistry is the registry that masters and region servers of HBase keep themselves: ClientMetaService. It asks one server, and
// another one when that fails or is slow.
type rpcRegistry struct {
	bootstrap Bootstrap
	dial      *outbound.Dialer
	ask       func(ctx context.Context, to endpoint, method string, request, response proto.Message) error

	mu        sync.Mutex
	last      string   // the server that answered last
	nodes     []string // servers that others have named
	refreshed time.Time
}

func newRPCRegistry(config Config, ask func(context.Context, endpoint, string, proto.Message, proto.Message) error) *rpcRegistry {
	return &rpcRegistry{bootstrap: config.Bootstrap, dial: config.Dial.Named(config.Bootstrap.Property), ask: ask}
}

func (*rpcRegistry) name() string { return "HBase's RPC registry" }

// found is what one server answers.
type found struct {
	server string
	sites  sites
	err    error
}

// find asks servers until one knows the sites of all services. It starts with the one that answered last.
func (r *rpcRegistry) find(ctx context.Context, services []string) (sites, error) {
	for _, server := range r.bootstrap.Servers {
		if err := r.dial.Check(ctx, server); err != nil {
			return sites{}, err //nolint:wrapcheck // it names the server and the property
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	servers := r.servers()
	answers := make(chan found, len(servers))
	var failed []error
	for next, ended := 0, 0; ended < len(servers); {
		var slow <-chan time.Time
		if next < len(servers) {
			server := servers[next]
			next++
			work.Go(func() {
				at, err := r.from(ctx, server, services)
				answers <- found{server, at, err}
			})
			slow = time.After(hedge)
		}
		select {
		case answer := <-answers:
			if answer.err == nil {
				r.answered(ctx, answer.server)
				return answer.sites, nil
			}
			ended++
			failed = append(failed, answer.err)
		case <-slow:
		}
	}
	return sites{}, r.nobody(failed)
}

// servers lists the servers in the order in which they are asked: the last one that answered, the configured ones in any order, so
// that agents spread over them, and those that others have named.
func (r *rpcRegistry) servers() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.bootstrap.Servers)
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, node := range r.nodes {
		if !slices.Contains(list, node) {
			list = append(list, node)
		}
	}
	if i := slices.Index(list, r.last); i > 0 {
		list[0], list[i] = list[i], list[0]
	}
	return list
}

// from asks one server for the sites of services.
func (r *rpcRegistry) from(ctx context.Context, server string, services []string) (sites, error) {
	ctx, cancel := attempt(ctx, answersWithin)
	defer cancel()
	var at sites
	if slices.Contains(services, masterService) {
		var answer hbasepb.GetActiveMasterResponse
		if err := r.call(ctx, server, "GetActiveMaster", &hbasepb.GetActiveMasterRequest{}, &answer); err != nil {
			return sites{}, err
		}
		if answer.GetServerName().GetHostName() == "" {
			return sites{}, fmt.Errorf("%w: HBase server %s knows none; is the master running, or still starting?", errNoMaster, server)
		}
		at.master = address(answer.GetServerName())
	}
	if slices.Contains(services, clientService) {
		var answer hbasepb.GetMetaRegionLocationsResponse
		if err := r.call(ctx, server, "GetMetaRegionLocations", &hbasepb.GetMetaRegionLocationsRequest{}, &answer); err != nil {
			return sites{}, err
		}
		for _, l := range answer.GetMetaLocations() {
			if l.GetServerName().GetHostName() != "" {
				at.place(int(l.GetRegionInfo().GetReplicaId()), address(l.GetServerName()))
			}
		}
		if at.meta == "" {
			return sites{}, fmt.Errorf("%w: HBase server %s knows none; is any region server running?", errNoMeta, server)
		}
	}
	return at, nil
}

var (
	errNoMaster = errors.New("no active HBase master")
	errNoMeta   = errors.New("no region server serves hbase:meta")
)

// call asks one server. A server with Kerberos may be a master or a region server, which have principals of their own: the second
// connection takes the other one.
func (r *rpcRegistry) call(ctx context.Context, server, method string, request, response proto.Message) error {
	to := endpoint{metaService, server}
	err := r.ask(ctx, to, method, request, response)
	if errors.Is(err, rpc.ErrOtherPrincipal) {
		err = r.ask(ctx, to, method, request, response)
	}
	return err
}

// answered notes the server of a good answer, and asks it now and then for further servers.
func (r *rpcRegistry) answered(ctx context.Context, server string) {
	r.mu.Lock()
	r.last = server
	due := r.refreshed.IsZero() || time.Since(r.refreshed) > refreshEvery
	if due {
		r.refreshed = time.Now()
	}
	r.mu.Unlock()
	if !due {
		return
	}
	named, err := r.further(ctx, server)
	if err != nil {
		return // HBase before 2.4 has no such call, and the configured servers remain
	}
	nodes := make([]string, 0, maxNodes)
	for _, s := range named {
		if node := address(s); s.GetHostName() != "" && len(nodes) < maxNodes && r.dial.Check(ctx, node) == nil {
			nodes = append(nodes, node)
		}
	}
	rand.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes = nodes
}

// further asks a server which others there are.
func (r *rpcRegistry) further(ctx context.Context, server string) ([]*hbasepb.ServerName, error) {
	ctx, cancel := attempt(ctx, hedge)
	defer cancel()
	if !r.bootstrap.Masters {
		var answer hbasepb.GetBootstrapNodesResponse
		err := r.call(ctx, server, "GetBootstrapNodes", &hbasepb.GetBootstrapNodesRequest{}, &answer)
		return answer.GetServerName(), err
	}
	var answer hbasepb.GetMastersResponse
	err := r.call(ctx, server, "GetMasters", &hbasepb.GetMastersRequest{}, &answer)
	var masters []*hbasepb.ServerName
	for _, m := range answer.GetMasterServers() {
		masters = append(masters, m.GetServerName())
	}
	return masters, err
}

// nobody returns the error for servers that all have failed. A server that answers knows best what is missing.
func (r *rpcRegistry) nobody(failed []error) error {
	slices.SortStableFunc(failed, func(a, b error) int { return weight(a) - weight(b) })
	reasons := failed[0]
	for _, err := range failed[1:min(len(failed), maxReasons)] {
		reasons = fmt.Errorf("%w; %w", reasons, err)
	}
	if more := len(failed) - maxReasons; more > 0 {
		reasons = fmt.Errorf("%w; and %d more", reasons, more)
	}
	list := r.bootstrap.Property + "=" + strings.Join(r.bootstrap.Servers, ",")
	if weight(failed[0]) == 0 {
		return fmt.Errorf("ask the servers of %s: %w", list, reasons)
	}
	cure := "is HBase 2.3 or later running there, and is each port that of a master, 16000 by default?"
	if !r.bootstrap.Masters {
		cure = "is HBase running there, and is each port that of a master (HBase 2.3 or later, 16000 by default) or of a region server (2.5 or later, 16020)?"
	}
	return fmt.Errorf("%w: no server of %s answers (%w): %s", ErrNotReached, list, reasons, cure)
}

// weight sorts errors: those of servers that answer come first, then those of servers that refuse the connection.
func weight(err error) int {
	_, exception := errors.AsType[*protocol.Exception](err)
	switch {
	case errors.Is(err, errNoMaster), errors.Is(err, errNoMeta), exception, rpc.IsFinal(err):
		return 0
	}
	return 1
}
