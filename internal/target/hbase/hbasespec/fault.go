package hbasespec

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

// sandboxActions lists the actions that a sandbox has in addition to those of HBase.
func sandboxActions() []descriptor.Action {
	named := slices.DeleteFunc(fault.Keys(), func(key string) bool { return key == plan.FaultKind })
	return []descriptor.Action{
		{Name: plan.ClearFaults, Privilege: identity.Fault},
		{Name: plan.Fault, Takes: []string{plan.FaultKind}, Named: named, Privilege: identity.Fault, Object: plan.FaultKind, Check: func(args map[string]string) error {
			_, err := Fault(args)
			return err
		}},
	}
}

// Fault reads a fault from the arguments of an action, whose values have no spaces: a comma separates the items of a list and
// the words of a delay such as exponential,5ms. Package fault validates it.
func Fault(args map[string]string) (fault.Fault, error) {
	settings := []fault.Setting{{Key: plan.FaultKind, Values: []string{args[plan.FaultKind]}}}
	for _, key := range fault.Keys() {
		value, given := args[key]
		if !given || key == plan.FaultKind {
			continue
		}
		values := []string{value}
		switch key {
		case "op", "table", "region":
			values = strings.Split(value, ",")
		case "server":
			values = serversIn(value)
		case "delay":
			values = []string{strings.ReplaceAll(value, ",", " ")}
		}
		settings = append(settings, fault.Setting{Key: key, Values: values})
	}
	f, err := fault.Parse(settings)
	if err != nil {
		return f, fmt.Errorf("%s: %w", strings.TrimSpace(plan.Fault+" "+args[plan.FaultKind]), err)
	}
	return f, nil
}

// serversIn splits a list of servers. A server's number and address have no comma; its name has two.
func serversIn(value string) []string {
	var list []string
	for parts := strings.Split(value, ","); len(parts) > 0; {
		n := 1
		if !isServerNumber(parts[0]) && !isAddress(parts[0]) {
			n = min(3, len(parts))
		}
		list = append(list, strings.Join(parts[:n], ","))
		parts = parts[n:]
	}
	return list
}

func isServerNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

func isAddress(text string) bool {
	_, _, err := net.SplitHostPort(text)
	return err == nil
}
