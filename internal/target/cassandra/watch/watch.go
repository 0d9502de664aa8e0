// Package watch collects telemetry from the nodes of a Cassandra during a run:
//
//  1. The driver knows the nodes. Those that come and go become events.
//  2. Each node is asked for its own virtual tables (system_views), which Cassandra has since 4.0: pools of threads, caches, latencies,
//     clients, and the compactions that are under way, which become events, too.
//  3. What the virtual tables lack, heap, GC and processor, is in JMX, and is read over HTTP if cassandra.jolokia.port is set.
package watch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/target/cassandra/jolokia"
)

const (
	// lookWithin bounds what one node may take to answer.
	lookWithin = 5 * time.Second
	// connectAgain is the pause between two attempts to connect.
	connectAgain = 5 * time.Second
)

// source is the telemetry of a cluster. It connects at its first Look.
type source struct {
	config   cluster.Config
	settings cassandraspec.Settings
	jmx      *jolokia.Client // nil without cassandra.jolokia.port

	cluster *cluster.Cluster // nil until it is connected
	tried   clock.Instant
	changes *changes
	warned  map[string]bool
}

// Open is the observe.Opener of Cassandra.
func Open(properties map[string]string, with observe.Access) (observe.Source, error) {
	settings, err := cassandraspec.Read(properties)
	if err != nil {
		return nil, err //nolint:wrapcheck // it lists the mistakes
	}
	s := load.Settings{Properties: properties, Dial: with.Dial, Secrets: with.Secrets, Credential: with.Credential, Logger: with.Logger}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	config, err := cluster.NewConfig(settings, s)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property or the file
	}
	config.Settings.Connections = 1
	jmx, err := openJMX(settings, s)
	if err != nil {
		return nil, err
	}
	return &source{config: config, settings: settings, jmx: jmx, changes: newChanges(), warned: make(map[string]bool)}, nil
}

func openJMX(settings cassandraspec.Settings, s load.Settings) (*jolokia.Client, error) {
	password, err := s.Secret(cassandraspec.JolokiaPasswordKey)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	var config *tls.Config
	if settings.Jolokia.TLS {
		if config, err = s.Credential.TLS(); err != nil {
			return nil, err //nolint:wrapcheck // it names the file
		}
	}
	client, err := jolokia.New(jolokia.Config{Settings: settings.Jolokia, Password: password, HTTP: jolokia.HTTP(s.Dial, config)})
	if errors.Is(err, jolokia.ErrNone) {
		return nil, nil //nolint:nilnil // it is optional
	}
	return client, err //nolint:wrapcheck // it needs no context
}

// Close implements observe.Source.
func (s *source) Close() {
	if s.cluster != nil {
		s.cluster.Close()
	}
	if s.jmx != nil {
		s.jmx.Close()
	}
}

// Look implements observe.Source.
func (s *source) Look(ctx context.Context) observe.Look {
	var look observe.Look
	if err := s.connect(ctx); err != nil {
		s.warn(&look, "connect", "the nodes are not observed: "+err.Error())
		return look
	}
	if s.cluster == nil {
		return look
	}
	now := clock.Mono()
	nodes := s.cluster.Nodes()
	up := 0
	for _, n := range nodes {
		if !n.Up {
			continue
		}
		up++
		s.node(ctx, &look, n)
		s.java(ctx, &look, n)
	}
	s.changes.nodes(nodes, now)
	look.Groups = append(look.Groups, observe.Group{
		Key: "cluster", Source: "cluster", At: now, Live: true,
		Readings: []observe.Reading{
			{Name: "cassandra.nodes", Unit: "1", Value: float64(len(nodes))},
			{Name: "cassandra.nodes_up", Unit: "1", Value: float64(up)},
		},
	})
	look.Events = s.changes.take()
	return look
}

func (s *source) connect(ctx context.Context) error {
	if s.cluster != nil || !s.tried.IsZero() && s.tried.Elapsed() < connectAgain {
		return nil
	}
	c, err := cluster.Connect(ctx, s.config)
	s.tried = clock.Mono()
	if err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	s.cluster = c
	return nil
}

// warn adds a warning the first time that it is raised.
func (s *source) warn(look *observe.Look, key, text string) {
	if !s.warned[key] {
		s.warned[key] = true
		look.Warnings = append(look.Warnings, text)
	}
}

// node reads the virtual tables of a node.
func (s *source) node(ctx context.Context, look *observe.Look, n cluster.Node) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	at := clock.Mono()
	g := observe.Group{Key: "views", Source: n.Address, At: at, Live: true}
	generation, err := s.cluster.Generation(ctx, n.ID)
	if err != nil {
		return // it has gone
	}
	g.Epoch = strconv.Itoa(generation)
	s.changes.generation(n.Address, g.Epoch, at)
	for _, v := range views() {
		readings, err := v.read(ctx, s.cluster, n.ID, s.settings)
		if err != nil {
			if ctx.Err() == nil && !strings.Contains(err.Error(), "connection") {
				s.warn(look, v.name, fmt.Sprintf("%s is not observed: %v", v.name, err))
			}
			continue
		}
		g.Readings = append(g.Readings, readings...)
	}
	if len(g.Readings) > 0 {
		look.Groups = append(look.Groups, g)
	}
	if tasks, err := s.cluster.Compactions(ctx, n.ID, s.settings.Keyspace, s.settings.Table); err == nil {
		s.changes.compactions(n.Address, tasks, at)
	}
}
