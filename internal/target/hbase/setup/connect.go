package setup

import (
	"context"
	"log/slog"
	"strings"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// Connect connects to the cluster that the settings name. It fails within ten seconds if there is none.
func Connect(ctx context.Context, s hbasespec.Settings, dial *outbound.Dialer, log *slog.Logger) (*admin.Client, error) {
	if err := CheckSecurity(s); err != nil {
		return nil, err
	}
	return admin.Connect(ctx, admin.Config{
		Quorum: strings.Join(s.Quorum, ","), Parent: s.Znode, User: s.User, Dial: dial, Logger: log,
	})
}
