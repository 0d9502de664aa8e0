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
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
)

const (
	// openWithin bounds the search for the cluster, whatever does not answer.
	openWithin = 8 * time.Second
	// tableWithin is how long sessions wait for a table to have regions that are open.
	tableWithin = admin.DefaultRecovery
	// lookWithin bounds one look into hbase:meta; an operation that has more time makes several.
	lookWithin = 5 * time.Second
)

// Open is HBase's load.Driver. It fails within ten seconds when the cluster is not there, and waits while it recovers.
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
	ctx, cancel := context.WithTimeout(ctx, openWithin+admin.DefaultRecovery)
	defer cancel()
	cluster, err := admin.Connect(ctx, admin.Config{
		Quorum: strings.Join(settings.Quorum, ","), Parent: settings.Znode, User: settings.User, Logger: s.Logger, ConnectTimeout: openWithin,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says all
	}
	t := New(settings, s, metaLocator{cluster, settings.FullTable()})
	t.cluster, t.state.ask = cluster, disabledBy(cluster, settings.FullTable())
	if err := t.findTable(ctx); err != nil && !errors.Is(err, errNoTable) { // it may be about to be created
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Prepare creates the table if the settings want it, and judges whether it can be used: the work of the run's steward.
func (t *Target) Prepare(ctx context.Context) error {
	if _, err := setup.Prepare(ctx, t.cluster, t.settings, t.workload, t.run, t.log); err != nil {
		return err //nolint:wrapcheck // it says all
	}
	return t.findTable(ctx)
}

// findTable reads where the table's regions are. While HBase recovers it tries again.
func (t *Target) findTable(ctx context.Context) error {
	what := "find out where table " + t.settings.FullTable() + " is"
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

// ready waits until the table has regions that are open.
func (t *Target) ready(ctx context.Context) error {
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
	cluster *admin.Client
	table   string
}

// Table implements Locator.
func (m metaLocator) Table(ctx context.Context) ([]Place, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	regions, err := m.cluster.Regions(ctx, m.table)
	if err != nil {
		return nil, m.explain(err)
	}
	places := make([]Place, len(regions))
	for i, r := range regions {
		places[i] = place(r)
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
	return place(r), nil
}

func (m metaLocator) explain(err error) error {
	if errors.Is(err, admin.ErrNoTable) {
		return fmt.Errorf("%w (%s)", errNoTable, m.table)
	}
	return err
}

// place is where a region is served. A region in transition is nowhere: the server that it was on may have fallen silent, and
// a call to it would wait for nothing.
func place(r admin.Region) Place {
	p := Place{Name: r.Name, Start: r.StartKey, Stop: r.EndKey}
	if r.Serves() {
		p.Addr = address(r.Server)
	}
	return p
}

// address is host:port of a server's name, which is host,port,start.
func address(server string) string {
	host, rest, ok := strings.Cut(server, ",")
	port, _, isWhole := strings.Cut(rest, ",")
	if !ok || !isWhole {
		return ""
	}
	return net.JoinHostPort(host, port)
}
