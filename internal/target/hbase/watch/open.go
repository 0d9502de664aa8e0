package watch

import (
	"context"

	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
)

// Open is the observe.Opener of HBase and of sandboxes.
func Open(properties map[string]string, with observe.Access) (observe.Source, error) {
	where, err := hbasespec.Read(properties)
	if err != nil {
		return nil, err //nolint:wrapcheck // it lists the mistakes
	}
	secured, err := setup.NewSecurity(where, with.Credential, with.Logger)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	h := NewHBase(func(ctx context.Context) (Cluster, error) {
		client, err := setup.Connect(ctx, where, secured, with.Dial, with.Logger)
		if err != nil {
			return nil, err //nolint:wrapcheck // it needs no context
		}
		return client, nil
	}, where.FullTable(), with.Dial, with.Logger)
	h.web, h.scheme, h.end = secured.Web(with.Dial.Named("the cluster's status"), 0), secured.Scheme(), secured.Close
	return h, nil
}
