package plan

// turn is one repeat of a case in the order of execution.
type turn struct {
	c      Case
	repeat int // from 1
}

// turns returns the repeats of all cases in the order of their execution: case after case, each with its repeats. The
// case that fills a dataset comes once for each target, before the first that uses it. Interleaved, the cases of a
// scenario that differ only by their target, or by their groups of workers, take turns: A B, B A, A B …, so that slow
// changes (a cache that fills, a noisy neighbour) affect all of them alike.
func (s Suite) turns() []turn {
	var turns []turn
	type rows struct{ dataset, target string }
	filled := make(map[rows]bool)
	fill := func(c Case) {
		at := rows{c.Dataset, c.Target}
		if !filled[at] {
			filled[at] = true
			turns = append(turns, turn{c, 1})
		}
	}
	done := make([]bool, len(s.Cases))
	for i, c := range s.Cases {
		switch {
		case done[i]:
			continue
		case c.Fills:
			fill(c)
			continue
		}
		group := s.rivals(i)
		for _, j := range group {
			done[j] = true
			for _, f := range s.Cases {
				if f.Fills && f.Dataset == s.Cases[j].Dataset && f.Target == s.Cases[j].Target {
					fill(f)
				}
			}
		}
		turns = append(turns, s.interleave(group)...)
	}
	return turns
}

// rivals returns the indexes of the cases that case i takes turns with, including i.
func (s Suite) rivals(i int) []int {
	group := []int{i}
	if s.Order != Interleaved || s.Cases[i].Scenario == "" {
		return group
	}
	for j := i + 1; j < len(s.Cases); j++ {
		if !s.Cases[j].Fills && s.Cases[j].rivals(s.Cases[i]) {
			group = append(group, j)
		}
	}
	return group
}

// targetAxis is the axis of a matrix that names a case's target.
const targetAxis = "target"

// rivals reports whether two cases differ by their target, by their groups of workers, or by both, and by nothing else.
func (c Case) rivals(other Case) bool {
	if c.Scenario != other.Scenario || c.Dataset != other.Dataset || c.Agents != other.Agents || len(c.Axes) != len(other.Axes) {
		return false
	}
	grouped := false
	for i, a := range c.Axes {
		o := other.Axes[i]
		named := a == Setting{targetAxis, c.Target} && o == Setting{targetAxis, other.Target}
		byGroups := a.Key == GroupsProperty && o.Key == GroupsProperty
		if a != o && !named && !byGroups {
			return false
		}
		grouped = grouped || byGroups && a != o
	}
	return c.Target != other.Target || grouped
}

// interleave makes cases take turns, every second time in the opposite order.
func (s Suite) interleave(group []int) []turn {
	most := 0
	for _, i := range group {
		most = max(most, s.Cases[i].Repeats, 1)
	}
	var turns []turn
	for repeat := 1; repeat <= most; repeat++ {
		for k := range group {
			if repeat%2 == 0 {
				k = len(group) - 1 - k
			}
			if c := s.Cases[group[k]]; repeat <= max(c.Repeats, 1) {
				turns = append(turns, turn{c, repeat})
			}
		}
	}
	return turns
}
