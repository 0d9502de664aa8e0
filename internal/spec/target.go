package spec

import (
	"slices"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// Target returns the settings of a submission for one target, resolved, for what is done to the target without
// a run: where it is, and what its tables are like. What a run would need besides may be missing. The error is of type
// Problems.
func (r *Reader) Target(s Submission, db string) (map[string]string, []property.Warning, error) {
	s.Flags = append(slices.Clip(s.Flags), Setting{Key: "db", Value: db, Origin: "target"})
	j := r.table.judge()
	j.take(s)
	j.judgeValues()
	j.attach(s.Attachments)
	j.judgeTarget()
	warnings, err := j.sortedWarnings(), j.err()
	properties, _ := j.settle() // what it warns of concerns runs
	if err == nil {
		err = j.err()
	}
	if err != nil {
		return nil, warnings, err
	}
	return properties, warnings, nil
}

// Workload returns the workload that properties describe, resolved ones or those of Target.
func Workload(properties map[string]string) (workload.Config, error) {
	v, err := property.Read(properties, slices.Concat(workloadKeys(), distributionKeys()))
	if err != nil {
		return workload.Config{}, err
	}
	return values{Values: v}.workload(), nil
}
