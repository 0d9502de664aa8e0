//go:build hbase

package hbase

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/house"
)

func TestMain(m *testing.M) {
	code := house.Main(m)
	for _, s := range started {
		s.stop()
	}
	os.Exit(code)
}
