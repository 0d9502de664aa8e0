//go:build hbase

package hbase

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) {
	code := testcluster.Main(m)
	for _, s := range started {
		s.stop()
	}
	os.Exit(code)
}
