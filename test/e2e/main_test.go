//go:build integration

package e2e

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) {
	os.Exit(testcluster.Main(m))
}
