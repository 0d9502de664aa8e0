package workload

import "strings"

// InGroup returns the name under which the operations of a kind are recorded when a group of workers issues them:
// "reads.READ". So the operations of two groups never share a series. Without a group it is the kind's own name.
func InGroup(group, op string) string {
	if group == "" || op == "" {
		return op
	}
	return group + "." + op
}

// SplitGroup is the inverse of InGroup. The group is empty for an operation of no group.
func SplitGroup(name string) (group, op string) {
	if before, after, ok := strings.Cut(name, "."); ok {
		return before, after
	}
	return "", name
}
