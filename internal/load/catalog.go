package load

import (
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/workload"
)

// catalog maps the series of a group of workers to indexes. Each kind has a row of one series per code.
type catalog struct {
	group string
	first int // index of its first series
	keys  []latency.Key
	// first index of a kind's row; -1 for kinds that the workload does not have
	whole [workload.NumKinds]int
	// rows of the parts of larger operations
	rmwRead, rmwUpdate, rmwVerify, readVerify int
	// row of sessions' ends; they are parts, so that they do not count as operations
	cleanup int
	stages  []int // rows of the stages of inserts
}

// newCatalog returns the catalog of a group of workers; keys are the series of the groups before it. Stages are
// those of the target's inserts in a load.
func newCatalog(keys []latency.Key, group string, cfg *workload.Config, load bool, stages []string) *catalog {
	c := &catalog{group: group, first: len(keys), keys: keys}
	for k := range c.whole {
		c.whole[k] = -1
	}
	if load {
		c.whole[workload.Insert] = c.row(workload.Insert.String(), "")
		for _, name := range stages {
			c.stages = append(c.stages, c.row(name, workload.Insert.String()))
		}
	} else {
		c.operations(cfg)
	}
	c.cleanup = c.row(workload.Cleanup.String(), workload.Cleanup.String())
	return c
}

// operations assigns rows to the kinds that a run draws.
func (c *catalog) operations(cfg *workload.Config) {
	p := cfg.Proportions
	for _, share := range p.Shares() {
		if share.Value > 0 {
			c.whole[share.Kind] = c.row(share.Kind.String(), "")
		}
	}
	if cfg.DataIntegrity && p.Read > 0 {
		c.readVerify = c.row(workload.Verify.String(), workload.Read.String())
	}
	if p.ReadModifyWrite > 0 {
		rmw := workload.ReadModifyWrite.String()
		c.rmwRead = c.row(workload.Read.String(), rmw)
		c.rmwUpdate = c.row(workload.Update.String(), rmw)
		if cfg.DataIntegrity {
			c.rmwVerify = c.row(workload.Verify.String(), rmw)
		}
	}
}

func (c *catalog) row(name, partOf string) int {
	first := len(c.keys)
	for code := range workload.NumCodes {
		c.keys = append(c.keys, latency.Key{Op: workload.InGroup(c.group, name), Outcome: code.String(), PartOf: workload.InGroup(c.group, partOf)})
	}
	return first
}
