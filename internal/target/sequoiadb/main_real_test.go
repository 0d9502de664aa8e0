//go:build databases

package sequoiadb_test

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) { os.Exit(testcluster.Main(m)) }
