package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/target/cassandra/jolokia"
)

// storage is the bean of most of what nodetool does.
const storage = "org.apache.cassandra.db:type=StorageService"

// need fails when the settings name no Jolokia.
func (a *actor) need(action, nodetool string) error {
	if a.jmx != nil {
		return nil
	}
	return load.Mark(load.ErrAction, fmt.Errorf("%s: Cassandra has it only in JMX: load the Jolokia agent into each node and set cassandra.jolokia.port (docs/cassandra.md), or run `%s` by a hook of an agent", action, nodetool))
}

// each calls an operation on each node that is up, one after another, and returns their number.
func (a *actor) each(ctx context.Context, what string, request jolokia.Request) (int, error) {
	done := 0
	for _, n := range a.cluster.Nodes() {
		if !n.Up {
			return done, fmt.Errorf("%s: node %s is down; it was done on %s", what, n.Address, countNodes(done))
		}
		if err := a.one(ctx, n, what, request); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (a *actor) one(ctx context.Context, n cluster.Node, what string, request jolokia.Request) error {
	answers, err := a.jmx.Call(ctx, n.Address, request)
	if err != nil {
		if ctx.Err() != nil {
			return load.Mark(load.ErrUnknown, fmt.Errorf("%s: %w", what, err))
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := answers[0].Err(); err != nil {
		return fmt.Errorf("%s on node %s: %w", what, n.Address, err)
	}
	return nil
}

// exists fails when there is no such table: JMX would report it by a Java exception, or not at all.
func (a *actor) exists(ctx context.Context, args map[string]string) (keyspace, table string, err error) {
	if keyspace, table, err = a.table(args); err != nil {
		return "", "", err
	}
	_, err = a.cluster.Table(ctx, keyspace, table)
	return keyspace, table, err //nolint:wrapcheck // it names the table
}

func (a *actor) flush(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.need("flush", "nodetool flush"); err != nil {
		return load.Answer{}, err
	}
	keyspace, table, err := a.exists(ctx, args)
	if err != nil {
		return load.Answer{}, err
	}
	n, err := a.each(ctx, "flush table "+keyspace+"."+table,
		jolokia.Exec(storage, "forceKeyspaceFlush(java.lang.String,[Ljava.lang.String;)", keyspace, []string{table}))
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("flushed table %s.%s on %s", keyspace, table, countNodes(n)), nil
}

func (a *actor) compact(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.need("compact", "nodetool compact"); err != nil {
		return load.Answer{}, err
	}
	keyspace, table, err := a.exists(ctx, args)
	if err != nil {
		return load.Answer{}, err
	}
	n, err := a.each(ctx, "compact table "+keyspace+"."+table,
		jolokia.Exec(storage, "forceKeyspaceCompaction(boolean,java.lang.String,[Ljava.lang.String;)", false, keyspace, []string{table}))
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("compacted table %s.%s on %s", keyspace, table, countNodes(n)), nil
}

func (a *actor) autocompaction(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.need("autocompaction", "nodetool "+map[string]string{"on": "enableautocompaction", "off": "disableautocompaction"}[args["state"]]); err != nil {
		return load.Answer{}, err
	}
	keyspace, table, err := a.exists(ctx, args)
	if err != nil {
		return load.Answer{}, err
	}
	operation := map[string]string{"on": "enableAutoCompaction", "off": "disableAutoCompaction"}[args["state"]]
	n, err := a.each(ctx, "switch autocompaction of table "+keyspace+"."+table,
		jolokia.Exec(storage, operation+"(java.lang.String,[Ljava.lang.String;)", keyspace, []string{table}))
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("autocompaction of table %s.%s is %s on %s", keyspace, table, args["state"], countNodes(n)), nil
}

func (a *actor) repairOff(ctx context.Context, _ map[string]string) (load.Answer, error) {
	if err := a.need("repair_off", "nodetool stop repair"); err != nil {
		return load.Answer{}, err
	}
	n, err := a.each(ctx, "end repairs", jolokia.Exec(storage, "forceTerminateAllRepairSessions()"))
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("no repair is under way on %s", countNodes(n)), nil
}

func (a *actor) drain(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.need("drain", "nodetool drain"); err != nil {
		return load.Answer{}, err
	}
	nodes := a.cluster.Nodes()
	i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.Address == args["node"] })
	if i < 0 {
		var known []string
		for _, n := range nodes {
			known = append(known, n.Address)
		}
		return load.Answer{}, load.Mark(load.ErrAction, errors.New("drain: no node "+args["node"]+": want one of "+strings.Join(known, ", ")))
	}
	if err := a.one(ctx, nodes[i], "drain node "+nodes[i].Address, jolokia.Exec(storage, "drain()")); err != nil {
		return load.Answer{}, err
	}
	return answerf("node %s is drained: it serves again after a restart of its process", nodes[i].Address), nil
}
