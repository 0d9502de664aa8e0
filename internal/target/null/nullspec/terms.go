package nullspec

import "github.com/benchd/benchd/internal/descriptor"

// terms describes what a workload does on the null target: nothing.
func terms(map[string]string, map[string]string) descriptor.Terms {
	return descriptor.Terms{
		Durability: "none: nothing is stored", Consistency: "none: reads return no values", Replicas: "0", Scans: "none: scans return no rows", Updates: "nothing is sent",
	}
}
