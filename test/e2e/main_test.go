//go:build integration

package e2e

import (
	"os"
	"testing"

	"github.com/benchd/benchd/test/house"
)

func TestMain(m *testing.M) {
	os.Exit(house.Main(m))
}
