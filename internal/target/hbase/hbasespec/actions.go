package hbasespec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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

// afterLoad are the actions that a load may end with.
func afterLoad() []string {
	return []string{"flush", "compact", "major_compact", "split", "balance", "wait_for_quiet"}
}

// checkAfterLoad accepts names of actions, with dashes too.
func checkAfterLoad(value string) (string, error) { return checkActionNames(value, "after a load") }

func checkBeforeRun(value string) (string, error) { return checkActionNames(value, "before a run") }

func checkActionNames(value, when string) (string, error) {
	var names []string
	for name := range strings.SplitSeq(value, ",") {
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		if !slices.Contains(afterLoad(), name) {
			return "", fmt.Errorf("%s is nothing that can be done %s; there is %s", property.Quote(name), when, strings.Join(afterLoad(), ", "))
		}
		names = append(names, name)
	}
	return strings.Join(names, ","), nil
}
