//go:build secure

package secure

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) {
	code := testcluster.Main(m)
	for _, c := range started {
		c.stop()
	}
	os.Exit(code)
}
