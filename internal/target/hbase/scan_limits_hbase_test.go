//go:build hbase

package hbase_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// HBase ends a page of a scan after 100 MiB of blocks (hbase.server.scanner.max.result.size) or after half of the client's
// timeout, whatever it found.
func TestScansGoOnBehindTheLimitsOfHBase(t *testing.T) {
	c, properties := realTable(t, "benchd_limits", "k100")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	scansGoOn(t, properties, 1<<20, 100_000, func() {
		_, _, err := c.Flush(ctx, "benchd_limits") // only rows in files have blocks, and the server has little memory
		require.NoError(t, err)
	})
}
