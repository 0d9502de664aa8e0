package agent

import (
	"slices"
	"strconv"
	"strings"
)

// cpuSet is the processors that this process may use, by the names of the host's counters (cpu0); nil if it may use all of
// them, or if they are unknown.
type cpuSet map[string]bool

// text lists the processors as Linux does: 0-1,4.
func (s cpuSet) text() string {
	var numbers []int
	for name := range s {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "cpu")); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		part := strconv.Itoa(numbers[i])
		if last > i {
			part += "-" + strconv.Itoa(numbers[last])
		}
		parts = append(parts, part)
		i = last + 1
	}
	return strings.Join(parts, ",")
}
