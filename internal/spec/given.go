package spec

import (
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/spec/suite"
)

// Given lists the properties that a submission sets; of a suite file, in any of its cases. Of a submission with mistakes it
// lists what it can.
func (r *Reader) Given(s Submission) []string { return slices.Sorted(maps.Keys(r.said(s))) }

// Sets reports whether a submission sets a property itself; a suite file, whether it does so anywhere.
func (r *Reader) Sets(s Submission, name string) bool {
	_, ok := r.said(s)[name]
	return ok
}

// said is what a submission sets, in any of its cases.
func (r *Reader) said(s Submission) map[string]entry {
	j := r.table.judge()
	if s.Suite != nil {
		read, _ := suite.Read(j.table.input(s))
		for _, one := range read.Said {
			j.set(entry{written: one.Key, value: one.Value})
		}
	}
	j.take(s)
	return j.given
}

// supply sets what goes below all that was said, because whoever judges knows it of the target. What is supplied
// belongs together: where the submission sets one of them, the others would not fit it.
func (j *judge) supply(by map[string]map[string]string) {
	db := j.value("db")
	j.supplyAll(db, j.target().Supplied)
	j.supplyAll(db, by[db])
}

func (j *judge) supplyAll(db string, properties map[string]string) {
	for name := range properties {
		if _, ok := j.given[name]; ok {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		j.set(entry{written: name, value: properties[name], place: "of target " + db})
	}
}
