package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

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
	described, ok := find(what.Name)
	do := functions()[what.Name]
	if !ok || do == nil {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("invalid action %q for target hbase: want one of %s", what.Name, strings.Join(names(), ", ")))
	}
	args, err := a.check(what, described)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("%s: %w", what.Name, err))
	}
	answer, err := do(a, ctx, args)
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
		"balance":        (*actor).balance,
		"balancer":       (*actor).balancer,
		"compact":        compact(false),
		"count":          (*actor).count,
		"create":         (*actor).create,
		"describe":       (*actor).describe,
		"disable":        (*actor).disable,
		"drop":           (*actor).drop,
		"enable":         (*actor).enable,
		"flush":          (*actor).flush,
		"major_compact":  compact(true),
		"move":           (*actor).move,
		"regions":        (*actor).regions,
		"servers":        (*actor).servers,
		"split":          (*actor).split,
		"tables":         (*actor).tables,
		"truncate":       (*actor).truncate,
		"wait_for_quiet": (*actor).quiet,
	}
}

// find returns the description of an action.
func find(name string) (descriptor.Action, bool) {
	all := hbasespec.Actions()
	i := slices.IndexFunc(all, func(a descriptor.Action) bool { return a.Name == name })
	if i < 0 {
		return descriptor.Action{}, false
	}
	return all[i], true
}

// names lists the actions.
func names() []string {
	var all []string
	for _, a := range hbasespec.Actions() {
		all = append(all, a.Name)
	}
	return all
}

// check validates an action's arguments. The table defaults to that of the settings.
func (a *actor) check(what load.Action, described descriptor.Action) (map[string]string, error) {
	args := maps.Clone(what.Args)
	if args == nil {
		args = make(map[string]string)
	}
	known := slices.Concat(described.Takes, described.Named)
	if slices.Contains(known, "table") {
		if args["table"] == "" {
			args["table"] = a.settings.FullTable()
		}
		if err := admin.CheckName(args["table"]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown argument %s: want %s", name, strings.Join(known, ", "))
		}
	}
	if described.Verb.Required && args[described.Takes[0]] == "" {
		return nil, fmt.Errorf("missing argument %s", described.Takes[0])
	}
	for _, name := range []string{"wait", "force", "keep_splits"} {
		if v := args[name]; v != "" && v != "true" && v != "false" {
			return nil, fmt.Errorf("invalid %s %q: want true or false", name, v)
		}
	}
	if v, ok := args["state"]; ok && v != "" && v != "on" && v != "off" {
		return nil, fmt.Errorf("invalid balancer state %q: want on or off", v)
	}
	return args, nil
}
