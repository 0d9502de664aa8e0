package sequoiadb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/target/sequoiadb/admin"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// Facts describes the cluster and the collection by the servers' own settings, and the client's settings that affect a result. A
// command that the server refuses leaves its facts out: a node that is not a coordinator has no catalogue.
func (t *cluster) Facts(ctx context.Context) (facts map[string]string, err error) {
	facts = map[string]string{
		"target":                       sequoiadbspec.Name,
		sequoiadbspec.FactCollection:   t.collection,
		sequoiadbspec.FactCoordinators: strconv.Itoa(len(t.settings.Coordinators)),
		sequoiadbspec.FactUpsert:       strconv.FormatBool(t.settings.Upsert),
		sequoiadbspec.FactAuth:         "MD5",
	}
	if t.info.SCRAM {
		facts[sequoiadbspec.FactAuth] = "SCRAM-SHA-256"
	}
	if t.info.Version != "" {
		facts[sequoiadbspec.FactVersion] = t.info.Version
	}
	client, err := t.client(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	groups := make(map[string]bool)
	for _, part := range []struct {
		what string
		read func() (map[string]string, error)
	}{
		{"catalogue", func() (map[string]string, error) { return t.catalogueFacts(ctx, client, groups) }},
		{"nodes", func() (map[string]string, error) { return nodeFacts(ctx, client, groups) }},
		{"settings", func() (map[string]string, error) { return configFacts(ctx, client) }},
	} {
		more, err := part.read()
		if _, refused := errors.AsType[*wire.Error](err); err != nil && !refused {
			return nil, fmt.Errorf("read %s of SequoiaDB: %w", part.what, err)
		}
		maps.Copy(facts, more)
	}
	return facts, nil
}

// catalogueFacts describes the collection, and adds its groups.
func (t *cluster) catalogueFacts(ctx context.Context, client *admin.Client, groups map[string]bool) (map[string]string, error) {
	d, ok, err := client.Describe(ctx, t.collection)
	if err != nil || !ok {
		return nil, err //nolint:wrapcheck // it names the command
	}
	facts := map[string]string{sequoiadbspec.FactSharding: sequoiadbspec.None}
	if kind := d.Text("ShardingType"); kind != "" {
		facts[sequoiadbspec.FactSharding] = kind
	}
	if n, ok := d.Int("ReplSize"); ok {
		facts[sequoiadbspec.FactReplSize] = strconv.FormatInt(n, 10)
	}
	if kind := d.Text("CompressionTypeDesc"); kind != "" && strings.Contains(d.Text("AttributeDesc"), "Compressed") {
		facts[sequoiadbspec.FactCompression] = kind
	}
	if e, ok := d.Lookup("CataInfo"); ok {
		addGroups(e, groups)
		if n := len(groups); n > 0 {
			facts[sequoiadbspec.FactGroups] = strconv.Itoa(n)
		}
	}
	return facts, nil
}

// addGroups adds the names of the groups in a catalogue's list of parts.
func addGroups(list wire.Element, groups map[string]bool) {
	parts, _ := list.Document()
	all := parts.Elements()
	var e wire.Element
	for all.Next(&e) {
		if part, is := e.Document(); is && part.Text("GroupName") != "" {
			groups[part.Text("GroupName")] = true
		}
	}
}

// nodeFacts returns the number of data nodes, their version, and how many nodes the groups of the collection have.
func nodeFacts(ctx context.Context, client *admin.Client, groups map[string]bool) (map[string]string, error) {
	all, err := client.Snapshot(ctx, admin.Database)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the command
	}
	facts := make(map[string]string)
	nodes, members := 0, make(map[string]int)
	for _, d := range all {
		if role := d.Text("Role"); d.Text("NodeName") == "" || role == coordRole || role == catalogueRole {
			continue
		}
		nodes++
		if group := d.Text("GroupName"); groups[group] {
			members[group]++
		}
		major, has := d.Int("Version", "Major")
		minor, _ := d.Int("Version", "Minor")
		fix, _ := d.Int("Version", "Fix")
		if has {
			facts[sequoiadbspec.FactVersion] = fmt.Sprintf("%d.%d.%d", major, minor, fix)
		}
	}
	if nodes > 0 {
		facts[sequoiadbspec.FactNodes] = strconv.Itoa(nodes)
	}
	if sizes := slices.Sorted(maps.Values(members)); len(sizes) > 0 {
		facts[sequoiadbspec.FactReplicas] = strconv.Itoa(sizes[0])
		if least, most := sizes[0], sizes[len(sizes)-1]; least != most {
			facts[sequoiadbspec.FactReplicas] = fmt.Sprintf("%d to %d", least, most)
		}
	}
	return facts, nil
}

// Roles of nodes without documents of users.
const (
	coordRole     = "coord"
	catalogueRole = "catalog"
)

// configFacts returns the settings of the nodes that affect durability and consistency. Nodes that differ are listed with all
// their values.
func configFacts(ctx context.Context, client *admin.Client) (map[string]string, error) {
	all, err := client.Snapshot(ctx, admin.Configs)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the command
	}
	facts := make(map[string]string)
	for _, fact := range []string{
		sequoiadbspec.FactSyncInterval, sequoiadbspec.FactSyncRecords, sequoiadbspec.FactSyncDeep, sequoiadbspec.FactTransactions,
		sequoiadbspec.FactPreferred,
	} {
		name := strings.TrimPrefix(fact, sequoiadbspec.Name+".")
		var values []string
		for _, d := range all {
			e, ok := d.Lookup(name)
			if role := d.Text("role"); !ok || role == coordRole || role == catalogueRole {
				continue
			}
			if v := textOf(&e); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			facts[fact] = strings.Join(values, ",")
		}
	}
	return facts, nil
}

// textOf returns a setting as text.
func textOf(e *wire.Element) string {
	if n, is := e.Int(); is {
		return strconv.FormatInt(n, 10)
	}
	b, _ := e.Bytes()
	const most = 100
	return strings.ToLower(string(b[:min(len(b), most)]))
}
