package sequoiadb

import (
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/sequoiadb/action"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/watch"
)

// Target is SequoiaDB as a target.
func Target() target.Target {
	return target.Target{Target: sequoiadbspec.Target(), Open: Open, Act: action.Open, Watch: watch.Open}
}
