package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
	"github.com/benchd/benchd/internal/workload"
)

// actor does actions on one cluster.
type actor struct {
	client   *admin.Client
	settings hbasespec.Settings
	workload workload.Config // whose keys a table is split for
	by       string          // who creates tables
	log      *slog.Logger
}

// Open is HBase's load.Acting.
func Open(ctx context.Context, s load.Settings) (load.Actor, error) {
	settings, err := hbasespec.Read(s.Properties)
	if err != nil {
		return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target hbase: %w", err))
	}
	client, err := setup.Connect(ctx, settings, s.Logger)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	by := s.Run
	if by == "" {
		by = "benchctl admin"
	}
	return &actor{client: client, settings: settings, workload: s.Workload, by: by, log: s.Logger}, nil
}

// Close lets go of the cluster.
func (a *actor) Close() error {
	a.client.Close()
	return nil
}

// Act does an action.
func (a *actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	d, ok := actions()[what.Name]
	if !ok {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("target hbase cannot %q: it can %s", what.Name, strings.Join(Names(), ", ")))
	}
	args, err := a.check(what, d)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("%s: %w", what.Name, err))
	}
	answer, err := d.do(a, ctx, args)
	if errors.Is(err, admin.ErrUnknown) {
		err = load.Mark(load.ErrUnknown, err)
	}
	return answer, err
}

// action is the definition of an action.
type action struct {
	table bool     // whether it is done to a table; then that of the settings is meant where none is named
	needs []string // arguments that must be there
	takes []string // arguments that may be there
	do    func(a *actor, ctx context.Context, args map[string]string) (load.Answer, error)
}

func actions() map[string]action {
	return map[string]action{
		"flush":          {table: true, do: (*actor).flush},
		"compact":        {table: true, takes: []string{"wait"}, do: compact(false)},
		"major_compact":  {table: true, takes: []string{"wait"}, do: compact(true)},
		"split":          {table: true, takes: []string{"region", "key"}, do: (*actor).split},
		"move":           {needs: []string{"region"}, takes: []string{"server"}, do: (*actor).move},
		"balance":        {do: (*actor).balance},
		"balancer":       {takes: []string{"state"}, do: (*actor).balancer},
		"regions":        {table: true, do: (*actor).regions},
		"servers":        {do: (*actor).servers},
		"tables":         {do: (*actor).tables},
		"describe":       {table: true, do: (*actor).describe},
		"wait_for_quiet": {do: (*actor).quiet},
		"count":          {table: true, do: (*actor).count},
		"create":         {table: true, do: (*actor).create},
		"drop":           {table: true, takes: []string{"force"}, do: (*actor).drop},
		"truncate":       {table: true, takes: []string{"force", "keep_splits"}, do: (*actor).truncate},
		"enable":         {table: true, do: (*actor).enable},
		"disable":        {table: true, do: (*actor).disable},
	}
}

// Names lists what can be done.
func Names() []string { return slices.Sorted(maps.Keys(actions())) }

// check checks an action's arguments and fills in the table of the settings.
func (a *actor) check(what load.Action, d action) (map[string]string, error) {
	args := maps.Clone(what.Args)
	if args == nil {
		args = make(map[string]string)
	}
	known := slices.Concat(d.needs, d.takes)
	if d.table {
		known = append(known, "table")
		if args["table"] == "" {
			args["table"] = a.settings.FullTable()
		}
		if err := admin.CheckName(args["table"]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("it takes no %s (%s)", name, strings.Join(known, ", "))
		}
	}
	for _, name := range d.needs {
		if args[name] == "" {
			return nil, fmt.Errorf("it needs a %s", name)
		}
	}
	for _, name := range []string{"wait", "force", "keep_splits"} {
		if v := args[name]; v != "" && v != "true" && v != "false" {
			return nil, fmt.Errorf("%s is true or false, not %q", name, v)
		}
	}
	if v, ok := args["state"]; ok && v != "" && v != "on" && v != "off" {
		return nil, fmt.Errorf("the balancer is switched on or off, not %q", v)
	}
	return args, nil
}
