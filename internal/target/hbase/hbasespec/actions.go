package hbasespec

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// actions are what can be done to HBase while it is measured, with the arguments that each takes.
func actions() []descriptor.Action {
	table := []string{"table"}
	return []descriptor.Action{
		{Name: "balance"},
		{Name: "balancer", Takes: []string{"state"}, Needs: 1, Check: checkState},
		{Name: "compact", Takes: table, Named: []string{"wait"}, Check: checkArgs},
		{Name: "disable", Takes: table, Check: checkArgs},
		{Name: "enable", Takes: table, Check: checkArgs},
		{Name: "flush", Takes: table, Check: checkArgs},
		{Name: "major_compact", Takes: table, Named: []string{"wait"}, Check: checkArgs},
		{Name: "move", Takes: []string{"region", "server"}, Needs: 1},
		{Name: "split", Takes: []string{"table", "key"}, Named: []string{"region"}, Check: checkArgs},
		{Name: "wait_for_quiet"},
	}
}

func checkState(args map[string]string) error {
	if state := args["state"]; state != "on" && state != "off" {
		return fmt.Errorf("the balancer is switched on or off, not %s; write balancer on or balancer off", property.Quote(state))
	}
	return nil
}

func checkArgs(args map[string]string) error {
	if v, ok := args["wait"]; ok && v != "true" && v != "false" {
		return errors.New("wait is true or false, not " + property.Quote(v))
	}
	if table := args["table"]; table != "" {
		_, _, err := parseTable(table)
		return err
	}
	return nil
}

// between are the actions that may come between the phases of a run.
func between() []string {
	return []string{"flush", "compact", "major_compact", "split", "balance", "wait_for_quiet"}
}
