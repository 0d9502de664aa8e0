package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/webhook"
)

// webhooksDocument is what webhooks prints as JSON.
type webhooksDocument struct {
	Webhooks []webhook.Status `json:"webhooks"`
	Broken   string           `json:"broken"` // why the changed file is not used
}

func webhooksCommand() cli.Command {
	output := "table"
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "Show the coordinator's webhooks with their last delivery, or test one",
		Long: `Webhooks lists the receivers that the coordinator notifies of ended suites, violated limits and found changes, with what was sent
to each last, and how many notices wait. The coordinator's operator configures them in a file (benchd coordinator --webhooks).
Of a URL only its host is shown: the rest is the password of many receivers.

"benchctl webhooks test NAME" sends a test.`,
		Example: `  benchctl webhooks
  benchctl webhooks -o json | jq '.webhooks[] | select(.last.error) | .name'
  benchctl webhooks test chat`,
	}
	connect := addConnectFlags(cmd)
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{Command: cmd, Commands: []cli.Command{testWebhookCommand()}, Run: ask(connect, func(ctx context.Context, c *cli.Context, client *remote.Client, _ []string) error {
		hooks, broken, err := client.Webhooks(ctx)
		if err != nil {
			return err
		}
		if output == "json" {
			return printJSON(c.Out, webhooksDocument{hooks, broken})
		}
		if broken != "" {
			_, _ = fmt.Fprintf(c.Err, "warning: the changed file of webhooks is not used: %s\n", report.Printable(broken))
		}
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "NAME\tADDRESS\tFORMAT\tEVENTS\tWAITING\tLAST\tEVENT\tSUITE\tOUTCOME")
		for _, h := range hooks {
			at, event, suite, outcome := "-", "-", "-", "-"
			if h.Last != nil {
				at, event, suite, outcome = when(h.Last.At), h.Last.Event, h.Last.Suite, outcomeOf(h.Last.Status, h.Last.Error)
			}
			events := make([]string, len(h.Events))
			for i, e := range h.Events {
				events[i] = string(e)
			}
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", report.Printable(h.Name), report.Printable(h.Address), report.Printable(string(h.Format)),
				report.Printable(strings.Join(events, ",")), h.Queued, at, report.Printable(event), report.Printable(suite), report.Printable(outcome))
		}
		return t.Flush()
	})}
}

func testWebhookCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Send a test to a webhook",
		Long: `Test lets the coordinator send a notice with the event test to a webhook, once, and prints the answer of the receiver. The exit code is
1 if the receiver has not accepted it. If it has, the coordinator tries the waiting notices of this webhook at once. Only an admin may
send a test; the audit log has it.`,
		Example: `  benchctl webhooks test chat`,
	}
	connect := addConnectFlags(cmd)
	cmd.Args = cli.Exactly("NAME")
	cmd.ValidArgsFunction = completeFrom(connect, webhookNames)
	return cli.Command{Command: cmd, Run: ask(connect, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		status, problem, err := client.TestWebhook(ctx, args[0])
		switch {
		case err != nil:
			return err
		case problem != "":
			return &cli.Error{Code: cli.Failed, Err: errors.New("webhook " + args[0] + " has not accepted the test: " + report.Printable(problem))}
		}
		_, err = fmt.Fprintf(c.Out, "webhook %s has accepted the test: %s\n", args[0], outcomeOf(status, ""))
		return err
	})}
}

// outcomeOf describes the answer of a receiver.
func outcomeOf(status int, problem string) string {
	if problem != "" {
		return problem
	}
	return fmt.Sprintf("status %d", status)
}

// webhookNames completes the names of webhooks.
func webhookNames(ctx context.Context, client *remote.Client) []string {
	hooks, _, err := client.Webhooks(ctx)
	if err != nil {
		return nil
	}
	names := make([]string, len(hooks))
	for i, h := range hooks {
		names[i] = h.Name
	}
	return names
}
