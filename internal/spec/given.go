package spec

import (
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/spec/suite"
)

// Given lists the properties that a submission sets; for a suite file, those of all its cases. For a submission with mistakes
// the list may be incomplete.
func (r *Reader) Given(s Submission) []string { return slices.Sorted(maps.Keys(r.entries(s))) }

// Sets reports whether a submission sets a property; for a suite file, whether any part of it does.
func (r *Reader) Sets(s Submission, name string) bool {
	_, ok := r.entries(s)[name]
	return ok
}

// entries returns the settings of a submission, in any of its cases.
func (r *Reader) entries(s Submission) map[string]entry {
	res := r.table.newResolver()
	if s.Suite != nil {
		read, _ := suite.Read(res.table.input(s))
		for _, one := range read.Given {
			res.set(entry{written: one.Key, value: one.Value})
		}
	}
	res.take(s)
	return res.given
}

// supply sets the properties that the caller knows about the target; every other setting wins over them. The supplied
// properties belong together: if the submission sets one of them, none is supplied.
func (r *resolver) supply(by map[string]map[string]string) {
	db := r.value("db")
	r.supplyAll(db, r.target().Supplied)
	r.supplyAll(db, by[db])
}

func (r *resolver) supplyAll(db string, properties map[string]string) {
	for name := range properties {
		if _, ok := r.given[name]; ok {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		r.set(entry{written: name, value: properties[name], place: "of target " + db})
	}
}
