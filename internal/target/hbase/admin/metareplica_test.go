package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// While the server of hbase:meta is silent and the master has not noticed, look-ups read a replica, if they may. Administration never does:
// what a replica shows may be old.
func TestRegionsAreFoundInAReplicaOfMeta(t *testing.T) {
	s, err := sandbox.Start(t.Context(), sandbox.Options{Servers: 3, MetaReplicas: 2, Detection: time.Hour})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ways := map[string]admin.Config{"ZooKeeper": {Quorum: s.Quorum()}, "its own servers": bootstrap(s.Master())}
	clients, strict := make(map[string]*admin.Client), make(map[string]*admin.Client)
	for name, config := range ways {
		strict[name], err = admin.Connect(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(strict[name].Close)
		config.MetaReplicas = true
		clients[name], err = admin.Connect(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(clients[name].Close)
	}
	one := clients["ZooKeeper"]
	require.NoError(t, one.Create(t.Context(), admin.Table{Name: "t", Families: []admin.Family{{Name: "cf"}}}, [][]byte{[]byte("m")}))
	require.NoError(t, s.SilenceServer(t.Context(), one.Meta()))
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			r, err := c.RegionOf(ctx, "t", []byte("x"))
			require.NoError(t, err)
			require.Equal(t, "m", string(r.StartKey))
			regions, err := c.Locations(ctx, "t")
			require.NoError(t, err)
			require.Len(t, regions, 2)

			short, end := context.WithTimeout(t.Context(), 3*time.Second)
			defer end()
			_, err = c.Regions(short, "t")
			require.Error(t, err, "administration needs hbase:meta itself")
			_, err = strict[name].RegionOf(short, "t", []byte("x"))
			require.Error(t, err, "replicas are read only if they may be")
		})
	}
}
