//go:build browser

package browser

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) {
	os.Exit(testcluster.Main(m))
}
