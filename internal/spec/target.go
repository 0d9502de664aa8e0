package spec

import (
	"slices"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// Target returns the resolved settings of a submission for commands that use a target without a run: its address and the
// properties of its tables. Settings that only a run needs may be missing. The error is of type Problems.
func (r *Reader) Target(s Submission, db string) (map[string]string, []property.Warning, error) {
	s.Flags = append(slices.Clip(s.Flags), Setting{Key: "db", Value: db, Origin: "target"})
	res := r.table.newResolver()
	res.take(s)
	res.validateValues()
	res.attach(s.Attachments)
	res.validateTarget()
	res.warnings = append(res.warnings, res.inert...)
	warnings, err := res.sortedWarnings(), res.err()
	properties, _ := res.settle() // its warnings are about runs
	if err == nil {
		err = res.err()
	}
	if err != nil {
		return nil, warnings, err
	}
	return properties, warnings, nil
}

// Workload returns the workload of resolved properties or of those that Target returns.
func Workload(properties map[string]string) (workload.Config, error) {
	v, err := property.Read(properties, slices.Concat(workloadKeys(), distributionKeys()))
	if err != nil {
		return workload.Config{}, err
	}
	return values{Values: v}.workload(), nil
}
