package setup

import (
	"context"
	"log/slog"
	"strings"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// Config returns how to connect to the cluster that the settings name.
func Config(s hbasespec.Settings, secured *Security, dial *outbound.Dialer, log *slog.Logger) admin.Config {
	return admin.Config{
		Bootstrap: admin.Bootstrap{Servers: s.Registry.Servers, Property: s.Registry.Property, Masters: s.Registry.Masters()},
		Quorum:    strings.Join(s.Quorum, ","), Parent: s.Znode, MetaReplicas: s.Registry.Hedged, User: secured.User(), Dial: dial, Logger: log,
		Secure: secured.RPC(), SecureZooKeeper: secured.ZooKeeper(), Web: secured.Web, Scheme: secured.Scheme(),
	}
}

// Connect connects to the cluster that the settings name. It fails within ten seconds if there is none.
func Connect(ctx context.Context, s hbasespec.Settings, secured *Security, dial *outbound.Dialer, log *slog.Logger) (*admin.Client, error) {
	return admin.Connect(ctx, Config(s, secured, dial, log))
}
