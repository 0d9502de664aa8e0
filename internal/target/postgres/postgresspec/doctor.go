package postgresspec

import "github.com/benchd/benchd/internal/descriptor"

// examine returns doctor's finding about the facts of a server.
func examine(facts map[string]string) descriptor.Finding {
	var f descriptor.Finding
	if version := facts["postgres.version"]; version != "" {
		f.Found += ", PostgreSQL " + version
	}
	if tls := facts["postgres.tls"]; tls != "" {
		f.Found += ", " + tls
	}
	if facts["in_recovery"] == "true" {
		f.Found += ", which is a standby and accepts no writes"
		f.Cure = "name the primary in " + hostKey + " or " + urlKey
	}
	return f
}
