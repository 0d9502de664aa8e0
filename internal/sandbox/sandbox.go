package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/jmx"
	"github.com/benchd/benchd/internal/sandbox/master"
	"github.com/benchd/benchd/internal/sandbox/regionserver"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/sandbox/zookeeper"
)

// Server describes one region server.
type Server = control.Server

// Sandbox is a running cluster.
type Sandbox struct {
	options Options
	host    string
	started time.Time
	quorum  string
	begin   *regionserver.Beginning

	store   *store.Store
	synced  jmx.Histogram // how long writes waited for the disk
	cluster *cluster.Cluster
	znodes  znodes
	zoo     *zookeeper.Server
	zooNode *fault.Server
	faults  *fault.Plan
	master  *master.Server
	info    *infoPort // the master's

	ctx    context.Context //nolint:containedctx // ends with the sandbox; for background work
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex
	nodes  []*node // by number, from 1
	last   int64   // start code
	closed bool
}

// ErrUnknownServer is returned for a server that is not in the sandbox.
var ErrUnknownServer = errors.New("no such region server")

// errClosed is returned after the sandbox was closed.
var errClosed = errors.New("the sandbox is closed")

// Start starts a cluster and returns when it serves.
func Start(ctx context.Context, options Options) (_ *Sandbox, err error) {
	options.ensureDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	s := &Sandbox{options: options, started: time.Now()}
	if s.faults, err = fault.New(); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	zk, err := listen(ctx, options.ZooKeeper)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			zk.Close()
		}
	}()
	s.host = address(zk).IP.String()
	s.zooNode = fault.NewServer(0, s.host, address(zk).Port, 0)
	s.quorum = zk.Addr().String()
	if s.store, err = store.Open(store.Options{
		Dir: options.Data, MaxBytes: options.MaxMemory, ReplicaAge: options.ReplicaAge, Logger: options.Logger, OnSync: s.synced.Record,
	}); err != nil {
		return nil, err
	}
	s.znodes = newZnodes(options.Root)
	s.cluster = cluster.New(s.store, options.Logger, s.znodes.meta)
	if err := s.startMaster(ctx); err != nil {
		return nil, err
	}
	var first []*cluster.Server
	for range options.Servers {
		n, err := s.launch(ctx, len(s.nodes)+1, s.host+":0", s.host+":0")
		if err != nil {
			return nil, err
		}
		s.nodes = append(s.nodes, n)
		first = append(first, n.Node)
	}
	if err := s.cluster.Begin(first...); err != nil {
		return nil, err
	}
	s.znodes.replicas(s.cluster.ReplicateMeta(options.MetaReplicas))
	for _, n := range s.nodes {
		s.serve(n)
	}
	s.zoo = zookeeper.NewServer(s.znodes.tree, options.Logger, s.slow)
	for _, f := range options.Faults {
		if _, err := s.faults.Add(f); err != nil {
			return nil, err
		}
	}
	s.work.Go(func() { s.faults.Run(s.ctx, events{s}) })
	s.info.serve(s.masterHandler(), &rpc.Gate{}) // after the loops above: it shows everything that they made
	s.zoo.Start(zk)                              // last: a client that finds the cluster finds all of it
	options.Logger.Info("sandbox is up", "zookeeper", s.quorum, "region_servers", len(first), "took", time.Since(s.started))
	return s, nil
}

func (s *Sandbox) startMaster(ctx context.Context) error {
	var id [16]byte
	rand.Read(id[:])
	port, err := listen(ctx, s.host+":0")
	if err != nil {
		return err
	}
	at := address(port)
	code := s.startCode()
	s.begin = &regionserver.Beginning{
		ClusterID: hex.EncodeToString(id[:]),
		Master: &hbasepb.ServerName{
			HostName: new(s.host), Port: new(uint32(at.Port)), StartCode: new(uint64(code)),
		},
	}
	infoAddress := s.options.Info
	if infoAddress == "" {
		infoAddress = s.host + ":0"
	}
	if s.info, err = newInfoPort(ctx, infoAddress); err != nil {
		port.Close()
		return err
	}
	s.master = master.New(master.Config{
		Cluster: s.cluster, Begin: s.begin, Faults: s.faults, Node: fault.NewServer(0, s.host, at.Port, code),
		InfoPort: s.info.port(), Started: s.started, Logger: s.options.Logger,
	})
	s.znodes.begin(s.begin, s.info.port(), s.started)
	s.master.Start(port)
	return nil
}

// slow applies faults to ZooKeeper, which has no HBase exceptions: calls wait, or their connection ends.
func (s *Sandbox) slow(ctx context.Context) error {
	if s.faults.Quiet() {
		return nil
	}
	v := s.faults.Decide(fault.Call{Server: s.zooNode, Op: fault.ZooKeeper})
	if err := v.Wait(ctx); err != nil {
		return err
	}
	if v.Cut || v.Exception != nil {
		return net.ErrClosed
	}
	return nil
}

// Quorum is the address that clients use as hbase.zookeeper.quorum.
func (s *Sandbox) Quorum() string { return s.quorum }

// Master is the address of the master, HOST:PORT, which also serves the registry of clients without ZooKeeper.
func (s *Sandbox) Master() string {
	return net.JoinHostPort(s.begin.Master.GetHostName(), strconv.Itoa(int(s.begin.Master.GetPort())))
}

// Root is the znode that clients use as zookeeper.znode.parent.
func (s *Sandbox) Root() string { return s.options.Root }

// Info is the address of the master's pages, which include the control API.
func (s *Sandbox) Info() string { return s.info.address() }

// Close stops the cluster and its connections. A folder in Options.Data keeps its contents.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	nodes := s.nodes
	s.mu.Unlock()
	s.cancel()
	if s.zoo != nil {
		s.zoo.Close()
	}
	if s.info != nil {
		s.info.close()
	}
	for _, n := range nodes {
		n.close()
		n.Wait()
	}
	if s.master != nil {
		s.master.Close()
	}
	s.work.Wait()
	err := s.faults.Close()
	if s.store == nil {
		return err
	}
	return errors.Join(err, s.store.Close())
}

func listen(ctx context.Context, at string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", at)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w; choose another address", at, err)
	}
	return l, nil
}

func address(l net.Listener) *net.TCPAddr {
	at, _ := l.Addr().(*net.TCPAddr)
	return at
}
