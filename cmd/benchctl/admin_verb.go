package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target"
)

// adminTargetCommand has a command for each action of a target that has a verb.
func adminTargetCommand(targets target.List, t descriptor.Target) cli.Command {
	cmd := &cobra.Command{Use: t.Name, Short: t.Admin.Short, Long: t.Admin.Long, Example: t.Admin.Example}
	var commands []cli.Command
	for _, a := range t.Actions {
		if a.Verb.Short != "" {
			commands = append(commands, adminVerbCommand(targets, t.Name, a))
		}
	}
	return cli.Command{Command: cmd, Commands: commands}
}

// adminVerbCommand makes a command of an action.
func adminVerbCommand(targets target.List, name string, a descriptor.Action) cli.Command {
	v := a.Verb
	cmd := &cobra.Command{Use: strings.TrimSpace(a.Command() + " " + v.Args), Short: v.Short, Long: v.More, Example: v.Example}
	f := addAdminFlags(cmd, targets)
	switch {
	case v.Required:
		cmd.Args = cli.Exactly(v.Args)
	case v.Args != "":
		cmd.Args = cobra.MaximumNArgs(1)
	default:
		cmd.Args = cobra.NoArgs
	}
	if v.Choices != nil {
		cmd.ValidArgs = v.Choices
	} else {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	var setters []func(args map[string]string)
	for _, flag := range v.Flags {
		setters = append(setters, addVerbFlag(cmd, flag))
	}
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		action := load.Action{Name: a.Name, Args: map[string]string{}}
		if len(args) > 0 {
			action.Args[a.Takes[0]] = args[0]
		}
		for _, set := range setters {
			set(action.Args)
		}
		return f.act(ctx, c, cmd, name, action)
	}}
}

// addVerbFlag adds a flag to a command, and returns the function that sets the argument of the action.
func addVerbFlag(cmd *cobra.Command, flag descriptor.Flag) func(args map[string]string) {
	if flag.Switch {
		on := cmd.Flags().Bool(flag.Name, flag.On, flag.Usage)
		return func(args map[string]string) {
			if *on || flag.On {
				args[flag.Argument] = strconv.FormatBool(*on)
			}
		}
	}
	text := cmd.Flags().String(flag.Name, "", flag.Usage)
	return func(args map[string]string) {
		if *text != "" {
			args[flag.Argument] = *text
		}
	}
}
