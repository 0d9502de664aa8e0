package admin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// Region is a part of a table, as hbase:meta records it.
type Region struct {
	Name     string `json:"name"`
	Encoded  string `json:"encoded"`
	Table    string `json:"table"`
	StartKey []byte `json:"start_key"`
	EndKey   []byte `json:"end_key"`
	Server   string `json:"server"`            // HOST,PORT,STARTCODE; empty where it is not open
	State    string `json:"state,omitempty"`   // OPEN, CLOSED …; empty where HBase does not record it
	Replica  int    `json:"replica,omitempty"` // 0 is the region itself
	// Replicas are the servers of the other replicas, in their order from 1; empty for one that is not open.
	Replicas []string `json:"replicas,omitempty"`
	ID       uint64   `json:"id"`
	Offline  bool     `json:"offline,omitempty"` // a split parent, or a region of a disabled table
}

// open reports whether the region serves.
func (r Region) open() bool { return r.Server != "" && (r.State == "" || r.State == "OPEN") }

func (r Region) specifier() *hbasepb.RegionSpecifier {
	return &hbasepb.RegionSpecifier{
		Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: []byte(r.Name),
	}
}

// info names the region in calls to the master.
func (r Region) info() *hbasepb.RegionInfo {
	replica := int32(r.Replica)
	return &hbasepb.RegionInfo{
		RegionId: &r.ID, TableName: tableName(r.Table), StartKey: r.StartKey, EndKey: r.EndKey,
		Offline: new(bool), Split: new(bool), ReplicaId: &replica,
	}
}

// serverAddress returns HOST:PORT of a server's name HOST,PORT,STARTCODE.
func serverAddress(server string) (string, error) {
	parts := strings.Split(server, ",")
	if len(parts) != 3 {
		return "", fmt.Errorf("invalid region server name %q: want HOST,PORT,STARTCODE, as `regions` and `servers` print it", server)
	}
	return net.JoinHostPort(parts[0], parts[1]), nil
}

// Regions lists a table's regions in the order of their keys; parents of splits and replicas are left out. The error
// is ErrNoTable when there are none.
func (c *Client) Regions(ctx context.Context, table string) ([]Region, error) {
	if err := CheckName(table); err != nil {
		return nil, err
	}
	return c.regions(ctx, table, c.onMeta)
}

func (c *Client) regions(ctx context.Context, table string, read metaReader) ([]Region, error) {
	// A name with a space sorts after all regions of the table and before any other table.
	all, err := c.metaRange(ctx, []byte(table+",,"), []byte(table+" ,,"), read)
	if err != nil {
		return nil, fmt.Errorf("list regions of table %s: %w", table, err)
	}
	regions := all[:0]
	for _, r := range all {
		if r.Table == table && !r.Offline && r.Replica == 0 {
			regions = append(regions, r)
		}
	}
	if len(regions) == 0 {
		return nil, fmt.Errorf("list regions of table %s: %w", table, ErrNoTable)
	}
	return regions, nil
}

// RegionOf returns the region of a table that holds a key, from one row of hbase:meta. The result has no server while the
// region is in transition, or if no region holds the key. The error is ErrNoTable when the table has no regions.
func (c *Client) RegionOf(ctx context.Context, table string, key []byte) (Region, error) {
	if err := CheckName(table); err != nil {
		return Region{}, err
	}
	// Scan backwards from after all regions that begin with the key, as HBase's Java client does.
	start := append(append([]byte(table+","), key...), ",99999999999999"...)
	var found Region
	err := c.onAnyMeta(ctx, func(s *scan) error {
		s.start, s.stop, s.rows, s.reversed = start, []byte(table+",,"), 1, true
		row, ok, err := s.first(ctx)
		if err != nil {
			return err
		}
		if ok {
			found, ok, err = fromMeta(row)
		}
		if err == nil && (!ok || found.Table != table) {
			err = ErrNoTable
		}
		return err
	})
	if err != nil {
		return Region{}, fmt.Errorf("look up key %q of table %s: %w", key, table, err)
	}
	if found.Offline || len(found.EndKey) > 0 && bytes.Compare(key, found.EndKey) >= 0 {
		found.Server = ""
	}
	return found, nil
}

// Serves reports whether the region has a server that has not closed it.
func (r Region) Serves() bool {
	switch r.State {
	case "", "OPEN", "CLOSING", "SPLITTING", "MERGING":
		return r.Server != ""
	}
	return false
}

// metaRows is how many rows of hbase:meta one call asks for.
const metaRows = 500

// meta reads a range of hbase:meta. If the table has moved meanwhile, it starts over.
func (c *Client) meta(ctx context.Context, start, stop []byte) ([]Region, error) {
	return c.metaRange(ctx, start, stop, c.onMeta)
}

func (*Client) metaRange(ctx context.Context, start, stop []byte, read metaReader) ([]Region, error) {
	var regions []Region
	err := read(ctx, func(s *scan) error {
		regions = nil
		s.start, s.stop, s.rows = start, stop, metaRows
		err := s.each(ctx, func(row row) error {
			r, ok, err := fromMeta(row)
			if ok {
				regions = append(regions, r)
			}
			if len(regions) > maxRegions {
				return fmt.Errorf("%w: hbase:meta has more than %d regions", errTooMuch, maxRegions)
			}
			return err
		})
		if err == nil && s.timeline && len(regions) == 0 {
			err = ErrNoTable // the replica may not have a new table yet
		}
		return err
	})
	return regions, err
}

// maxRegions is the number of regions that are read from hbase:meta.
const maxRegions = 1 << 17

// onMeta calls scanning with a scan of hbase:meta that lacks only its range. If the server does not serve the table or does not
// answer, onMeta looks up the table in the registry and calls scanning again.
func (c *Client) onMeta(ctx context.Context, scanning func(s *scan) error) error {
	return c.scanMeta(ctx, scanning, nil)
}

// scanMeta does the same, but calls instead, if it is not nil, each time when the server has failed: it reports whether the scan was
// made elsewhere.
func (c *Client) scanMeta(ctx context.Context, scanning func(s *scan) error, instead func(context.Context, time.Duration) bool) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	pause, within := firstPatience, firstLook
	for {
		at, seen := c.site(clientService)
		err := scanning(&scan{
			c: c, at: at, families: []string{"info"}, within: within, region: &hbasepb.RegionSpecifier{
				Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: []byte(metaRegion),
			},
		})
		var answer *protocol.Exception
		switch {
		case err == nil, ctx.Err() != nil, errors.Is(err, ErrNoTable), errors.Is(err, errTooMuch), isRefused(err), rpc.IsFinal(err):
			return err
		case errors.As(err, &answer) && !elsewhere(answer) && !starting(answer):
			return err
		}
		if instead != nil && instead(ctx, within) {
			return c.relocate(ctx, clientService, seen, 0, nil)
		}
		if err := c.relocate(ctx, clientService, seen, pause, err); err != nil {
			return err
		}
		pause, within = min(2*pause, lastPatience), min(2*within, lastLook)
	}
}

// fromMeta reads a row of hbase:meta. The result is false for a row that is not a region's.
func fromMeta(r row) (Region, bool, error) {
	region := Region{Name: string(r.key), Encoded: encodedName(r.key)}
	var host string
	var code uint64
	var others replicas
	found := false
	for _, cell := range r.cells {
		if string(cell.Family) != "info" {
			continue
		}
		switch string(cell.Qualifier) {
		case "regioninfo":
			var info hbasepb.RegionInfo
			text, ok := bytes.CutPrefix(cell.Value, []byte("PBUF"))
			if !ok {
				return Region{}, false, fmt.Errorf("read hbase:meta: row %q was written by an HBase older than 0.96", r.key)
			}
			if err := proto.Unmarshal(text, &info); err != nil {
				return Region{}, false, fmt.Errorf("read hbase:meta: decode row %q: %w", r.key, err)
			}
			found = true
			region.Table, region.ID = nameOf(info.GetTableName()), info.GetRegionId()
			region.StartKey, region.EndKey = info.GetStartKey(), info.GetEndKey()
			region.Offline, region.Replica = info.GetOffline() || info.GetSplit(), int(info.GetReplicaId())
		case "server":
			host = string(cell.Value)
		case "serverstartcode":
			if len(cell.Value) == 8 {
				code = binary.BigEndian.Uint64(cell.Value)
			}
		case "state":
			region.State = string(cell.Value)
		default:
			others.read(cell)
		}
	}
	region.Replicas = others.servers()
	region.Server = nameOfServer(host, code)
	return region, found, nil
}

// nameOfServer returns HOST,PORT,STARTCODE of a server at host:port, or nothing without one.
func nameOfServer(host string, code uint64) string {
	at := strings.LastIndexByte(host, ':')
	if at <= 0 {
		return ""
	}
	return fmt.Sprintf("%s,%s,%d", host[:at], host[at+1:], code)
}

// encodedName returns the hash at the end of a region's name, TABLE,START,ID.HASH. with a dot on both sides.
func encodedName(name []byte) string {
	text := strings.TrimSuffix(string(name), ".")
	return text[strings.LastIndexByte(text, '.')+1:]
}

// openEvery is the time between two checks whether regions are open.
const openEvery = 200 * time.Millisecond

// WaitOpen waits until every region of a table is open.
func (c *Client) WaitOpen(ctx context.Context, table string) error {
	waiting := c.progress("find the regions of table " + table + " open")
	for {
		regions, err := c.Regions(ctx, table)
		if err != nil && (ctx.Err() != nil || !mayPass(err)) {
			return err
		}
		closed := 0
		for _, r := range regions {
			if !r.open() {
				closed++
			}
		}
		switch {
		case err != nil:
			waiting.note(ctx, err)
		case closed == 0:
			return nil
		}
		if err := wait(ctx, openEvery); err != nil {
			return fmt.Errorf("%d of %d regions of table %s are not open: %w", closed, len(regions), table, err)
		}
	}
}
