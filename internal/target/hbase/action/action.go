package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
	"github.com/benchd/benchd/internal/workload"
)

// actor carries out actions on one cluster.
type actor struct {
	client   *admin.Client
	secured  *setup.Security
	settings hbasespec.Settings
	workload workload.Config // its keys determine the split points of tables
	by       string          // the creator of tables
	log      *slog.Logger
}

// Open is HBase's load.OpenActor.
func Open(ctx context.Context, s load.Settings) (load.Actor, error) {
	settings, err := hbasespec.Read(s.Properties)
	if err != nil {
		return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target hbase: %w", err))
	}
	secured, err := setup.NewSecurity(settings, s.Credential, s.Logger)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	client, err := setup.Connect(ctx, settings, secured, s.Dial, s.Logger)
	if err != nil {
		secured.Close()
		return nil, load.Mark(load.ErrNotReached, err)
	}
	by := s.Run
	if by == "" {
		by = "benchctl admin"
	}
	return &actor{client: client, secured: secured, settings: settings, workload: s.Workload, by: by, log: s.Logger}, nil
}

// Close closes the connections to the cluster.
func (a *actor) Close() error {
	a.client.Close()
	a.secured.Close()
	return nil
}

// Act carries out an action.
func (a *actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	args, err := a.check(what)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, err)
	}
	answer, err := functions()[what.Name](a, ctx, args)
	if errors.Is(err, admin.ErrUnknown) {
		err = load.Mark(load.ErrUnknown, err)
	}
	return answer, err
}

// function carries out an action with valid arguments.
type function func(a *actor, ctx context.Context, args map[string]string) (load.Answer, error)

// functions has a function for each action that hbasespec describes.
func functions() map[string]function {
	return map[string]function{
		"balance":         (*actor).balance,
		"balancer":        (*actor).balancer,
		"compact":         compact(false),
		"count":           (*actor).count,
		"create":          (*actor).create,
		"delete_snapshot": (*actor).deleteSnapshot,
		"describe":        (*actor).describe,
		"disable":         (*actor).disable,
		"drop":            (*actor).drop,
		"enable":          (*actor).enable,
		"flush":           (*actor).flush,
		"major_compact":   compact(true),
		"move":            (*actor).move,
		"regions":         (*actor).regions,
		"restore":         (*actor).restore,
		"servers":         (*actor).servers,
		"snapshot":        (*actor).snapshot,
		"snapshots":       (*actor).snapshots,
		"split":           (*actor).split,
		"tables":          (*actor).tables,
		"truncate":        (*actor).truncate,
		"wait_for_quiet":  (*actor).quiet,
	}
}

// check validates an action's arguments. The table defaults to that of the settings.
func (a *actor) check(what load.Action) (map[string]string, error) {
	described, args, err := hbasespec.Target().FindAction(what.Name, what.Args)
	if err != nil || !described.Has("table") {
		return args, err //nolint:wrapcheck // it names the action
	}
	if args["table"] == "" {
		args["table"] = a.settings.FullTable()
	}
	if err := admin.CheckName(args["table"]); err != nil {
		return nil, fmt.Errorf("%s: %w", what.Name, err)
	}
	if described.Has(descriptor.SnapshotArg) {
		if err := hbasespec.CheckSnapshotName(snapshotName(args)); err != nil {
			return nil, fmt.Errorf("%s: %w", what.Name, err)
		}
	}
	return args, nil
}
