package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

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

// afterLoad is what is done to the target after the load.
func (v values) afterLoad() []string { return v.actionNames("hbase.after.load") }

// actionNames are what a property lists, where the target can do it.
func (v values) actionNames(name string) []string {
	db := v.Text("db")
	if list := v.Text(name); list != "" && (db == HBaseTarget || db == Sandbox) {
		return strings.Split(list, ",")
	}
	return nil
}
