package watch

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/target/mongodb/setup"
)

const (
	// membersEvery is how often the servers are looked up again.
	membersEvery = 10 * time.Second
	// statusWithin is the time limit of reading one server, and of looking up the servers.
	statusWithin = 3 * time.Second
	// atOnce is how many servers are read at the same time.
	atOnce = 12
	// tolerated is how many times in a row a server may fail without a warning.
	tolerated = 3
)

// Open is the observe.Opener of MongoDB.
func Open(properties map[string]string, with observe.Access) (observe.Source, error) {
	settings, err := mongodbspec.Read(properties)
	if err != nil {
		return nil, err //nolint:wrapcheck // it lists the mistakes
	}
	password, err := with.Secret(properties, mongodbspec.PasswordKey)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	config := client.Config{Settings: settings, Password: password, Dial: with.Dial, Credential: with.Credential, Logger: with.Logger}
	log := with.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &source{config: config, log: log, servers: make(map[string]*server), warned: make(map[string]bool), primaries: make(map[string]string)}, nil
}

// source watches the servers of one installation.
type source struct {
	config client.Config
	log    *slog.Logger

	client    *client.Client // nil before the first look
	servers   map[string]*server
	looked    clock.Instant // when the servers were looked up
	warned    map[string]bool
	primaries map[string]string // by replica set
}

// server is a server that is read.
type server struct {
	address, shard string
	client         *client.Client
	own            bool // the connections are its own, not those of the source
	cores          float64
	epoch          string
	failures       int // in a row
	group          observe.Group
	status         bson.Raw
	err            error
}

// Close closes all connections.
func (s *source) Close() {
	for _, one := range s.servers {
		one.close()
	}
	if s.client != nil {
		_ = s.client.Close()
	}
}

func (s *server) close() {
	if s.own {
		_ = s.client.Close()
	}
}

// Look reads every server once.
func (s *source) Look(ctx context.Context) observe.Look {
	var out observe.Look
	if s.looked.IsZero() || s.looked.Elapsed() > membersEvery {
		within, cancel := context.WithTimeout(ctx, statusWithin)
		if err := s.members(within); err != nil {
			s.warn(&out, "the servers of MongoDB cannot be looked up: "+err.Error())
		}
		cancel()
	}
	s.read(ctx)
	for _, one := range s.sorted() {
		s.take(&out, one)
	}
	out.Groups = append(out.Groups, s.shards()...)
	return out
}

// warn adds a warning that was not returned before.
func (s *source) warn(out *observe.Look, text string) {
	const most = 1000
	if !s.warned[text] && len(s.warned) < most {
		s.warned[text] = true
		out.Warnings = append(out.Warnings, text)
	}
}

// sorted lists the servers in the order of their addresses.
func (s *source) sorted() []*server {
	all := make([]*server, 0, len(s.servers))
	for _, one := range s.servers {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *server) int { return strings.Compare(a.address, b.address) })
	return all
}

// members looks up the servers.
func (s *source) members(ctx context.Context) error {
	if s.client == nil {
		c, err := client.Connect(ctx, s.config)
		if err != nil {
			return err //nolint:wrapcheck // it needs no context
		}
		s.client = c
	}
	list, err := setup.Servers(ctx, s.client)
	if err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	s.looked = clock.Mono()
	wanted := make(map[string]setup.Server, len(list))
	for _, one := range list {
		wanted[one.Address] = one
	}
	for address, one := range s.servers {
		if now, is := wanted[address]; !is || now.Shard != one.shard {
			one.close()
			delete(s.servers, address)
		}
	}
	for _, found := range list {
		if s.servers[found.Address] != nil {
			continue
		}
		one := &server{address: found.Address, shard: found.Shard, client: s.client}
		if len(list) > 1 {
			if one.client, err = s.client.Direct(found.Address, setup.NamedBy); err != nil {
				return err //nolint:wrapcheck // it names the address
			}
			one.own = true
		}
		s.servers[found.Address] = one
	}
	return nil
}

// read reads serverStatus of all servers, some at the same time.
func (s *source) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, statusWithin)
	defer cancel()
	var wg sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for _, one := range s.servers {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			one.read(ctx)
		})
	}
	wg.Wait()
}

// read reads the status of one server.
func (s *server) read(ctx context.Context) {
	s.group = observe.Group{}
	if s.cores == 0 {
		s.cores = coresOf(ctx, s.client)
	}
	s.status, s.err = s.client.Admin(ctx, statusCommand())
	if s.err != nil {
		s.failures++
		return
	}
	s.failures = 0
	at := clock.Mono()
	pid, _ := sum(s.status, paths("pid"))
	s.group = observe.Group{
		Key: "server", Source: s.address, At: at, Live: true, Epoch: fmt.Sprintf("%.0f", pid), Readings: readings(s.status, s.cores),
	}
}

// statusCommand asks for the parts of serverStatus that are read.
func statusCommand() bson.D {
	command := bson.D{{Key: "serverStatus", Value: 1}}
	for _, part := range []string{"locks", "transactions", "tcmalloc", "security", "sharding", "shardingStatistics", "flowControl", "oplogTruncation", "asserts", "tenantMigrations"} {
		command = append(command, bson.E{Key: part, Value: 0})
	}
	return command
}

// coresOf returns how many processors the machine of a server has. It is unknown, and asked again, if the user may not ask.
func coresOf(ctx context.Context, c *client.Client) float64 {
	answer, err := c.Admin(ctx, bson.D{{Key: "hostInfo", Value: 1}})
	if err != nil {
		return 0
	}
	n, _ := sum(answer, paths("system/numCores"))
	return n
}

// take adds what was read of a server, and the events that it shows.
func (s *source) take(out *observe.Look, one *server) {
	if one.err != nil {
		if one.failures == tolerated {
			s.warn(out, fmt.Sprintf("server %s does not report its status: %v", one.address, one.err))
		}
		return
	}
	out.Groups = append(out.Groups, one.group)
	if one.epoch != "" && one.epoch != one.group.Epoch {
		out.Events = append(out.Events, observe.Event{At: one.group.At, Kind: result.HappenedServer, Text: fmt.Sprintf("server %s was started again", one.address)})
	}
	one.epoch = one.group.Epoch
	if writable, ok := one.status.Lookup("repl", "isWritablePrimary").BooleanOK(); !ok || !writable {
		return
	}
	set, _ := one.status.Lookup("repl", "setName").StringValueOK()
	if before := s.primaries[set]; before != "" && before != one.address {
		out.Events = append(out.Events, observe.Event{
			At: one.group.At, Kind: result.HappenedServer, Text: fmt.Sprintf("%s is the primary of replica set %s; it was %s", one.address, set, before),
		})
	}
	s.primaries[set] = one.address
}

// shards returns the sums over the servers of each shard.
func (s *source) shards() []observe.Group {
	sums := make(map[string]*observe.Group)
	missing := make(map[string]bool)
	for _, one := range s.sorted() {
		if one.shard == "" {
			continue
		}
		if one.err != nil {
			missing[one.shard] = true
			continue
		}
		g := sums[one.shard]
		if g == nil {
			g = &observe.Group{Key: "shard", Source: one.shard, At: one.group.At, Live: true, Readings: []observe.Reading{
				{Name: mongodbspec.ShardFigures + "operations", Unit: "1/s", Kind: observe.Counter},
			}}
			sums[one.shard] = g
		}
		g.Epoch += one.epoch + " "
		operations, _ := sum(one.status, figures()[0].paths)
		g.Readings[0].Value += operations
	}
	var all []observe.Group
	for shard, g := range sums {
		if !missing[shard] {
			all = append(all, *g)
		}
	}
	return all
}
