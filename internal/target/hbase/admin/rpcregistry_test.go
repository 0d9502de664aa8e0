package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// bootstrap is how a client finds a cluster by servers of it.
func bootstrap(servers ...string) admin.Config {
	return admin.Config{Bootstrap: admin.Bootstrap{Servers: servers, Property: "hbase.client.bootstrap.servers"}, ConnectTimeout: 8 * time.Second}
}

// box is a sandbox of three region servers, and the address of its master.
func box(t *testing.T) (s *sandbox.Sandbox, master string) {
	t.Helper()
	s, err := sandbox.Start(t.Context(), sandbox.Options{Servers: 3, Detection: 200 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	master = s.Master()
	return s, master
}

// Masters and region servers find a cluster, also when other servers that are listed are down, silent, or something else.
func TestAClusterIsFoundByItsOwnServers(t *testing.T) {
	s, master := box(t)
	region := s.Servers()[1].Address
	for name, servers := range map[string][]string{
		"a master":                  {master},
		"a region server":           {region},
		"one that is down":          {closed(t), closed(t), region},
		"one that is silent":        {deaf(t), master},
		"one that is another thing": {s.Quorum(), region, s.Info()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := admin.Connect(t.Context(), bootstrap(servers...))
			require.NoError(t, err)
			defer c.Close()
			require.Equal(t, master, c.Master())
			tables, err := c.Tables(t.Context())
			require.NoError(t, err)
			require.Empty(t, tables)
			cluster, err := c.Cluster(t.Context())
			require.NoError(t, err)
			require.NotZero(t, cluster.MasterInfo, "the registry does not know the port of the master's pages: the master does")
		})
	}
}

// A client that knows one server still finds hbase:meta after that server has died: it has asked for others.
func TestAClientOutlivesItsBootstrapServer(t *testing.T) {
	s, _ := box(t)
	only := s.Servers()[0].Address
	c, err := admin.Connect(t.Context(), bootstrap(only))
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Create(t.Context(), admin.Table{Name: "t", Families: []admin.Family{{Name: "cf"}}}, nil))
	at, err := c.MetaServer(t.Context())
	require.NoError(t, err)
	if at != only { // both must go
		require.NoError(t, s.KillServer(t.Context(), at))
	}
	require.NoError(t, s.KillServer(t.Context(), only))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = c.RegionOf(ctx, "t", []byte("k"))
	require.NoError(t, err)
	require.NotContains(t, []string{only, at}, c.Meta())
}

// Without a cluster there is one error, soon, which names the property and the cure.
func TestServersOfARegistryThatDoNotAnswerAreReported(t *testing.T) {
	down := closed(t)
	for name, test := range map[string]struct {
		servers []string
		want    string
	}{
		"down":      {[]string{down}, "no server of hbase.client.bootstrap.servers=" + down + " answers (connect to HBase server " + down},
		"silent":    {[]string{deaf(t), deaf(t)}, "no answer: context deadline exceeded after 3s"},
		"no host":   {[]string{"host.invalid:16000"}, "no server of hbase.client.bootstrap.servers=host.invalid:16000 answers"},
		"many down": {[]string{closed(t), closed(t), closed(t), closed(t), closed(t)}, "; and 2 more): is HBase running there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			_, err := admin.Connect(t.Context(), bootstrap(test.servers...))
			require.ErrorContains(t, err, test.want)
			require.ErrorIs(t, err, admin.ErrNotReached)
			require.Contains(t, err.Error(), "16020")
			require.Less(t, time.Since(begin), 10*time.Second)
		})
	}
}

// Neither a listed server nor one that another server names is dialled where the operator allows no connection.
func TestServersOfARegistryAreDialledOnlyIfAllowed(t *testing.T) {
	dial, err := outbound.New([]string{"127.0.0.1/32"})
	require.NoError(t, err)
	config := bootstrap("127.0.0.99:16000")
	config.Dial = dial
	_, err = admin.Connect(t.Context(), config)
	require.ErrorContains(t, err, "refuse to connect to 127.0.0.99:16000, which hbase.client.bootstrap.servers names")
	require.ErrorAs(t, err, new(*outbound.RefusedError))
}
