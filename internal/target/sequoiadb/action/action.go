package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/sequoiadb/admin"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
)

// actor carries out actions on one cluster.
type actor struct {
	settings sequoiadbspec.Settings
	access   *admin.Access
	client   *admin.Client
}

// Open is SequoiaDB's load.OpenActor.
func Open(ctx context.Context, s load.Settings) (load.Actor, error) {
	settings, err := sequoiadbspec.Read(s.Properties)
	if err != nil {
		return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target sequoiadb: %w", err))
	}
	password, err := s.Secret(sequoiadbspec.PasswordKey)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	access, err := admin.NewAccess(settings, password, s.Dial, s.Credential)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	client, err := access.Open(ctx)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	return &actor{settings, access, client}, nil
}

// Close closes the connection to the cluster.
func (a *actor) Close() error { return a.client.Close() } //nolint:wrapcheck // it names the address

// function carries out an action on a collection, whose settings it gets.
type function func(*actor, context.Context, sequoiadbspec.Settings) (load.Answer, error)

// functions has a function for each action that sequoiadbspec describes.
func functions() map[string]function {
	return map[string]function{
		"count":    (*actor).count,
		"create":   (*actor).create,
		"describe": (*actor).describe,
		"drop":     (*actor).drop,
		"servers":  (*actor).servers,
		"sync":     (*actor).sync,
		"tables":   (*actor).tables,
		"truncate": (*actor).truncate,
	}
}

// Act carries out an action.
func (a *actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	_, args, err := sequoiadbspec.Target().FindAction(what.Name, what.Args)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, err)
	}
	settings := a.settings
	if table := args["table"]; table != "" {
		if err := sequoiadbspec.CheckName(table); err != nil {
			return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("%s: %w", what.Name, err))
		}
		settings = settings.In(table)
	}
	answer, err := functions()[what.Name](a, ctx, settings)
	if err != nil && ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		err = load.Mark(load.ErrUnknown, err) // the server may still be doing it
	}
	return answer, err
}

// answerf returns an answer of one line.
func answerf(format string, args ...any) load.Answer {
	return load.Answer{Text: []string{fmt.Sprintf(format, args...)}}
}
