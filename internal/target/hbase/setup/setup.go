package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

// Outcome is the result of Prepare.
type Outcome struct {
	Created bool
	Dropped bool // a table that existed before
	Regions int
}

// Prepare prepares the table for a run, and marks a table that it creates with the run's id. It returns when all regions are
// open.
func Prepare(ctx context.Context, c *admin.Client, s hbasespec.Settings, w workload.Config, run string, log *slog.Logger) (Outcome, error) {
	outcome, replicas, err := prepare(ctx, c, s, w, run, log)
	if err != nil {
		return outcome, err
	}
	if err := c.WaitOpen(ctx, s.FullTable()); err != nil {
		return outcome, fmt.Errorf("wait for the regions of table %s: %w", s.FullTable(), err)
	}
	if s.Timeline && replicas < 2 {
		return outcome, fmt.Errorf("table %s has no replicas of its regions, and hbase.consistency=timeline needs some: create it with hbase.regionreplication=2, or set REGION_REPLICATION of the table in HBase's shell", s.FullTable())
	}
	if err := waitReplicas(ctx, c, s.FullTable(), replicas, log); err != nil {
		return outcome, err
	}
	if w.Proportions.MultiRow > 0 {
		if err := checkMultiRow(ctx, c, s.FullTable()); err != nil {
			return outcome, err
		}
	}
	regions, err := c.Regions(ctx, s.FullTable())
	outcome.Regions = len(regions)
	if wanted := s.Splits.Count + 1; err == nil && !outcome.Created && s.Splits.Count > 0 && wanted != len(regions) {
		log.Warn("the table already exists: it is not split again", "table", s.FullTable(), "regions", len(regions), "splits", s.Splits.Count)
	}
	return outcome, err
}

// prepare creates or validates the table, and returns how many replicas its regions have.
func prepare(ctx context.Context, c *admin.Client, s hbasespec.Settings, w workload.Config, run string, log *slog.Logger) (done Outcome, replicas int, err error) {
	name := s.FullTable()
	found, err := c.Describe(ctx, name)
	missing := errors.Is(err, admin.ErrNoTable) || errors.Is(err, admin.ErrNoNamespace)
	switch {
	case err != nil && !missing:
		return Outcome{}, 0, err
	case missing && s.Create == descriptor.CreateNever:
		return Outcome{}, 0, fmt.Errorf("table %s does not exist: load it first (--phase load, or load,run), or create it empty with hbase.table.create=missing", name)
	case missing:
		return Outcome{Created: true}, s.Replicas, create(ctx, c, s, w, run, log)
	case s.Create != descriptor.Recreate:
		replicas = admin.ReplicasOf(found)
		if s.Replicas > 1 && replicas != s.Replicas {
			log.Warn("the table already exists: its number of replicas is not changed", "table", name, "replicas", replicas, "wanted", s.Replicas)
		}
		return Outcome{}, replicas, validate(ctx, c, s, found)
	}
	log.Info("dropping the table, because hbase.table.create=recreate", "table", name)
	if err := c.Drop(ctx, name); err != nil {
		return Outcome{}, 0, err
	}
	return Outcome{Created: true, Dropped: true}, s.Replicas, create(ctx, c, s, w, run, log)
}

func create(ctx context.Context, c *admin.Client, s hbasespec.Settings, w workload.Config, run string, log *slog.Logger) error {
	points, err := Points(s.Splits, w)
	if err != nil {
		return err
	}
	log.Info("creating the table", "table", s.FullTable(), "regions", len(points)+1)
	err = c.Create(ctx, Descriptor(s, w, run), points)
	if errors.Is(err, admin.ErrTableExists) {
		return fmt.Errorf("%w: another client created it at the same time; run again to use it", err)
	}
	return err
}

// validate fails when an existing table does not fit the settings.
func validate(ctx context.Context, c *admin.Client, s hbasespec.Settings, found admin.Table) error {
	has := func(f admin.Family) bool { return f.Name == s.Family.Name }
	if !slices.ContainsFunc(found.Families, has) {
		var names []string
		for _, f := range found.Families {
			names = append(names, f.Name)
		}
		return fmt.Errorf("table %s has no column family %q: set columnfamily to one of its families (%s)", s.FullTable(), s.Family.Name, strings.Join(names, ", "))
	}
	state, err := c.State(ctx, s.FullTable())
	if err != nil {
		return err
	}
	if state == admin.Disabled || state == admin.Disabling {
		return fmt.Errorf("table %s: %w: enable it with `benchctl admin hbase enable %s`", s.FullTable(), admin.ErrDisabled, s.FullTable())
	}
	return nil
}

// checkMultiRow fails when a table cannot write several rows at once.
func checkMultiRow(ctx context.Context, c *admin.Client, table string) error {
	has, err := c.HasMultiRow(ctx, table)
	if err != nil || has {
		return err
	}
	_, value := admin.MultiRowAttribute()
	return fmt.Errorf("table %s cannot write several rows at once, which multirowproportion needs: its regions do not have HBase's %s. Add it in HBase's shell with `alter '%s', METHOD => 'table_att', 'coprocessor' => '%s'`, or let benchd create the table (hbase.table.create=recreate)",
		table, admin.MultiRowEndpoint, table, value)
}

// Descriptor returns the descriptor of the settings' table, marked with its creator. Attributes with HBase's defaults are left
// out.
func Descriptor(s hbasespec.Settings, w workload.Config, by string) admin.Table {
	f := s.Family
	attributes := map[string]string{
		"VERSIONS": strconv.Itoa(f.Versions), "COMPRESSION": f.Compression, "BLOCKSIZE": strconv.Itoa(f.BlockSize),
		"BLOOMFILTER": f.BloomFilter, "DATA_BLOCK_ENCODING": f.Encoding, "IN_MEMORY": strconv.FormatBool(f.InMemory),
	}
	if f.TTL > 0 {
		attributes["TTL"] = strconv.FormatInt(int64(f.TTL.Seconds()), 10)
	}
	table := map[string]string{admin.Mark: by}
	if s.FileSize > 0 {
		table["MAX_FILESIZE"] = strconv.FormatInt(s.FileSize, 10)
	}
	if s.FlushSize > 0 {
		table["MEMSTORE_FLUSHSIZE"] = strconv.FormatInt(s.FlushSize, 10)
	}
	if s.Replicas > 1 {
		table[admin.Replication] = strconv.Itoa(s.Replicas)
	}
	if w.Proportions.MultiRow > 0 {
		name, value := admin.MultiRowAttribute()
		table[name] = value
	}
	return admin.Table{
		Name: s.FullTable(), Attributes: table,
		Families: []admin.Family{{Name: f.Name, Attributes: attributes}},
	}
}
