// Package nullspec describes the null target: its properties and settings.
package nullspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// Name is the null target's name.
const Name = "null"

// Target describes the null target, which serves operations at once or after a simulated time. It stores nothing, so it has no
// operations that depend on stored data.
func Target() descriptor.Target {
	return descriptor.Target{
		Name:    Name,
		Aliases: []string{"site.ycsb.BasicDB", "site.ycsb.BasicTSDB", "basic"},
		Operations: []workload.Kind{
			workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite, workload.Delete, workload.MultiGet,
		},
		AnyFields: true,
		Keys:      keys(),
		Terms:     terms,
	}
}

func keys() []property.Key {
	return []property.Key{
		{Name: "null.service", Kind: property.Text, Default: "0", Check: checkService, Doc: "simulated service time: " + serviceForms},
		{Name: "null.capacity", Kind: property.Float, Default: "0", Max: 1e9, Doc: "operations per second that the null target of one agent serves; excess operations queue up; 0 is no limit"},
		{Name: "null.log", Kind: property.Text, Doc: "a file on the agent's machine that gets a line for every operation; it must be below the folder of --write-below"},
		{Name: "null.error.share", Kind: property.Percent, Default: "0", Doc: "share of operations that end in ERROR"},
		{Name: "null.notfound.share", Kind: property.Percent, Default: "0", Doc: "share of reads that end in NOT_FOUND"},
		{Name: "null.seed", Kind: property.Int, Default: "0", Check: property.CheckSeed, Doc: "of service times and outcomes; 0 is the run's seed"},
	}
}

// Settings are the settings of the null target.
type Settings struct {
	Service       Service
	Capacity      float64 // operations per second that are served; 0 for no limit
	LogPath       string  // of a log of every operation; empty for none
	ErrorShare    float64 // of operations that end in ERROR
	NotFoundShare float64 // of reads that end in NOT_FOUND
	Seed          uint64  // of service times and outcomes; 0 is the run's
}

// Read returns the settings of resolved properties. The error is of type property.Problems.
func Read(properties map[string]string) (Settings, error) {
	v, err := property.Read(properties, keys())
	if err != nil {
		return Settings{}, err
	}
	service, err := ParseService(v.Text("null.service"))
	if err != nil {
		return Settings{}, property.Problems{{Key: "null.service", Text: err.Error()}}
	}
	return Settings{
		Service:       service,
		Capacity:      v.Float("null.capacity"),
		LogPath:       v.Text("null.log"),
		ErrorShare:    v.Float("null.error.share"),
		NotFoundShare: v.Float("null.notfound.share"),
		Seed:          v.Uint64("null.seed"),
	}, nil
}
