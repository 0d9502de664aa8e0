package hbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/user"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/gohbase"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
)

const (
	// openWithin is the time limit of connecting to the cluster.
	openWithin = 8 * time.Second
	// tableWithin is how long sessions wait for a table to have open regions.
	tableWithin = admin.DefaultRecovery
	// lookWithin is the time limit of one read of hbase:meta; an operation that has more time retries.
	lookWithin = 5 * time.Second
)

// Open is HBase's load.Driver. It fails within ten seconds if there is no cluster, and waits while the cluster recovers.
func Open(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := hbasespec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target hbase: %w", err)
	}
	if settings.User == "" {
		settings.User = "benchd"
		if u, err := user.Current(); err == nil {
			settings.User = u.Username
		}
	}
	secured, err := setup.NewSecurity(settings, s.Credential, s.Logger)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	ctx, cancel := context.WithTimeout(ctx, openWithin+admin.DefaultRecovery)
	defer cancel()
	config := setup.Config(settings, secured, s.Dial, s.Logger)
	config.ConnectTimeout = openWithin
	cluster, err := admin.Connect(ctx, config)
	if err != nil {
		secured.Close()
		return nil, err //nolint:wrapcheck // it needs no context
	}
	t := New(settings, s, metaLocator{cluster, settings.FullTable(), settings.Timeline})
	t.secured, t.greeting.User, t.greeting.Secure = secured, config.User, config.Secure
	t.cluster, t.state.ask = cluster, disabledBy(cluster, settings.FullTable())
	if settings.BulkLoad {
		if t.bulk, err = openBulk(ctx, settings, s, t.log); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	if settings.Client == hbasespec.ClientGohbase {
		t.second, err = gohbase.New(gohbase.Config{Settings: settings, Meta: cluster.MetaServer, Dial: t.greeting.Dial, CodeOf: codeOf})
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	if err := t.findTable(ctx); err != nil && !errors.Is(err, errNoTable) { // it may be about to be created
		return nil, errors.Join(err, t.Close())
	}
	if err := t.checkServers(ctx); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// checkServers reports the first server of the table's regions to which no connection is allowed, before any operation fails.
func (t *Table) checkServers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	checked := make(map[string]bool)
	for _, r := range *t.regions.regions.Load() {
		if r.server == nil || checked[r.server.addr] {
			continue
		}
		checked[r.server.addr] = true
		if err := t.greeting.Dial.Check(ctx, r.server.addr); err != nil {
			return fmt.Errorf("region %s: %w", r.name, err)
		}
	}
	return nil
}

// Prepare creates the table if hbase.table.create requires it, and checks that it can be used. The run's steward calls it.
func (t *Table) Prepare(ctx context.Context) error {
	if names := t.settings.Ignored; len(names) > 0 {
		t.log.Warn("settings of HBase's own client have no effect", "names", strings.Join(names, ","))
	}
	if _, err := setup.Prepare(ctx, t.cluster, t.settings, t.workload, t.run, t.log); err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	return t.findTable(ctx)
}

// findTable reads the places of the table's regions. It retries while HBase recovers.
func (t *Table) findTable(ctx context.Context) error {
	what := "locate table " + t.settings.FullTable()
	var none error
	err := t.cluster.Retry(ctx, what, func() error {
		err := t.regions.read(ctx)
		if errors.Is(err, errNoTable) {
			none, err = err, nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return none
}

// ready waits until the table has open regions.
func (t *Table) ready(ctx context.Context) error {
	if t.regions.size() > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tableWithin)
	defer cancel()
	if err := t.regions.ready(ctx, t.checkState); err != nil {
		return fmt.Errorf("wait for table %s: %w", t.settings.FullTable(), err)
	}
	return nil
}

// metaLocator reads places from hbase:meta.
type metaLocator struct {
	cluster  *admin.Client
	table    string
	replicas bool // of regions are located, too
}

// Table implements Locator.
func (m metaLocator) Table(ctx context.Context) ([]Place, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	regions, err := m.cluster.Locations(ctx, m.table)
	if err != nil {
		return nil, m.explain(err)
	}
	places := make([]Place, len(regions))
	for i, r := range regions {
		places[i] = m.place(r)
	}
	return places, nil
}

// Row implements Locator.
func (m metaLocator) Row(ctx context.Context, key []byte) (Place, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	r, err := m.cluster.RegionOf(ctx, m.table, key)
	if err != nil {
		return Place{}, m.explain(err)
	}
	return m.place(r), nil
}

func (m metaLocator) explain(err error) error {
	if errors.Is(err, admin.ErrNoTable) {
		return fmt.Errorf("%w (%s)", errNoTable, m.table)
	}
	return err
}

// place returns where a region is served. A region in transition has no address: its last server may have fallen silent.
func (m metaLocator) place(r admin.Region) Place {
	p := Place{Name: r.Name, Start: r.StartKey, Stop: r.EndKey}
	if r.Serves() {
		p.Addr = address(r.Server)
	}
	if m.replicas {
		for _, server := range r.Replicas {
			p.Replicas = append(p.Replicas, address(server))
		}
	}
	return p
}

// address returns host:port of a server's name host,port,start.
func address(server string) string {
	host, rest, ok := strings.Cut(server, ",")
	port, _, isWhole := strings.Cut(rest, ",")
	if !ok || !isWhole {
		return ""
	}
	return net.JoinHostPort(host, port)
}
