package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
)

// answerDocument is the answer of an action as JSON. Fields are added, and never removed or changed.
type answerDocument struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
	Action string `json:"action"`
	Agent  string `json:"agent"`
	load.Answer
}

// printAnswer prints the answer of an action.
func printAnswer(c *cli.Context, action string, done remote.ActionResult, output string) error {
	if output == "json" {
		return printJSON(c.Out, answerDocument{Schema: 1, Kind: "answer", Action: action, Agent: done.Agent, Answer: done.Answer})
	}
	for _, line := range done.Answer.Text {
		if _, err := fmt.Fprintln(c.Out, report.Plain(line)); err != nil {
			return err
		}
	}
	if len(done.Answer.Columns) == 0 {
		return nil
	}
	return printTable(c.Out, done.Answer)
}

func printTable(out io.Writer, answer load.Answer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	header := make([]string, len(answer.Columns))
	for i, name := range answer.Columns {
		header[i] = report.Plain(strings.ReplaceAll(strings.ToUpper(name), "_", " "))
	}
	_, _ = fmt.Fprintln(t, strings.Join(header, "\t"))
	for _, row := range answer.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = report.Plain(fmt.Sprint(v))
		}
		_, _ = fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}
