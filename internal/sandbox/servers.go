package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/regionserver"
	"github.com/benchd/benchd/internal/sandbox/service"
)

// node is one region server with its ports.
type node struct {
	*regionserver.Server
	port net.Listener
	info *infoPort

	resumed context.CancelFunc // set while the server is silent: cancels the master's detection
}

func (n *node) close() {
	n.info.close()
	n.port.Close()
	n.Close()
}

// launch makes a region server that does not serve yet.
func (s *Sandbox) launch(ctx context.Context, number int, at, infoAt string) (_ *node, err error) {
	model, err := service.New(s.options.Service, number)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, model.Close())
		}
	}()
	port, err := listen(ctx, at)
	if err != nil {
		return nil, err
	}
	info, err := newInfoPort(ctx, infoAt)
	if err != nil {
		port.Close()
		return nil, err
	}
	known := cluster.NewServer(number, address(port), address(info.listener), time.UnixMilli(s.startCode()))
	return &node{
		Server: regionserver.New(regionserver.Config{
			Cluster: s.cluster, Node: known, Begin: s.begin, Faults: s.faults, Model: model,
			Lease: s.options.Lease, Synced: s.options.Data != "", Logger: s.options.Logger,
		}),
		port: port,
		info: info,
	}, nil
}

func (s *Sandbox) serve(n *node) {
	n.Start(n.port)
	n.info.serve(s.serverHandler(n), n.Gate())
	s.znodes.server(n.Node)
}

// startCode returns the time in milliseconds, or the next unused value after it. Start codes distinguish servers.
func (s *Sandbox) startCode() int64 {
	s.last = max(time.Now().UnixMilli(), s.last+1)
	return s.last
}

// Servers lists all region servers, including killed ones, in the order in which they were added.
func (s *Sandbox) Servers() []Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Server, len(s.nodes))
	for i, n := range s.nodes {
		all[i] = describe(n.Node)
	}
	return all
}

// Accepted is how many connections the region servers have accepted since they started.
func (s *Sandbox) Accepted() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.nodes {
		n += one.Accepted()
	}
	return n
}

func describe(n *cluster.Server) Server {
	regions := 0
	if n.Alive() {
		regions = n.Count()
	}
	return Server{Name: n.Name(), Address: n.Address(), Info: n.Info, Alive: n.Alive(), Silent: n.Silent(), Regions: regions}
}

// find finds a server by its name, its address, or its number from 1. The caller holds the sandbox's lock.
func (s *Sandbox) find(name string) (int, error) {
	if s.closed {
		return 0, errClosed
	}
	for i, n := range s.nodes {
		if n.Node.Name() == name || n.Node.Address() == name || strconv.Itoa(i+1) == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("find region server %q: %w; there are 1 to %d", name, ErrUnknownServer, len(s.nodes))
}

// KillServer ends a region server as a crash does: its connections break at once, and other servers take its regions
// when the master has noticed. The name is the server's name, its address, or its number from 1.
func (s *Sandbox) KillServer(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(name)
	if err != nil {
		return err
	}
	n := s.nodes[i]
	if !n.Node.Alive() {
		return fmt.Errorf("kill region server %s: it is dead already", n.Node.Name())
	}
	s.end(n)
	s.options.Logger.Info("region server killed", "server", n.Node.Name())
	s.detect(s.ctx, n)
	return nil
}

// end stops a server as a crash does. The caller holds the sandbox's lock.
func (s *Sandbox) end(n *node) {
	s.cluster.Killed(n.Node)
	n.close()
	s.work.Go(n.Wait)
}

// detect makes the master notice, after the detection time, that a server is killed or silent, unless ctx ends before.
func (s *Sandbox) detect(ctx context.Context, n *node) {
	s.work.Go(func() {
		timer := time.NewTimer(s.options.Detection)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil {
			n.Fence()
			s.bury(n.Node)
		}
	})
}

// SilenceServer stops a region server as SIGSTOP does: its connections stay open and new ones are accepted, but nothing
// is answered. Other servers take its regions when the master has noticed.
func (s *Sandbox) SilenceServer(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(name)
	if err != nil {
		return err
	}
	n := s.nodes[i]
	switch {
	case !n.Node.Alive():
		return fmt.Errorf("silence region server %s: it is dead", n.Node.Name())
	case n.Node.Silent():
		return fmt.Errorf("silence region server %s: it is silent already", n.Node.Name())
	}
	n.Gate().Shut()
	s.cluster.Silenced(n.Node)
	s.options.Logger.Info("region server silenced", "server", n.Node.Name())
	ctx, stop := context.WithCancel(s.ctx)
	n.resumed = stop
	s.detect(ctx, n)
	return nil
}

// ResumeServer continues a silent region server. If the master has given its regions to others in the meantime, the
// server ends, as in HBase, and is started again.
func (s *Sandbox) ResumeServer(ctx context.Context, name string) (Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(name)
	if err != nil {
		return Server{}, err
	}
	n := s.nodes[i]
	if !n.Node.Silent() {
		return Server{}, fmt.Errorf("resume region server %s: it is not silent", n.Node.Name())
	}
	n.resumed()
	if !n.Node.Known() {
		return s.restart(ctx, i)
	}
	s.cluster.Resumed(n.Node)
	n.Gate().Open()
	s.options.Logger.Info("region server resumed", "server", n.Node.Name())
	return describe(n.Node), nil
}

// bury makes the master notice that a server was killed or is silent.
func (s *Sandbox) bury(n *cluster.Server) {
	s.znodes.gone(n)
	if err := s.cluster.Bury(n); err != nil {
		s.options.Logger.Error("assign the regions of a lost server", "server", n.Name(), "err", err)
	}
}

// AddServer starts one more region server. The balancer gives it regions, if it is on.
func (s *Sandbox) AddServer(ctx context.Context) (Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Server{}, errClosed
	}
	if len(s.nodes) >= maxServers {
		return Server{}, fmt.Errorf("add region server: the sandbox has %d, which is the limit", maxServers)
	}
	n, err := s.launch(ctx, len(s.nodes)+1, s.host+":0", s.host+":0")
	if err != nil {
		return Server{}, err
	}
	s.nodes = append(s.nodes, n)
	return s.join(n)
}

// RestartServer starts a killed region server again at the same address, with a new start code. It kills a live server
// first.
func (s *Sandbox) RestartServer(ctx context.Context, name string) (Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(name)
	if err != nil {
		return Server{}, err
	}
	return s.restart(ctx, i)
}

func (s *Sandbox) restart(ctx context.Context, i int) (Server, error) {
	old := s.nodes[i]
	if old.Node.Alive() {
		s.end(old)
	}
	n, err := s.launch(ctx, i+1, old.Node.Address(), old.Node.Info)
	if err != nil {
		return Server{}, fmt.Errorf("restart region server %s: %w", old.Node.Name(), err)
	}
	s.nodes[i] = n
	server, err := s.join(n)
	// A server that starts at the same address shows the master that the former one is gone.
	s.bury(old.Node)
	if err == nil && s.cluster.Balancing.Load() {
		_, err = s.cluster.Balance()
	}
	return server, err
}

// join makes a new server serve.
func (s *Sandbox) join(n *node) (Server, error) {
	s.serve(n)
	if err := s.cluster.Join(n.Node); err != nil {
		return describe(n.Node), err
	}
	if s.cluster.Balancing.Load() {
		if _, err := s.cluster.Balance(); err != nil {
			return describe(n.Node), fmt.Errorf("balance: %w", err)
		}
	}
	s.options.Logger.Info("region server started", "server", n.Node.Name(), "regions", n.Node.Count())
	return describe(n.Node), nil
}

// events carries out the plan's events on servers.
type events struct{ *Sandbox }

// RestartServer starts a region server again.
func (e events) RestartServer(ctx context.Context, name string) error {
	_, err := e.Sandbox.RestartServer(ctx, name)
	return err
}

// AddServer starts one more region server.
func (e events) AddServer(ctx context.Context) error {
	_, err := e.Sandbox.AddServer(ctx)
	return err
}

// ResumeServer continues a silent region server.
func (e events) ResumeServer(ctx context.Context, name string) error {
	_, err := e.Sandbox.ResumeServer(ctx, name)
	return err
}
