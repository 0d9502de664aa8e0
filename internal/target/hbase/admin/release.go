package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// release is HBase's version, as the master reports it. It determines which calls the servers have:
//
//	                    HBase 1                              HBase 2
//	state of a table    znode of the table                   GetTableState of the master
//	split               SplitRegion of the region server     SplitRegion of the master, a procedure
//	compactions         GetRegionInfo of each region         GetRegionLoad of the region server
//	state of a region   not in hbase:meta                    in hbase:meta
type release string

// isOne reports whether the servers are of HBase 1.
func (r release) isOne() bool { return strings.HasPrefix(string(r), "1.") }

// String is the name in messages.
func (r release) String() string { return "HBase " + string(r) }

// release returns the cluster's version, from the first status that was read.
func (c *Client) release(ctx context.Context) (release, error) {
	if known := c.known(); known != "" {
		return known, nil
	}
	// HBase 1 ignores the option and answers with the whole status.
	request := &hbasepb.GetClusterStatusRequest{Options: []hbasepb.StatusOption{hbasepb.StatusOption_STATUS_OPTION_HBASE_VERSION}}
	response := &hbasepb.GetClusterStatusResponse{}
	if err := c.query(ctx, "GetClusterStatus", request, response); err != nil {
		return "", fmt.Errorf("read the version of HBase: %w", err)
	}
	return c.noteRelease(response.GetClusterStatus()), nil
}

// known returns the version that a status had, or nothing before the first one.
func (c *Client) known() release {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// noteRelease keeps the version that a status has.
func (c *Client) noteRelease(s *hbasepb.ClusterStatus) release {
	r := release(s.GetHbaseVersion().GetVersion())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = r
	return r
}

// complete adds to a schema what HBase 1 has no default for.
func (r release) complete(s *hbasepb.TableSchema) *hbasepb.TableSchema {
	if !r.isOne() {
		return s
	}
	for _, f := range s.GetColumnFamilies() {
		if !slices.ContainsFunc(f.GetAttributes(), func(p *hbasepb.BytesBytesPair) bool { return string(p.GetFirst()) == "VERSIONS" }) {
			f.Attributes = append(f.Attributes, &hbasepb.BytesBytesPair{First: []byte("VERSIONS"), Second: []byte("1")})
		}
	}
	return s
}
