package admin

import (
	"context"
	"errors"
	"fmt"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// The plug-in of HBase that writes several rows of a region at once. A table has it by an attribute, or all tables of a server by
// hbase.coprocessor.region.classes.
const (
	// MultiRowService is the name by which it is called, and MultiRowMethod its method.
	MultiRowService = "MultiRowMutationService"
	MultiRowMethod  = "MutateRows"
	// MultiRowEndpoint is its class.
	MultiRowEndpoint = "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint"
)

// MultiRowAttribute is the attribute of a table with the plug-in: no file, the class, and the priority of plug-ins of users.
func MultiRowAttribute() (name, value string) {
	return "coprocessor$1", "|" + MultiRowEndpoint + "|1073741823|"
}

// HasMultiRow reports whether a table has the plug-in, by a call of it without rows.
func (c *Client) HasMultiRow(ctx context.Context, table string) (bool, error) {
	has := false
	err := c.Retry(ctx, "ask a region of table "+table, func() error {
		r, err := c.RegionOf(ctx, table, nil)
		if err != nil {
			return err
		}
		err = c.atServer(r, func(at endpoint, r Region) error {
			service, method := MultiRowService, MultiRowMethod
			return c.ask(ctx, endpoint{clientService, at.address}, "ExecService", &hbasepb.CoprocessorServiceRequest{
				Region: r.specifier(),
				Call:   &hbasepb.CoprocessorServiceCall{Row: r.StartKey, ServiceName: &service, MethodName: &method, Request: []byte{}},
			}, &hbasepb.CoprocessorServiceResponse{})
		})
		if e, ok := errors.AsType[*protocol.Exception](err); ok && e.Short() == "UnknownProtocolException" {
			return nil
		}
		has = err == nil
		return err
	})
	if err != nil {
		return false, fmt.Errorf("ask table %s for %s: %w", table, MultiRowService, err)
	}
	return has, nil
}
