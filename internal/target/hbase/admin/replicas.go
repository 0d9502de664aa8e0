package admin

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Replication is the attribute of a table with the number of replicas of each region, the region itself included.
const Replication = "REGION_REPLICATION"

// ReplicasOf returns how many replicas each region of a table has, the region itself included.
func ReplicasOf(t Table) int {
	n, err := strconv.Atoi(t.Attributes[Replication])
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// maxReplicas bounds the replicas of a region that are read from hbase:meta.
const maxReplicas = 100

// replicas are the other replicas of a region while its row of hbase:meta is read.
type replicas []struct {
	host, state string
	code        uint64
}

// read reads a cell of a replica. The columns of replica 10 are server_000A, serverstartcode_000A and state_000A; the region itself
// has them without a number.
func (r *replicas) read(cell protocol.Cell) {
	column, number, ok := strings.Cut(string(cell.Qualifier), "_")
	id, err := strconv.ParseUint(number, 16, 16)
	if !ok || err != nil || id == 0 || id > maxReplicas || column != "server" && column != "serverstartcode" && column != "state" {
		return
	}
	for len(*r) < int(id) {
		*r = append(*r, struct {
			host, state string
			code        uint64
		}{})
	}
	switch at := &(*r)[id-1]; {
	case column == "server":
		at.host = string(cell.Value)
	case column == "state":
		at.state = string(cell.Value)
	case len(cell.Value) == 8:
		at.code = binary.BigEndian.Uint64(cell.Value)
	}
}

// servers lists the servers of the replicas, in the order of their numbers from 1.
func (r *replicas) servers() []string {
	var servers []string
	for _, at := range *r {
		one := Region{Server: nameOfServer(at.host, at.code), State: at.state}
		if !one.open() {
			one.Server = ""
		}
		servers = append(servers, one.Server)
	}
	return servers
}

// WaitReplicas waits until every region of a table has n replicas that are open, the region itself included.
func (c *Client) WaitReplicas(ctx context.Context, table string, n int) error {
	waiting := c.progress("find the replicas of table " + table + " open")
	closed, all := 0, 0
	for {
		regions, err := c.Regions(ctx, table)
		switch {
		case err != nil && ctx.Err() != nil && closed > 0: // what was seen before says more
		case err != nil && (ctx.Err() != nil || !mayPass(err)):
			return err
		case err != nil:
			waiting.note(ctx, err)
		default:
			closed, all = 0, len(regions)*(n-1)
			for _, r := range regions {
				closed += n - 1 - min(r.openReplicas(), n-1)
			}
			if closed == 0 {
				return nil
			}
		}
		if err := wait(ctx, openEvery); err != nil {
			return fmt.Errorf("%d of %d replicas of table %s are not open: %w", closed, all, table, err)
		}
	}
}

// openReplicas is the number of open replicas beside the region itself.
func (r Region) openReplicas() int {
	open := 0
	for _, server := range r.Replicas {
		if server != "" {
			open++
		}
	}
	return open
}
