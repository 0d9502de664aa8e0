// Package spec turns what a user submits into a plan.Suite.
package spec

import (
	"github.com/benchd/benchd/internal/plan"
)

// Parse judges a submission whole.
func Parse(s Submission, available ...string) (*plan.Suite, []Warning, error) {
	return nil, nil, Problems{{Text: "not built"}}
}

// Resolve returns what properties mean.
func Resolve(properties map[string]string) (plan.Settings, error) {
	return plan.Settings{}, Problems{{Text: "not built"}}
}

// Needs names the files whose contents the submission must carry as Attachments.
func Needs(s Submission) []string { return nil }
