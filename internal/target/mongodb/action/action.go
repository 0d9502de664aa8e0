package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/workload"
)

// actor carries out actions on one installation.
type actor struct {
	client   *client.Client
	settings mongodbspec.Settings
	workload workload.Config // its keys determine the split points of collections
	log      *slog.Logger
}

// Open is MongoDB's load.OpenActor.
func Open(ctx context.Context, s load.Settings) (load.Actor, error) {
	settings, err := mongodbspec.Read(s.Properties)
	if err != nil {
		return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target mongodb: %w", err))
	}
	password, err := s.Secret(mongodbspec.PasswordKey)
	if err != nil {
		return nil, load.Mark(load.ErrAction, err)
	}
	log := s.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	reach := settings // an action may be what makes the servers fit the rest
	reach.Shard = mongodbspec.Unsharded
	c, err := client.Connect(ctx, client.Config{Settings: reach, Password: password, Dial: s.Dial, Credential: s.Credential, Logger: log})
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	return &actor{client: c, settings: settings, workload: s.Workload, log: log}, nil
}

// Close closes the connections.
func (a *actor) Close() error {
	return a.client.Close() //nolint:wrapcheck // it needs no context
}

// Act carries out an action.
func (a *actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	args, err := a.check(what)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, err)
	}
	answer, err := functions()[what.Name](a, ctx, args)
	if err != nil && client.CodeOf(err) == workload.Timeout {
		err = load.Mark(load.ErrUnknown, err)
	}
	return answer, err
}

// function carries out an action with valid arguments.
type function func(a *actor, ctx context.Context, args map[string]string) (load.Answer, error)

// functions has a function for each action that mongodbspec describes.
func functions() map[string]function {
	return map[string]function{
		"balancer":       (*actor).balancer,
		"compact":        (*actor).compact,
		"count":          (*actor).count,
		"create":         (*actor).create,
		"describe":       (*actor).describe,
		"drop":           (*actor).drop,
		"flush":          (*actor).flush,
		"servers":        (*actor).servers,
		"split":          (*actor).split,
		"tables":         (*actor).tables,
		"wait_for_quiet": (*actor).quiet,
	}
}

// check validates an action's arguments. The collection defaults to that of the settings.
func (a *actor) check(what load.Action) (map[string]string, error) {
	described, args, err := mongodbspec.Target().FindAction(what.Name, what.Args)
	if err != nil || !described.Has("table") {
		return args, err //nolint:wrapcheck // it names the action
	}
	if args["table"] == "" {
		args["table"] = a.settings.Collection
	}
	if err := mongodbspec.CheckCollection(args["table"]); err != nil {
		return nil, fmt.Errorf("%s: %w", what.Name, err)
	}
	return args, nil
}

// of returns the settings with the collection of an action.
func (a *actor) of(args map[string]string) mongodbspec.Settings {
	s := a.settings
	s.Collection = args["table"]
	return s
}

// sharded fails if the installation is not a sharded cluster.
func (a *actor) sharded(what string) error {
	if a.client.Hello.Mongos() {
		return nil
	}
	return load.Mark(load.ErrAction, fmt.Errorf("%s needs a sharded cluster, and %s is a %s: give the address of a mongos in mongodb.url", what, strings.Join(a.settings.URL.Hosts, ","), a.client.Hello.Topology()))
}

var errNoCollection = errors.New("the collection does not exist")

// answerf returns an answer of one line.
func answerf(format string, args ...any) load.Answer {
	return load.Answer{Text: []string{fmt.Sprintf(format, args...)}}
}
