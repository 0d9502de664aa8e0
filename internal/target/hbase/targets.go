package hbase

import (
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/hbase/action"
	"github.com/benchd/benchd/internal/target/hbase/embed"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/watch"
)

// Target is HBase as a target.
func Target() target.Target {
	return target.Target{Target: hbasespec.Target(), Open: Open, Act: action.Open, Watch: watch.Open}
}

// Sandbox is benchd's own sandbox, which speaks HBase's protocols, as a target.
func Sandbox() target.Target {
	return target.Target{Target: hbasespec.Sandbox(), Open: OpenSandbox, Act: action.Sandboxes(), Watch: watch.Open, Embed: embed.Open}
}
