// Package action executes the actions of `benchctl admin cassandra` and of a run's settings. Those that Cassandra has in CQL need nothing
// more; the others call each node's JMX over HTTP (package jolokia).
package action

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/target/cassandra/jolokia"
)

// actor carries out actions on one cluster.
type actor struct {
	cluster  *cluster.Cluster
	jmx      *jolokia.Client // nil without cassandra.jolokia.port
	settings cassandraspec.Settings
	log      *slog.Logger
}

// Open is Cassandra's load.OpenActor.
func Open(ctx context.Context, s load.Settings) (load.Actor, error) {
	settings, err := cassandraspec.Read(s.Properties)
	if err != nil {
		return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target cassandra: %w", err))
	}
	config, err := cluster.NewConfig(settings, s)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	a := &actor{settings: settings, log: s.Logger}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.jmx, err = openJMX(settings, s); err != nil && !errors.Is(err, jolokia.ErrNone) {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	if a.cluster, err = cluster.Connect(ctx, config); err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	return a, nil
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
	return jolokia.New(jolokia.Config{Settings: settings.Jolokia, Password: password, HTTP: jolokia.HTTP(s.Dial, config)})
}

// Close closes the connections to the cluster.
func (a *actor) Close() error {
	a.cluster.Close()
	if a.jmx != nil {
		a.jmx.Close()
	}
	return nil
}

// Act carries out an action.
func (a *actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	described, args, err := cassandraspec.Target().FindAction(what.Name, what.Args)
	if err == nil && described.Check != nil {
		if err = described.Check(args); err != nil {
			err = fmt.Errorf("%s: %w", what.Name, err)
		}
	}
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, err)
	}
	answer, err := functions()[what.Name](a, ctx, args)
	return answer, cluster.Mark(err)
}

// function carries out an action with valid arguments.
type function func(a *actor, ctx context.Context, args map[string]string) (load.Answer, error)

// functions has a function for each action that cassandraspec describes.
func functions() map[string]function {
	return map[string]function{
		"autocompaction": (*actor).autocompaction,
		"compact":        (*actor).compact,
		"count":          (*actor).count,
		"describe":       (*actor).describe,
		"drain":          (*actor).drain,
		"drop":           (*actor).drop,
		"flush":          (*actor).flush,
		"major_compact":  (*actor).compact,
		"servers":        (*actor).servers,
		"repair_off":     (*actor).repairOff,
		"tables":         (*actor).tables,
		"truncate":       (*actor).truncate,
		"wait_for_quiet": (*actor).quiet,
	}
}

// table returns the table of an action, which defaults to that of the settings.
func (a *actor) table(args map[string]string) (keyspace, table string, err error) {
	if args["table"] == "" {
		return a.settings.Keyspace, a.settings.Table, nil
	}
	if keyspace, table, err = cassandraspec.ParseTable(args["table"], a.settings.Keyspace); err != nil {
		return "", "", load.Mark(load.ErrAction, err)
	}
	return keyspace, table, nil
}

// answerf returns an answer of one line.
func answerf(format string, args ...any) load.Answer {
	return load.Answer{Text: []string{fmt.Sprintf(format, args...)}}
}

// countNodes formats a number of nodes.
func countNodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}
