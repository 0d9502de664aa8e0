package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

const (
	unknownRegion = "org.apache.hadoop.hbase.UnknownRegionException"
	finalIO       = "org.apache.hadoop.hbase.DoNotRetryIOException"
)

// ErrNoServer is returned when no live region server can serve a region.
var ErrNoServer = errors.New("no region server is alive")

// Cluster holds the regions and servers of a sandbox.
type Cluster struct {
	// Meta is hbase:meta.
	Meta *meta.Table
	// Balancing, Splitting, Merging and Normalizing are HBase's switches of that name.
	Balancing, Splitting, Merging, Normalizing atomic.Bool
	// InMotion is how many regions are not served because their server was killed or is silent.
	InMotion atomic.Int64
	// SplitsAsked and SplitsDone count splits.
	SplitsAsked, SplitsDone atomic.Int64
	// Nonces are the nonces of increments and appends.
	Nonces Nonces

	past  atomic.Int64 // requests of forgotten servers
	since atomic.Int64 // when InMotion became nonzero, in nanoseconds

	store  *store.Store
	logger *slog.Logger
	copied []*Server     // have copies of hbase:meta, from number 1 on
	watch  func(*Server) // called when hbase:meta moves to another server

	mu      sync.Mutex // serializes changes
	opened  int64
	servers []*Server       // in starting order; a dead one stays until it is started again
	orphans []*store.Region // regions of enabled tables that no server could take
}

// New makes a cluster of a store's tables. New calls watch with each server that gets hbase:meta; the cluster is locked
// meanwhile.
func New(s *store.Store, logger *slog.Logger, watch func(*Server)) *Cluster {
	c := &Cluster{Meta: meta.New(), store: s, logger: logger, watch: watch}
	// Opening numbers continue over restarts, because clients compare them.
	c.opened = time.Now().UnixMilli()
	for _, on := range []*atomic.Bool{&c.Balancing, &c.Splitting, &c.Merging} {
		on.Store(true)
	}
	return c
}

// Store holds the tables.
func (c *Cluster) Store() *store.Store { return c.store }

// Servers lists the servers in starting order, including dead ones that were not started again.
func (c *Cluster) Servers() []*Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.servers)
}

// Live lists the servers that the master considers alive.
func (c *Cluster) Live() []*Server {
	return slices.DeleteFunc(c.Servers(), func(s *Server) bool { return !s.Known() })
}

// MetaServer is the server of hbase:meta; nil if it has none.
func (c *Cluster) MetaServer() *Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holder(meta.EncodedName)
}

// Begin assigns hbase:meta and all regions of the catalogue to servers. A region returns to the server at its former
// address.
func (c *Cluster) Begin(servers ...*Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	c.servers = append(c.servers, servers...)
	for _, t := range c.store.Tables() {
		c.Meta.Update([]meta.Row{meta.TableRow(t.Name, t.State == store.Enabled)})
	}
	if err := c.place(nil, c.store.AllRegions()); err != nil {
		return err
	}
	return c.placeMeta()
}

// Join adds a server and gives it all regions that have no server.
func (c *Cluster) Join(s *Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	c.servers = append(c.servers, s)
	c.forget()
	if c.holder(meta.EncodedName) == nil {
		if err := c.placeMeta(); err != nil {
			return err
		}
	}
	orphans := c.orphans
	c.orphans = nil
	c.InMotion.Add(-int64(len(orphans)))
	return c.place(nil, orphans)
}

// Killed records that a server no longer serves. Its regions are served again after Bury.
func (c *Cluster) Killed(s *Server) {
	s.alive.Store(false)
	if !s.silent.Swap(false) {
		c.down(s)
	}
}

// Silenced records that a server no longer answers. Its regions are served again after Bury, or after Resumed.
func (c *Cluster) Silenced(s *Server) {
	s.silent.Store(true)
	c.down(s)
}

// Resumed records that a silent server, whose regions were not given to others, answers again.
func (c *Cluster) Resumed(s *Server) {
	s.silent.Store(false)
	c.InMotion.Add(-s.lost)
}

func (c *Cluster) down(s *Server) {
	s.lost = int64(s.Count())
	if c.InMotion.Add(s.lost) == s.lost {
		c.since.Store(time.Now().UnixNano())
	}
}

// Since is when regions stopped being served; zero if all are served.
func (c *Cluster) Since() time.Time {
	if c.InMotion.Load() == 0 {
		return time.Time{}
	}
	return time.Unix(0, c.since.Load())
}

// Bury moves the regions of a killed or silent server to the others.
func (c *Cluster) Bury(s *Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	if !s.known.Swap(false) {
		return nil
	}
	defer c.forget()
	regions := s.Regions()
	defer c.InMotion.Add(-s.lost)
	s.routes.Store(&routes{})
	held := make([]*store.Region, 0, len(regions))
	for _, r := range regions {
		if r.Store != nil {
			held = append(held, r.Store)
		}
	}
	if len(held) < len(regions) {
		if err := c.placeMeta(); err != nil {
			return errors.Join(err, c.place(nil, held))
		}
	}
	c.logger.Info("assigned the regions of a lost server to others", "server", s.Name(), "regions", len(regions))
	return c.place(nil, held)
}

// forget drops dead servers whose addresses have new servers, as HBase's master does. The caller holds the cluster's
// lock.
func (c *Cluster) forget() {
	known := slices.DeleteFunc(slices.Clone(c.servers), func(s *Server) bool { return !s.Known() })
	c.servers = slices.DeleteFunc(slices.Clone(c.servers), func(old *Server) bool {
		again := !old.Known() && slices.ContainsFunc(known, func(s *Server) bool { return s.Address() == old.Address() })
		if again {
			c.past.Add(old.Meter.RowActions.Load())
		}
		return again
	})
}

// Requests counts the row requests of all present and past servers.
func (c *Cluster) Requests() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.past.Load()
	for _, s := range c.servers {
		n += s.Meter.RowActions.Load()
	}
	return n
}

// alive lists the servers that can take regions, those with fewest regions first. The caller holds the cluster's lock.
func (c *Cluster) alive() []*Server {
	all := slices.DeleteFunc(slices.Clone(c.servers), func(s *Server) bool { return !s.serves() })
	slices.SortStableFunc(all, func(a, b *Server) int { return cmp.Compare(a.Count(), b.Count()) })
	return all
}

// holder returns the server of a region. The caller holds the cluster's lock.
func (c *Cluster) holder(name string) *Server {
	for _, s := range c.servers {
		if (*s.routes.Load())[name] != nil {
			return s
		}
	}
	return nil
}

// placeMeta gives hbase:meta to the first live server. The caller holds the cluster's lock.
func (c *Cluster) placeMeta() error {
	for _, s := range c.servers {
		if s.serves() {
			c.opened++
			s.open(metaRegion(c.Meta, c.opened))
			c.watch(s)
			return nil
		}
	}
	return ErrNoServer
}

// place gives regions to a server, or if it is nil to those with fewest regions. It skips regions of disabled tables.
// The caller holds the cluster's lock.
func (c *Cluster) place(to *Server, regions []*store.Region) error {
	var rows []meta.Row
	fresh := map[*Server][]*Region{}
	count := map[*Server]int{}
	live := c.alive()
	for _, s := range live {
		count[s] = s.Count()
	}
	for _, r := range regions {
		info := r.Info()
		if r.Table().State != store.Enabled {
			info.State = store.Offline
			rows = append(rows, meta.RegionRow(&info, c.former(info.Server), c.opened))
			continue
		}
		target := to
		if target == nil {
			if len(live) == 0 {
				c.orphans = append(c.orphans, r)
				c.InMotion.Add(1)
				continue
			}
			target = slices.MinFunc(live, func(a, b *Server) int { return cmp.Compare(count[a], count[b]) })
			for _, s := range live { // the address of the table's regions before a full restart
				if info.Server == s.Address() && !slices.ContainsFunc(c.servers, func(o *Server) bool { return !o.Alive() }) {
					target = s
				}
			}
		}
		count[target]++
		if info.Server != target.Address() || info.State != store.Online {
			if err := r.Assign(target.Address(), store.Online); err != nil {
				return fmt.Errorf("assign region %s: %w", info.Encoded, err)
			}
		}
		c.opened++
		opened := newRegion(r, c.opened)
		fresh[target] = append(fresh[target], opened)
		rows = append(rows, c.replicated(meta.RegionRow(&opened.Info, target.Location(), c.opened), r))
	}
	for s, regions := range fresh {
		s.open(regions...)
	}
	c.Meta.Update(rows)
	if to == nil && len(live) == 0 && len(regions) > 0 {
		return ErrNoServer
	}
	return nil
}

// former returns the last server of a region that is not served. As in HBase, hbase:meta still has that server, so a
// client asks it, learns that the region is not online, and then checks the table's state.
func (c *Cluster) former(address string) meta.Location {
	for _, s := range slices.Backward(c.servers) {
		if s.Address() == address {
			return s.Location()
		}
	}
	if len(c.servers) > 0 {
		return c.servers[0].Location()
	}
	return meta.Location{}
}

// find finds a region of any server by its full or encoded name. The caller holds the cluster's lock.
func (c *Cluster) find(name []byte) (*Region, *Server, error) {
	for _, s := range c.servers {
		if r := (*s.routes.Load())[string(name)]; r != nil {
			return r, s, nil
		}
	}
	return nil, nil, rpc.Finalf(unknownRegion, "%s", name)
}

// Find finds a region and its server by the region's full or encoded name.
func (c *Cluster) Find(name []byte) (*Region, *Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(name)
}

// Move moves a region to the named server, or if the name is empty to the one with fewest regions.
func (c *Cluster) Move(name []byte, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	r, from, err := c.find(name)
	if err != nil {
		return err
	}
	var target *Server
	for _, s := range c.alive() {
		if to == s.Name() || to == "" && s != from {
			target = s
			break
		}
	}
	if target == nil {
		return rpc.Finalf(finalIO, "region %s cannot be moved to %q: no such server is alive", r.Name, to)
	}
	return c.move(r, from, target)
}

// move moves a region. The caller holds the cluster's lock.
func (c *Cluster) move(r *Region, from, to *Server) error {
	if from == to {
		return nil
	}
	if r.Meta != nil {
		c.opened++
		from.close(to, c.opened, r)
		to.open(metaRegion(c.Meta, c.opened))
		c.watch(to)
		return nil
	}
	from.close(to, c.opened+1, r)
	if err := c.place(to, []*store.Region{r.Store}); err != nil {
		return errors.Join(err, c.place(from, []*store.Region{r.Store}))
	}
	if moved := (*to.routes.Load())[r.Name]; moved != nil {
		moved.LastMajor.Store(r.LastMajor.Load())
	}
	c.logger.Debug("region moved", "region", r.Name, "from", from.Name(), "to", to.Name())
	return nil
}

// Balance moves regions from the servers with most to those with fewest until the counts are equal. It returns how many
// it moved.
func (c *Cluster) Balance() (moves int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	for {
		live := c.alive()
		if len(live) < 2 {
			return moves, nil
		}
		least, most := live[0], live[len(live)-1]
		if most.Count()-least.Count() < 2 {
			return moves, nil
		}
		r := spare(most, least)
		if r == nil {
			return moves, nil
		}
		if err := c.move(r, most, least); err != nil {
			return moves, err
		}
		moves++
	}
}

// spare picks the region to move: one of the table whose region count differs most between the servers most and least.
func spare(most, least *Server) *Region {
	surplus := map[string]int{}
	for _, r := range least.Regions() {
		surplus[r.Table]--
	}
	regions := slices.DeleteFunc(most.Regions(), func(r *Region) bool { return r.Meta != nil })
	for _, r := range regions {
		surplus[r.Table]++
	}
	if len(regions) == 0 {
		return nil
	}
	return slices.MaxFunc(regions, func(a, b *Region) int { return cmp.Compare(surplus[a.Table], surplus[b.Table]) })
}
