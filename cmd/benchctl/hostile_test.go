package main

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/remote"
)

// A text of another machine cannot control the terminal of a user, nor reverse a line.
func TestTextsOfOtherMachinesDoNotControlTheTerminal(t *testing.T) {
	const evil = "a\x1b[2J\x1b]0;title\x07\u009b2J\x7f\u202egnp\u2066b\u200fc\u200e\t\rz"
	for name, show := range map[string]func(c *cli.Context) error{
		"agents": func(c *cli.Context) error {
			return printAgents(c.Out, []remote.Agent{{Name: evil, Run: evil, Version: evil, Address: evil, Labels: map[string]string{evil: evil}}})
		},
		"answer": func(c *cli.Context) error {
			return printAnswer(c, "action", remote.ActionResult{Answer: load.Answer{
				Text: []string{evil}, Columns: []string{evil, "b"}, Rows: [][]any{{evil, 1}},
			}}, "table")
		},
		"warnings": func(c *cli.Context) error {
			warn(c, []string{evil})
			return nil
		},
		"errors": func(c *cli.Context) error {
			cli.Exit(c.Err, "benchctl", errors.New(evil))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, show(&cli.Context{Streams: cli.Streams{Out: &out, Err: &out}}))
			require.Contains(t, out.String(), "gnp")
			require.Equal(t, -1, strings.IndexFunc(out.String(), func(r rune) bool {
				return r != '\n' && unicode.IsControl(r) || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
			}), "%q", out.String())
		})
	}
}
