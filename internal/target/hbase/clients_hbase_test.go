//go:build hbase

package hbase_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// YCSB's workloads a to f, with one seed: both clients have the same operations, keys, outcomes, rows, bytes and cells.
func TestBothClientsDoTheSameOnHBase(t *testing.T) {
	var tables []string
	for _, client := range engines() {
		for _, name := range compared() {
			tables = append(tables, clientTable(client, name))
		}
	}
	t.Cleanup(func() { dropTables(t, tables) })
	sameOnBoth(t, map[string]string{"db": "hbase", "columnfamily": "cf", "hbase.zookeeper.quorum": quorum()}, 300)
}

// The operations that YCSB's workloads do not have.
func TestOperationsOfBothClientsOnHBase(t *testing.T) {
	for _, client := range engines() {
		t.Run(client, func(t *testing.T) {
			_, properties := realTable(t, "benchd_operations_"+client, "k5")
			target, s := realOpen(t, properties, "hbase.client", client)
			operationsOf(t, s)
			require.NoError(t, s.Close(t.Context()))
			facts, err := target.(load.Observer).Facts(t.Context())
			require.NoError(t, err)
			require.Equal(t, client, facts["client"])
			require.Equal(t, client == hbasespec.ClientGohbase, strings.HasPrefix(fmt.Sprintf("%T", s), "*gohbase."), "%T", s)
		})
	}
}

// dropTables drops those of the tables that exist.
func dropTables(t *testing.T, names []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := admin.Connect(ctx, admin.Config{Quorum: quorum()})
	require.NoError(t, err)
	defer c.Close()
	errs := make([]error, len(names))
	var work sync.WaitGroup
	for i, name := range names {
		work.Go(func() {
			there, err := c.Exists(ctx, name)
			if err == nil && there {
				err = c.Drop(ctx, name)
			}
			errs[i] = err
		})
	}
	work.Wait()
	require.NoError(t, errors.Join(errs...))
}
