package watch

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/sequoiadb/admin"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// mostNodes bounds the nodes and machines of which figures are kept.
const mostNodes = 1000

// cluster is the source of figures of a cluster. It keeps a connection to a coordinator.
type cluster struct {
	access *admin.Access
	client *admin.Client
	log    *slog.Logger

	nodes  nodes
	warned map[string]bool // texts of warnings
}

// Open is SequoiaDB's observe.Opener.
func Open(properties map[string]string, with observe.Access) (observe.Source, error) {
	settings, err := sequoiadbspec.Read(properties)
	if err != nil {
		return nil, err //nolint:wrapcheck // it lists the mistakes
	}
	password, err := with.Secret(properties, sequoiadbspec.PasswordKey)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	access, err := admin.NewAccess(settings, password, with.Dial, with.Credential)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	log := with.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &cluster{access: access, log: log, warned: make(map[string]bool)}, nil
}

// Look reads both snapshots.
func (c *cluster) Look(ctx context.Context) observe.Look {
	var look observe.Look
	if c.client == nil {
		client, err := c.access.Open(ctx)
		if err != nil {
			c.warn(&look, err)
			return look
		}
		c.client = client
	}
	database, err := c.client.Snapshot(ctx, admin.Database)
	at := clock.Mono()
	if err != nil {
		c.fail(&look, err)
		return look
	}
	for _, d := range limited(database) {
		look.Groups = append(look.Groups, observe.Group{
			Key: "node", Source: sourceOf(d, "NodeName"), At: at, Epoch: epochOf(d), Live: true,
			Readings: read(d, sequoiadbspec.Figure, nodeFigures()),
		})
	}
	look.Events = c.nodes.compare(database, at)
	system, err := c.client.Snapshot(ctx, admin.System)
	if err != nil {
		c.fail(&look, err)
		return look
	}
	at = clock.Mono()
	seen := make(map[string]bool)
	for _, d := range limited(system) {
		host := sourceOf(d, "HostName")
		if seen[host] {
			continue // another node of the machine
		}
		seen[host] = true
		g := observe.Group{Key: "host", Source: host, At: at, Live: true, Readings: read(d, sequoiadbspec.Host, hostFigures())}
		if cpu, has := busy(d); has {
			g.Readings = append(g.Readings, cpu)
		}
		look.Groups = append(look.Groups, g)
	}
	return look
}

func limited(all []wire.Document) []wire.Document { return all[:min(len(all), mostNodes)] }

// sourceOf returns the name of what a document is of. A sum over the cluster has none.
func sourceOf(d wire.Document, field string) string {
	const most = 200
	if name := d.Text(field); name != "" {
		return name[:min(len(name), most)]
	}
	return "cluster"
}

// epochOf returns when the counters of a node began: its start, or their last reset.
func epochOf(d wire.Document) string {
	return fmt.Sprintf("%q %q", sourceOf(d, "ActivateTimestamp"), sourceOf(d, "ResetTimestamp"))
}

// fail closes the connection if it is broken, and warns.
func (c *cluster) fail(look *observe.Look, err error) {
	if c.client.Err() != nil {
		c.Close()
	}
	c.warn(look, err)
}

// warn adds a warning once.
func (c *cluster) warn(look *observe.Look, err error) {
	const most = 20
	text := fmt.Sprintf("read figures of SequoiaDB: %v", err)
	if c.warned[text] || len(c.warned) >= most {
		return
	}
	c.warned[text] = true
	look.Warnings = append(look.Warnings, text)
}

// Close closes the connection.
func (c *cluster) Close() {
	if c.client == nil {
		return
	}
	if err := c.client.Close(); err != nil {
		c.log.Debug("close connection for figures", "cause", err)
	}
	c.client = nil
}
