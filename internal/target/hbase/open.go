package hbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

const (
	// openWithin bounds Open, whatever does not answer.
	openWithin = 9 * time.Second
	// tableWithin is how long sessions wait for a table that the run's steward creates.
	tableWithin = 2 * time.Minute
	// lookWithin bounds one look into hbase:meta; an operation that has more time makes several.
	lookWithin = 5 * time.Second
)

// Open is HBase's load.Driver. It fails within ten seconds when something that the run needs is not there.
func Open(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := spec.HBase(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target hbase: %w", err)
	}
	if settings.User == "" {
		settings.User = "benchd"
		if u, err := user.Current(); err == nil {
			settings.User = u.Username
		}
	}
	routeLibraryLogs(s.Logger)
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	cluster, err := admin.Connect(ctx, admin.Config{
		Quorum: strings.Join(settings.Quorum, ","), Parent: settings.Znode, User: settings.User, Logger: s.Logger, ConnectTimeout: openWithin,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says all
	}
	t := New(settings, s, locateBy(cluster, settings.FullTable()))
	t.cluster = cluster
	if err := t.check(ctx); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// check judges whether the table can be used, as far as set-up does not make it so.
func (t *Target) check(ctx context.Context) error {
	s := t.settings
	if s.Create == spec.Recreate {
		return nil
	}
	table, err := t.cluster.Describe(ctx, s.FullTable())
	switch {
	case (errors.Is(err, admin.ErrNoTable) || errors.Is(err, admin.ErrNoNamespace)) && s.Create == spec.CreateMissing:
		return nil
	case errors.Is(err, admin.ErrNoTable), errors.Is(err, admin.ErrNoNamespace):
		return fmt.Errorf("table %s (table) does not exist in the HBase at %s: create it, or let benchd do so with --phase load or hbase.table.create=missing",
			s.FullTable(), strings.Join(s.Quorum, ","))
	case err != nil:
		return fmt.Errorf("ask for table %s: %w", s.FullTable(), err)
	}
	var families []string
	for _, f := range table.Families {
		families = append(families, f.Name)
	}
	if !slices.Contains(families, s.Family.Name) {
		return fmt.Errorf("table %s has no column family %q (columnfamily): it has %s", s.FullTable(), s.Family.Name, strings.Join(families, ", "))
	}
	state, err := t.cluster.State(ctx, s.FullTable())
	if err != nil {
		return fmt.Errorf("ask for table %s: %w", s.FullTable(), err)
	}
	if state != admin.Enabled {
		return fmt.Errorf("table %s is %s: enable it (in HBase's shell: enable '%s')", s.FullTable(), state, s.FullTable())
	}
	if err := t.atlas.read(ctx); err != nil {
		return fmt.Errorf("find out where table %s is: %w", s.FullTable(), err)
	}
	return nil
}

// ready waits until the table has regions: the steward creates it while other agents prepare.
func (t *Target) ready(ctx context.Context) error {
	if len(*t.atlas.pages.Load()) > 0 || t.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tableWithin)
	defer cancel()
	for {
		_, err := t.atlas.look(ctx, nil)
		if err == nil {
			return nil
		}
		const pause = 200 * time.Millisecond
		if sleep(ctx, pause) != nil {
			return fmt.Errorf("wait for table %s to be created: %w", t.settings.FullTable(), err)
		}
	}
}

// locateBy reads places from hbase:meta.
func locateBy(cluster *admin.Client, table string) Locate {
	return func(ctx context.Context) ([]Place, error) {
		ctx, cancel := context.WithTimeout(ctx, lookWithin)
		defer cancel()
		regions, err := cluster.Regions(ctx, table)
		if errors.Is(err, admin.ErrNoTable) {
			return nil, fmt.Errorf("%w (%s)", errNoTable, table)
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // it says what was wanted
		}
		places := make([]Place, len(regions))
		for i, r := range regions {
			places[i] = Place{Name: r.Name, Start: r.StartKey, Stop: r.EndKey, Addr: address(r.Server)}
		}
		return places, nil
	}
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
