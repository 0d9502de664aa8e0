package admin

import (
	"context"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// tableLoads reads the loads of a table's regions from a server: those of other tables cost the server and the network nothing.
func (c *Client) tableLoads(ctx context.Context, server, table string) ([]Load, error) {
	at, err := serverAddress(server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	response := &hbasepb.GetRegionLoadResponse{}
	if err := c.ask(ctx, endpoint{adminService, at}, "GetRegionLoad", &hbasepb.GetRegionLoadRequest{TableName: tableName(table)}, response); err != nil {
		return nil, err
	}
	loads := make([]Load, 0, len(response.GetRegionLoads()))
	for _, r := range response.GetRegionLoads() {
		loads = append(loads, fromRegionLoad(r))
	}
	return loads, nil
}
