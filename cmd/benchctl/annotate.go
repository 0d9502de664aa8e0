package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/remote"
)

func annotateCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "annotate ID",
		Short: "Change the note and tags of a suite",
		Long: `Annotate changes the note and tags of a suite in the archive, whether it has ended or not. Its measurements stay as they are. The tag
schedule belongs to the coordinator: it has the name of the schedule that submitted the suite. A tag of --untag that the suite does not have
is reported, and changes nothing.`,
		Example: `  benchctl annotate 20260301-k7mp --note 'with the new disks'
  benchctl annotate 20260301-k7mp --tag release=2.6.1 --untag draft
  benchctl annotate 20260301-k7mp --note ''                             # no note`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	var note string
	var tags config.Pairs
	var untag []string
	fs := cmd.Flags()
	fs.StringVar(&note, "note", "", "replace the note by `TEXT`")
	config.PairsVar(fs, &tags, "tag", "", "add or replace a tag; repeatable")
	fs.StringSliceVar(&untag, "untag", nil, "remove the tag `KEY`; repeatable")
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		a := remote.Annotation{Tags: tags.Map(), Untag: untag}
		if c.Origins.Set("note") {
			a.Note = &note
		}
		if a.Note == nil && len(a.Tags) == 0 && len(a.Untag) == 0 {
			return usage(errors.New("there is nothing to change: give --note TEXT, --tag KEY=VALUE or --untag KEY"))
		}
		absent, err := absentTags(ctx, client, args[0], untag)
		if err != nil {
			return err
		}
		if err := client.Annotate(ctx, args[0], a, submitter()); err != nil {
			return err
		}
		for _, name := range absent {
			if _, err := fmt.Fprintf(c.Err, "the suite %s has no tag %s to remove\n", args[0], name); err != nil {
				return err
			}
		}
		return nil
	})}
}

// absentTags returns the tags that a suite does not have.
func absentTags(ctx context.Context, client *remote.Client, id string, names []string) (absent []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	suites, err := client.Select(ctx, remote.Query{Search: id})
	if err != nil {
		return nil, err
	}
	for _, s := range suites {
		if s.ID == id {
			absent = slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, has := s.Tags[name]; return has })
		}
	}
	return absent, nil
}
