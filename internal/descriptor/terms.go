package descriptor

import (
	"regexp"
	"strings"
)

// Terms are what one workload does on a system: two systems do the same work only if their terms are the same. Each is a short
// English phrase that follows from the servers' own settings, and empty if it is not known.
type Terms struct {
	// Durability is what has happened to a write when it is acknowledged.
	Durability string `json:"durability,omitempty"`
	// Consistency is which writes a read returns.
	Consistency string `json:"consistency,omitempty"`
	// Replicas is how many copies of a row there are.
	Replicas string `json:"replicas,omitempty"`
	// Scans is the order in which a scan returns rows.
	Scans string `json:"scans,omitempty"`
	// Updates is what an update sends.
	Updates string `json:"updates,omitempty"`
}

// Term is one of the Terms.
type Term struct{ Name, Text string }

// Meaning is the text without its explanations, which name a database's own settings and operations: what is in parentheses, and what
// follows a colon. Terms of different databases are the same if their meanings are.
func (t Term) Meaning() string {
	parts := strings.Split(explained().ReplaceAllString(t.Text, ""), "; ")
	for i, part := range parts {
		parts[i], _, _ = strings.Cut(part, ": ")
	}
	return strings.Join(parts, "; ")
}

func explained() *regexp.Regexp { return regexp.MustCompile(` ?\([^()]*\)`) }

// Each lists the terms with their names, in the order of reports.
func (t Terms) Each() []Term {
	return []Term{
		{"durability", t.Durability}, {"consistency", t.Consistency}, {"replicas", t.Replicas}, {"scans", t.Scans}, {"updates", t.Updates},
	}
}

// Terms returns the terms of a run by its resolved properties and the facts of its target. It is nil if there are no facts, or if the target
// is unknown or describes no terms.
func (l List) Terms(properties, facts map[string]string) *Terms {
	t, ok := l.Find(properties["db"])
	if !ok || t.Terms == nil || len(facts) == 0 {
		return nil
	}
	terms := t.Terms(properties, facts)
	return &terms
}
