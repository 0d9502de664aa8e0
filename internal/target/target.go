// Package target is the register of the systems that an agent can put under load. Each has a folder of its own.
package target

import (
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/action"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// Drivers gives each target's driver by its name, which is what --db says.
func Drivers() map[string]load.Driver {
	return map[string]load.Driver{
		"hbase":   hbase.Open,
		"null":    null.Open,
		"sandbox": hbase.OpenSandbox,
	}
}

// Actors gives what can be done to each target, by the target's name.
func Actors() map[string]load.Acting {
	return map[string]load.Acting{
		"hbase":   action.Open,
		"sandbox": action.Sandboxes(),
	}
}

// Reader reads submissions for these targets.
func Reader() *spec.Reader {
	return spec.NewReader(nullspec.Target(), hbasespec.Target(), hbasespec.Sandbox())
}

// Names lists the names of drivers in order.
func Names(drivers map[string]load.Driver) []string { return slices.Sorted(maps.Keys(drivers)) }
